"""The board: one row a system, rank bands, every dimension, and a figure of the scores."""

from collections.abc import Mapping, Sequence

from leaderboard import dimensions, display, query, sharing, shell, standings, words
from leaderboard.derived import NOTHING_BESIDE, Beside
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import board_notes, instrument_card, parts
from leaderboard.query import BoardQuery, address
from leaderboard.views import Board, Row

HERE = "/"
N_NARROW = 7
"""With more dimensions than this a board's columns stand closer together."""
_TEXT = ("system", "organisation", "licence")
_JUDGE = words.Header(
    label="Judge cost", tip="What the judging of this system cost at the prices of its day; calls and tokens are below."
)
_ANCHOR = "the judge hears every clip beside this system's clip of the same item"


def build(
    board: Board,
    boards: Sequence[Board],
    state: BoardQuery,
    *,
    coming: str = "",
    beside: Beside = NOTHING_BESIDE,
) -> Markup:
    """Return the whole page.

    Args:
        board: the board to show.
        boards: all boards, for the choice of protocol.
        state: ordering and filters.
        coming: what an empty board tells of its first row; empty for nothing.
        beside: cards, ceiling and agreement with people.
    """
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id), sharing.aside())
    head = shell.title(words.TAGLINE, _lead(board), *aside)
    body = (
        (
            _controls(board, state),
            _table(board, state),
            board_notes.below(board, beside),
            instrument_card.section(board, beside),
            el("h2", "Scores and their intervals"),
        )
        if board.rows
        else (board_notes.empty(board, coming),)
    )
    return shell.page(
        "page-board", join(head, board_notes.season(board), *body), here=HERE, protocol=_kept(board, boards)
    )


def _kept(board: Board, boards: Sequence[Board]) -> str:
    return board.protocol_id if len(boards) > 1 else ""


def _lead(board: Board) -> Markup:
    systems = display.count(len(board.rows), "system")
    items = display.count(board.protocol.corpus.n_items, "item")
    return join(
        f"{systems} on {items} of ",
        el("code", board.protocol.corpus.name),
        f", {len(board.protocol.dimensions)} dimensions. ",
    )


def _controls(board: Board, state: BoardQuery) -> Markup:
    filters = state.filters
    organisations = [el("option", "All organisations", value="")] + [
        el("option", name, value=name, selected=name == filters.organisation)
        for name in standings.organisations(board.rows)
    ]
    search = el(
        "input",
        type="search",
        id="board-search",
        name="q",
        value=filters.text,
        placeholder="Search systems",
        aria_label="Search systems, organisations and licences",
        autocomplete="off",
    )
    tick = el("input", type="checkbox", id="board-open", name="open", value="1", checked=filters.only_open)
    has_versions = any(row.superseded_by for row in board.rows)
    newest = el("input", type="checkbox", id="board-newest", name="newest", value="1", checked=filters.only_newest)
    shown = sum(standings.is_shown(row, filters) for row in board.rows)
    found = el("output", f"{shown} of {len(board.rows)} shown", id="board-count", aria_live="polite")
    compare = el("a", "Listen side by side", id="board-compare", href="/listen", cls="cb-button", aria_disabled="true")
    export = sharing.files("/leaderboard", "What is shown", protocol=board.protocol_id, **query.told(state))
    return el(
        "form",
        search,
        el("select", *organisations, id="board-organisation", name="org", aria_label="Organisation"),
        el("label", tick, "Open weights only", cls="cb-check"),
        el("label", newest, "Newest versions only", cls="cb-check") if has_versions or filters.only_newest else None,
        found,
        el("span", compare, export, cls="cb-push"),
        id="board-controls",
        cls="cb-controls",
        role="search",
    )


def _table(board: Board, state: BoardQuery) -> Markup:
    keys = standings.columns(board)
    is_wide = len(board.protocol.dimensions) > N_NARROW
    order = {key.column: ("descending" if key.is_descending else "ascending") for key in state.sort}
    head = el(
        "tr", el("th", el("span", "Hear", cls="cb-vh"), cls="cb-pick"), *(_head(board, key, order) for key in keys)
    )
    judge = board.protocol.judge
    anchor = judge.anchor.submission if judge is not None else ""
    rows = [
        _row(row, keys, standings.is_shown(row, state.filters), at, is_anchor=row.submission == anchor)
        for at, row in _placed(board, state)
    ]
    table = el(
        "table",
        el("caption", "Systems with rank bands and scores", cls="cb-vh"),
        el("thead", head),
        el("tbody", *rows),
        id="board-table",
        cls="cb-table cb-board cb-wide" if is_wide else "cb-table cb-board",
        data_sortable=True,
        data_protocol=board.protocol_id,
    )
    nothing = el(
        "p", "No system matches. ", el("a", "Show all", href=address(HERE, protocol=board.protocol_id)), id="board-none"
    )
    return join(shell.scroll_box(table, "Board"), nothing)


