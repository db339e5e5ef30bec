"""Small drawings of how values are spread, made on the server: bars, and lines that mark what matters. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.markup import Markup, el, join

_WIDTH, _HEIGHT, _TOP, _FOOT, _SIDE = 640, 150, 34, 24, 12
_LINE_PX = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A value that a drawing points out."""

    value: float
    """Where it is."""
    label: str
    """What it is, a few words."""
    look: str
    """Class of its line: lcb, zero, margin, mean."""


def histogram(
    values: Sequence[float],
    *,
    low: float,
    high: float,
    n_bins: int,
    label: str,
    marks: Sequence[Mark] = (),
    decimals: int = 2,
) -> Markup:
    """Return a drawing of how many values fall where; each bar says its range and count.

    Args:
        values: any number, all within [low, high].
        low: left end.
        high: right end, > low.
        n_bins: bars.
        label: what it shows, in one sentence, for those who cannot see it.
        marks: lines across it.
        decimals: of the numbers below it.
    """
    counts, edges = np.histogram(np.asarray(values, dtype=np.float64), bins=n_bins, range=(low, high))
    scale = (_WIDTH - 2 * _SIDE) / (high - low)
    foot = _TOP + _HEIGHT
    most = max(1, int(counts.max(initial=1)))

    def across(value: float) -> float:
        return _SIDE + (value - low) * scale

    bars = [
        el(
            "rect",
            el("title", f"{edges[at]:.{decimals}f} to {edges[at + 1]:.{decimals}f}: {int(n)}".replace("-", "−")),
            x=f"{across(edges[at]) + 0.5:.1f}",
            y=f"{foot - _HEIGHT * n / most:.1f}",
            width=f"{max(0.5, across(edges[at + 1]) - across(edges[at]) - 1):.1f}",
            height=f"{_HEIGHT * n / most:.1f}",
        )
        for at, n in enumerate(counts)
        if n
    ]
    steps = [
        el(
            "text",
            f"{low + (high - low) * at / 4:.{decimals}f}".replace("-", "−"),
            x=f"{_SIDE + (_WIDTH - 2 * _SIDE) * at / 4:.1f}",
            y=foot + 17,
            text_anchor=anchor,
        )
        for at, anchor in enumerate(("start", "middle", "middle", "middle", "end"))
    ]
    lines = [join(*_mark(mark, across(mark.value), at)) for at, mark in enumerate(marks) if low <= mark.value <= high]
    ground = el("line", x1=_SIDE, x2=_WIDTH - _SIDE, y1=foot, y2=foot, cls="cb-ground")
    box = f"0 0 {_WIDTH} {foot + _FOOT}"
    return el("svg", *bars, ground, *steps, *lines, viewBox=box, role="img", aria_label=label, cls="cb-histogram")


def _mark(mark: Mark, x: float, at: int) -> tuple[Markup, Markup]:
    """Return a mark's line and label; labels take turns in two heights, and turn away from the nearer edge."""
    up = 12 + (at % 2) * _LINE_PX
    anchor = "end" if x > _WIDTH * 0.66 else "start"
    line = el(
        "line",
        x1=f"{x:.1f}",
        x2=f"{x:.1f}",
        y1=up - 8,
        y2=_TOP + _HEIGHT,
        cls=f"cb-mark-line cb-mark-{mark.look}",
    )
    shift = -4 if anchor == "end" else 4
    text = el(
        "text", mark.label, x=f"{x + shift:.1f}", y=up, text_anchor=anchor, cls=f"cb-mark-text cb-mark-{mark.look}"
    )
    return line, text
