"""The predictor says what its package says, only sooner."""

import numpy as np
import py_nanotts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge.mos import PACKAGE_HOP_S, RATE_HZ, NaturalnessPredictor, Samples, window_starts

WINDOW_SAMPLES = 122_880
LINE = "The kettle is on, the door is open, and nobody in this house has slept since the storm began."


@pytest.fixture(scope="module")
def speech() -> Samples:
    """Spoken sentence of about 6 s, 16 kHz."""
    pcm = np.frombuffer(py_nanotts.NanoTTS().speak(LINE, voice="en-US"), dtype=np.int16)
    return (pcm / 32_768).astype(np.float32)


@pytest.fixture(scope="module")
def predictor() -> NaturalnessPredictor:
    """Return the real network."""
    return NaturalnessPredictor.load()


@pytest.mark.models
@pytest.mark.parametrize("length_s", [0.0001, 0.2, 1.111, 4.0, 5.4321, 7.3, 7.5, 7.68, 7.7, 9.5])
def test_score_is_the_packages(predictor: NaturalnessPredictor, speech: Samples, length_s: float) -> None:
    """Leaving out work moves the score by less than a hundred-thousandth from the package's own call."""
    import torch
    from distillmos import ConvTransformerSQAModel

    package = ConvTransformerSQAModel().eval()
    clip = np.tile(speech, 3)[: max(1, int(length_s * RATE_HZ))]
    with torch.no_grad():
        expected = float(package(torch.from_numpy(clip)[None]))
    assert predictor.predict(clip).mos == pytest.approx(expected, abs=1e-5)


@pytest.mark.models
def test_same_clip_same_score(predictor: NaturalnessPredictor, speech: Samples) -> None:
    """A second look, other clips in between, and a fresh load all give the same digits."""
    first = predictor.predict(speech)
    predictor.predict(speech[::-1].copy())
    assert predictor.predict(speech) == first == NaturalnessPredictor.load().predict(speech)
    assert first.mos == round(first.mos, 6)


@pytest.mark.models
def test_noise_lowers_the_score(predictor: NaturalnessPredictor, speech: Samples) -> None:
    """The more noise lies over speech, the lower its score; level alone hardly counts."""
    noise = np.random.default_rng(5).normal(0, 1, speech.size).astype(np.float32)
    scores = [predictor.predict(speech + np.float32(level) * noise).mos for level in (0, 0.02, 0.2)]
    assert scores == sorted(scores, reverse=True)
    assert predictor.predict(speech * np.float32(0.25)).mos == pytest.approx(scores[0], abs=1e-3)


@pytest.mark.models
def test_silence_has_a_score_in_range(predictor: NaturalnessPredictor) -> None:
    """Zeros divide by nothing: the score is a number from 1 to 5."""
    assert 1 <= predictor.predict(np.zeros(RATE_HZ, dtype=np.float32)).mos <= 5


@pytest.mark.models
def test_unfit_clips_are_refused(predictor: NaturalnessPredictor, speech: Samples) -> None:
    """Another type, another shape, no sample, and an impossible hop are errors."""
    for clip in (speech.astype(np.float64), speech[None], speech[:0]):
        with pytest.raises(ValueError, match=r"float32 of shape \(n,\)"):
            predictor.predict(clip)
    with pytest.raises(ValueError, match=r"hop_s must be in \(0, 7.68\], got 8"):
        NaturalnessPredictor.load(hop_s=8)


@given(st.integers(min_value=1, max_value=120 * RATE_HZ), st.sampled_from([1.0, 2.0, 7.68]))
def test_windows_cover_the_clip(n_samples: int, hop_s: float) -> None:
    """The first window starts the clip, the last one ends it, and no step is over the hop."""
    starts = window_starts(n_samples, hop_s=hop_s)
    assert starts[0] == 0
    assert starts[-1] == max(0, n_samples - WINDOW_SAMPLES)
    assert all(0 < step <= hop_s * RATE_HZ + 1 for step in np.diff(starts))


def test_hop_is_the_packages() -> None:
    """A clip of 20 s is heard in 14 windows at the package's hop."""
    assert len(window_starts(20 * RATE_HZ, hop_s=PACKAGE_HOP_S)) == 14
