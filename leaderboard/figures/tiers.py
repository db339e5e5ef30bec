"""The same systems on easy, normal and hard items. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard import display, words
from leaderboard.figures import style
from leaderboard.figures.records import Cell, Figure, Table, Trace, nothing
from leaderboard.views import Row

NAME = "tiers"
_LINE_PX, _DENSE_PX, _EDGE_PX = 36, 10, 90
_APART = 0.24


@dataclass(frozen=True, slots=True, kw_only=True)
class TierScore:
    """One system on the items of one tier."""

    score: float
    """What is compared, 0..1."""
    low: float | None
    """Lower end of its 95 % interval; None if there is none."""
    high: float | None
    """Upper end."""
    n_items: int
    """Items of the tier."""


def tiers(
    rows: Sequence[Row], scores: Mapping[int, Mapping[str, TierScore]], *, shown: Sequence[str], what: str
) -> Figure:
    """Return the figure.

    Args:
        rows: all systems, best first.
        scores: by tier, then by submission; a tier without items is absent.
        shown: submissions in view.
        what: what is compared.
    """
    if len(scores) < 2 or not rows:
        return nothing(NAME, words.FIGURE_SAYS["no_tiers" if rows else "empty"])
    lines = [row for row in rows if row.submission in set(shown)]
    kinds = sorted(scores)
    data = [_trace(lines, scores[tier], words.TIERS[tier], at=at, n=len(kinds)) for at, tier in enumerate(kinds)]
    layout = style.layout(
        _EDGE_PX + (_DENSE_PX if style.is_dense(len(lines)) else _LINE_PX) * len(lines),
        xaxis=style.axis(f"{what} with its 95 % interval", nticks=6),
        yaxis=style.rows_axis([style.label(row.name) for row in lines]),
        showlegend=True,
    )
    layout["legend"] |= {"itemclick": False, "itemdoubleclick": False, "traceorder": "normal"}
    return Figure(
        name=NAME,
        data=data,
        layout=layout,
        phone=style.rows_phone([style.short(row.name) for row in lines]) | {"xaxis.nticks": 4},
        sentence=sentence(rows, scores),
        alt=f"{what} of {display.count(len(lines), 'system')} on the items of each difficulty.",
        table=_table(lines, scores),
        note=words.FIGURE_SYSTEM,
    )


def sentence(rows: Sequence[Row], scores: Mapping[int, Mapping[str, TierScore]]) -> str:
    """Return how the mean over all systems changes from the easiest tier to the hardest, and for whom most."""
    first, last = scores[min(scores)], scores[max(scores)]
    both = [row for row in rows if row.submission in first and row.submission in last]
    if not both:
        return words.FIGURE_SAYS["empty"]
    easy = sum(first[row.submission].score for row in both) / len(both)
    hard = sum(last[row.submission].score for row in both) / len(both)
    most = max(both, key=lambda row: abs(last[row.submission].score - first[row.submission].score))
    change = last[most.submission].score - first[most.submission].score
    return words.FIGURE_SAYS["tiers"].format(
        systems=display.count(len(both), "system"),
        moves=moves(easy, hard),
        easy=display.score(easy),
        hard=display.score(hard),
        name=most.name,
        change=f"{change:+.3f}".replace("-", "−"),
    )


def moves(before: float, after: float) -> str:
    """Return in a word how a number changes, at three decimals."""
    if round(after, 3) == round(before, 3):
        return "stays"
    return "falls" if after < before else "rises"


def _trace(lines: Sequence[Row], scores: Mapping[str, TierScore], tier: str, *, at: int, n: int) -> Trace:
    known = [(place, row, scores[row.submission]) for place, row in enumerate(lines) if row.submission in scores]
    aside = (at - (n - 1) / 2) * _APART
    means = [one.score for _, _, one in known]
    n_items = known[0][2].n_items if known else 0
    called = f"{tier} ({n_items} items)"
    return {
        "type": "scatter",
        "mode": "markers",
        "name": called,
        "x": means,
        "y": [round(place + aside, 3) for place, _, _ in known],
        "customdata": [row.submission for _, row, _ in known],
        "marker": {"color": style.SERIES[at], "symbol": style.SYMBOLS[at], "size": 8},
        "error_x": style.spread(means, [one.low for _, _, one in known], [one.high for _, _, one in known])
        | {"color": style.SERIES[at]},
        "hovertext": [
            f"<b>{style.label(row.name, most=60)}</b><br>{tier} items: {display.score(one.score)}"
            + ("" if one.low is None else f", 95 % interval {display.interval(one.low, one.high)}")
            for _, row, one in known
        ],
        "hoverinfo": "text",
    }


def _table(lines: Sequence[Row], scores: Mapping[int, Mapping[str, TierScore]]) -> Table:
    found: list[tuple[Cell, ...]] = []
    for row in lines:
        for tier in sorted(scores):
            one = scores[tier].get(row.submission)
            if one is not None:
                found.append((row.system, row.version, tier, one.score, one.low, one.high, one.n_items, row.submission))
    return Table(
        columns=("system", "version", "tier", "score", "low", "high", "n_items", "submission"),
        lines=tuple(found),
        keys=tuple(str(line[-1]) for line in found),
    )
