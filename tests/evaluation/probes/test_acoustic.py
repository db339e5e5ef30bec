"""The shared acoustic pass on real (synthetic) speech and on clips that hold none."""

import dataclasses
import math

import numpy as np
import pytest

from evaluation.probes import pace
from evaluation.probes.acoustic import AcousticPass, to_16k
from evaluation.records import Acoustics, Unread
from tests.evaluation.probes.speech import say

RATE_HZ = 16_000
QUIET_DB, LOUD_DB = 20 * math.log10(40 / 100), 20 * math.log10(140 / 100)

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def acoustic() -> AcousticPass:
    """Load it once."""
    return AcousticPass.load()


def read(acoustic: AcousticPass, samples: np.ndarray, rate_hz: int) -> Acoustics:
    """Read a clip that holds speech."""
    reading = acoustic.read(samples, rate_hz, to_16k(samples, rate_hz))
    assert isinstance(reading, Acoustics), reading
    return reading


def refuse(acoustic: AcousticPass, samples: np.ndarray, rate_hz: int = RATE_HZ) -> str:
    """Return the reason why a clip cannot be read."""
    samples = samples.astype(np.float32)
    reading = acoustic.read(samples, rate_hz, to_16k(samples, rate_hz))
    assert isinstance(reading, Unread), reading
    assert reading.fault == "clip"
    assert reading.detail
    return reading.reason


def test_amplitude_moves_the_level_by_its_decibels(acoustic: AcousticPass) -> None:
    """espeak-ng's -a is an amplitude in percent."""
    usual, quiet, loud = (read(acoustic, *say("-a", str(amplitude))) for amplitude in (100, 40, 140))
    assert quiet.level_dbfs - usual.level_dbfs == pytest.approx(QUIET_DB, abs=0.3)
    assert loud.level_dbfs - usual.level_dbfs == pytest.approx(LOUD_DB, abs=0.5)  # some samples clip


def test_rate_moves_the_pace(acoustic: AcousticPass) -> None:
    """Words a second rise with espeak-ng's -s and fall into the three buckets."""
    rates = [pace.words_per_second(17, read(acoustic, *say("-s", str(speed)))) for speed in (90, 130, 250)]
    assert [pace.bucket(rate, slow_below=2.2, fast_from=3.2) for rate in rates] == ["slow", "moderate", "fast"]


def test_pitch_moves_f0(acoustic: AcousticPass) -> None:
    """F0 rises with espeak-ng's -p by more than the dead zone of the pitch probe."""
    low, middle, high = (read(acoustic, *say("-p", str(pitch))).f0_hz for pitch in (20, 50, 80))
    assert low is not None
    assert middle is not None
    assert high is not None
    assert high > 1.12 * middle > 1.12**2 * low


def test_pauses_do_not_lower_the_level(acoustic: AcousticPass) -> None:
    """Silence around and inside the speech moves the bounds and the pauses, not the level or the pitch."""
    samples, rate_hz = say()
    pause = np.zeros(2 * rate_hz, dtype=np.float32)
    alone = read(acoustic, samples, rate_hz)
    padded = read(acoustic, np.concatenate([pause, samples, pause, samples, pause]), rate_hz)
    assert padded.level_dbfs == pytest.approx(alone.level_dbfs, abs=0.2)
    assert padded.speech_start_s == pytest.approx(2 + alone.speech_start_s, abs=0.05)
    gap_s = alone.duration_s - alone.speech_end_s + 2 + alone.speech_start_s
    assert padded.pause_s == pytest.approx(2 * alone.pause_s + gap_s, abs=0.3)
    assert padded.f0_hz == pytest.approx(alone.f0_hz, rel=0.03)


def test_gain_changes_levels_and_nothing_else(acoustic: AcousticPass) -> None:
    """Two clips that differ by a gain differ by it in both levels only."""
    samples, rate_hz = say()
    usual, faint = read(acoustic, samples, rate_hz), read(acoustic, samples / 32, rate_hz)
    assert usual.level_dbfs - faint.level_dbfs == pytest.approx(20 * math.log10(32), abs=0.01)
    assert usual.peak_dbfs - faint.peak_dbfs == pytest.approx(20 * math.log10(32), abs=0.01)
    same = dataclasses.replace(faint, level_dbfs=usual.level_dbfs, peak_dbfs=usual.peak_dbfs, f0_hz=usual.f0_hz)
    assert same == usual
    assert faint.f0_hz == pytest.approx(usual.f0_hz, rel=1e-3)


