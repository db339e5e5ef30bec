"""The shared resamples of a board, in exact integers; pure.

A board resamples items, never systems, with one frozen generator, so every system of n items sees
the same 2000 resamples. A resample is stored as how often each item was drawn: the resample sums of
all systems are then one matrix product, and those of a pair are a difference of two rows.

Composites are integers of 1e-6, and so is every sum, so nothing here depends on the order of
additions, the number of threads or the BLAS in use.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

MICRO = 1_000_000
"""Millionths in one: the grid that scores live on."""

_EXACT_FLOAT = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided confidence interval."""

    low: float
    """Lower end, rounded to 6 decimals."""
    high: float
    """Upper end, rounded to 6 decimals."""


@lru_cache(maxsize=16)
def resample_counts(n_items: int, *, n_resamples: int, seed: int) -> npt.NDArray[np.int32]:
    """Return how often each resample draws each item.

    Args:
        n_items: items, >= 0.
        n_resamples: resamples, >= 1.
        seed: seed of numpy's default generator (PCG64).

    Returns:
        Read-only int32 matrix of shape (n_resamples, n_items); every row sums to n_items.
    """
    counts = np.zeros((n_resamples, n_items), dtype=np.int32)
    if n_items:
        drawn = np.random.default_rng(seed).integers(0, n_items, size=(n_resamples, n_items))
        first_cell = np.arange(n_resamples, dtype=np.int64)[:, np.newaxis] * n_items
        cells = np.bincount((drawn + first_cell).ravel(), minlength=counts.size)
        counts[:] = cells.reshape(counts.shape)
    counts.setflags(write=False)
    return counts


def resample_sums(values_micro: IntArray, *, n_resamples: int, seed: int) -> IntArray:
    """Return the sum of every resample of every row.

    Args:
        values_micro: int64 of shape (K, n), integers of 1e-6.
        n_resamples: resamples, >= 1.
        seed: seed of the resamples.

    Returns:
        int64 of shape (K, n_resamples), integers of 1e-6.

    Raises:
        ValueError: if the values are so large that a float64 could not hold every sum.
    """
    n_items = values_micro.shape[1]
    largest = int(np.abs(values_micro).max(initial=0))
    if n_items * largest >= _EXACT_FLOAT:
        raise ValueError(
            f"resample sums of {n_items} items of up to {largest} millionths may exceed 2**53 and would not "
            "be exact; the values must be composites or desirabilities in millionths"
        )
    counts = resample_counts(n_items, n_resamples=n_resamples, seed=seed)
    # A row of counts sums to n, so every product and every partial sum, in whatever order a BLAS takes
    # them, is an integer of at most n * largest < 2**53: float64 holds each of them without rounding.
    product = values_micro.astype(np.float64) @ counts.T.astype(np.float64)
    return product.astype(np.int64)


def quantile_micro(sums: IntArray, level: Fraction, *, n_items: int) -> IntArray:
    """Return a quantile of the resample means of each row, with linear interpolation.

    Args:
        sums: int32 or int64 of shape (K, n_resamples); overwritten by a partial sort.
        level: quantile, 0..1.
        n_items: items in each sum, >= 1.

    Returns:
        int64 of shape (K,): means in integers of 1e-6, rounded half to even from the exact rational.
    """
    position = (sums.shape[1] - 1) * level
    below = int(position)
    above = min(below + 1, sums.shape[1] - 1)
    sums.partition((below, above), axis=1)
    weight = position - below
    high_weight, whole = weight.numerator, weight.denominator
    low = sums[:, below].astype(np.int64) * (whole - high_weight)
    return round_half_even(low + sums[:, above].astype(np.int64) * high_weight, whole * n_items)


def round_half_even(numerators: IntArray, denominator: int) -> IntArray:
    """Return int64 numerators / denominator, rounded to the nearest integer, halves to the even one.

    Args:
        numerators: int64, any shape.
        denominator: > 0.
    """
    quotient, remainder = np.divmod(numerators, denominator)
    twice = 2 * remainder
    is_up = (twice > denominator) | ((twice == denominator) & (quotient % 2 == 1))
    return np.asarray(quotient + is_up, dtype=np.int64)


def mean_micro(values_micro: IntArray) -> int:
    """Return the mean of one row in millionths, rounded half to even; 0 for an empty row."""
    total = values_micro.sum(keepdims=True)
    return int(round_half_even(total, max(1, values_micro.shape[0]))[0])


def mean_interval(values_micro: IntArray, *, n_resamples: int, seed: int, alpha: float) -> Interval | None:
    """Return the percentile bootstrap interval of the mean of one row.

    Args:
        values_micro: int64 of shape (n,), integers of 1e-6.
        n_resamples: resamples, >= 1.
        seed: seed of the resamples.
        alpha: share left outside the interval, both sides together, for example 0.05.

    Returns:
        The interval, or None for fewer than two values, which tell nothing of their spread.
    """
    n_items = values_micro.shape[0]
    if n_items < 2:
        return None
    sums = resample_sums(values_micro[np.newaxis, :], n_resamples=n_resamples, seed=seed)
    tail = exact(alpha) / 2
    low, high = (int(quantile_micro(sums, level, n_items=n_items)[0]) for level in (tail, 1 - tail))
    return Interval(low=low / MICRO, high=high / MICRO)


def wilson_interval(n_hits: int, n: int, *, alpha: float) -> Interval | None:
    """Return the Wilson score interval of a rate.

    Args:
        n_hits: successes, 0..n.
        n: trials.
        alpha: share left outside the interval, both sides together.

    Returns:
        The interval, or None for fewer than two trials.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    if n < 2:
        return None
    z = NormalDist().inv_cdf(1 - alpha / 2)
    rate, shrink = n_hits / n, 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / shrink
    half = z * ((rate * (1 - rate) + z * z / (4 * n)) / n) ** 0.5 / shrink
    return Interval(low=round(max(0.0, centre - half), 6), high=round(min(1.0, centre + half), 6))


def exact(constant: float) -> Fraction:
    """Return the decimal that a constant was written as: 0.05 means 1/20, not the nearest float."""
    return Fraction(repr(constant))
