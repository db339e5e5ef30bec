"""A clip's reading is the same in any batch and in any company."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.probes.classifiers.load import load_probe
from evaluation.records import ClassScores, Unread
from tests.evaluation.probes.classifiers.conftest import BUILDERS, EMOTION, SETTINGS, TRAIT_OF
from tests.evaluation.probes.classifiers.tiny_models import instrument_for, tone_of

LENGTHS_S = (0.3, 1.7, 0.9, 0.9, 5.0, 0.61, 2.3)


def probe(shelf, name: str, batch_size: int, **settings: str):
    """Load a model with another batch size."""
    pin = replace(shelf.pin(name), batch_size=batch_size)
    return load_probe(
        TRAIT_OF.get(name, EMOTION), instrument_for(pin, **SETTINGS.get(name, {}), **settings), shelf.models
    )


def clips(name: str):
    """Return clips of several lengths."""
    heard = TRAIT_OF.get(name, EMOTION)
    return [
        tone_of(heard, heard.values[n % len(heard.values)], seed=70 + n, seconds=seconds)
        for n, seconds in enumerate(LENGTHS_S)
    ]


@pytest.mark.parametrize("name", list(BUILDERS))
def test_batch_size_and_company_do_not_matter(shelf, name: str) -> None:
    """Exactly: to the last decimal that is published."""
    sounds = clips(name)
    single = probe(shelf, name, 1)
    alone = tuple(single.read_many([clip])[0] for clip in sounds)
    assert len(set(alone)) > 3
    for batch_size in (2, 7):
        resized = replace(single, pin=replace(single.pin, batch_size=batch_size))
        assert resized.read_many(sounds) == alone
        assert resized.read_many(sounds[::-1]) == alone[::-1]


def test_single_precision_keeps_to_its_four_decimals(shelf) -> None:
    """It may differ by one in the last."""
    sounds = clips("wav2vec2-layer")
    alone, together = (
        np.array(
            [
                reading.probabilities
                for reading in probe(shelf, "wav2vec2-layer", n, precision="float32").read_many(sounds)
            ]
        )
        for n in (1, 7)
    )
    np.testing.assert_allclose(together, alone, atol=1.01e-4)
    assert (np.round(alone, 4) == alone).all()


@pytest.mark.parametrize(("norm", "is_masked"), [("layer", True), ("group", False)])
@pytest.mark.parametrize("architecture", ["wav2vec2", "hubert", "wavlm"])
def test_only_models_that_mask_are_padded(shelf, architecture: str, norm: str, is_masked: bool) -> None:
    """A norm over time would hear the padding."""
    assert probe(shelf, f"{architecture}-{norm}", 7).model.is_masked is is_masked


def test_unread_clips_keep_their_place(shelf) -> None:
    """Too short and silent clips are reasons, by the clip's own fault, between the readings of the others."""
    sound = clips("wav2vec2-layer")[1]
    silent, short, offset = np.zeros(16_000, np.float32), sound[:3_000], np.full(16_000, 0.4, np.float32)
    readings = probe(shelf, "wav2vec2-layer", 4).read_many([silent, sound, short, offset, sound])
    assert [reading.reason for reading in readings if isinstance(reading, Unread)] == ["silent", "too_short", "silent"]
    assert all(reading.fault == "clip" for reading in readings if isinstance(reading, Unread))
    assert isinstance(readings[1], ClassScores)
    assert readings[1] == readings[4]


def test_no_clip_gives_no_reading(shelf) -> None:
    """Nothing in, nothing out."""
    assert probe(shelf, "wav2vec2-layer", 4).read_many([]) == ()


def test_loudness_does_not_matter(shelf) -> None:
    """A gain is not a voice."""
    sound = clips("wav2vec2-layer")[1]
    loud, faint = probe(shelf, "wav2vec2-layer", 1).read_many([sound, sound / 16])
    np.testing.assert_allclose(loud.probabilities, faint.probabilities, atol=0.01)
