"""Scores by the day a system arrived: versions joined, and the best so far as a step. Pure."""

from datetime import UTC, datetime, timedelta

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.forest import named
from leaderboard.figures.records import Asked, Field, Figure, Point, Table, Trace, nothing

NAME = "time"
_PX = 440


def timeline(field: Field, asked: Asked) -> Figure:
    """Return scores over time; picked systems and their other versions carry their names."""
    dated = sorted(
        ((moment, point) for point in field.points if (moment := _moment(point.row.received_at)) is not None),
        key=lambda pair: (pair[0], pair[1].row.submission),
    )
    if not dated:
        return nothing(NAME, words.FIGURE_SAYS["empty"])
    what = named(field)
    steps = _steps(dated)
    data = [_frontier(dated, steps), *_chains(dated), _marks(dated, steps, what)]
    picked = [pair for pair in dated if pair[1].row.submission in asked.systems]
    if picked:
        data.append(_names(picked))
    layout = style.layout(
        _PX,
        xaxis=style.axis(type="date", nticks=8, range=_range(dated)),
        yaxis=style.axis(what, nticks=7),
        showlegend=True,
    )
    layout["legend"] |= {"itemclick": False, "itemdoubleclick": False}
    return Figure(
        name=NAME,
        data=data,
        layout=layout,
        phone={"xaxis.nticks": 4, "yaxis.nticks": 5, "height": 400},
        sentence=sentence(dated, steps),
        alt=f"{what} of {display.count(len(dated), 'system')} by the day of arrival.",
        table=_table(dated, {dated[at][1].row.submission for at in steps}),
        note=words.FIGURE_TIME,
    )


def sentence(dated: list[tuple[datetime, Point]], steps: list[int]) -> str:
    """Return how the best so far has risen, and how versions did against those before them."""
    says = words.FIGURE_SAYS
    first, last = dated[steps[0]], dated[steps[-1]]
    if len(dated) == 1:
        return says["time_one"].format(score=display.score(first[1].score), name=first[1].row.name, day=_day(first[0]))
    by_name = {point.row.submission: point for _, point in dated}
    pairs = [(point, by_name[before]) for _, point in dated if (before := point.row.supersedes) in by_name and before]
    n_better = sum(later.score > earlier.score for later, earlier in pairs)
    versions = says["versions"].format(n=len(pairs), better=n_better) if pairs else ""
    if len(steps) == 1:
        return says["time_flat"].format(
            last=display.score(last[1].score), name=last[1].row.name, day=_day(last[0]), versions=versions
        )
    if _day(first[0]) == _day(last[0]):
        days = says["time_day"].format(day=_day(first[0]))
    else:
        days = says["time_days"].format(from_day=_day(first[0]), to_day=_day(last[0]))
    return says["time"].format(
        first=display.score(first[1].score),
        last=display.score(last[1].score),
        days=days,
        steps=display.count(len(steps) - 1, "step"),
        versions=versions,
    )


def _range(dated: list[tuple[datetime, Point]]) -> list[str]:
    """Return the days in view, with room on either side."""
    first, last = dated[0][0], dated[-1][0]
    room = max((last - first) * 0.03, timedelta(days=1))
    return [_stamp(first - room), _stamp(last + room)]


def _steps(dated: list[tuple[datetime, Point]]) -> list[int]:
    """Return the places at which the best so far rises."""
    found: list[int] = []
    highest = float("-inf")
    for at, (_, point) in enumerate(dated):
        if point.score > highest:
            found.append(at)
            highest = point.score
    return found


def _frontier(dated: list[tuple[datetime, Point]], steps: list[int]) -> Trace:
    ends = [*(dated[at] for at in steps), (dated[-1][0], dated[steps[-1]][1])]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "best so far",
        "x": [_stamp(moment) for moment, _ in ends],
        "y": [point.score for _, point in ends],
        "line": {"color": style.SERIES[1], "shape": "hv", "width": 2},
        "hoverinfo": "skip",
    }


def _chains(dated: list[tuple[datetime, Point]]) -> list[Trace]:
    """Return one broken line that joins each version with the one before it."""
    known = {point.row.submission: (moment, point) for moment, point in dated}
    across: list[str | None] = []
    up: list[float | None] = []
    for moment, point in dated:
        before = known.get(point.row.supersedes or "")
        if before is not None:
            across += [_stamp(before[0]), _stamp(moment), None]
            up += [before[1].score, point.score, None]
    if not across:
        return []
    line = {"color": style.SOFT, "width": 1.4, "dash": "dot"}
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "versions of one system",
            "x": across,
            "y": up,
            "line": line,
            "hoverinfo": "skip",
        }
    ]


def _marks(dated: list[tuple[datetime, Point]], steps: list[int], what: str) -> Trace:
    on, scores = set(steps), [point.score for _, point in dated]
    colours = [style.SERIES[1] if at in on else style.SERIES[0] for at in range(len(dated))]
    thin = {} if len(dated) <= 60 else {"thickness": 0.7, "width": 0}
    ends = [point.low for _, point in dated], [point.high for _, point in dated]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "systems with 95 % interval",
        "x": [_stamp(moment) for moment, _ in dated],
        "y": scores,
        "customdata": [point.row.submission for _, point in dated],
        "marker": {
            "color": colours,
            "size": 8 if len(dated) <= 60 else 6,
            "symbol": ["diamond" if at in on else "circle" for at in range(len(dated))],
        },
        "error_y": style.spread(scores, *ends) | {"color": "var(--cb-fig-whisker)"} | thin,
        "hovertext": [style.hover(point, what, _day(moment)) for moment, point in dated],
        "hoverinfo": "text",
    }


def _names(picked: list[tuple[datetime, Point]]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "showlegend": False,
        "x": [_stamp(moment) for moment, _ in picked],
        "y": [point.score for _, point in picked],
        "text": [style.label(point.row.name) for _, point in picked],
        "textposition": "top center",
        "textfont": {"color": style.INK, "size": 12},
        "marker": {"size": 14, "symbol": "circle-open", "color": style.INK, "line": {"width": 2, "color": style.INK}},
        "hoverinfo": "skip",
    }


def _table(dated: list[tuple[datetime, Point]], on: set[str]) -> Table:
    return Table(
        columns=("received_at", "system", "version", "score", "low", "high", "was_best", "supersedes", "submission"),
        lines=tuple(
            (
                point.row.received_at,
                point.row.system,
                point.row.version,
                point.score,
                point.low,
                point.high,
                point.row.submission in on,
                point.row.supersedes,
                point.row.submission,
            )
            for _, point in dated
        ),
        keys=tuple(point.row.submission for _, point in dated),
    )


def _moment(stamp: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")
