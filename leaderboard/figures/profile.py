"""Up to four systems, dimension by dimension: as a radar, or as parallel lines with their intervals. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.records import Asked, Cell, Figure, Table, Trace, nothing
from leaderboard.views import Row

NAME = "profile"
_LEAST = 3
"""A radar needs so many spokes to have a shape."""
_PX = 470
_OFFSET = 0.09


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One system's means."""

    row: Row
    """The system."""
    means: tuple[float | None, ...]
    """Mean desirability of each dimension, 0..1; None without a clip."""
    spreads: tuple[tuple[float, float] | None, ...]
    """Ends of the 95 % interval of each mean; None if it has none."""


def profile(dimensions: Sequence[str], profiles: Sequence[Profile], asked: Asked) -> Figure:
    """Return the profiles of systems; dimensions are in the order of `Profile.means`."""
    if not profiles or not dimensions:
        return nothing(NAME, words.FIGURE_SAYS["empty"])
    is_radar = len(dimensions) >= _LEAST and not asked.has_lines
    labels = [words.header(name).label for name in dimensions]
    draw = _ring if is_radar else _line
    data = [draw(labels, one, at, len(profiles)) for at, one in enumerate(profiles)]
    title = {"text": "", "font": {"size": 12}}
    if is_radar:
        spokes = {"gridcolor": style.LINE, "linecolor": style.LINE}
        radial = spokes | {"range": [0, 1], "nticks": 5, "angle": 90, "tickangle": 90, "showline": False}
        radial["tickfont"] = {"size": 11, "color": style.SOFT}
        around = spokes | {"direction": "clockwise", "rotation": 90, "tickfont": {"size": 13, "color": style.INK}}
        layout = style.layout(_PX, polar={"bgcolor": style.CLEAR, "radialaxis": radial, "angularaxis": around})
        layout["margin"] = {"l": 70, "r": 70, "t": 20, "b": 30}
    else:
        across = style.axis(tickmode="array", tickvals=list(range(len(labels))), ticktext=labels, tickangle=0)
        across["range"] = [-0.4, len(labels) - 0.6]
        layout = style.layout(
            _PX - 50, xaxis=across, yaxis=style.axis("Mean desirability", range=[_least(profiles), 1.03])
        )
    layout |= {"showlegend": True, "legend": {**layout["legend"], "title": title, "itemclick": False}}
    layout["legend"] |= {"y": 1.04 if not is_radar else 1.12, "itemdoubleclick": False}
    names = ", ".join(one.row.name for one in profiles)
    return Figure(
        name=NAME,
        data=data,
        layout=layout,
        phone={"polar.angularaxis.tickfont.size": 11, "margin.l": 56, "margin.r": 56, "height": 440}
        if is_radar
        else {"xaxis.tickangle": -60, "height": 440, "xaxis.tickfont.size": 11},
        sentence=sentence(dimensions, profiles),
        alt=f"Means of {', '.join(labels)} of {names}.",
        table=_table(dimensions, profiles),
        note=words.FIGURE_RADAR if is_radar else "",
    )


def sentence(dimensions: Sequence[str], profiles: Sequence[Profile]) -> str:
    """Return where the systems differ most, or what the only one does best and worst."""
    says = words.FIGURE_SAYS
    labels = [words.header(name).label.lower() for name in dimensions]
    if len(profiles) == 1:
        known = [(mean, labels[at]) for at, mean in enumerate(profiles[0].means) if mean is not None]
        if not known:
            return says["empty"]
        low, high = min(known, key=lambda pair: pair[0]), max(known, key=lambda pair: pair[0])
        return says["profile_one"].format(
            name=profiles[0].row.name,
            high=high[1],
            high_score=display.score(high[0]),
            low=low[1],
            low_score=display.score(low[0]),
        )
    found = max((_widest(profiles, at) for at in range(len(dimensions))), key=lambda gap: gap[0])
    gap, at, one, other = found
    first, second = one.means[at], other.means[at]
    if gap <= 0 or first is None or second is None:
        return says["profile_same"]
    return says["profile"].format(
        one=one.row.name,
        other=other.row.name,
        dimension=labels[at],
        one_score=display.score(first),
        other_score=display.score(second),
        overlap=_overlap(one.spreads[at], other.spreads[at]),
    )


