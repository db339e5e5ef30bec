"""The duel of a pair, as a panel below its decision: who was preferred, how surely, and where it contradicts S."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.records import Verdict
from leaderboard import display, shell, standings
from leaderboard.duel_text import (
    RULE,
    agreement,
    agreement_sentence,
    cost_text,
    left_out_text,
    score_text,
    tally_rows,
)
from leaderboard.duel_view import Duelling
from leaderboard.duels import judge_name
from leaderboard.markup import Child, Markup, el, join
from leaderboard.mirror import ROUTE
from leaderboard.pages.parts import clip_address, player
from leaderboard.pages.queue import age
from leaderboard.query import address
from leaderboard.views import Board, Row, Sample
from submissions import layout
from submissions.duel_contest import Published
from submissions.duel_orders import Order
from submissions.duels import Duel, DuelTally, flipped

N_CONTRARY = 4
"""Items with players: those on which judge and composites contradict each other most."""
_LOOKS = {"agree": "good", "differ": "plain", "oppose": "warn"}
Samples = Mapping[str, Mapping[str, Sample]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrary:
    """One item on which the judge prefers the clip with the lower composite."""

    item_id: str
    """The item."""
    gap: float
    """Composite of the first system less that of the second."""
    lead: float
    """Mean score of the first less that of the second by the judge; of the other sign."""


def note(board: Board, known: Duelling) -> Markup | None:
    """Return one sentence on a held duel for beside the decision, which links to the panel; None if none is held."""
    held = known.held
    decision = standings.between(board.decisions, held.duel.a, held.duel.b) if held else None
    if held is None or decision is None:
        return None
    names = {row.submission: row.name for row in board.rows}
    text = agreement_sentence(held.duel, decision, names)
    return el("p", text, " ", el("a", "The duel in full", href="#duel"), id="duel-note")


def panel(board: Board, pair: tuple[Row, Row], known: Duelling, samples: Samples) -> Markup:
    """Return the panel of a pair's duel.

    Args:
        board: the board of the pair.
        pair: both systems as the reader picked them; shares and wins are told as the first one's.
        known: the duel, or how far it is.
        samples: per-item samples of both, by submission.
    """
    head = el("h2", "The duel")
    if known.held is not None:
        body = _held(board, pair, known.held, samples)
    elif known.is_damaged:
        body = shell.notice("There is a duel of this pair, but its files cannot be read.", look="bad")
    else:
        body = _not_held(known.order)
    return el("section", head, body, id="duel", cls="cb-panel")


def contrary_items(held: Published, first: str, samples: Samples, second: str) -> tuple[Contrary, ...]:
    """Return the items on which judge and composites contradict each other, the strongest first."""
    is_a = first == held.duel.a
    found = []
    for item, row in held.verdicts.items():
        judged = [one for one in row.values() if isinstance(one, Verdict)]
        mine, theirs = samples.get(first, {}).get(item), samples.get(second, {}).get(item)
        if not judged or mine is None or theirs is None:
            continue
        lead = sum(one.score - one.anchor_score for one in judged) / len(judged) * (1 if is_a else -1)
        gap = mine.composite - theirs.composite
        if lead * gap < 0:
            found.append(Contrary(item_id=item, gap=gap, lead=lead))
    return tuple(sorted(found, key=lambda one: one.lead * one.gap))


def _held(board: Board, pair: tuple[Row, Row], held: Published, samples: Samples) -> Markup:
    duel = held.duel
    decision = standings.between(board.decisions, duel.a, duel.b)
    names = {row.submission: row.name for row in pair}
    look = _LOOKS[agreement(duel, decision)] if decision else "plain"
    said = shell.notice(agreement_sentence(duel, decision, names), look=look) if decision else None
    files = (
        layout.duel_replies_path(duel.protocol, duel.a, duel.b),
        layout.duel_path(duel.protocol, duel.a, duel.b),
    )
    links = [
        el("a", label, href=f"{ROUTE}/{path}") for label, path in zip(("raw replies", "the duel"), files, strict=True)
    ]
    recipe = duel.recipe
    votes = "both orders" if recipe.votes == 1 else f"both orders, {recipe.votes} votes each"
    facts: list[tuple[str, Child]] = [
        ("Judge", join(judge_name(recipe), el("small", f" {votes}", cls="cb-soft"))),
        ("Recipe", el("code", duel.recipe_sha256[:12])),
        ("Took", cost_text(duel)),
        ("Left out", left_out_text(duel)),
        ("Download", join(*links, by=", ")),
    ]
    rule = el("details", el("summary", "How a duel is counted"), el("p", RULE, cls="cb-small"))
    return join(said, _table(pair, duel), shell.facts(facts), rule, _contrary(board, pair, held, samples))


def _table(pair: tuple[Row, Row], duel: Duel) -> Markup:
    heads = ("Judged", "Ahead", "Share", "95 %", "Wins", "Losses", "Ties", "Orders disagree", "Not judged", "Mean of 3")
    head = el("tr", *(shell.column(text, "cb-num" if at > 1 else None) for at, text in enumerate(heads)))
    is_a = pair[0].submission == duel.a
    rows = (_row(pair, label, tally if is_a else flipped(tally)) for label, tally in tally_rows(duel))
    table = el("table", el("thead", head), el("tbody", *rows), id="duel-table", cls="cb-table")
    told = el("p", "Wins and share are those of ", el("b", pair[0].name), ".", cls="cb-small")
    return join(told, shell.scroll_box(table, "Verdicts of the duel"))


def _row(pair: tuple[Row, Row], label: str, tally: DuelTally) -> Markup:
    first, second = pair
    ahead = {"a": first.name, "b": second.name}.get(tally.ahead, "neither")
    has_interval = tally.share_low is not None and tally.share_high is not None
    interval = (
        f"{display.percent(tally.share_low)} – {display.percent(tally.share_high)}" if has_interval else display.DASH
    )
    cells: tuple[Child, ...] = (
        join(display.percent(tally.share), shell.bar(tally.share)),
        interval,
        tally.n_wins,
        tally.n_losses,
        tally.n_ties,
        tally.n_inconsistent,
        tally.n_not_judged,
        f"{score_text(tally.mean_a)} : {score_text(tally.mean_b)}",
    )
    numbers = (el("td", cell, cls="cb-num") for cell in cells)
    return el("tr", el("th", label, scope="row"), el("td", ahead), *numbers)


def _contrary(board: Board, pair: tuple[Row, Row], held: Published, samples: Samples) -> Markup | None:
    first, second = pair
    found = contrary_items(held, first.submission, samples, second.submission)
    if not found:
        return None
    lead = el(
        "p",
        f"On {display.count(len(found), 'item')} the judge scores the clip higher that has the lower composite. "
        f"Differences are {first.name} less {second.name}.",
        cls="cb-small",
    )
    shown = (_contradiction(board, pair, one, samples) for one in found[:N_CONTRARY])
    items = el("ul", *shown, id="duel-items", cls="cb-duel-items")
    return join(el("h3", "Where judge and composite contradict each other"), lead, items)


def _contradiction(board: Board, pair: tuple[Row, Row], one: Contrary, samples: Samples) -> Markup:
    names = ",".join(row.submission for row in pair)
    place = address("/listen", protocol=board.protocol_id, item=one.item_id, systems=names)
    gap, lead = (text.replace("-", "−") for text in (f"{one.gap:+.3f}", f"{one.lead:+.2f} of 3"))
    told = el("p", el("a", one.item_id, href=place), f" composite {gap}, judge {lead}")
    heard = (el("div", el("span", row.name, cls="cb-soft"), _play(row, one.item_id, samples)) for row in pair)
    return el("li", told, el("div", *heard, cls="cb-duel-pair"))


def _play(row: Row, item_id: str, samples: Samples) -> Markup:
    sample = samples[row.submission][item_id]
    source = clip_address(row.submission, item_id, sample.clip_sha256) if sample.clip_sha256 else None
    return player(source, f"{row.name}, {item_id}")


def _not_held(order: Order | None) -> Markup:
    if order is None:
        return el("p", "These two have not been judged directly yet.", cls="cb-note")
    if order.stage == "failed":
        return shell.notice(order.message, look="bad", heading="It could not be held")
    if order.stage == "done":  # and taken back since
        return el("p", "These two have not been judged directly yet.", cls="cb-note")
    ordered = join("Ordered ", age(order.ordered_at), ".")
    counted = f" {order.items_done} of {order.n_items} items are judged." if order.n_items else ""
    share = order.items_done / order.n_items if order.n_items else 0.0
    meter = (
        el("progress", value=f"{share:.3f}", max=1, aria_label=f"{share:.0%} of the items") if order.n_items else None
    )
    told = {
        "ordered": "It begins as soon as a worker has finished what it does.",
        "running": "It is being judged.",
        "waiting": order.message[:1].upper() + order.message[1:] + ".",
    }[order.stage]
    state = el("p", ordered, " ", told, counted, data_stage=order.stage, id="duel-state")
    return join(state, meter, el("p", "Last word ", age(order.updated_at), ".", cls="cb-small"))
