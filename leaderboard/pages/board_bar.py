"""What a reader chooses a board's rows and columns by: one form of plain fields that works without a script."""

from collections.abc import Iterable, Mapping

from leaderboard import shell, standings, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import board_table
from leaderboard.query import address
from leaderboard.table import columns as known
from leaderboard.table.state import N_SORT, told
from leaderboard.table.view import TableView
from leaderboard.views import Board

FORM = "board-form"
_MOST_OPTIONS = 300
"""Organisations or licences that can be chosen from a list; the search finds the others."""


def form(view: TableView, section: Markup) -> Markup:
    """Return the form around the table `section`: search, filters, columns and order."""
    return el(
        "form",
        el("input", type="hidden", name="protocol", value=view.board.protocol_id) if view.state.protocol else None,
        el("div", _search(view), *_selects(view), _reader(), cls="cb-controls", role="search", id="board-controls"),
        el("div", _more_filters(view), _columns(view), _order(view), cls="cb-controls cb-drawers"),
        section,
        id=FORM,
        action=board_table.HERE,
        method="get",
        data_swap=board_table.VIEW,
    )


def season_choice(view: TableView) -> Markup:
    """Return the links by which a reader changes track and protocol; plain labels where there is but one."""
    tracks: dict[str, list[Board]] = {}
    for board in view.boards:
        tracks.setdefault(board.protocol.track, []).append(board)
    mine = view.board.protocol.track
    of_track = (
        _group("Track", ((one, _season(view, found[0]), one == mine) for one, found in tracks.items()))
        if len(tracks) > 1
        else None
    )
    here = tracks[mine]
    if len(here) < 2:
        return join(of_track, shell.protocol_choice(here, board_table.HERE, view.board.protocol_id))
    names = [board.protocol.name for board in here]
    links = (
        (
            f"{board.protocol.name} {board.protocol_id[:6]}"
            if names.count(board.protocol.name) > 1
            else board.protocol.name,
            _season(view, board),
            board.protocol_id == view.board.protocol_id,
        )
        for board in here
    )
    return join(of_track, _group("Protocol", links))


def _season(view: TableView, board: Board) -> str:
    """Return the address of another board with what can be kept of a reader's choice."""
    kept = told(view.state, view.board.protocol, row="", first=0)
    return address(board_table.HERE, **{**kept, "protocol": board.protocol_id})


def _group(name: str, links: Iterable[tuple[str, str, bool]]) -> Markup:
    made = [
        el(
            "a",
            text,
            href=href,
            data_swap=board_table.BODY,
            data_key=f"{name}-{text}",
            aria_current="true" if is_chosen else None,
        )
        for text, href, is_chosen in links
    ]
    return el("span", el("span", name), *made, cls="cb-protocol", role="group", aria_label=name)


def _search(view: TableView) -> Markup:
    box = el(
        "input",
        type="search",
        id="board-search",
        name="q",
        value=view.state.filters.text,
        placeholder="Search, or org:… size:>1B",
        aria_label="Search systems, organisations and licences",
        aria_describedby="board-search-help",
        autocomplete="off",
        maxlength=200,
    )
    return join(box, el("span", words.SEARCH_HELP, id="board-search-help", cls="cb-vh"))


def _selects(view: TableView) -> list[Markup]:
    state = view.state
    tiers = {"all": "All tiers"} | {str(tier): f"{name.capitalize()} items" for tier, name in words.TIERS.items()}
    tier = "all" if state.tier is None else str(state.tier)
    organisations = standings.organisations(view.board.rows)
    return [
        _select("tier", "Tier", tiers, tier),
        _select(
            "org",
            "Organisation",
            _choices("All organisations", organisations),
            state.filters.organisation,
            is_free=True,
        ),
        _tick("open", "Open weights", is_on=state.filters.only_open),
    ]


def _reader() -> Markup:
    compare = el("a", "Listen side by side", id="board-compare", href="/listen", cls="cb-button", aria_disabled="true")
    apply = el("button", "Apply", type="submit", cls="cb-button cb-no-script")
    return el("span", apply, compare, cls="cb-push")


