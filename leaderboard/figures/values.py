"""Which requested values are followed and which are missed: one trait system by system, or all of them. Pure."""

from collections.abc import Mapping, Sequence

from evaluation.bootstrap import MICRO, wilson_interval
from leaderboard import display, words
from leaderboard.derive.rates import TraitRates
from leaderboard.derive.records import ABSENT
from leaderboard.figures import style
from leaderboard.figures.records import Cell, Figure, Table, Trace, nothing
from leaderboard.views import Row

NAME = "values"
BOARD = "mean over all systems"
_LINE_PX, _DENSE_PX, _EDGE_PX = 26, 5, 110


def values(rates: TraitRates, rows: Mapping[str, Row], shown: Sequence[str]) -> Figure:
    """Return the heat map of one trait.

    Args:
        rates: how every system followed each value.
        rows: the systems by submission.
        shown: submissions in view, in order.
    """
    if not rates.values:
        return nothing(NAME, words.FIGURE_SAYS["no_trait"])
    keys = [key for key in shown if key in rates.submissions]
    places = [rates.submissions.index(key) for key in keys]
    board = [_number(int(mean)) for mean in rates.board_micro]
    names = [rows[key].name for key in keys]
    z = [board, *([_number(int(mean)) for mean in rates.means_micro[place]] for place in places)]
    texts = [
        [
            f"<b>{BOARD}</b><br>{style.label(value)}: {display.score(one)}"
            for value, one in zip(rates.values, board, strict=True)
        ],
        *(_hovers(rates, place, rows[key].name) for place, key in zip(places, keys, strict=True)),
    ]
    ticks = [f"<b>{BOARD}</b>", *(style.label(name) for name in names)]
    narrow = ["<b>all systems</b>", *(style.short(name) for name in names)]
    is_dense = style.is_dense(len(ticks))
    cells: Trace = {
        "type": "heatmap",
        "z": z,
        "x": list(range(len(rates.values))),
        "y": list(range(len(ticks))),
        "text": [[display.score(one)[:4] if one is not None else "" for one in line] for line in z],
        "texttemplate": "" if is_dense else "%{text}",
        "textfont": {"size": 11},
        "customdata": [[""] * len(rates.values), *([key] * len(rates.values) for key in keys)],
        "hovertext": texts,
        "hoverinfo": "text",
        "zmin": 0,
        "zmax": 1,
        "colorscale": style.HEAT_SCALE,
        "showscale": False,
        "xgap": 2,
        "ygap": 0 if is_dense else 2,
    }
    asked = [style.label(value) for value in rates.values]
    across = style.axis(tickmode="array", tickvals=list(range(len(asked))), ticktext=asked, side="top", showgrid=False)
    upright = style.rows_axis(ticks) | {"showgrid": False, "ticks": ""}
    return Figure(
        name=NAME,
        data=(cells,),
        layout=style.layout(_EDGE_PX + (_DENSE_PX if is_dense else _LINE_PX) * len(ticks), xaxis=across, yaxis=upright),
        phone=style.rows_phone(narrow) | {"xaxis.tickangle": -90, "data.0.texttemplate": ""},
        sentence=sentence(rates),
        alt=f"Mean desirability of each value of {rates.trait}: the board, {display.count(len(keys), 'system')}.",
        table=_table(rates, rows, keys),
        note=words.FIGURE_VALUES,
    )


def sentence(rates: TraitRates) -> str:
    """Return which value is followed least and which most, over the whole board."""
    known = [(int(mean), value) for mean, value in zip(rates.board_micro, rates.values, strict=True) if mean != ABSENT]
    if not known:
        return words.FIGURE_SAYS["empty"]
    low, high = min(known, key=lambda pair: pair[0]), max(known, key=lambda pair: pair[0])
    name, systems = words.header(rates.trait).label.lower(), display.count(len(rates.submissions), "system")
    if low[0] == high[0]:
        return words.FIGURE_SAYS["values_same"].format(trait=name, score=display.score(low[0] / MICRO), systems=systems)
    return words.FIGURE_SAYS["values"].format(
        trait=name,
        low=low[1],
        low_score=display.score(low[0] / MICRO),
        high=high[1],
        high_score=display.score(high[0] / MICRO),
        systems=systems,
    )


def _hovers(rates: TraitRates, place: int, name: str) -> list[str]:
    texts = []
    for at, value in enumerate(rates.values):
        n, n_exact = int(rates.n[place, at]), int(rates.n_exact[place, at])
        mean = _number(int(rates.means_micro[place, at]))
        spread = wilson_interval(n_exact, n, alpha=rates.alpha)
        exact = "" if n == 0 else f"<br>{n_exact} of {display.count(n, 'clip')} exactly"
        exact += "" if spread is None else f", {display.percent(spread.low)} to {display.percent(spread.high)}"
        mark = f"<b>{style.label(name, most=60)}</b><br>{style.label(value)}: {display.score(mean)}{exact}"
        taken = rates.confused(rates.submissions[place], value)[:2]
        heard = ", ".join(f"{style.label(other)} {count}" for other, count in taken)
        texts.append(mark + (f"<br>taken for {heard}" if heard else ""))
    return texts


def _table(rates: TraitRates, rows: Mapping[str, Row], keys: Sequence[str]) -> Table:
    lines: list[tuple[Cell, ...]] = []
    for value, mean in zip(rates.values, rates.board_micro, strict=True):
        lines.append((BOARD, "", rates.trait, value, None, _number(int(mean)), None, None, None, None, ""))
    for key in keys:
        for value in rates.values:
            rate = rates.rate(key, value)
            if rate is None:
                continue
            low, high = (rate.interval.low, rate.interval.high) if rate.interval else (None, None)
            counts = (rate.n, rate.mean, rate.n_exact, rate.exact, low, high)
            lines.append((rows[key].system, rows[key].version, rates.trait, value, *counts, key))
    columns = ("system", "version", "trait", "value", "n", "mean", "n_exact", "exact", "exact_low", "exact_high")
    return Table(columns=(*columns, "submission"), lines=tuple(lines), keys=tuple(str(line[-1]) for line in lines))


def _number(micro: int) -> float | None:
    return None if micro == ABSENT else micro / MICRO
