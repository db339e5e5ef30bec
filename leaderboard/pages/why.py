"""The page of one number of one system: formula with its own numbers, spread, breakdown, and its items. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.bootstrap import MICRO
from evaluation.records import Item
from evaluation.summary import Mean, Rate
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import why_items
from leaderboard.pages.histogram import Mark, histogram
from leaderboard.pages.why_link import HERE, why_address, why_link
from leaderboard.pages.why_state import WhyState
from leaderboard.query import address
from leaderboard.views import Board, Row
from leaderboard.why.ledger import Ledger
from leaderboard.why.number import BAND, COVERAGE, GATE, SCORE, NumberProof

_LABELS = {SCORE: "Score S", GATE: "Gate pass rate", COVERAGE: "Coverage", BAND: "Rank band"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One part of a number."""

    label: str
    """What part."""
    proof: NumberProof
    """The number of that part."""


def build(
    board: Board,
    boards: Sequence[Board],
    row: Row,
    state: WhyState,
    *,
    ledger: Ledger,
    proof: NumberProof,
    parts: Sequence[Breakdown],
    n_right: int | None,
) -> Markup:
    """Return the whole page of a number.

    Args:
        board: the board.
        boards: all boards, for what the navigation keeps.
        row: the system.
        state: which number, and the state of the items.
        ledger: the system's items.
        proof: the number, made anew.
        parts: the number by tier, split or requested value.
        n_right: published composites that are what desirabilities and gate give; None if that was not asked.
    """
    body = join(
        shell.title(join(label(state), el("span", " of ", cls="cb-soft"), row.name), words.WHY_LEAD, shell.copy_link()),
        crumbs(board, row, state),
        _value(proof),
        _formula(board, state, ledger, proof, n_right),
        _spread(state, proof),
        _parts(state, parts),
        why_items.items_table(board, state, ledger, proof),
    )
    return page(board, boards, body)


def page(board: Board, boards: Sequence[Board], body: Markup) -> Markup:
    """Return a page of derivations."""
    return shell.page("page-why", body, here=HERE, protocol=board.protocol_id if len(boards) > 1 else "")


def absent(board: Board, boards: Sequence[Board], text: str) -> Markup:
    """Return the page of an address that names nothing."""
    back = el("p", el("a", "Back to the board", href=address("/", protocol=board.protocol_id), cls="cb-button"))
    body = join(shell.title("No such number"), shell.notice(text, look="warn"), back)
    return shell.page("page-absent", body, here=HERE, protocol=board.protocol_id if len(boards) > 1 else "")


def label(state: WhyState) -> str:
    """Return what a number is called: "Pitch, hard items", "Emotion, requested angry"."""
    place = state.place
    name = _LABELS.get(place.number) or words.header(place.number).label
    told = [f"requested {place.value}"] if place.value else []
    told += [f"{words.TIERS[place.part.tier]} items"] if place.part.tier is not None else []
    told += [f"{words.SPLITS[place.part.split]} items"] if place.part.split else []
    return ", ".join((name, *told))


def crumbs(board: Board, row: Row, state: WhyState | None = None) -> Markup:
    """Return the links up, and across to the system's other numbers."""
    up = [
        el("a", "Board", href=address("/", protocol=board.protocol_id)),
        el("a", row.name, href=address("/system", id=row.submission, protocol=board.protocol_id)),
    ]
    number = state.place.number if state else ""
    names = [*_LABELS, *board.protocol.dimensions]
    across = [
        el(
            "a",
            _LABELS.get(name) or words.header(name).label,
            href=why_address(board.protocol_id, row.submission, name),
            aria_current="true" if name == number else None,
        )
        for name in names
    ]
    return join(
        el("p", join(*up, by=" › "), cls="cb-crumbs"),
        el("nav", *across, cls="cb-slice-group cb-why-filter", aria_label="Numbers of this system"),
    )


def same(proof: NumberProof) -> Markup:
    """Return whether a number that was made anew is the published one."""
    found = proof.same()
    if found == "identical":
        return el("p", "✓ ", words.WHY_SAME, cls="cb-small cb-good-text", id="why-same", data_same=found)
    if found == "unpublished" or proof.published is None:
        return el("p", words.WHY_DERIVED, cls="cb-small", id="why-same", data_same=found)
    text = words.WHY_OTHER.format(value=_told(proof.published))
    return el("p", text, cls="cb-bad-text", id="why-same", data_same=found)


def _told(published: Mean | Rate) -> str:
    value = published.mean if isinstance(published, Mean) else published.rate
    between = published.interval
    return f"{value} ({between.low} to {between.high})" if between else f"{value}"


def _value(proof: NumberProof) -> Markup:
    between = proof.interval
    spread = f"95 % interval {between.low:.6f} to {between.high:.6f}" if between else "no interval"
    shown = display.DASH if proof.mean is None else display.exact(proof.mean)
    return el("p", el("strong", shown), el("span", spread, cls="cb-soft"), cls="cb-why-value", id="why-value")