def _more_filters(view: TableView) -> Markup:
    filters, state = view.state.filters, view.state
    licences = sorted({row.licence for row in view.board.rows if row.licence}, key=str.casefold)
    named = {text.casefold(): text for text in reversed(licences)}
    licence = named.get(filters.licence.casefold(), filters.licence)
    has_versions = any(row.superseded_by for row in view.board.rows)
    coverage = "" if filters.coverage is None else f"{filters.coverage * 100:.9g}"
    fields = (
        _labelled("Licence", _select("licence", "Licence", _choices("Any", licences), licence, is_free=True)),
        _labelled("Size", _select("size", "Size", {"": "Any", **words.SIZES}, filters.size, is_free=True)),
        _labelled("Instructions reach it as", _select("style", "Style", {"": "Any", **words.STYLES}, filters.style)),
        _labelled("Coverage", _select("coverage", "Coverage", {"": "Any", **words.COVERAGES}, coverage, is_free=True)),
        _labelled("Split", _select("split", "Split", {"": "Both", **words.SPLITS}, state.split or "")),
        _labelled("Received since", _date("since", "Received since", filters.since)),
        _labelled("until", _date("until", "Received until", filters.until)),
        _tick("newest", "Newest versions only", is_on=filters.only_newest)
        if has_versions or filters.only_newest
        else None,
    )
    n_set = sum(
        bool(one)
        for one in (
            filters.licence,
            filters.size,
            filters.style,
            coverage,
            state.split,
            filters.since,
            filters.until,
            filters.only_newest,
        )
    )
    help_text = el("p", words.SEARCH_HELP, cls="cb-small")
    label = f"Filters ({n_set})" if n_set else "Filters"
    inside = el("div", el("div", *fields, cls="cb-fields"), help_text, cls="cb-drawer")
    return el("details", el("summary", label), inside, id="board-filters")


def _columns(view: TableView) -> Markup:
    state = view.state
    lines = []
    for name in known.columns(view.board.protocol):
        text = board_table.label(view, name)
        is_fixed = name == "system"
        show = el(
            "input",
            type="checkbox",
            name="cols",
            value=name,
            id=f"col-{name}",
            checked=name in state.columns,
            disabled=is_fixed,
        )
        pin = el(
            "input",
            type="checkbox",
            name="pin",
            value=name,
            id=f"pin-{name}",
            checked=name in state.pins,
            disabled=is_fixed,
            aria_label=f"Pin {text} at the left",
        )
        lines.append(
            el(
                "li",
                el("label", show, text, cls="cb-check", title=board_table.tip(view, name)),
                el("label", pin, "pin", cls="cb-check cb-pinned"),
            )
        )
    fixed = join(*(el("input", type="hidden", name=name, value="system") for name in ("cols", "pin")))
    note = "Pinned columns stand still at the left while the others scroll. The address keeps your choice."
    inside = el("div", fixed, el("ul", *lines, cls="cb-column-list"), el("p", note, cls="cb-small"), cls="cb-drawer")
    return el("details", el("summary", "Columns"), inside, id="board-columns")


def _order(view: TableView) -> Markup:
    state = view.state
    ways: dict[str, str] = {}
    for name in known.columns(view.board.protocol):
        text = board_table.label(view, name)
        is_text = name in known.TEXTS and name != "date"
        up, down = ("A to Z", "Z to A") if is_text else ("smallest first", "largest first")
        first, last = ((f"-{name}", down), (name, up))
        if name in known.RISING:
            first, last = last, first
        ways[first[0]] = f"{text}, {first[1]}"
        ways[last[0]] = f"{text}, {last[1]}"
    boxes = []
    for at in range(N_SORT):
        chosen = str(state.sort[at]) if at < len(state.sort) else ""
        by = "Sort by" if at == 0 else "then by"
        nothing = "best score first" if at == 0 else "–"
        boxes.append(_labelled(by, _select("sort", by, {"": nothing, **ways}, chosen, name_id=f"board-sort-{at + 1}")))
    note = "Or press a column’s head; with Shift held down, it becomes a further key."
    inside = el("div", el("div", *boxes, cls="cb-fields"), el("p", note, cls="cb-small"), cls="cb-drawer")
    return el("details", el("summary", "Order"), inside, id="board-order")


def _choices(nothing: str, names: Iterable[str]) -> dict[str, str]:
    return {"": nothing} | {name: name for name in list(names)[:_MOST_OPTIONS]}


def _select(
    name: str, label: str, choices: Mapping[str, str], chosen: str, *, is_free: bool = False, name_id: str = ""
) -> Markup:
    """Return a choice; with `is_free`, a chosen value that is none of the choices is one more."""
    known_choices = dict(choices)
    if is_free and chosen not in known_choices:
        known_choices[chosen] = chosen
    options = [el("option", text, value=value, selected=value == chosen) for value, text in known_choices.items()]
    return el("select", *options, name=name, id=name_id or f"board-{name}", aria_label=label)


def _date(name: str, label: str, value: str) -> Markup:
    box: dict[str, str] = {"placeholder": "2026-01", "pattern": r"\d{4}(-\d{2}(-\d{2})?)?", "inputmode": "numeric"}
    return el("input", type="text", name=name, id=f"board-{name}", value=value, aria_label=label, size=10, **box)


def _labelled(text: str, field: Child) -> Markup:
    return el("label", el("span", text), field, cls="cb-field")


def _tick(name: str, text: str, *, is_on: bool) -> Markup:
    box = el("input", type="checkbox", id=f"board-{name}", name=name, value="1", checked=is_on)
    return el("label", box, text, cls="cb-check")