def _placed(board: Board, state: BoardQuery) -> list[tuple[int, Row]]:
    place = {row.submission: at for at, row in enumerate(board.rows)}
    rows = standings.ordered(board.rows, state.sort) if state.sort else board.rows
    return [(place[row.submission], row) for row in rows]


def _head(board: Board, key: str, order: Mapping[str, str]) -> Markup:
    is_dimension = key in board.protocol.dimensions
    header = _JUDGE if key == "judge" else words.header(key)
    tip = dimensions.tip(board.protocol, key) if is_dimension else header.tip
    button = el("button", header.label, type="button", data_tip=tip, aria_description=tip, data_sort=key)
    note = el("small", dimensions.NOTES[dimensions.how(board.protocol, key)]) if is_dimension else None
    kind = "text" if key in (*_TEXT, "date") else "number"
    look = f"cb-{key}" + ("" if kind == "text" else " cb-num")
    return el("th", button, note, scope="col", cls=look, aria_sort=order.get(key, "none"), data_kind=kind)


def _row(row: Row, keys: Sequence[str], is_shown: bool, place: int, *, is_anchor: bool) -> Markup:
    pick = el(
        "input", type="checkbox", value=row.submission, aria_label=f"Pick {row.name} for listening", data_pick=True
    )
    cells = [_cell(row, key, is_anchor=is_anchor) for key in keys]
    return el(
        "tr",
        el("td", pick, cls="cb-pick"),
        *cells,
        data_place=place,
        data_text=standings.search_text(row),
        data_org=row.organisation,
        data_open="1" if row.is_open else "0",
        data_newest="0" if row.superseded_by else "1",
        data_submission=row.submission,
        hidden=not is_shown,
    )


def _cell(row: Row, key: str, *, is_anchor: bool) -> Markup:
    sort_by = standings.sort_value(row, key)
    value = "" if sort_by is None else f"{sort_by:.6f}" if isinstance(sort_by, float) else sort_by
    if key == "system":
        link = el("a", row.system or row.submission, href=address("/system", id=row.submission))
        version = el("span", row.version, cls="cb-version")
        mark = el("span", "anchor", cls="cb-chip cb-plain", title=_ANCHOR) if is_anchor else None
        older = parts.superseded(row)
        return el("th", link, " ", version, " ", mark, older, scope="row", cls="cb-system", data_v=value)
    look = f"cb-{key}" + ("" if key in (*_TEXT, "date") else " cb-num")
    return el("td", _content(row, key), cls=look, data_v=value)


def _content(row: Row, key: str) -> Child:
    if key == "band":
        return el("b", display.band(row.band.best, row.band.worst), cls="cb-band")
    if key == "score":
        return score_cell(row)
    if key == "gate":
        return join(display.percent(row.gate_pass_rate), shell.bar(row.gate_pass_rate))
    if key == "coverage":
        return display.percent(row.coverage)
    if key == "licence":
        return join(row.licence or display.DASH, " ", el("span", "open", cls="cb-chip") if row.is_open else None)
    if key == "judge":
        return _judging(row)
    if key == "organisation":
        return row.organisation or display.DASH
    if key == "date":
        return display.day(row.received_at)
    return join(display.score(row.means[key]), shell.bar(row.means[key]))


def _judging(row: Row) -> Child:
    usage = row.judge_usage
    if usage is None:
        return display.DASH
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return el("span", display.money(usage.cost_micro_usd), el("small", f" {usage.n_calls:,} calls"), title=tokens)


def score_cell(row: Row) -> Markup:
    """Return S with its interval, as text and as a point on a line from 0 to 1; a dash if there is none."""
    if row.score is None:
        return el("span", display.DASH, cls="cb-score-in")
    low = row.score if row.score_low is None else row.score_low
    high = row.score if row.score_high is None else row.score_high
    line = el(
        "span",
        el("i", style=f"left:{low * 100:.1f}%;right:{(1 - high) * 100:.1f}%"),
        el("b", style=f"left:{row.score * 100:.1f}%"),
        cls="cb-range",
        aria_hidden="true",
    )
    spread = el("small", display.interval(row.score_low, row.score_high))
    return el("span", el("strong", display.score(row.score)), spread, line, cls="cb-score-in")
