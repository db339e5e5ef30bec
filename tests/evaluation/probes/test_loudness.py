"""Loudness: the submission's own reference, and its buckets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.probes import loudness

LEVELS = st.lists(st.integers(-9000, 0).map(lambda hundredths: hundredths / 100), min_size=1, max_size=30)


def test_the_reference_is_the_median() -> None:
    """One shouted clip does not move the reference."""
    assert loudness.reference_dbfs([-24.0, -3.0, -23.0]) == -23.0
    assert loudness.reference_dbfs([-24.0, -22.0]) == -23.0


def test_no_level_gives_no_reference() -> None:
    """Nothing to compare with is an error, not a number."""
    with pytest.raises(ValueError, match="no level"):
        loudness.reference_dbfs([])


@given(LEVELS, st.integers(-40, 40))
def test_an_output_gain_changes_no_bucket(levels: list[float], gain_db: int) -> None:
    """The same gain on all clips of a submission leaves every bucket as it was."""

    def buckets(values: list[float]) -> list[str]:
        reference = loudness.reference_dbfs(values)
        return [loudness.bucket(round(value - reference, 6), dead_zone=4.0) for value in values]

    assert buckets(levels) == buckets([level + gain_db for level in levels])


@given(LEVELS, st.randoms(use_true_random=False))
def test_the_order_of_clips_is_irrelevant(levels: list[float], random) -> None:
    """A reference belongs to a set of clips."""
    shuffled = list(levels)
    random.shuffle(shuffled)
    assert loudness.reference_dbfs(shuffled) == loudness.reference_dbfs(levels)


@pytest.mark.parametrize(
    ("difference_db", "expected"),
    [(-4.01, "quiet"), (-4.0, "normal"), (0.0, "normal"), (4.0, "normal"), (4.01, "loud")],
)
def test_the_dead_zone_includes_its_ends(difference_db: float, expected: str) -> None:
    """Four decibels either way is still normal."""
    assert loudness.bucket(difference_db, dead_zone=4.0) == expected