def _formula(board: Board, state: WhyState, ledger: Ledger, proof: NumberProof, n_right: int | None) -> Markup:
    constants = board.protocol.constants
    n = len(proof.items)
    total = proof.total_micro / MICRO
    shown = display.DASH if proof.mean is None else display.exact(proof.mean)
    if proof.is_share:
        arithmetic = f"{total:.0f} of {n} = {total:.0f} / {n} = {shown}"
        how = "Wilson score interval of a share, two-sided 95 %"
    else:
        arithmetic = f"sum of {n} values / {n} = {total:.6f} / {n} = {shown}"
        tail = 50 * constants.alpha
        how = (
            f"{tail:g}th and {100 - tail:g}th percentile of the means of {constants.n_resamples:,} resamples of these "
            f"items (seed {constants.seed})"
        )
    facts: list[tuple[str, Child]] = [("What", _what(state)), ("Arithmetic", el("b", arithmetic)), ("Interval", how)]
    facts += [("Of these", _zeros(state, ledger, proof))]
    if n_right is not None:
        text = f"{n_right} of {len(ledger.ids)} published composites are what gate and desirabilities give."
        facts.append(("Below it", text))
    return join(shell.facts(facts), same(proof))


def _what(state: WhyState) -> Child:
    number = state.place.number
    if number == SCORE:
        return "Mean of the composites of all items; a vetoed or declined item counts 0."
    if number == GATE:
        return "Share of clips whose word-error rate is within the gate’s limit; declined items are left out."
    if number == COVERAGE:
        return "Share of items with a clip; the rest were declined."
    return "Mean desirability over the items that were not declined; a clip that gave nothing to read counts 0."


def _zeros(state: WhyState, ledger: Ledger, proof: NumberProof) -> str:
    places = proof.items
    n_declined = sum(bool(ledger.declined[at]) for at in places)
    n_vetoed = sum(not ledger.passed[at] and not ledger.declined[at] for at in places)
    if state.place.number in ledger.dimensions:
        return f"{proof.n_unread} could not be read and count 0."
    return f"{n_vetoed} vetoed by the gate, {n_declined} declined."


def _spread(state: WhyState, proof: NumberProof) -> Markup | None:
    if proof.is_share or proof.mean is None:
        return None
    values = [value / MICRO for value in proof.values_micro.tolist()]
    n_zero, n_one = sum(value == 0 for value in values), sum(value == 1 for value in values)
    said = f"{n_zero} of {len(values)} items count 0 and {n_one} count 1; the mean is {proof.mean:.6f}."
    drawing = histogram(
        values,
        low=0.0,
        high=1.0,
        n_bins=25,
        label=f"How the items of {label(state)} are spread from 0 to 1. {said}",
        marks=(Mark(value=proof.mean, label=f"mean {proof.mean:.3f}", look="mean"),),
    )
    caption = el("figcaption", said)
    return join(
        el("h2", "How the items are spread"),
        el("figure", drawing, caption, cls="cb-histogram-figure", id="why-histogram"),
    )


def _parts(state: WhyState, parts: Sequence[Breakdown]) -> Markup | None:
    if not parts:
        return None
    rows = [_part(state, one) for one in parts if one.proof.items]
    heads = ("Part", "Mean" if not parts[0].proof.is_share else "Share", "", "95 % interval", "Items", "Published")
    head = el("tr", *(shell.column(text) if text else el("td") for text in heads))
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-bars", id="why-parts")
    return join(el("h2", "In parts"), shell.scroll_box(table, "The number in parts"))


def _part(state: WhyState, one: Breakdown) -> Markup:
    proof, place = one.proof, one.proof.place
    link = why_link(
        one.label,
        state.protocol,
        state.submission,
        place.number,
        tier=place.part.tier,
        split=place.part.split,
        value=place.value,
    )
    between = proof.interval
    spread = display.interval(between.low, between.high) if between else display.DASH
    bar = interval_bar(proof.mean, between.low, between.high) if between else None
    told = {"identical": "✓ identical", "different": "✕ different", "unpublished": display.DASH}[proof.same()]
    cells = (display.score(proof.mean), bar, spread, str(len(proof.items)), told)
    return el("tr", el("th", link, scope="row"), *(el("td", cell) for cell in cells))


def interval_bar(mean: float | None, low: float, high: float) -> Markup | None:
    """Return an interval on 0..1 as a bar with its mean; nothing without a mean."""
    if mean is None:
        return None
    bar = el("i", style=f"left:{low * 100:.1f}%;width:{(high - low) * 100:.1f}%")
    return el("span", bar, el("b", style=f"left:{mean * 100:.1f}%"), cls="cb-range", aria_hidden="true")


def requested_chips(item: Item) -> Markup:
    """Return what an item asks for."""
    chips = (
        el("span", el("small", words.header(name).label), value, cls="cb-chip")
        for name, value in item.requested.items()
    )
    return el("p", *chips, cls="cb-chips")
