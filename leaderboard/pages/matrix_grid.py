"""The matrix itself: a window of at most 40 by 40, grouped by clusters of mutual ties, and its navigation. Pure."""

from collections.abc import Mapping, Sequence

from leaderboard import display, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import parts
from leaderboard.pages.matrix_state import N_SHOWN, MatrixState
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
    corner = el("th", "System", scope="col", cls="cb-corner")
    head = el("thead", el("tr", corner, el("th", "W · T · L", scope="col", cls="cb-tally"), *names))
    end = min(first_row + N_SHOWN, len(grid.keys))
    shown = [one for one in clusters if one.first < end and one.first + one.n > first_row]
    line = _Line(grid=grid, rows=rows, columns=columns, edges=edges, state=state)
    bodies = []
    for one in shown:
        label = el("th", cluster_label(one), scope="rowgroup", colspan=len(columns) + 2, cls="cb-cluster")
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


def cluster_label(one: Cluster) -> str:
    """Return what a run of mutual ties is called: "ranks 4–7, 4 systems tied"."""
    ranks = ("rank " if one.best == one.worst else "ranks ") + display.band(one.best, one.worst)
    return f"{ranks}, {one.n} systems tied" if one.n > 1 else f"{ranks}, 1 system"


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
        name = el("a", row.name, href=address("/system", id=key, protocol=self._state.protocol))
        band = el("span", display.band(int(grid.best[at]), int(grid.worst[at])), cls="cb-band")
        called = el("span", name, " ", parts.superseded(row))
        head = el(
            "th",
            el("span", band, called),
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
    """Return the links that move the window; None if everything fits in one."""
    if len(grid.keys) <= N_SHOWN:
        return None
    fixed = {"from": str(first_row), "cols": str(first_column)}
    rows = _navigator("Rows", len(grid.keys), state, first_row, key="from", fixed=fixed)
    columns = _navigator("Columns", len(grid.keys), state, first_column, key="cols", fixed=fixed)
    diagonal = _navigator("Both", len(grid.keys), state, first_row, key="", fixed=fixed)
    return el("div", join(diagonal, rows, columns), id="matrix-windows")


def _navigator(
    label: str, n_systems: int, state: MatrixState, chosen: int, *, key: str, fixed: Mapping[str, str]
) -> Markup:
    links = []
    for first in range(0, n_systems, N_SHOWN):
        start = str(min(first, n_systems - N_SHOWN))
        moved = {"from": start, "cols": start} if not key else {**fixed, key: start}
        is_here = moved == dict(fixed) if not key else start == str(chosen)
        links.append(
            el(
                "a",
                f"{first + 1}–{min(first + N_SHOWN, n_systems)}",
                href=state.address(**moved),
                data_swap="matrix-view",
                data_key=f"{key or 'both'}-{start}",
                aria_current="true" if is_here else None,
            )
        )
    return el("nav", el("span", label), *links, cls="cb-contents cb-windows", aria_label=f"{label} of the matrix")
