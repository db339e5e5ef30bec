"""The matrix itself: a window of at most 40 by 40, grouped by clusters of mutual ties, and its navigation. Pure."""

from collections.abc import Mapping, Sequence

from leaderboard import display, shell, words
from leaderboard.derive.records import ALL
from leaderboard.markup import Child, Markup, el
from leaderboard.pages import parts
from leaderboard.pages.matrix_state import HERE, N_SHOWN, MatrixState
from leaderboard.query import address
from leaderboard.views import Row
from leaderboard.why.grid import Cluster, Grid

_OUTCOMES = {1: "win", 0: "tie", -1: "loss"}


def grid_table(grid: Grid, rows: Mapping[str, Row], state: MatrixState, first_row: int, first_column: int) -> Markup:
    """Return a window of the matrix as a table; each cell leads to its pair.

    Args:
        grid: all pairs.
        rows: the board's rows by submission.
        state: for the addresses.
        first_row: place of the first system that has a row, from 0.
        first_column: place of the first system that has a column.
    """
    clusters = grid.clusters()
    columns = range(first_column, min(first_column + N_SHOWN, len(grid.keys)))
    edges = {one.first for one in clusters}
    names = [
        el(
            "th",
            el("span", rows[grid.keys[at]].name, cls="cb-tilt"),
            scope="col",
            cls=_edge(at, edges),
            title=f"{at + 1}. {rows[grid.keys[at]].name}",
            data_at=at,
            data_margin=int(grid.margins_micro[at]),
        )
        for at in columns
    ]
    corner = shell.column("System", "cb-corner")
    head = el("thead", el("tr", corner, shell.column("W · T · L", "cb-tally"), *names))
    end = min(first_row + N_SHOWN, len(grid.keys))
    shown = [one for one in clusters if one.first < end and one.first + one.n > first_row]
    line = _Line(grid=grid, rows=rows, columns=columns, edges=edges, state=state)
    bodies = []
    for one in shown:
        label = el(
            "th",
            cluster_label(one, is_official=grid.part == ALL),
            scope="rowgroup",
            colspan=len(columns) + 2,
            cls="cb-cluster",
        )
        inside = range(max(first_row, one.first), min(end, one.first + one.n))
        bodies.append(el("tbody", el("tr", label), *(line.row(at) for at in inside)))
    table = el("table", head, *bodies, id="matrix-table", cls="cb-table cb-matrix", data_first=first_row)
    return el(
        "div",
        table,
        cls="cb-scroll cb-matrix-box",
        tabindex=0,
        role="region",
        aria_label="Win and tie matrix",
        id="matrix-box",
        data_keep_scroll=True,
    )


def cluster_label(one: Cluster, *, is_official: bool) -> str:
    """Return what a run of mutual ties is called: "4 that all tie with each other: ranks 4–7 are open"."""
    ranks = display.band(one.best, one.worst)
    told = f"rank {ranks}" if one.best == one.worst else f"ranks {ranks} are open"
    where = "" if is_official else " on this part of the evidence"
    return f"{one.n} that all tie with each other: {told}{where}" if one.n > 1 else f"1 on its own: {told}{where}"


class _Line:
    """Makes the rows of one window."""

    def __init__(
        self, *, grid: Grid, rows: Mapping[str, Row], columns: Sequence[int], edges: set[int], state: MatrixState
    ) -> None:
        self._grid, self._rows, self._columns, self._edges, self._state = grid, rows, columns, edges, state

    def row(self, at: int) -> Markup:
        grid, key = self._grid, self._grid.keys[at]
        row = self._rows[key]
        wins, ties, losses = grid.tally(at)
        place = address("/system", id=key, protocol=self._state.protocol)
        name = el("a", row.name, href=place, title=row.name, cls="cb-called")
        band = el("span", display.band(int(grid.best[at]), int(grid.worst[at])), cls="cb-band")
        head = el(
            "th",
            el("span", band, name, parts.superseded(row)),
            scope="row",
            cls="cb-system",
            data_at=at,
            data_margin=int(grid.margins_micro[at]),
        )
        count = el("td", f"{wins} · {ties} · {losses}", cls="cb-num cb-tally")
        place = self._state.address(a=key, b=None, cols=None, **{"from": None})
        return el("tr", head, count, *(self._cell(at, column, place) for column in self._columns))

    def _cell(self, at: int, column: int, place: str) -> Markup:
        look = _edge(column, self._edges)
        if at == column:
            return el("td", el("span", cls="cb-cell cb-self", aria_label="the same system", role="img"), cls=look)
        grid, state = self._grid, self._state
        one, other = grid.keys[at], grid.keys[column]
        outcome = _OUTCOMES[int(grid.outcomes[at, column])]
        glyph, verb = words.OUTCOMES[outcome]
        link = el(
            "a",
            glyph,
            href=f"{place}&b={other}#pair",
            cls=f"cb-cell cb-{outcome}",
            aria_label=verb,
            aria_current="true" if (state.one, state.other) == (one, other) else None,
            data_lcb=int(grid.lcb_micro[at, column]),
        )
        return el("td", link, cls=look)


def _edge(at: int, edges: set[int]) -> str | None:
    return "cb-edge" if at in edges else None


def legend() -> Markup:
    """Return what glyphs and colours mean."""
    marks: list[Child] = [
        el("span", el("i", glyph, cls=f"cb-cell cb-{kind}"), f" row {verb}")
        for kind, (glyph, verb) in words.OUTCOMES.items()
        if glyph
    ]
    return el("p", *marks, cls="cb-legend")


def windows(grid: Grid, state: MatrixState, first_row: int, first_column: int) -> Markup | None:
    """Return the form that moves the window, and the links that move it along the diagonal; None if all is in view."""
    n = len(grid.keys)
    if n <= N_SHOWN:
        return None
    kept = [
        el("input", type="hidden", name=name, value=value) for name, value in state.told().items() if value is not None
    ]
    shows = el("button", "Show", type="submit", cls="cb-button cb-no-script")
    form = el(
        "form",
        *kept,
        _select("Rows", "from", n, first_row),
        _select("Columns", "cols", n, first_column),
        shows,
        method="get",
        action=HERE,
        data_swap="matrix-view",
    )
    before, after = max(0, first_row - N_SHOWN), min(n - N_SHOWN, first_row + N_SHOWN)
    steps = [
        _step(text, state, start, name)
        for text, start, name in (("← better", before, "before"), ("worse →", after, "after"))
        if start != first_row
    ]
    along = el("nav", *steps, cls="cb-contents", aria_label="Along the diagonal")
    return el("div", form, along, id="matrix-windows")


def _select(label: str, name: str, n_systems: int, chosen: int) -> Markup:
    starts = sorted({*(min(first, n_systems - N_SHOWN) for first in range(0, n_systems, N_SHOWN)), chosen})
    options = [
        el("option", f"{at + 1}–{at + N_SHOWN}", value=str(at), selected=True if at == chosen else None)
        for at in starts
    ]
    return el("label", el("span", label), el("select", *options, name=name, id=f"matrix-{name}"))


def _step(text: str, state: MatrixState, start: int, name: str) -> Markup:
    moved = {"from": str(start), "cols": str(start)}
    tip = f"Rows and columns {start + 1} to {start + N_SHOWN}"
    return el("a", text, href=state.address(**moved), data_swap="matrix-view", data_key=f"window-{name}", data_tip=tip)
