"""A decision in words, with every number that led to it. Pure."""

from collections.abc import Mapping

from evaluation.protocol import Constants
from evaluation.records import Decision
from leaderboard import display
from leaderboard.markup import Markup, el, join


def sentence(decision: Decision, names: Mapping[str, str], constants: Constants) -> Markup:
    """Return a decision in words, with every number that led to it."""
    above, below = names[decision.challenger], names[decision.incumbent]
    gap = decision.challenger_score - decision.incumbent_score
    start = join(
        f"Over the same {display.count(decision.n_items, 'item')}, ",
        el("b", above),
        f" has a mean composite of {display.exact(decision.challenger_score)} and ",
        el("b", below),
        f" one of {display.exact(decision.incumbent_score)}: a difference of {display.exact(gap)}. ",
    )
    bound = (
        f"In {constants.n_resamples:,} resamples of the items, {1 - constants.alpha:.0%} of the mean differences are "
        f"above {signed(decision.lcb)} (the lower bound, LCB). "
    )
    headroom = constants.margin_slope * (1 - decision.incumbent_score)
    margin = (
        f"To win, it must exceed a margin of {display.exact(decision.margin)}, the larger of "
        f"{constants.margin_floor:g} and {constants.margin_slope:.0%} of the room left above the lower score, "
        f"{constants.margin_slope:g} × (1 − {display.exact(decision.incumbent_score)}) = {display.exact(headroom)}. "
    )
    sign = ">" if decision.is_win else "≤"
    end = "a win for " if decision.is_win else "a tie: these items do not separate the two"
    verdict = el("b", f"{signed(decision.lcb)} {sign} {display.exact(decision.margin)}")
    return el(
        "p",
        start,
        bound,
        margin,
        verdict,
        ", so it is ",
        end,
        el("b", above) if decision.is_win else None,
        ".",
        id="decision-sentence",
    )


def signed(value: float) -> str:
    """Return a published value that may be negative, with six decimals."""
    return display.exact(value).replace("-", "−")
