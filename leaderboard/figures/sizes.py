"""Scores against the number of parameters, where a card tells it. Pure."""

import math
from collections.abc import Sequence

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.forest import named
from leaderboard.figures.records import Asked, Field, Figure, Point, Table, Trace, nothing
from leaderboard.figures.tiers import moves
from leaderboard.table.amounts import size, size_shown

NAME = "size"
_PX = 460
_LEAST = 4
"""Fewer systems than this show no trend."""
_TICKS = tuple(10**power * step for power in range(5, 13) for step in (1, 3))


def sizes(field: Field, asked: Asked) -> Figure:
    """Return scores against size; open and closed weights have marks of their own."""
    known = [(n, point) for point in field.points if (n := size(point.row.parameters)) is not None]
    if not known:
        return nothing(NAME, f"{words.FIGURE_SAYS['no_size']} {words.FIGURE_NO_PRICE}")
    what = named(field)
    kinds = ((True, "open weights"), (False, "closed weights"), (None, "weights not told"))
    data = [
        _trace([pair for pair in known if pair[1].row.is_open is kind], what, called, at)
        for at, (kind, called) in enumerate(kinds)
    ]
    picked = [pair for pair in known if pair[1].row.submission in asked.systems]
    ticks = [n for n in _TICKS if min(pair[0] for pair in known) / 3.2 <= n <= max(pair[0] for pair in known) * 3.2]
    across = style.axis("Parameters", type="log", tickmode="array", tickvals=ticks)
    across["ticktext"] = [size_shown(n) for n in ticks]
    layout = style.layout(
        _PX,
        xaxis=across,
        yaxis=style.axis(what, nticks=7),
        showlegend=True,
        annotations=[_name(n, point) for n, point in picked],
    )
    layout["legend"] |= {"itemclick": False, "itemdoubleclick": False}
    return Figure(
        name=NAME,
        data=[trace for trace in data if trace["x"]],
        layout=layout,
        phone={"height": 400, "yaxis.nticks": 5},
        sentence=sentence(known, len(field.points)),
        alt=f"{what} of {display.count(len(known), 'system')} by number of parameters, on a logarithmic axis.",
        table=_table(known),
        note=words.FIGURE_NO_PRICE,
    )


def sentence(known: Sequence[tuple[int, Point]], n_all: int) -> str:
    """Return whether larger systems score higher, as a description."""
    if len(known) < _LEAST or len({n for n, _ in known}) < 2:
        return words.FIGURE_SAYS["size_few"].format(n=len(known), all=n_all)
    ordered = sorted(known, key=lambda pair: (pair[0], pair[1].row.submission))
    half = len(ordered) // 2
    low = sum(point.score for _, point in ordered[:half]) / half
    high = sum(point.score for _, point in ordered[-half:]) / half
    rho = rank_correlation([float(n) for n, _ in ordered], [point.score for _, point in ordered])
    return words.FIGURE_SAYS["size"].format(
        n=len(known),
        all=n_all,
        moves=moves(low, high),
        low=display.score(low),
        high=display.score(high),
        rho="not defined" if rho is None else f"{rho:+.2f}".replace("-", "−"),
    )


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, equal values sharing their mean rank; None if either is constant."""
    first, second = _ranks(one), _ranks(other)
    middle = (len(one) + 1) / 2
    both = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second)
    return None if spread <= 0 else both / float(spread**0.5)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        end = first
        while end < len(order) and values[order[end]] == values[order[first]]:
            end += 1
        for place in order[first:end]:
            found[place] = (first + 1 + end) / 2
        first = end
    return found


def _trace(pairs: Sequence[tuple[int, Point]], what: str, called: str, at: int) -> Trace:
    scores = [point.score for _, point in pairs]
    ends = [point.low for _, point in pairs], [point.high for _, point in pairs]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": called,
        "x": [n for n, _ in pairs],
        "y": scores,
        "customdata": [point.row.submission for _, point in pairs],
        "marker": {"color": style.SERIES[at], "symbol": style.SYMBOLS[at], "size": 8 if len(pairs) <= 60 else 6},
        "error_y": style.spread(scores, *ends)
        | {"color": "var(--cb-fig-whisker)"}
        | ({} if len(pairs) <= 60 else {"thickness": 0.7, "width": 0}),
        "hovertext": [
            style.hover(point, what, f"{size_shown(n)} parameters: “{style.label(point.row.parameters)}”")
            for n, point in pairs
        ],
        "hoverinfo": "text",
    }


def _name(n: int, point: Point) -> Trace:
    text = {"size": 12, "color": style.INK}
    # On a logarithmic axis plotly takes the place of a text as a power of ten.
    x = round(math.log10(n), 4)
    return {
        "x": x,
        "y": point.score,
        "text": style.label(point.row.name),
        "showarrow": False,
        "yshift": 15,
        "font": text,
    }


def _table(known: Sequence[tuple[int, Point]]) -> Table:
    ordered = sorted(known, key=lambda pair: (-pair[1].score, pair[1].row.submission))
    return Table(
        columns=(
            "system",
            "version",
            "parameters",
            "n_parameters",
            "open_weights",
            "score",
            "low",
            "high",
            "submission",
        ),
        lines=tuple(
            (
                point.row.system,
                point.row.version,
                point.row.parameters,
                n,
                point.row.is_open,
                point.score,
                point.low,
                point.high,
                point.row.submission,
            )
            for n, point in ordered
        ),
        keys=tuple(point.row.submission for _, point in ordered),
    )
