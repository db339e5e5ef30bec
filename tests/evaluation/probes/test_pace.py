"""Pace: words over the speech span, and its buckets."""

import pytest

from evaluation.probes import pace
from evaluation.records import Acoustics


def reading(start_s: float, end_s: float) -> Acoustics:
    """Make a reading with a speech span."""
    return Acoustics(
        duration_s=20.0,
        speech_start_s=start_s,
        speech_end_s=end_s,
        pause_s=0.0,
        level_dbfs=-23.0,
        peak_dbfs=-3.0,
        f0_hz=None,
        voiced_share=0.0,
    )


def test_silence_at_the_edges_does_not_slow_a_clip() -> None:
    """Only the span between the first and the last sound counts."""
    assert pace.words_per_second(10, reading(0.0, 4.0)) == 2.5
    assert pace.words_per_second(10, reading(7.0, 11.0)) == 2.5


def test_an_empty_span_is_refused() -> None:
    """A reading without a span is a bug upstream, never a rate."""
    with pytest.raises(ValueError, match="speech span"):
        pace.words_per_second(10, reading(4.0, 4.0))


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(0.0, "slow"), (2.199999, "slow"), (2.2, "moderate"), (3.199999, "moderate"), (3.2, "fast"), (9.0, "fast")],
)
def test_buckets_are_closed_below(rate: float, expected: str) -> None:
    """A rate on a limit belongs to the faster bucket."""
    assert pace.bucket(rate, slow_below=2.2, fast_from=3.2) == expected
