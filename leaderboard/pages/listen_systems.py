"""Which voices are heard: those picked, in order, and a search that adds one of hundreds."""

from collections.abc import Sequence

from leaderboard import display
from leaderboard.markup import Markup, el, join
from leaderboard.query import MAX_SYSTEMS, ListenQuery, listen_address
from leaderboard.views import Board, Row

BODY = "listen-body"
FOUND = "listen-found"
N_FOUND = 8
"""Systems that a search shows."""


def picker(board: Board, state: ListenQuery, chosen: Sequence[Row]) -> Markup:
    """Return the picked systems as chips, and the search for others; nothing is named while hidden."""
    if state.is_blind and not state.is_revealed:
        return el("p", "Reveal the names to choose other systems.", cls="cb-small", id="listen-systems")
    chips = [_chip(row, at, state, chosen) for at, row in enumerate(chosen)]
    return el(
        "div",
        el("ul", *chips, cls="cb-picked", aria_label="Voices that are heard, in order"),
        _search(board, state, chosen) if len(board.rows) > len(chosen) else None,
        id="listen-systems",
    )


def found(board: Board, state: ListenQuery, chosen: Sequence[Row]) -> Markup:
    """Return the first systems that fit the search as links that add one."""
    if state.is_blind and not state.is_revealed:
        return el("div", id=FOUND)
    picked = {row.submission for row in chosen}
    others = [row for row in matching(board, state.find) if row.submission not in picked]
    if len(chosen) >= MAX_SYSTEMS:
        text = f"{MAX_SYSTEMS} voices are heard at most; take one away to add another."
        return el("div", el("p", text, cls="cb-small"), id=FOUND)
    lines = [
        el(
            "li",
            el(
                "a",
                el("span", "+ ", aria_hidden="true"),
                row.name,
                href=_address(state, [*(one.submission for one in chosen), row.submission]),
                cls="cb-chip cb-add",
                data_swap=BODY,
                data_focus="#listen-find-text",
                aria_label=f"Add {row.name}",
            ),
        )
        for row in others[:N_FOUND]
    ]
    left = len(others) - len(lines)
    more = el("li", el("small", f"and {display.count(left, 'system')} more; search by name")) if left > 0 else None
    none = el("li", el("small", "No other system fits.")) if not lines else None
    announced = f"{display.count(len(others), 'system')} found" if state.find else None
    return el("div", el("ul", *lines, more, none, cls="cb-picked"), id=FOUND, data_announce=announced)


def matching(board: Board, text: str) -> tuple[Row, ...]:
    """Return the systems whose name or organisation has all the words, in the board's order."""
    wanted = text.casefold().split()
    return tuple(
        row for row in board.rows if all(word in f"{row.name} {row.organisation}".casefold() for word in wanted)
    )


def _address(state: ListenQuery, names: Sequence[str]) -> str:
    return listen_address(state, systems=",".join(names))


def _chip(row: Row, at: int, state: ListenQuery, chosen: Sequence[Row]) -> Markup:
    names = [one.submission for one in chosen]
    without = [*names[:at], *names[at + 1 :]]
    sooner = [*names[: at - 1], names[at], names[at - 1], *names[at + 1 :]] if at else None
    move = (
        el(
            "a",
            "←",
            href=_address(state, sooner),
            data_swap=BODY,
            aria_label=f"Move {row.name} one place forward",
            data_key=f"move-{row.submission}",
        )
        if sooner
        else None
    )
    away = (
        el("a", "✕", href=_address(state, without), data_swap=BODY, aria_label=f"Take {row.name} away")
        if without
        else None
    )
    return el("li", el("span", el("small", f"{at + 1} "), row.name), move, away, cls="cb-chip")


def _search(board: Board, state: ListenQuery, chosen: Sequence[Row]) -> Markup:
    kept = {
        "protocol": state.protocol,
        "item": state.item,
        "systems": ",".join(row.submission for row in chosen),
        "pick": f"{state.trait}:{state.value}" if state.trait else "",
        "tier": "" if state.tier is None else str(state.tier),
        "split": state.split,
        "walk": f"{state.walk}:{state.along}" if state.along else state.walk,
        "q": state.text,
        "blind": "1" if state.is_blind else "",
        "reveal": "1" if state.is_revealed else "",
    }
    hidden = [el("input", type="hidden", name=name, value=value) for name, value in kept.items() if value]
    field = el(
        "input",
        type="search",
        name="find",
        value=state.find,
        id="listen-find-text",
        placeholder="Add a system",
        aria_label="Name of a system to add",
        autocomplete="off",
    )
    form = el(
        "form",
        *hidden,
        field,
        el("button", "Search", type="submit", cls="cb-button cb-quiet"),
        id="listen-find",
        action="/listen",
        method="get",
        cls="cb-controls",
        data_swap=FOUND,
        role="search",
    )
    return el(
        "details",
        el("summary", "Add a voice"),
        join(form, found(board, state, chosen)),
        id="listen-add",
        open=bool(state.find),
    )
