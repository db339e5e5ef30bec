"""How all figures look: colours by name, text made inert, axes, hover. Pure."""

from collections.abc import Sequence
from typing import Any

from leaderboard import display
from leaderboard.figures.records import Point, Trace

INK, SOFT, LINE = "var(--cb-fig-ink)", "var(--cb-fig-soft)", "var(--cb-fig-line)"
SHEET = "var(--cb-fig-sheet)"
SERIES = ("var(--cb-fig-1)", "var(--cb-fig-2)", "var(--cb-fig-3)", "var(--cb-fig-4)")
"""Four colours that those who confuse red and green, or blue and yellow, tell apart."""
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
DASHES = ("solid", "dash", "dot", "dashdot")
OUTCOME_SCALE = [
    [0.0, "var(--cb-fig-loss)"],
    [0.3333, "var(--cb-fig-loss)"],
    [0.3334, "var(--cb-fig-tie)"],
    [0.6666, "var(--cb-fig-tie)"],
    [0.6667, "var(--cb-fig-win)"],
    [1.0, "var(--cb-fig-win)"],
]
HEAT_SCALE = [[0.0, "var(--cb-fig-heat-0)"], [0.5, "var(--cb-fig-heat-1)"], [1.0, "var(--cb-fig-heat-2)"]]
CLEAR = "rgba(0, 0, 0, 0)"
_WIDE, _NARROW = 30, 15
N_NAMED = 80
"""Lines that carry names; those of a larger figure are told when they are pointed at, and in its table."""
_STEP = 25


def label(text: object, *, most: int = _WIDE) -> str:
    """Return a text for plotly, which reads a small markup in its texts: cut first, then made inert."""
    plain = " ".join(str(text).split())
    return display.escape(plain if len(plain) <= most else plain[: most - 1] + "…")


def short(text: object) -> str:
    """Return a text for plotly that fits beside a figure on a phone."""
    return label(text, most=_NARROW)


def layout(height: int, **more: Any) -> dict[str, Any]:
    """Return the layout that all figures share; its height in px, and what else belongs to it."""
    shared: dict[str, Any] = {
        "height": height,
        "margin": {"l": 12, "r": 18, "t": 10, "b": 44, "pad": 4},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": "var(--cb-sans)", "size": 13, "color": INK},
        "hoverlabel": {
            "bgcolor": SHEET,
            "bordercolor": LINE,
            "font": {"family": "var(--cb-sans)", "size": 13, "color": INK},
            "align": "left",
            "namelength": 0,
        },
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 13, "color": INK}},
    }
    return shared | more


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis with a quiet grid; `more` is plotly's."""
    shared: dict[str, Any] = {
        "fixedrange": True,
        "gridcolor": LINE,
        "linecolor": LINE,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"color": SOFT, "size": 12},
    }
    if title:
        shared["title"] = {"text": title, "font": {"size": 13, "color": SOFT}, "standoff": 10}
    return shared | more


def is_dense(n: int) -> bool:
    """Say whether so many lines have no room for names: plotly would measure each of them, for seconds."""
    return n > N_NAMED


def rows_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an upright axis with one line a name, the first on top; a crowd has its places and no names.

    Args:
        names: already made inert.
    """
    n = len(names)
    places = list(range(0, n, _STEP)) if is_dense(n) else list(range(n))
    return axis(
        tickmode="array",
        tickvals=places,
        ticktext=[str(place + 1) for place in places] if is_dense(n) else list(names),
        range=[n - 0.4, -0.6],
        tickfont={"color": INK, "size": 13},
    )


def rows_phone(names: Sequence[str]) -> dict[str, Any]:
    """Return how that axis differs on a phone, with shorter names."""
    return {"yaxis.tickfont.size": 12} | ({} if is_dense(len(names)) else {"yaxis.ticktext": list(names)})


def spread(scores: Sequence[float], lows: Sequence[float | None], highs: Sequence[float | None]) -> Trace:
    """Return the whiskers of points; a point without an interval has none."""
    above = [0.0 if high is None else round(high - one, 6) for one, high in zip(scores, highs, strict=True)]
    below = [0.0 if low is None else round(one - low, 6) for one, low in zip(scores, lows, strict=True)]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.6, "width": 3}


def hover(point: Point, what: str, *more: str) -> str:
    """Return what a point says when it is pointed at."""
    lines = [
        f"<b>{label(point.row.name, most=60)}</b>",
        f"{what} {display.score(point.score)}"
        + ("" if point.low is None else f", 95 % interval {display.interval(point.low, point.high)}"),
        *more,
    ]
    return "<br>".join(lines)
