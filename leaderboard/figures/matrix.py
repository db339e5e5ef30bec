"""Who beats whom as a heat map, best mean first, cut into clusters of mutual ties. Pure."""

import base64
from collections.abc import Mapping

import numpy as np

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.records import N_SHOWN, Asked, Figure, Table, Trace, nothing
from leaderboard.views import Row
from leaderboard.why.grid import Grid

NAME = "matrix"
_MOST_PX, _EDGE_PX = 940, 190
_LEAST_CELL_PX, _MOST_CELL_PX, _GRID_PX = 19, 46, 480
"""A cell is as large as leaves the grid at some 480 px, within these bounds."""
_N_NAMED = 60
"""So many names can be read beside a heat map."""
_N_NARROW = 24
"""So many on a phone."""


def matrix(grid: Grid, rows: Mapping[str, Row], asked: Asked) -> Figure:
    """Return the heat map.

    Args:
        grid: all pairs on a part of the board.
        rows: the systems by submission.
        asked: which of them are in view; all by default, a window of them, or those that were picked.
    """
    if len(grid.keys) < 2:
        return nothing(NAME, words.FIGURE_SAYS["few"])
    places = _places(grid, asked)
    wins = grid.outcomes[np.ix_(places, places)].astype(np.int8)
    is_named = len(places) <= _N_NAMED
    # A place before each name keeps two systems of one name apart: an axis of names would lay them over each other.
    names = [f"{place + 1}  {style.label(rows[grid.keys[place]].name, most=24)}" for place in places]
    cells: Trace = {
        "type": "heatmap",
        "z": _packed(wins),
        "x": names,
        "y": names,
        "zmin": -1,
        "zmax": 1,
        "colorscale": style.OUTCOME_SCALE,
        "showscale": False,
        "xgap": 1 if is_named else 0,
        "ygap": 1 if is_named else 0,
        "hovertemplate": "<b>%{y}</b><br>against %{x}: %{z:+d}<extra></extra>",
    }
    cell = min(max(_GRID_PX / len(places), _LEAST_CELL_PX), _MOST_CELL_PX)
    side = min(_MOST_PX, round(_EDGE_PX + cell * len(places)))
    shared = {"type": "category", "showgrid": False, "showticklabels": is_named, "ticks": ""}
    if is_named:
        shared |= {"tickmode": "array", "tickvals": names, "tickfont": {"size": 12, "color": style.INK}}
    upright = shared | {"autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
    layout = style.layout(
        side,
        xaxis=style.axis(
            "" if is_named else "The same systems", **shared, side="top", tickangle=-90, constrain="domain"
        ),
        yaxis=style.axis("" if is_named else "Systems, best on top", **upright),
        shapes=_edges(grid, places),
    )
    small = {"xaxis.showticklabels": False, "height": 430, "yaxis.tickfont.size": 10}
    if len(places) > _N_NARROW:
        small["yaxis.showticklabels"] = False
    return Figure(
        name=NAME,
        data=(cells,),
        layout=layout,
        phone=small,
        sentence=sentence(grid),
        alt=f"{len(places)} by {len(places)} pairs: 1 where the row beats the column, −1 where it is beaten, 0 a tie.",
        table=table(grid, rows, places),
        opens="pair",
        note=words.FIGURE_PAIRS,
    )


def sentence(grid: Grid) -> str:
    """Return how many pairs are decided, and how large the first cluster is."""
    n = len(grid.keys)
    n_pairs, n_wins = n * (n - 1) // 2, int((grid.outcomes == 1).sum())
    first = grid.clusters()[0].n
    return words.FIGURE_SAYS["matrix"].format(
        wins=f"{n_wins:,}", pairs=f"{n_pairs:,}", ties=f"{n_pairs - n_wins:,}", first=display.count(first, "system")
    )


def table(grid: Grid, rows: Mapping[str, Row], places: list[int]) -> Table:
    """Return each system's wins, ties and losses over the whole part, and its cluster."""
    cluster = [at for at, one in enumerate(grid.clusters(), start=1) for _ in range(one.n)]
    keys = tuple(grid.keys[place] for place in places)
    return Table(
        columns=("place", "system", "version", "cluster", "beats", "ties", "loses_to", "submission"),
        lines=tuple(
            (
                place + 1,
                rows[key].system,
                rows[key].version,
                cluster[place],
                *grid.tally(place),
                key,
            )
            for place, key in zip(places, keys, strict=True)
        ),
        keys=keys,
    )


def _places(grid: Grid, asked: Asked) -> list[int]:
    n = len(grid.keys)
    if len(asked.systems) > 1:
        return [place for place, key in enumerate(grid.keys) if key in asked.systems]
    if asked.has_all or n <= N_SHOWN:
        return list(range(n))
    first = asked.first if asked.first < n else 0
    return list(range(first, min(first + N_SHOWN, n)))


def _edges(grid: Grid, places: list[int]) -> list[Trace]:
    """Return a square around every cluster of at least two systems that is wholly in view."""
    if not places or places != list(range(places[0], places[-1] + 1)):
        return []
    found: list[Trace] = []
    for one in grid.clusters():
        low, high = one.first - places[0], one.first + one.n - places[0]
        if one.n < 2 or low < 0 or high > len(places):
            continue
        ends = {"x0": low - 0.5, "x1": high - 0.5, "y0": low - 0.5, "y1": high - 0.5}
        found.append({"type": "rect", **ends, "line": {"color": style.INK, "width": 1.5}})
    return found


def _packed(values: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> Trace:
    """Return a matrix of small integers as plotly takes it in one piece."""
    shape = ", ".join(str(n) for n in values.shape)
    return {"dtype": "i1", "bdata": base64.b64encode(np.ascontiguousarray(values).tobytes()).decode(), "shape": shape}
