"""The smallest difference of two means that the test of a board would call a win. Pure.

A pair is won if LCB > margin. The lower bound lies `mean difference - LCB` below the mean. That is the pair's spread,
and stays as it is when one system's composites all move by one amount. So a pair of that spread is told apart from

    gap(pair) = margin(incumbent) + (mean difference - LCB)

upwards. The figure of a board is the median of that over neighbours by mean, the pairs that a reader asks about.
"""

from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import MICRO, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What a test of n items can tell apart on one board."""

    n_items: int
    """Items that every pair is compared on."""
    n_pairs: int
    """Neighbours by mean that it was taken over."""
    typical: float
    """Median over neighbours of the smallest difference of means that would be a win, 0..1, rounded to 6 decimals."""
    floor: float
    """The least margin of any system: no smaller difference is ever a win, however little the items vary."""
    spread: float
    """Median over neighbours of the mean difference less its lower bound: what the items' variation alone takes."""

    def sentence(self) -> str:
        """Return it in one sentence for a page."""
        return (
            f"At {self.n_items} items the difference between two neighbours must exceed {self.typical:.3f} to be a win "
            f"(median over the neighbours here): about {self.spread:.3f} for the variation between items, the rest for "
            f"the margin, which is {self.floor:.3f} at least."
        )


def gap(scores_micro: IntArray, lcb_micro: IntArray, margins_micro: IntArray, *, n_items: int) -> Gap | None:
    """Return the smallest difference that the test of a slice typically tells apart.

    Args:
        scores_micro: means of K systems, (K,), millionths.
        lcb_micro: lower bound of each pair's challenger, (K, K), symmetric.
        margins_micro: margin of each system as an incumbent, (K,).
        n_items: items of the slice.

    Returns:
        None for fewer than two systems or two items.
    """
    if len(scores_micro) < 2 or n_items < 2:
        return None
    order = np.argsort(scores_micro, kind="stable")
    lower, upper = order[:-1], order[1:]
    spreads = scores_micro[upper] - scores_micro[lower] - lcb_micro[upper, lower]
    gaps = spreads + margins_micro[lower]
    return Gap(
        n_items=n_items,
        n_pairs=len(lower),
        typical=round(float(np.median(gaps)) / MICRO, 6),
        floor=int(margins_micro.min()) / MICRO,
        spread=round(float(np.median(spreads)) / MICRO, 6),
    )
