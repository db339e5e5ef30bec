"""A clip's print: a copy is known again, another voice or pace is not, and too little sound has none."""

import numpy as np
import pytest

from evaluation.errors import SchemaError
from evaluation.records import ItemId
from submissions.duplicates import ALIKE, MOST, SAME
from submissions.fingerprint import MAX_FRAMES, fingerprint, likeness
from submissions.prints import ClipPrint, decode, encode
from tests.submissions.copies import COPIES, SCRIPTS, Sound, spoken


@pytest.fixture(scope="module")
def plain() -> list[Sound]:
    """Return the scripts in espeak-ng's own voice."""
    return spoken()


def likenesses(these: list[Sound], those: list[Sound]) -> np.ndarray:
    """Return the likeness of each pair."""
    pairs = zip(these, those, strict=True)
    return np.array([likeness(fingerprint(*one), [fingerprint(*other)])[0] for one, other in pairs])


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_known_again(name: str, plain: list[Sound]) -> None:
    """Most clips of a copied set are alike, whatever a copyist does that leaves them worth hearing."""
    found = likenesses(plain, [COPIES[name](sound) for sound in plain])
    assert np.mean(found >= ALIKE) > MOST


@pytest.mark.parametrize("name", ["a tenth as loud", "at 8 kHz", "at 44.1 kHz", "first 0.05 s cut"])
def test_a_copy_without_loss_is_the_same(name: str, plain: list[Sound]) -> None:
    """Every clip is the same recording if nothing but level, rate or start was changed."""
    assert likenesses(plain, [COPIES[name](sound) for sound in plain]).min() >= SAME


@pytest.mark.parametrize(
    "settings", [{"voice": "en-us+f2"}, {"voice": "en-us+m1"}, {"voice": "gmw/en"}, {"rate_wpm": 190}]
)
def test_another_voice_or_pace_is_not_alike(settings: dict[str, object], plain: list[Sound]) -> None:
    """The same scripts by the same engine in another voice, or a little faster, are no copy."""
    found = likenesses(plain, spoken(**settings))
    assert found.max() < SAME
    assert np.mean(found >= ALIKE) < MOST / 2


def test_other_scripts_are_not_alike(plain: list[Sound]) -> None:
    """The same voice with other words is nowhere near."""
    assert likenesses(plain, plain[1:] + plain[:1]).max() < ALIKE / 2


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(16_000),
        np.zeros(0),
        np.full(16_000, 0.5),
        0.5 * np.sin(np.arange(16_000) / 9.0),
        np.random.default_rng(0).normal(size=3_000),
    ],
    ids=["silence", "nothing", "constant", "tone", "short"],
)
def test_too_little_sound_has_no_print(samples: np.ndarray) -> None:
    """Silence, what is steady and a blink of sound are known by nothing, so they are like nothing."""
    none = fingerprint(samples.astype(np.float32), 16_000)
    assert none.shape == (0, 2)
    some = fingerprint(*spoken()[0])
    assert likeness(some, [none, some]).tolist() == [0.0, 1.0]


def test_prints_come_back_from_bytes(plain: list[Sound]) -> None:
    """Encoded prints are equal after decoding; 496 of them stay below one MiB."""
    prints = {
        ItemId(f"vb-{n:05}"): ClipPrint(sha256=f"{n:064x}", frames=fingerprint(*sound)) for n, sound in enumerate(plain)
    }
    back = decode(encode(prints))
    assert list(back) == list(prints)
    for item_id, one in prints.items():
        assert back[item_id].sha256 == one.sha256
        assert np.array_equal(back[item_id].frames, one.frames)
    full = np.zeros((MAX_FRAMES, 2), np.uint16)
    most = {ItemId(f"vb-{n:05}"): ClipPrint(sha256=f"{n:064x}", frames=full) for n in range(496)}
    assert len(encode(most)) < 1 << 20
    assert len(prints) == len(SCRIPTS)


def test_prints_of_another_version_are_none_and_damaged_ones_are_told(plain: list[Sound]) -> None:
    """What another version wrote is left aside; bytes that are cut are an error, not other prints."""
    data = encode({ItemId("vb-00000"): ClipPrint(sha256="0" * 64, frames=fingerprint(*plain[0]))})
    assert decode(data.replace(b'"version":1', b'"version":2')) == {}
    for bad in (data[:-2], b"", b"[]\n", b'{"version":1,"clips":[["vb-00000","0",-1]]}\n'):
        with pytest.raises(SchemaError, match=r"fingerprints\.bin is damaged"):
            decode(bad)
