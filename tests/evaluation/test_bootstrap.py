"""Exact resample sums, quantiles and intervals."""

import hashlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.bootstrap import (
    Interval,
    mean_interval,
    quantile_micro,
    resample_counts,
    resample_sums,
    round_half_even,
    wilson_interval,
)

N_RESAMPLES, SEED = 2000, 3151662
MANY = {"n_resamples": N_RESAMPLES, "seed": SEED}
SHA256_OF_496 = "285302d35b57f616f5d12493d5d2b639fbe5c1d71c5687d0e12c6f523fdddce0"
"""Of the counts as little-endian int32, C order: a change means that every decision ever published may change."""


def test_counts_of_the_whole_corpus_are_frozen():
    """The 2000 resamples of 496 items are these, on every machine and numpy."""
    counts = resample_counts(496, **MANY)
    assert counts.shape == (N_RESAMPLES, 496)
    assert hashlib.sha256(counts.astype("<i4").tobytes(order="C")).hexdigest() == SHA256_OF_496


@pytest.mark.parametrize("n", [0, 1, 2, 7, 496])
def test_counts_are_the_generators_draws(n):
    """Each row counts one row of numpy's draws, so it sums to n."""
    counts = resample_counts(n, **MANY)
    assert counts.shape == (N_RESAMPLES, n)
    assert (counts.sum(axis=1) == n).all()
    if n:
        drawn = np.random.default_rng(SEED).integers(0, n, size=(N_RESAMPLES, n))
        assert (counts[1234] == np.bincount(drawn[1234], minlength=n)).all()


def test_counts_cannot_be_written_to():
    """The cached matrix is shared, so nobody may change it."""
    with pytest.raises(ValueError, match="read-only"):
        resample_counts(5, **MANY)[0, 0] = 9


@given(values=st.lists(st.integers(-1_000_000, 1_000_000), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_sums_are_exact(values):
    """The matrix product gives the very integers that adding one by one gives."""
    sums = resample_sums(np.array([values], dtype=np.int64), n_resamples=50, seed=SEED)
    counts = resample_counts(len(values), n_resamples=50, seed=SEED)
    expected = [sum(int(count) * value for count, value in zip(row, values, strict=True)) for row in counts]
    assert sums[0].tolist() == expected


def test_values_too_large_for_exact_sums_are_refused():
    """Where float64 could round, an error comes instead of a rounded sum."""
    with pytest.raises(ValueError, match=r"2\*\*53"):
        resample_sums(np.full((1, 2), 2**52, dtype=np.int64), n_resamples=3, seed=SEED)


@given(numerator=st.integers(-(10**12), 10**12), denominator=st.integers(1, 10**5))
def test_rounding_is_half_to_even(numerator, denominator):
    """Integer rounding is that of the exact fraction."""
    got = round_half_even(np.array([numerator]), denominator)
    assert int(got[0]) == round(Fraction(numerator, denominator))


@given(
    sums=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=60),
    level=st.fractions(0, 1, max_denominator=40),
    n_items=st.integers(1, 600),
)
def test_quantile_interpolates_exactly(sums, level, n_items):
    """The quantile is the rounded exact rational between the two sorted neighbours."""
    ordered = sorted(sums)
    position = (len(sums) - 1) * level
    below = int(position)
    above = min(below + 1, len(sums) - 1)
    exact = ordered[below] + (ordered[above] - ordered[below]) * (position - below)
    got = quantile_micro(np.array([sums], dtype=np.int64), level, n_items=n_items)
    assert int(got[0]) == round(exact / n_items)


def test_interval_agrees_with_numpy_percentiles():
    """The interval is the central 95 % of the resample means."""
    values = np.random.default_rng(0).integers(0, 1_000_000, 200)
    drawn = np.random.default_rng(SEED).integers(0, 200, size=(N_RESAMPLES, 200))
    low, high = np.percentile(values[drawn].mean(axis=1) / 1e6, [2.5, 97.5])
    got = mean_interval(values, **MANY, alpha=0.05)
    assert got is not None
    assert (got.low, got.high) == pytest.approx((low, high), abs=1e-6)
    assert got.low < values.mean() / 1e6 < got.high


def test_one_value_has_no_interval():
    """Fewer than two values tell nothing of their spread."""
    assert mean_interval(np.array([5]), **MANY, alpha=0.05) is None
    assert mean_interval(np.array([], dtype=np.int64), **MANY, alpha=0.05) is None
    assert wilson_interval(1, 1, alpha=0.05) is None
    assert wilson_interval(0, 0, alpha=0.05) is None


def test_equal_values_have_an_interval_without_width():
    """No spread, no width."""
    got = mean_interval(np.full(9, 420_000), **MANY, alpha=0.05)
    assert got == Interval(low=0.42, high=0.42)


def test_wilson_matches_a_worked_value():
    """Eight of ten at 95 %: 0.490 to 0.943; the ends never leave 0..1."""
    got = wilson_interval(8, 10, alpha=0.05)
    assert got is not None
    assert (got.low, got.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    none, every = wilson_interval(0, 10, alpha=0.05), wilson_interval(10, 10, alpha=0.05)
    assert none is not None and every is not None
    assert none.low == 0.0 and none.high == pytest.approx(0.277533, abs=1e-6)
    assert (every.low, every.high) == (pytest.approx(1 - none.high, abs=1e-6), 1.0)
