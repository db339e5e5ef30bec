"""The form of the listen page: by what items are found, and which systems are heard."""

from collections.abc import Sequence

from evaluation.corpus import Corpus
from evaluation.records import Item
from leaderboard import display, words
from leaderboard.markup import Child, Markup, el
from leaderboard.query import MAX_SYSTEMS, ListenQuery
from leaderboard.views import Board, Row

ACTION = "/listen"


def build(board: Board, corpus: Corpus, state: ListenQuery, items: Sequence[Item], chosen: Sequence[Row]) -> Markup:
    """Return the form.

    Args:
        board: the board whose systems can be chosen.
        corpus: its test set.
        state: what the form shows as set.
        items: the items that pass the filters.
        chosen: the systems that are heard.
    """
    picks: list[Child] = [el("option", "Any trait", value="")]
    for trait in board.protocol.traits:
        options = (
            el(
                "option",
                f"{trait.name}: {value}",
                value=f"{trait.name}:{value}",
                selected=(trait.name, value) == (state.trait, state.value),
            )
            for value in trait.values
        )
        picks.append(el("optgroup", *options, label=trait.name))
    tiers = [el("option", "Any tier", value="")] + [
        el("option", label, value=str(tier), selected=tier == state.tier) for tier, label in words.TIERS.items()
    ]
    found = f"{len(items)} of {display.count(len(corpus.items), 'item')}"
    text = el(
        "input",
        type="search",
        name="q",
        value=state.text,
        placeholder="Words or item id",
        aria_label="Words in script, instruction or id",
    )
    hidden = el("input", type="hidden", name="systems", value=",".join(state.systems))
    blind = el("input", type="checkbox", name="blind", value="1", checked=state.is_blind)
    season = el("input", type="hidden", name="protocol", value=state.protocol) if state.protocol else None
    return el(
        "form",
        hidden,
        season,
        text,
        el("select", *picks, name="pick", aria_label="Requested trait"),
        el("select", *tiers, name="tier", aria_label="Tier"),
        el("label", blind, "Blind", cls="cb-check"),
        el("button", "Find", type="submit", cls="cb-button"),
        el("output", found),
        _system_choice(board, state, chosen),
        id="listen-form",
        cls="cb-controls",
        action=ACTION,
        method="get",
        data_systems_field="systems",
        role="search",
    )


def _system_choice(board: Board, state: ListenQuery, chosen: Sequence[Row]) -> Markup:
    if state.is_blind and not state.is_revealed:
        return el("p", "Reveal the names to choose other systems.", cls="cb-small", id="listen-systems")
    picked = {row.submission for row in chosen}
    boxes = [
        el(
            "label",
            el("input", type="checkbox", value=row.submission, checked=row.submission in picked, data_system=True),
            row.name,
            cls="cb-check",
        )
        for row in board.rows
    ]
    note = el("p", f"At most {MAX_SYSTEMS}; press Find to apply.", cls="cb-small")
    head = el("summary", f"Systems ({len(picked)} chosen)")
    return el("details", head, el("div", *boxes, cls="cb-choices"), note, id="listen-systems")