def test_an_offset_changes_no_level(acoustic: AcousticPass) -> None:
    """A constant offset is not speech."""
    samples, rate_hz = say()
    shifted = read(acoustic, samples * 0.5 + np.float32(0.2), rate_hz)
    assert shifted.level_dbfs == pytest.approx(read(acoustic, samples * 0.5, rate_hz).level_dbfs, abs=0.01)


def test_the_rate_of_a_clip_hardly_matters(acoustic: AcousticPass) -> None:
    """The same voice at 22.05 and 48 kHz reads alike."""
    import soxr

    samples, rate_hz = say()
    usual = read(acoustic, samples, rate_hz)
    fine = read(acoustic, soxr.resample(samples, rate_hz, 48_000), 48_000)
    assert fine.level_dbfs == pytest.approx(usual.level_dbfs, abs=0.1)
    assert fine.f0_hz == pytest.approx(usual.f0_hz, rel=0.01)
    assert fine.speech_end_s == pytest.approx(usual.speech_end_s, abs=0.03)


def test_a_clip_reads_the_same_after_any_other(acoustic: AcousticPass) -> None:
    """No state passes between clips."""
    first = read(acoustic, *say())
    read(acoustic, *say("-v", "en-us+f2", "-p", "90"))
    assert read(acoustic, *say()) == first


def test_a_whisper_has_a_level_but_no_pitch(acoustic: AcousticPass) -> None:
    """Unvoiced speech leaves F0 open and everything else read."""
    reading = read(acoustic, *say("-v", "en-us+whisper"))
    assert reading.f0_hz is None
    assert reading.level_dbfs < 0
    assert reading.speech_end_s > 2


def test_a_long_clip_is_read_in_blocks(acoustic: AcousticPass) -> None:
    """Speech after more than one block of the detector is found where it is."""
    samples, rate_hz = say()
    wait = np.zeros(40 * rate_hz, dtype=np.float32)
    reading = read(acoustic, np.concatenate([wait, samples, wait]), rate_hz)
    assert reading.speech_start_s == pytest.approx(40, abs=0.1)
    assert reading.speech_end_s == pytest.approx(40 + read(acoustic, samples, rate_hz).speech_end_s, abs=0.1)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(RATE_HZ), "silent"),
        (np.full(RATE_HZ, 0.5), "silent"),
        (np.tile([1e-5, -1e-5], RATE_HZ), "silent"),
        (np.zeros(100), "too_short"),
        (np.random.default_rng(1).normal(0, 0.1, 2 * RATE_HZ), "no_speech"),
        (np.eye(1, RATE_HZ, 8000)[0], "no_speech"),
    ],
    ids=["zeros", "offset", "below one step", "six milliseconds", "noise", "click"],
)
def test_clips_without_speech_are_the_clips_own_fault(acoustic: AcousticPass, samples, reason: str) -> None:
    """Each comes back as a reason, never as a number."""
    assert refuse(acoustic, samples) == reason


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 44_100, 192_000])
@pytest.mark.parametrize("seconds", [0.2, 0.35])
def test_short_clips_read_finite_or_not_at_all(acoustic: AcousticPass, rate_hz: int, seconds: float) -> None:
    """The shortest clip that a submission may hold gives finite numbers or a reason."""
    import soxr

    samples, source_hz = say()
    samples = soxr.resample(samples, source_hz, rate_hz)[rate_hz : rate_hz + round(seconds * rate_hz)]
    reading = acoustic.read(samples, rate_hz, to_16k(samples, rate_hz))
    if isinstance(reading, Acoustics):
        numbers = [value for value in dataclasses.astuple(reading) if value is not None]
        assert all(math.isfinite(value) for value in numbers)
        assert 0 <= reading.speech_start_s < reading.speech_end_s <= reading.duration_s + 1e-4


def test_any_length_and_rate_reads_the_same_voice(acoustic: AcousticPass) -> None:
    """Lengths that are no multiple of a frame, at odd rates, read like the whole clip."""
    import soxr

    samples, source_hz = say()
    whole = read(acoustic, samples, source_hz)
    for rate_hz, cut in ((8_000, 1), (11_025, 7), (16_000, 159), (44_100, 333), (96_000, 11)):
        reading = read(acoustic, soxr.resample(samples, source_hz, rate_hz)[cut:], rate_hz)
        assert reading.f0_hz == pytest.approx(whole.f0_hz, rel=0.06)
        assert reading.level_dbfs == pytest.approx(whole.level_dbfs, abs=1.0)