def _widest(profiles: Sequence[Profile], at: int) -> tuple[float, int, Profile, Profile]:
    known = [(mean, one) for one in profiles if (mean := one.means[at]) is not None]
    if not known:
        return -1.0, at, profiles[0], profiles[0]
    high, low = max(known, key=lambda pair: pair[0]), min(known, key=lambda pair: pair[0])
    return high[0] - low[0], at, high[1], low[1]


def _least(profiles: Sequence[Profile]) -> float:
    """Return where the upright axis of parallel lines begins: below all there is, or at 0."""
    known = [mean for one in profiles for mean in one.means if mean is not None]
    known += [spread[0] for one in profiles for spread in one.spreads if spread is not None]
    return max(0.0, round(min(known, default=0.0) - 0.06, 2))


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> str:
    if one is None or other is None:
        return ""
    return words.FIGURE_SAYS["overlap" if other[1] >= one[0] and one[1] >= other[0] else "apart"]


def _shared(one: Profile, at: int) -> Trace:
    colour = style.SERIES[at % len(style.SERIES)]
    return {
        "mode": "lines+markers",
        "name": style.label(one.row.name),
        "line": {"color": colour, "dash": style.DASHES[at % 4], "width": 2.2},
        "marker": {"color": colour, "symbol": style.SYMBOLS[at % 4], "size": 8},
        "hoverinfo": "text",
    }


def _hovers(labels: Sequence[str], one: Profile) -> list[str]:
    return [
        f"<b>{style.label(one.row.name, most=60)}</b><br>{label} {display.score(mean)}"
        + ("" if spread is None else f", 95 % interval {display.interval(*spread)}")
        for label, mean, spread in zip(labels, one.means, one.spreads, strict=True)
    ]


def _ring(labels: Sequence[str], one: Profile, at: int, n_all: int) -> Trace:
    texts = _hovers(labels, one)
    return _shared(one, at) | {
        "type": "scatterpolar",
        "r": [*one.means, one.means[0]],
        "theta": [*labels, labels[0]],
        "hovertext": [*texts, texts[0]],
        "customdata": [one.row.submission] * (len(labels) + 1),
        "opacity": 0.95 if n_all < 3 else 0.9,
    }


def _line(labels: Sequence[str], one: Profile, at: int, n_all: int) -> Trace:
    aside = (at - (n_all - 1) / 2) * _OFFSET
    means = [0.0 if mean is None else mean for mean in one.means]
    lows = [None if spread is None else spread[0] for spread in one.spreads]
    highs = [None if spread is None else spread[1] for spread in one.spreads]
    return _shared(one, at) | {
        "type": "scatter",
        "x": [round(place + aside, 3) for place in range(len(labels))],
        "y": list(one.means),
        "error_y": style.spread(means, lows, highs) | {"color": style.SERIES[at % 4]},
        "hovertext": _hovers(labels, one),
        "customdata": [one.row.submission] * len(labels),
    }


def _table(dimensions: Sequence[str], profiles: Sequence[Profile]) -> Table:
    lines: list[tuple[Cell, ...]] = []
    for one in profiles:
        for name, mean, spread in zip(dimensions, one.means, one.spreads, strict=True):
            low, high = spread or (None, None)
            lines.append((one.row.system, one.row.version, name, mean, low, high, one.row.submission))
    return Table(
        columns=("system", "version", "dimension", "mean", "low", "high", "submission"),
        lines=tuple(lines),
        keys=tuple(str(line[-1]) for line in lines),
    )
