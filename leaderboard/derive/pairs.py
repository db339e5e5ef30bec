"""Every pair of a slice by the bootstrap of the board, in exact integers, and more of each pair than a decision keeps.

A decision keeps the rounded lower bound of the challenger. To say how far a system is from another outcome, the bound
is kept before it is rounded, and for ties that of the incumbent over the challenger too. The resamples, the sums, the
roundings and the margin are those of `evaluation`; what follows is equal to `decide_all`, which a test holds.

A bound before rounding is an integer of 1 / (`scale` * 1e6): `scale` = items * denominator of the quantile's weight.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import IntArray, exact, resample_sums, round_half_even
from evaluation.decision import margins_of
from evaluation.protocol import Constants
from leaderboard.derive.records import Flags

UNKNOWN = np.iinfo(np.int64).min
"""Stands where a bound was not worked out: of an incumbent that is beaten, over its challenger."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """All pairs of K systems on n items."""

    keys: tuple[str, ...]
    """The systems."""
    n_items: int
    """Items that they are compared on."""
    totals: IntArray
    """Sum over the items, (K,), millionths."""
    scores_micro: IntArray
    """Mean over the items, (K,), rounded half to even."""
    margins_micro: IntArray
    """What a bound must exceed to beat each system, (K,)."""
    bounds: IntArray
    """(K, K): lower bound of the row's system over the column's before rounding, times `scale`; UNKNOWN where the row's
    is beaten by the column's, and on the diagonal."""
    scale: int
    """What `bounds` are multiplied by."""
    is_ahead: Flags
    """(K, K): whether the row's system is the pair's challenger."""
    lcb_micro: IntArray
    """(K, K), symmetric: the decision's lower bound; 0 on the diagonal."""
    beats: Flags
    """(K, K): whether the row's system beats the column's."""


def sums_of(rows: npt.NDArray[np.int32], constants: Constants) -> IntArray:
    """Return the sum of every resample of every row, (K, n_resamples); `rows` are (K, n) millionths."""
    return resample_sums(rows.astype(np.int64), n_resamples=constants.n_resamples, seed=constants.seed)


def pairs_of(
    keys: tuple[str, ...],
    rows: npt.NDArray[np.int32],
    sums: IntArray | None,
    *,
    constants: Constants,
    known: IntArray | None = None,
) -> Pairs:
    """Return all pairs.

    Args:
        keys: unique keys of the systems.
        rows: what is compared, (K, n), 0..1_000_000.
        sums: as `sums_of` gives them; None if every bound is known.
        constants: the protocol's constants.
        known: `bounds` of an earlier call where both systems were the same, UNKNOWN for other pairs; None: none is.
    """
    n_systems, n_items = rows.shape
    totals = rows.sum(axis=1, dtype=np.int64)
    scores = round_half_even(totals, max(1, n_items))
    margins = margins_of(scores, constants)
    weight = (constants.n_resamples - 1) * exact(constants.alpha) % 1
    scale = max(1, n_items) * weight.denominator
    bounds = np.full((n_systems, n_systems), UNKNOWN, dtype=np.int64) if known is None else known.copy()
    ascending = np.array(sorted(range(n_systems), key=lambda i: (int(scores[i]), keys[i])), dtype=np.intp)
    if sums is not None:
        narrow = sums.astype(np.int32) if int(sums.max(initial=0)) < 2**31 else sums
        for place in range(1, n_systems):
            i, lower = ascending[place], ascending[:place]
            lower = lower[bounds[i, lower] == UNKNOWN]
            if len(lower):
                _fill(bounds, i, lower, narrow, margins, scale=scale, constants=constants)
    ranks = np.empty(n_systems, dtype=np.intp)
    ranks[ascending] = np.arange(n_systems)
    is_ahead = ranks[:, np.newaxis] > ranks[np.newaxis, :]
    leading = np.where(is_ahead, bounds, bounds.T)
    np.fill_diagonal(leading, 0)
    lcb = round_half_even(leading, scale)
    return Pairs(
        keys=keys,
        n_items=n_items,
        totals=totals,
        scores_micro=scores,
        margins_micro=margins,
        bounds=bounds,
        scale=scale,
        is_ahead=is_ahead,
        lcb_micro=lcb,
        beats=is_ahead & (lcb > margins[np.newaxis, :]),
    )


def _fill(
    bounds: IntArray,
    i: np.intp,
    lower: npt.NDArray[np.intp],
    sums: npt.NDArray[np.int32] | IntArray,
    margins: IntArray,
    *,
    scale: int,
    constants: Constants,
) -> None:
    """Fill in the bounds of one challenger over its incumbents, and back where they tie."""
    position = (sums.shape[1] - 1) * exact(constants.alpha)
    below, weight = int(position), position % 1
    shares = (weight.denominator - weight.numerator, weight.numerator)
    ahead = sums[i] - sums[lower]
    low, high = _neighbours(ahead, below)
    bounds[i, lower] = low * shares[0] + high * shares[1]
    is_tie = round_half_even(bounds[i, lower], scale) <= margins[lower]
    if is_tie.any():
        behind = -ahead[is_tie]
        low, high = _neighbours(behind, below)
        bounds[lower[is_tie], i] = low * shares[0] + high * shares[1]


def _neighbours(values: npt.NDArray[np.int32] | IntArray, below: int) -> tuple[IntArray, IntArray]:
    """Return the values at `below` and right above it in the order of each row; `values` are partly sorted."""
    above = min(below + 1, values.shape[1] - 1)
    values.partition(above, axis=1)
    # All that stands before the value above is at most as large, so the largest of it is the value below.
    low = values[:, :above].max(axis=1) if above > below else values[:, below]
    return low.astype(np.int64), values[:, above].astype(np.int64)
