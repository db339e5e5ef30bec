"""Every requested value of every trait over the whole board, with how far systems lie apart. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.bootstrap import MICRO
from leaderboard import display, words
from leaderboard.derive.rates import TraitRates
from leaderboard.derive.records import ABSENT
from leaderboard.figures import style
from leaderboard.figures.records import Figure, Table, Trace, nothing
from leaderboard.figures.values import NAME

_LINE_PX, _EDGE_PX = 24, 70


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    trait: str
    value: str
    mean: float
    low: float
    high: float
    n_systems: int
    n: int


def overview(rates: Sequence[TraitRates]) -> Figure:
    """Return one line for each requested value: the mean over systems, and a bar from the least to the best system."""
    lines = [line for one in rates for line in sorted(_lines(one), key=lambda line: -line.mean)]
    if not lines:
        return nothing(NAME, words.FIGURE_SAYS["no_adherence"])
    traits = list(dict.fromkeys(line.trait for line in lines))
    data = [_trace(lines, trait, at) for at, trait in enumerate(traits)]
    wide = [f"{_called(line.trait)} <b>{style.label(line.value)}</b>" for line in lines]
    narrow = [f"{_called(line.trait)[:8]} <b>{style.short(line.value)}</b>" for line in lines]
    title = "Mean desirability; the bar goes from the least to the best system"
    low, high = min(lines, key=lambda line: line.mean), max(lines, key=lambda line: line.mean)
    return Figure(
        name=NAME,
        data=data,
        layout=style.layout(
            _EDGE_PX + _LINE_PX * len(lines),
            xaxis=style.axis(title, range=[-0.02, 1.02], nticks=6),
            yaxis=style.rows_axis(wide),
        ),
        phone={**style.rows_phone(narrow), "xaxis.title.text": "Mean, least to best system"},
        sentence=words.FIGURE_SAYS["values_all"].format(
            low=f"{_called(low.trait).lower()} {low.value}",
            low_score=display.score(low.mean),
            high=f"{_called(high.trait).lower()} {high.value}",
            high_score=display.score(high.mean),
        ),
        alt=f"Mean desirability of {len(lines)} requested values over all systems.",
        table=Table(
            columns=("trait", "value", "mean", "least_system", "best_system", "n_systems", "n_clips"),
            lines=tuple(
                (line.trait, line.value, line.mean, line.low, line.high, line.n_systems, line.n) for line in lines
            ),
        ),
        opens="",
        note=words.FIGURE_VALUES,
    )


def _called(trait: str) -> str:
    return words.header(trait).label


def _lines(rates: TraitRates) -> list[_Line]:
    found = []
    for at, value in enumerate(rates.values):
        means = rates.means_micro[:, at]
        known = means[means != ABSENT]
        if len(known):
            found.append(
                _Line(
                    trait=rates.trait,
                    value=value,
                    mean=int(rates.board_micro[at]) / MICRO,
                    low=int(known.min()) / MICRO,
                    high=int(known.max()) / MICRO,
                    n_systems=len(known),
                    n=int(rates.n[:, at].sum()),
                )
            )
    return found


def _trace(lines: Sequence[_Line], trait: str, at: int) -> Trace:
    chosen = [(place, line) for place, line in enumerate(lines) if line.trait == trait]
    means = [line.mean for _, line in chosen]
    ends = [line.low for _, line in chosen], [line.high for _, line in chosen]
    colour = style.SERIES[at % 2]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": means,
        "y": [place for place, _ in chosen],
        "marker": {"color": colour, "size": 9, "symbol": style.SYMBOLS[at % 2]},
        "error_x": style.spread(means, *ends) | {"color": colour},
        "hovertext": [_hover(line) for _, line in chosen],
        "hoverinfo": "text",
    }


def _hover(line: _Line) -> str:
    return "<br>".join(
        (
            f"<b>{_called(line.trait)}: {style.label(line.value)}</b>",
            f"mean over {display.count(line.n_systems, 'system')} {display.score(line.mean)}",
            f"least {display.score(line.low)}, best {display.score(line.high)}",
            display.count(line.n, "clip"),
        )
    )
