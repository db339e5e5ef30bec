"""The forest plot: every system's mean with its interval, best on top. Pure."""

from collections.abc import Sequence

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.records import N_SHOWN, N_SMALL, Asked, Field, Figure, Point, Table, nothing

NAME = "forest"
_LINE_PX, _EDGE_PX = 30, 64
_SMALL_PX, _DENSE_PX = 22, 7


def forest(field: Field, asked: Asked) -> Figure:
    """Return the forest plot.

    Args:
        field: the systems.
        asked: which of them are in view; picked systems stand alone.
    """
    points = windowed(field, asked, N_SMALL if asked.is_small else N_SHOWN)
    if not points:
        return nothing(NAME, words.FIGURE_SAYS["empty"])
    what = named(field)
    is_dense = style.is_dense(len(points))
    tied = {point.row.submission for point in field.points if point.is_tied}
    scores = [point.score for point in points]
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": scores,
        "y": list(range(len(points))),
        "customdata": [point.row.submission for point in points],
        "marker": {
            "size": 5 if is_dense else 9,
            "color": [style.SERIES[0] if point.row.submission in tied else style.SHEET for point in points],
            "line": {"color": style.SERIES[0], "width": 2},
            "symbol": "circle",
        },
        "error_x": style.spread(scores, [one.low for one in points], [one.high for one in points])
        | {"color": style.SERIES[0]},
        "hovertext": [
            style.hover(one, what, f"rank {display.band(one.best, one.worst)}", style.label(one.row.organisation))
            for one in points
        ],
        "hoverinfo": "text",
    }
    wide = [f"{style.label(one.row.name)}  <b>{display.band(one.best, one.worst)}</b>" for one in points]
    narrow = [f"{style.short(one.row.name)} <b>{display.band(one.best, one.worst)}</b>" for one in points]
    line = _DENSE_PX if is_dense else _SMALL_PX if asked.is_small else _LINE_PX
    title = what if asked.is_small else f"{what} with its 95 % interval"
    return Figure(
        name=NAME,
        data=(marks,),
        layout=style.layout(
            _EDGE_PX + line * len(points), xaxis=style.axis(title, nticks=6), yaxis=style.rows_axis(wide)
        ),
        phone=style.rows_phone(narrow) | {"xaxis.nticks": 4},
        sentence=sentence(field),
        alt=f"{what} of {display.count(len(points), 'system')}, best on top, each a mark with its interval.",
        table=table(field, points),
        note=words.FIGURE_SYSTEM,
    )


def windowed(field: Field, asked: Asked, n_most: int = N_SHOWN) -> tuple[Point, ...]:
    """Return the systems in view: those that were picked, all of them, or a window."""
    if asked.systems:
        return tuple(point for point in field.points if point.row.submission in asked.systems)
    first = asked.first if asked.first < len(field.points) else 0
    return field.points if asked.has_all else field.points[first : first + n_most]


def named(field: Field) -> str:
    """Return what is compared: S or a dimension."""
    return "Score S" if field.part.trait is None else words.header(field.part.trait).label


def sentence(field: Field) -> str:
    """Return what the scores of a field say, ties first."""
    says, points = words.FIGURE_SAYS, field.points
    if not points:
        return says["empty"]
    first = points[0]
    if len(points) == 1:
        return says["lone"].format(first=first.row.name, score=display.score(first.score))
    if field.n_tied >= len(points):
        return says["tied_all"].format(n=len(points), first=first.row.name)
    beaten = next(point for point in points if not point.is_tied)
    gap = display.score(first.score - beaten.score)
    needs = "" if field.needed is None else says["needs"].format(needed=display.score(field.needed))
    if field.n_tied == 1:
        others = display.count(len(points) - 1, "system")
        return says["alone"].format(first=first.row.name, others=others, gap=gap, needs=needs)
    others = "the other one" if field.n_tied == 2 else f"the other {field.n_tied - 1}"
    return says["tied_some"].format(
        tied=field.n_tied, n=len(points), first=first.row.name, others=others, gap=gap, needs=needs
    )


def table(field: Field, points: Sequence[Point]) -> Table:
    """Return scores as a table."""
    key = "score" if field.part.trait is None else f"mean_{field.part.trait}"
    return Table(
        columns=("rank_best", "rank_worst", "system", "version", "organisation", key, "low", "high", "submission"),
        lines=tuple(
            (
                one.best,
                one.worst,
                one.row.system,
                one.row.version,
                one.row.organisation,
                one.score,
                one.low,
                one.high,
                one.row.submission,
            )
            for one in points
        ),
        keys=tuple(one.row.submission for one in points),
    )
