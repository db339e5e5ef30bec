"""Every measured value on one scale, and the composite of them all."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocencebench.decide import geometric_composite

from evaluation.desirability import (
    categorical,
    composite_micro,
    judged,
    numeric,
    of_trait,
    ordinal,
    predicted_mos,
)
from evaluation.traits import TRAITS, trait

FLOOR = 0.01
shares = st.floats(0, 1)
several = st.lists(shares, min_size=1, max_size=9)


def composite(values, *, passed_gate=True):
    """Composite of plain values at the frozen floor."""
    return composite_micro(values, passed_gate=passed_gate, floor=FLOOR)


@pytest.mark.parametrize(
    ("requested", "measured", "expected"),
    [("slow", "slow", 1.0), ("slow", "moderate", 0.5), ("slow", "fast", 0.0), ("fast", "moderate", 0.5)],
)
def test_ordinal_credits_the_neighbour(requested, measured, expected):
    """Exact bucket 1, adjacent half, farther 0."""
    assert ordinal(requested, measured, trait("pace").values, adjacent_credit=0.5) == expected


def test_ordinal_refuses_a_bucket_that_is_none():
    """An unknown bucket is an error, not a 0."""
    with pytest.raises(ValueError, match="'brisk' is not one of"):
        ordinal("slow", "brisk", trait("pace").values, adjacent_credit=0.5)


def test_categorical_is_all_or_nothing():
    """The requested class or nothing."""
    assert (categorical("female", "female"), categorical("female", "male")) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("measured", "expected"),
    [(30, 1.0), (22, 1.0), (38, 1.0), (42, 0.5), (18, 0.5), (46, 0.0), (14, 0.0), (90, 0.0)],
)
def test_age_is_full_within_eight_years_and_nothing_at_sixteen(measured, expected):
    """Full within the tolerance, then straight down to twice it."""
    assert numeric(30, measured, tolerance=8) == expected


def test_judge_and_predictor_scales_are_linear_and_clipped():
    """0..3 and 1..5 map onto 0..1; a predictor that overshoots is clipped."""
    assert [judged(score) for score in (0, 1.5, 3)] == [0.0, 0.5, 1.0]
    assert [predicted_mos(mos) for mos in (0.7, 1, 3, 5, 5.2)] == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_every_kind_of_trait_has_its_scale():
    """The registry's kind picks the function."""
    got = {
        one.name: of_trait(one, one.values[0], bucket=one.values[1], quantity=12.0, adjacent_credit=0.5)
        for one in TRAITS
    }
    assert got == {
        "gender": 0.0,
        "age": 1.0,
        "pace": 0.5,
        "pitch": 0.5,
        "loudness": 0.5,
        "emotion": 0.0,
        "accent": 0.0,
        "tone": 1.0,
    }


def test_random_composites_agree_with_the_oracle():
    """Six decimals equal to the corpus package's composite on 5,000 clips of one to nine dimensions."""
    rng = random.Random(3)
    for _ in range(5000):
        values = [rng.choice([0.0, 0.5, 1.0, rng.random(), rng.randrange(4) / 3]) for _ in range(rng.randint(1, 9))]
        theirs = geometric_composite([("pace", value) for value in values])
        ours = composite(values) / 1e6
        if ours != theirs:
            root = math.exp(sum(math.log(max(value, FLOOR)) for value in values) / len(values)) * 1e6
            assert abs(root - math.floor(root) - 0.5) < 1e-6
            assert abs(ours - theirs) < 1.5e-6


def test_gate_and_emptiness_agree_with_the_oracle():
    """A failed gate and a clip of no dimension give 0 on both sides."""
    assert composite([1.0, 0.5], passed_gate=False) == geometric_composite([("pace", 1.0)], gate=0) == 0
    assert composite([]) == geometric_composite([]) == 0


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0] * 9, 1_000_000), ([1.0] * 8 + [0.0], 599_484), ([0.25, 1.0], 500_000), ([0.0], 10_000)],
)
def test_worked_composites(values, expected):
    """A flawless clip is 1, one lost dimension of nine costs 40 percent, and all lost leaves the floor."""
    assert composite(values) == expected


def test_exact_tie_rounds_to_even():
    """3/128 is 23437.5 millionths and becomes the even neighbour; so does 5/128 at 39062.5."""
    assert composite([3 / 128]) == 23_438
    assert composite([5 / 128]) == 39_062


@given(values=several)
def test_composite_is_the_nearest_millionth(values):
    """No other millionth lies closer to the exact root of the floored product."""
    got, degree = composite(values), len(values)
    product = math.prod(Fraction(max(value, FLOOR)) for value in values)
    assert Fraction(2 * got - 1, 2_000_000) ** degree <= product <= Fraction(2 * got + 1, 2_000_000) ** degree


@given(values=several, which=st.integers(0, 8), better=shares)
def test_composite_never_falls_when_a_desirability_rises(values, which, better):
    """Monotone in every dimension."""
    place = which % len(values)
    raised = [max(value, better) if i == place else value for i, value in enumerate(values)]
    assert composite(raised) >= composite(values)


@given(values=several, seed=st.integers(0, 99))
def test_order_of_dimensions_is_irrelevant(values, seed):
    """The same values in another order give the same millionth."""
    assert composite(random.Random(seed).sample(values, len(values))) == composite(values)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_values_off_the_scale_are_refused(bad):
    """Nothing outside [0, 1], and no NaN, enters a composite."""
    with pytest.raises(ValueError, match=r"within \[0, 1\]"):
        composite([1.0, bad])
