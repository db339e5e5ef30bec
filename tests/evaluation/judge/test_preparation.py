"""What both clips go through before a judge hears them."""

import importlib.metadata
import io
import wave

import numpy as np
import py_nanotts
import pyloudnorm
import pytest
from numpy.typing import NDArray

from evaluation.errors import MissingDependency, ProtocolError
from evaluation.judge import injection, preparation
from evaluation.judge.backend import Sound
from evaluation.judge.preparation import prepare
from evaluation.judge_preflight import judge_checks
from evaluation.pins import JudgeRecipe
from evaluation.probes.acoustic import AcousticPass, to_16k
from evaluation.records import Acoustics, Unread
from tests.evaluation.judge.judges import recipe as recipe_of
from tests.evaluation.judge.judges import samples_of

RATE_HZ = 16_000
PADDINGS = [(0, 0), (800, 0), (0, 16_000), (12_345, 32_001)]


@pytest.fixture(scope="module")
def speech() -> NDArray[np.float32]:
    """Return a sentence of a packaged voice at 16 kHz, as 16-bit files hold it, at half its level."""
    pcm = np.frombuffer(py_nanotts.NanoTTS().speak("She said that six thin fish swam past.", voice="en-GB"), "<i2")
    return (pcm // 2).astype(np.float32) / 32_768


def as_stored(samples: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return samples as a 16-bit file would give them back."""
    return (np.rint(samples * 32_768) / 32_768).astype(np.float32)


def loudness(sound: Sound) -> float:
    """Return the integrated loudness of a prepared sound, LUFS."""
    return float(pyloudnorm.Meter(preparation.RATE_HZ).integrated_loudness(samples_of(sound) / 32_768))


def test_the_result_is_one_kind_of_wav(speech: NDArray[np.float32]) -> None:
    """Mono, 16 bit, 24 kHz, one loudness; the same clip gives the same bytes."""
    sound = prepare(speech, RATE_HZ, None)
    with wave.open(io.BytesIO(sound.wav)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        assert sound.duration_s == pytest.approx(file.getnframes() / 24_000, abs=1e-6)
    assert loudness(sound) == pytest.approx(-23.0, abs=0.1)
    assert prepare(speech, RATE_HZ, None) == sound


@pytest.mark.parametrize("gain_db", [-20.0, -6.0, 0.0, 5.0])
@pytest.mark.parametrize("padding", PADDINGS, ids=str)
def test_gain_and_silence_change_nothing(speech: NDArray[np.float32], gain_db: float, padding: tuple[int, int]) -> None:
    """A louder, quieter or longer file of the same speech is heard as the same samples, within rounding."""
    plain = samples_of(prepare(speech, RATE_HZ, None)).astype(int)
    changed = as_stored(np.pad(speech * 10 ** (gain_db / 20), padding))
    heard = samples_of(prepare(changed, RATE_HZ, None)).astype(int)
    assert heard.size == plain.size
    error_db = 20 * np.log10(np.sqrt(np.mean((heard - plain) ** 2)) / np.sqrt(np.mean(plain**2)) + 1e-9)
    assert error_db < -40


@pytest.mark.models
def test_the_acoustic_reading_is_only_a_guide(speech: NDArray[np.float32]) -> None:
    """With bounds from the acoustic pass, silence around the speech still makes no difference."""
    acoustic_pass = AcousticPass.load()
    heard = []
    for padding in PADDINGS:
        padded = np.pad(speech, padding)
        reading = acoustic_pass.read(padded, RATE_HZ, to_16k(padded, RATE_HZ))
        assert isinstance(reading, Acoustics)
        heard.append(prepare(padded, RATE_HZ, reading).wav)
    assert len(set(heard)) == 1


def test_a_noise_far_from_the_speech_is_cut_off(speech: NDArray[np.float32]) -> None:
    """A click a second before the first voiced sound does not keep the silence alive."""
    padded = np.pad(speech, (RATE_HZ, 0))
    padded[10:20] = 0.9
    plain = prepare(speech, RATE_HZ, None)
    reading = reading_of(1.0, padded.size / RATE_HZ)
    assert prepare(padded, RATE_HZ, None).duration_s > plain.duration_s + 0.9
    assert prepare(padded, RATE_HZ, reading).duration_s == pytest.approx(plain.duration_s, abs=0.31)


def reading_of(start_s: float, end_s: float) -> Acoustics:
    """Return a reading with these bounds."""
    return Acoustics(
        duration_s=end_s,
        speech_start_s=start_s,
        speech_end_s=end_s,
        pause_s=0.0,
        level_dbfs=-20.0,
        peak_dbfs=-6.0,
        f0_hz=None,
        voiced_share=0.0,
    )


def test_room_noise_around_speech_is_trimmed(speech: NDArray[np.float32]) -> None:
    """Padding need not be digital silence."""
    hiss = np.random.default_rng(1).normal(0, 1e-4, speech.size + 2 * RATE_HZ).astype(np.float32)
    hiss[RATE_HZ : RATE_HZ + speech.size] += speech
    plain = prepare(speech, RATE_HZ, None)
    sound = prepare(hiss, RATE_HZ, None)
    assert sound.duration_s == pytest.approx(plain.duration_s, abs=0.05)
    edge = round(preparation.FADE_S * preparation.RATE_HZ)
    for margin in (samples_of(sound), samples_of(sound)[::-1]):
        steady = np.abs(margin[edge : 4 * edge].astype(int)).mean()
        assert np.abs(margin[: edge // 4].astype(int)).mean() < 0.4 * steady


def test_peaks_are_never_clipped() -> None:
    """A clip of a few sharp peaks stays quieter rather than being cut."""
    samples = np.zeros(RATE_HZ, dtype=np.float32)
    samples[1000:15_000:2000] = 0.5
    heard = samples_of(prepare(samples, RATE_HZ, None))
    assert np.abs(heard.astype(int)).max() <= 10 ** (-1 / 20) * 32_768 + 1
    assert loudness(prepare(samples, RATE_HZ, None)) < -23.5


@pytest.mark.parametrize("n_samples", [1, 7, 800, 3200, 6400])
def test_short_clips_are_brought_to_the_same_loudness(n_samples: int) -> None:
    """What is shorter than the meter's block is measured as if it were repeated."""
    tone = (0.01 * np.sin(np.arange(n_samples) * 0.4 + 1)).astype(np.float32)
    heard = samples_of(prepare(tone, RATE_HZ, None)).astype(int)
    assert np.abs(heard).max() > 1000
    assert np.isfinite(heard).all()


@pytest.mark.parametrize("acoustics", [None, Unread(reason="silent", fault="clip")])
def test_silence_stays_silent(acoustics: Unread | None) -> None:
    """Nothing is made out of nothing."""
    sound = prepare(np.zeros(8000, dtype=np.float32), RATE_HZ, acoustics)
    assert not samples_of(sound).any()
    assert sound.duration_s == 0.5


@pytest.mark.parametrize("bounds", [(0.0, 0.0), (5.0, 9.0), (0.2, 0.1)])
def test_bounds_outside_a_clip_do_no_harm(bounds: tuple[float, float]) -> None:
    """A reading of another clip still gives a sound."""
    assert prepare(np.full(1600, 0.1, dtype=np.float32), RATE_HZ, reading_of(*bounds)).duration_s > 0


def test_a_recipe_pins_what_is_done() -> None:
    """All constants are in the settings."""
    told = " ".join(preparation.settings().values())
    assert all(word in told for word in ("24000 Hz", "-23 LUFS", "0.1 s", "-1 dBFS", "16 bit", "rules"))


@pytest.mark.parametrize("package", ["pyloudnorm", "scipy", "numpy", "soxr"])
def test_a_recipe_pins_the_libraries(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe of one version cannot be followed with another, which may give other bytes; nor without the library."""
    recipe = recipe_of()
    told = " ".join(recipe.preparation.values())
    assert f"{package} {importlib.metadata.version(package)}" in told
    installed = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.0.9" if name == package else installed(name))
    with pytest.raises(ProtocolError, match=r"clips would not be prepared .*0\.0\.9"):
        _preflight(recipe)

    def missing(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(MissingDependency, match=package):
        _preflight(recipe)


def test_a_recipe_pins_the_rules_of_injection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clips that are sent under other rules are another protocol's."""
    recipe = recipe_of()
    monkeypatch.setattr(injection, "RULES", "other")
    with pytest.raises(ProtocolError, match="clips would not be prepared"):
        _preflight(recipe)


def _preflight(recipe: JudgeRecipe) -> None:
    for check in judge_checks(recipe, None):
        check()
