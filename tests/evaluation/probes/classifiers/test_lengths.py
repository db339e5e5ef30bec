"""What a model hears of a clip, and which clips it hears together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.probes.classifiers.lengths import batches, fitted
from evaluation.records import Unread

LIMITS = {"shortest_s": 0.25, "repeated_to_s": 1.0, "longest_s": 3.0}


def test_a_short_clip_is_repeated_from_its_start() -> None:
    """Until it is as long as the model is used to."""
    clip = np.linspace(-0.5, 0.5, 6_000, dtype=np.float32)
    heard = fitted(clip, **LIMITS)
    np.testing.assert_array_equal(heard, np.concatenate([clip, clip, clip[:4_000]]))


def test_a_long_clip_is_cut_to_its_middle() -> None:
    """As much is left out before as after."""
    clip = np.linspace(-0.5, 0.5, 80_000, dtype=np.float32)
    np.testing.assert_array_equal(fitted(clip, **LIMITS), clip[16_000:64_000])


@pytest.mark.parametrize("n_samples", [16_000, 31_337, 48_000])
def test_other_clips_are_heard_as_they_are(n_samples: int) -> None:
    """At the limits too."""
    clip = np.linspace(-0.5, 0.5, n_samples, dtype=np.float32)
    np.testing.assert_array_equal(fitted(clip, **LIMITS), clip)


@pytest.mark.parametrize(
    ("clip", "reason"),
    [
        (np.ones(3_999), "too_short"),
        (np.zeros(0), "too_short"),
        (np.zeros(4_000), "silent"),
        (np.ones(9_000), "silent"),
    ],
)
def test_no_voice_is_a_reason(clip, reason: str) -> None:
    """By the clip's own fault."""
    heard = fitted(clip.astype(np.float32), **LIMITS)
    assert isinstance(heard, Unread)
    assert (heard.reason, heard.fault) == (reason, "clip")


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(1, 6), st.booleans())
def test_every_clip_is_in_one_batch(lengths: list[int], largest: int, is_masked: bool) -> None:
    """Batches are no larger than allowed, go from short to long, and mix lengths only where padding is masked."""
    found = batches(lengths, largest=largest, is_masked=is_masked)
    flat = [index for batch in found for index in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[i] for i in flat] == sorted(lengths)
    assert all(len(batch) <= largest for batch in found)
    assert is_masked or all(len({lengths[i] for i in batch}) == 1 for batch in found)
