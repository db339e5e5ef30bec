"""The gender classifier on synthetic voices that its head has never heard."""

import json

import librosa
import numpy as np
import pytest

from evaluation.errors import WeightsMismatch
from evaluation.probes import gender
from evaluation.probes.acoustic import to_16k
from evaluation.probes.gender import GenderClassifier
from evaluation.records import ClassScores, Unread
from tests.evaluation.probes.speech import say

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def classifier() -> GenderClassifier:
    """Load it once."""
    return GenderClassifier.load()


def hear(classifier: GenderClassifier, *options: str) -> ClassScores:
    """Classify one sentence of espeak-ng."""
    scores = classifier.classify(to_16k(*say(*options)))
    assert isinstance(scores, ClassScores), scores
    return scores


@pytest.mark.parametrize("pitch", ["25", "50", "75"])
@pytest.mark.parametrize(
    ("variant", "expected"), [("+f2", "female"), ("+f5", "female"), ("+Michael", "male"), ("+m3", "male"), ("", "male")]
)
def test_pitch_alone_does_not_decide(classifier: GenderClassifier, variant: str, expected: str, pitch: str) -> None:
    """A voice set lower or higher keeps its gender."""
    assert hear(classifier, "-v", f"en-us{variant}", "-p", pitch).best() == expected


def test_scores_are_probabilities_in_the_registrys_order(classifier: GenderClassifier) -> None:
    """Two labels that sum to one."""
    scores = hear(classifier)
    assert scores.labels == ("female", "male")
    assert sum(scores.probabilities) == pytest.approx(1, abs=1e-6)
    assert scores.probabilities == tuple(round(value, 6) for value in scores.probabilities)


def test_gain_and_offset_do_not_matter(classifier: GenderClassifier) -> None:
    """Only the voice is heard, not the level."""
    samples = to_16k(*say("-v", "en-us+f2"))
    usual, faint = (classifier.classify(clip) for clip in (samples, samples / 32 + np.float32(0.1)))
    assert isinstance(usual, ClassScores)
    assert isinstance(faint, ClassScores)
    assert faint.probabilities[0] == pytest.approx(usual.probabilities[0], abs=0.02)


def test_a_clip_scores_the_same_after_any_other(classifier: GenderClassifier) -> None:
    """No state passes between clips."""
    first = hear(classifier)
    hear(classifier, "-v", "en-us+f2")
    assert hear(classifier) == first


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(16_000), "silent"),
        (np.full(16_000, 0.3), "silent"),
        (np.zeros(0), "too_short"),
        (np.ones(3_000), "too_short"),
    ],
    ids=["zeros", "offset", "empty", "short"],
)
def test_no_voice_no_gender(classifier: GenderClassifier, samples, reason: str) -> None:
    """What cannot be heard is a reason, by the clip's own fault."""
    reading = classifier.classify(samples.astype(np.float32))
    assert isinstance(reading, Unread)
    assert (reading.reason, reading.fault) == (reason, "clip")


@pytest.mark.parametrize("n_samples", [4_000, 5_000, 13_151, 13_152, 13_153, 16_000])
def test_clips_about_one_patch_long_are_heard(classifier: GenderClassifier, n_samples: int) -> None:
    """A clip shorter than a patch is repeated until it fills one."""
    assert isinstance(classifier.classify(to_16k(*say())[:n_samples]), ClassScores)


def test_the_filterbank_is_the_auditory_toolboxs() -> None:
    """It equals an independent implementation."""
    expected = librosa.filters.mel(sr=16_000, n_fft=512, n_mels=40).T
    np.testing.assert_allclose(gender.mel_filters(), expected, atol=1e-8)


def test_an_altered_head_is_refused(tmp_path, monkeypatch) -> None:
    """The head is a weight file like any other: one changed digit stops the run."""
    fields = json.loads(gender.HEAD_FILE.read_text())
    altered = tmp_path / "gender_head.json"
    altered.write_text(json.dumps({**fields, "bias": fields["bias"] + 1e-5}))
    monkeypatch.setattr(gender, "HEAD_FILE", altered)
    with pytest.raises(WeightsMismatch, match=r"gender_head\.json"):
        GenderClassifier.load()


def test_the_head_belongs_to_this_encoder() -> None:
    """It was fitted to embeddings of the pinned encoder."""
    fields = json.loads(gender.HEAD_FILE.read_text())
    assert fields["embedder_sha256"] == gender.WEIGHTS_SHA256
    assert len(fields["weights"]) == gender.EMBEDDING_SIZE
