"""A comparison on a terminal: the verdict with its whole arithmetic, differences by dimension, the widest items."""

from typing import TYPE_CHECKING

from evaluation.analysis import LABEL
from evaluation.paired import PairedDifference
from leaderboard.comparison import Comparison
from leaderboard.decision_text import sentence
from leaderboard.display import DASH, count, exact, score
from leaderboard.tables import Justify, show_line, show_table

if TYPE_CHECKING:
    from rich.console import Console


def show_comparison(comparison: Comparison, *, to: "Console") -> None:
    """Write everything of a comparison."""
    a, b = comparison.names.values()
    show_line(f"\nA: {a}\nB: {b}", to=to)
    if comparison.label != "decision":
        show_line(f"{comparison.label.upper()}. {_how(comparison)}", to=to, is_strong=True)
    show_line("\n" + sentence(comparison.decision, comparison.names.__getitem__), to=to, is_strong=True)
    show_line(_arithmetic(comparison), to=to)
    heads: list[tuple[str, Justify]] = [("", "left"), ("A", "right"), ("B", "right"), ("A − B", "right")]
    heads += [("95 % interval", "right"), ("Items", "right")]
    found = comparison.differences
    rows = [("S", found.score), *found.dimensions.items()]
    show_table(heads, [_row(name, one) for name, one in rows], to=to, title=" ")
    if found.widest:
        show_table(
            (("Items that differ most", "left"), ("A", "right"), ("B", "right"), ("By", "left")),
            [(one.item_id, score(one.a), score(one.b), ", ".join(one.dimensions)) for one in found.widest],
            to=to,
            title=" ",
        )


def _how(comparison: Comparison) -> str:
    others = [f"{name} weighs {weight:g}" for name, weight in comparison.weights.items() if weight != 1]
    if comparison.label == LABEL:
        others += [f"margin floor {comparison.constants.margin_floor:g}, slope {comparison.constants.margin_slope:g}"]
    what = f"{'; '.join(others)}. " if others else ""
    items = (
        "" if comparison.is_whole else f" Only the {count(comparison.n_items, 'item')} that both have are looked at."
    )
    return f"{what}It can never be published.{items}"


def _arithmetic(comparison: Comparison) -> str:
    decision, constants = comparison.decision, comparison.constants
    ahead = decision.challenger_score - decision.incumbent_score
    headroom = constants.margin_slope * (1 - decision.incumbent_score)
    return (
        f"The higher mean challenges. It leads by {ahead:.6f} over {count(decision.n_items, 'item')}; in "
        f"{(1 - constants.alpha) * 100:g}% of {constants.n_resamples:,} paired resamples by more than "
        f"{decision.lcb:+.6f}, the lower bound. The margin is the larger of {constants.margin_floor:g} and "
        f"{constants.margin_slope:g} × (1 − {exact(decision.incumbent_score)}) = {headroom:.6f}: "
        f"{exact(decision.margin)}. The bound is {'above it: a win' if decision.is_win else 'not above it: a tie'}."
    )


def _row(name: str, one: PairedDifference) -> tuple[str, ...]:
    ahead = DASH if one.difference is None else f"{one.difference:+.3f}"
    interval = DASH if one.interval is None else f"{one.interval.low:+.3f} to {one.interval.high:+.3f}"
    return (name, score(one.mean_a), score(one.mean_b), ahead, interval, f"{one.n:,}")
