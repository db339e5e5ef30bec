"""Requested against measured numbers as a small drawing that needs no script. Pure."""

import math
from collections.abc import Sequence

from leaderboard.markup import Markup, el

_PLOT_PX, _EDGE_PX, _TOP_PX = 240, 30, 8
"""Its square, and the room left of and above it."""


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
