"""Figures of a board. Plotly is loaded when a figure is first asked for."""

import math
from collections.abc import Sequence
from typing import Any

from leaderboard import display
from leaderboard.markup import Markup, el
from leaderboard.views import Board

N_MOST = 60
"""Systems in the forest plot; more could not be read."""
_INK = "rgb(88, 97, 107)"
_ACCENT = "rgb(14, 107, 115)"
_GRID = "rgba(128, 136, 145, 0.25)"
_LINE_PX = 40
_PLOT_PX, _EDGE_PX, _TOP_PX = 240, 30, 8
"""Of the drawing of requested and measured numbers: its square, and the room left of and above it."""


def forest(board: Board) -> Any:
    """Return the forest plot of S, best on top: a point and its 95 % interval for each of the first systems.

    Args:
        board: with at least one row.

    Returns:
        A plotly Figure without a background, so that it stands on a light and on a dark page.
    """
    import plotly.graph_objects as go

    scored = [(row, row.score) for row in reversed(board.rows[:N_MOST]) if row.score is not None]
    rows = [row for row, _ in scored]
    scores = [score for _, score in scored]
    ends = [score if row.score_high is None else row.score_high for row, score in scored]
    starts = [score if row.score_low is None else row.score_low for row, score in scored]
    # Plotly reads a small markup in its texts, so names are escaped here as everywhere.
    names = [f"<b>{display.band(row.band.best, row.band.worst)}</b>  {display.escape(_cut(row.name))}" for row in rows]
    points = go.Scatter(
        x=scores,
        y=list(range(len(rows))),
        mode="markers",
        marker={"color": _ACCENT, "size": 7, "symbol": "diamond"},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [end - score for end, score in zip(ends, scores, strict=True)],
            "arrayminus": [score - start for start, score in zip(starts, scores, strict=True)],
            "color": _ACCENT,
            "thickness": 2,
            "width": 5,
        },
        hovertext=[
            f"{name}<br>S {display.score(score)}, {display.interval(start, end)}"
            for name, score, start, end in zip(names, scores, starts, ends, strict=True)
        ],
        hoverinfo="text",
    )
    figure = go.Figure(points)
    figure.update_layout(**_layout(len(rows)))
    for place, name in enumerate(names):
        figure.add_annotation(
            text=name, x=0, xref="paper", xanchor="left", y=place, yshift=_LINE_PX * 0.34, showarrow=False, align="left"
        )
    figure.update_yaxes(
        showticklabels=False, showgrid=True, gridcolor=_GRID, tickvals=list(range(len(rows))), zeroline=False
    )
    figure.update_xaxes(
        title={"text": f"Score S with its 95 % interval, {shown(board)}", "font": {"size": 13}},
        gridcolor=_GRID,
        tickangle=0,
        nticks=6,
        zeroline=False,
    )
    return figure


def scatter(pairs: Sequence[tuple[float, float]], *, label: str) -> Markup:
    """Return requested against measured numbers as a small drawing; a clip on the line is measured as requested.

    Args:
        pairs: requested and measured, in one unit; at least one pair.
        label: what it shows, for those who cannot see it.
    """
    least, most = min(min(pair) for pair in pairs), max(max(pair) for pair in pairs)
    low, high = 10 * math.floor(least / 10), 10 * math.floor(most / 10) + 10
    scale = _PLOT_PX / (high - low)

    def across(value: float) -> str:
        return f"{_EDGE_PX + (value - low) * scale:.1f}"

    def up(value: float) -> str:
        return f"{_PLOT_PX - (value - low) * scale + _TOP_PX:.1f}"

    steps = range(low, high + 1, 10 if high - low <= 60 else 20)
    grid = [el("line", x1=across(low), x2=across(high), y1=up(at), y2=up(at), cls="cb-grid") for at in steps]
    left = [el("text", f"{at}", x=_EDGE_PX - 6, y=up(at), text_anchor="end", dy="0.32em") for at in steps]
    under = [el("text", f"{at}", x=across(at), y=_PLOT_PX + _TOP_PX + 16, text_anchor="middle") for at in steps]
    equal = el("line", x1=across(low), y1=up(low), x2=across(high), y2=up(high), cls="cb-equal")
    points = [el("circle", cx=across(asked), cy=up(found), r=3) for asked, found in pairs]
    width, height = _EDGE_PX + _PLOT_PX + 12, _PLOT_PX + _TOP_PX + 24
    picture = el(
        "svg",
        *grid,
        *left,
        *under,
        equal,
        *points,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=label,
        cls="cb-scatter",
    )
    return el("figure", picture, el("figcaption", "Requested across, measured up; on the line they are the same."))


def shown(board: Board) -> str:
    """Return which systems the figure of a board shows, in words."""
    n_all = len(board.rows)
    return f"the first {N_MOST} of {n_all} systems" if n_all > N_MOST else display.count(n_all, "system")


def _layout(n_rows: int) -> dict[str, Any]:
    return {
        "height": 76 + _LINE_PX * n_rows,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 48},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": _INK},
        "yaxis": {"fixedrange": True, "range": [-0.5, n_rows - 0.1]},
        "xaxis": {"fixedrange": True},
        "showlegend": False,
        "dragmode": False,
    }


def _cut(name: str) -> str:
    return name if len(name) <= 34 else name[:33] + "…"
