"""Pitch: the reference by gender and age, distances and buckets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.probes import pitch
from evaluation.traits import trait

AGES = st.floats(5, 95)
GENDERS = st.sampled_from(trait("gender").values)


@given(GENDERS, AGES)
def test_a_usual_voice_is_medium(gender: str, age: float) -> None:
    """The reference itself lies at 0 semitones."""
    distance = pitch.semitones(pitch.reference_hz(gender, age), gender, age)
    assert abs(distance) < 1e-9
    assert pitch.bucket(distance, dead_zone=2.0) == "medium"


@given(GENDERS, AGES, st.floats(50, 600))
def test_an_octave_is_twelve_semitones(gender: str, age: float, f0_hz: float) -> None:
    """Doubling F0 adds twelve, for everybody."""
    low, high = (pitch.semitones(value, gender, age) for value in (f0_hz, 2 * f0_hz))
    assert high - low == pytest.approx(12)


@given(GENDERS, AGES, st.floats(-3, 3))
def test_the_reference_has_no_step(gender: str, age: float, years: float) -> None:
    """A year changes it by at most what a breaking voice does (5 semitones)."""
    steps = abs(pitch.semitones(pitch.reference_hz(gender, age + years), gender, age))
    assert steps <= 5 * abs(years) + 1e-9


def test_the_reference_follows_what_is_known() -> None:
    """Children are alike; women lie above men at every adult age; men are lowest in their forties."""
    assert pitch.reference_hz("female", 8) == pitch.reference_hz("male", 8)
    adult = [int(age) for age in trait("age").values if int(age) >= 20]
    assert all(pitch.reference_hz("female", age) > pitch.reference_hz("male", age) + 50 for age in adult)
    assert min(adult, key=lambda age: pitch.reference_hz("male", age)) == 45
    assert pitch.reference_hz("female", 70) < pitch.reference_hz("female", 25)


def test_ages_beyond_the_table_take_its_ends() -> None:
    """Nothing is extrapolated."""
    assert pitch.reference_hz("male", 3) == pitch.reference_hz("male", 8)
    assert pitch.reference_hz("female", 100) == pitch.reference_hz("female", 75)


def test_interpolation_is_geometric() -> None:
    """Half way between 120 Hz at 25 and 107 Hz at 45 lies their geometric mean."""
    assert pitch.reference_hz("male", 35) == pytest.approx((120 * 107) ** 0.5)


@pytest.mark.parametrize(
    ("distance", "expected"), [(-2.01, "low"), (-2.0, "medium"), (0.0, "medium"), (2.0, "medium"), (2.01, "high")]
)
def test_the_dead_zone_includes_its_ends(distance: float, expected: str) -> None:
    """Two semitones either way is still medium."""
    assert pitch.bucket(distance, dead_zone=2.0) == expected


def test_a_frequency_must_be_positive() -> None:
    """Zero hertz is a bug upstream."""
    with pytest.raises(ValueError, match="must be positive"):
        pitch.semitones(0.0, "female", 30)


def test_an_unknown_gender_is_refused() -> None:
    """There is no reference to guess from."""
    with pytest.raises(KeyError):
        pitch.reference_hz("robot", 30)
