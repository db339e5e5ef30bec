"""Following instructions against sounding natural, with the frontier that no system tops. Pure."""

from collections.abc import Mapping, Sequence

from leaderboard import display, words
from leaderboard.derive.adherence import Standing
from leaderboard.figures import style
from leaderboard.figures.records import Asked, Figure, Table, Trace, nothing
from leaderboard.views import Row

NAME = "adherence"
_PX = 500
_N_NAMED = 12
"""Systems of the frontier that carry their names."""


def adherence(
    standings: Sequence[Standing], rows: Mapping[str, Row], asked: Asked, *, spreads: Mapping[str, tuple[float, float]]
) -> Figure:
    """Return the figure.

    Args:
        standings: every system by what it follows and how it sounds.
        rows: the systems by submission.
        asked: whose names are shown beside those of the frontier.
        spreads: ends of the 95 % interval of a system's naturalness, by submission; whoever has none is absent.
    """
    if not standings:
        return nothing(NAME, words.FIGURE_SAYS["no_adherence"])
    known = [(one, sounds) for one in standings if (sounds := one.naturalness) is not None]
    if not known:
        return nothing(NAME, words.FIGURE_SAYS["no_natural"])
    on = sorted((pair for pair in known if pair[0].is_on_frontier), key=lambda pair: (pair[0].adherence, -pair[1]))
    off = [pair for pair in known if not pair[0].is_on_frontier]
    data = [_marks(off, rows, spreads, is_on=False), _line(on), _marks(on, rows, spreads, is_on=True)]
    picked = [pair for pair in off if pair[0].submission in asked.systems]
    named = [*picked, *(on if len(on) <= _N_NAMED else ())]
    layout = style.layout(
        _PX,
        xaxis=style.axis("Adherence", nticks=8),
        yaxis=style.axis("Naturalness", nticks=8),
        annotations=_names(named, known, rows),
        showlegend=True,
    )
    layout["legend"] |= {"itemclick": False, "itemdoubleclick": False}
    return Figure(
        name=NAME,
        data=[trace for trace in data if trace["x"]],
        layout=layout,
        phone={"xaxis.nticks": 5, "height": 420, "annotations": _names(named, known, rows, is_narrow=True)},
        sentence=sentence(on, len(known), rows),
        alt=f"{display.count(len(known), 'system')} by adherence (across) and naturalness (up), the frontier joined.",
        table=_table(known, rows, spreads),
        note=words.FIGURE_ADHERENCE,
    )


def sentence(on: Sequence[tuple[Standing, float]], n: int, rows: Mapping[str, Row]) -> str:
    """Return who is on the frontier; `on` is in ascending adherence."""
    natural, follows = on[0], on[-1]
    is_one = len({(one.adherence, sounds) for one, sounds in on}) == 1 and len(on) == 1
    return words.FIGURE_SAYS["adherence_one" if is_one and n > 1 else "adherence"].format(
        n_on=len(on),
        n=n,
        natural=rows[natural[0].submission].name,
        natural_score=display.score(natural[1]),
        follows=rows[follows[0].submission].name,
        follows_score=display.score(follows[0].adherence),
    )


def _marks(
    pairs: Sequence[tuple[Standing, float]],
    rows: Mapping[str, Row],
    spreads: Mapping[str, tuple[float, float]],
    *,
    is_on: bool,
) -> Trace:
    ups = [sounds for _, sounds in pairs]
    ends = [spreads.get(one.submission) for one, _ in pairs]
    is_crowd = len(pairs) > 60
    whiskers = style.spread(ups, [one and one[0] for one in ends], [one and one[1] for one in ends])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "on the frontier" if is_on else "other systems",
        "x": [one.adherence for one, _ in pairs],
        "y": ups,
        "customdata": [one.submission for one, _ in pairs],
        "error_y": whiskers | {"color": "var(--cb-fig-whisker)"} | ({"thickness": 0.7, "width": 0} if is_crowd else {}),
        "marker": {
            "color": style.SERIES[1 if is_on else 0],
            "symbol": "diamond" if is_on else "circle",
            "size": 10 if is_on else 6 if is_crowd else 8,
        },
        "hovertext": [
            f"<b>{style.label(rows[one.submission].name, most=60)}</b><br>adherence {display.score(one.adherence)}"
            f"<br>naturalness {display.score(sounds)}"
            + ("" if (end := spreads.get(one.submission)) is None else f", 95 % interval {display.interval(*end)}")
            for one, sounds in pairs
        ],
        "hoverinfo": "text",
    }


def _line(on: Sequence[tuple[Standing, float]]) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "showlegend": False,
        "x": [one.adherence for one, _ in on],
        "y": [sounds for _, sounds in on],
        "line": {"color": style.SERIES[1], "width": 1.8, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _names(
    named: Sequence[tuple[Standing, float]],
    known: Sequence[tuple[Standing, float]],
    rows: Mapping[str, Row],
    *,
    is_narrow: bool = False,
) -> list[Trace]:
    """Return names beside marks, those that would lie over another one left out; the first given ones stay."""
    width = max(one.adherence for one, _ in known) - min(one.adherence for one, _ in known) or 1.0
    height = max(sounds for _, sounds in known) - min(sounds for _, sounds in known) or 1.0
    middle = min(one.adherence for one, _ in known) + width / 2
    across, up = (0.6, 0.06) if is_narrow else (0.3, 0.05)
    found: list[tuple[Standing, float]] = []
    for one, sounds in named:
        if all(
            abs(one.adherence - other.adherence) > across * width or abs(sounds - beside) > up * height
            for other, beside in found
        ):
            found.append((one, sounds))
    return [
        {
            "x": one.adherence,
            "y": sounds,
            "text": style.short(rows[one.submission].name) if is_narrow else style.label(rows[one.submission].name),
            "showarrow": False,
            "xanchor": "right" if one.adherence > middle else "left",
            "xshift": 4 if one.adherence > middle else -4,
            "yshift": 15,
            "font": {"size": 12, "color": style.INK},
            "bgcolor": "var(--cb-fig-veil)",
        }
        for one, sounds in found
    ]


def _table(
    known: Sequence[tuple[Standing, float]], rows: Mapping[str, Row], spreads: Mapping[str, tuple[float, float]]
) -> Table:
    ordered = sorted(known, key=lambda pair: (not pair[0].is_on_frontier, -pair[0].adherence, pair[0].submission))
    return Table(
        columns=(
            *("system", "version", "adherence", "naturalness", "naturalness_low", "naturalness_high"),
            *("is_on_frontier", "submission"),
        ),
        lines=tuple(
            (
                rows[one.submission].system,
                rows[one.submission].version,
                one.adherence,
                sounds,
                *(spreads.get(one.submission) or (None, None)),
                one.is_on_frontier,
                one.submission,
            )
            for one, sounds in ordered
        ),
        keys=tuple(one.submission for one, _ in ordered),
    )
