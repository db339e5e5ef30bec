"""What both clips go through before a judge hears them, so that neither gain nor padding can win. Pure but for files.

The speech is cut out with a fixed margin of what surrounds it (silence where nothing does), brought to one sampling
rate and one loudness, and written as 16-bit WAV. The same clip gives the same bytes; a clip with more silence around
it or another gain gives the same samples within rounding.
"""

import importlib.metadata
import io
import wave
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from evaluation import audio
from evaluation.errors import MissingDependency
from evaluation.judge import injection
from evaluation.judge.backend import Sound
from evaluation.records import Acoustics, Unread

RATE_HZ = 24_000
LOUDNESS_LUFS = -23.0
PEAK_DBFS = -1.0
"""A clip whose peaks would rise above this is made no louder than that: nothing is clipped or limited."""
MARGIN_S = 0.1
FADE_S = 0.02
REACH_S = 0.3
"""How far before the first and after the last voiced sound speech may lie: consonants, breath."""
EDGE_DB = 30.0
"""Speech ends where the samples stay further than this below the clip's active level."""

_ACTIVE_DB = 40.0  # samples further below the peak say nothing of the active level
_BLOCK_S = 0.4  # shortest clip whose loudness the meter can measure
_BIT_DEPTH = 16
_MEASURES_LOUDNESS = ("pyloudnorm", "scipy", "numpy")
_INSTALL = "pip install -r requirements.txt"

Samples = NDArray[np.float64]


def settings() -> dict[str, str]:
    """Return all that decides what a judge hears of a clip, as `JudgeRecipe.preparation` pins it.

    The versions are those that are installed: a recipe that names others cannot be followed here.

    Raises:
        MissingDependency: what measures loudness is not installed.
    """
    return {
        "trim": f"speech with {MARGIN_S:g} s around it, {FADE_S:g} s of them faded",
        "edges": f"within {REACH_S:g} s of the first and last voiced sound, {EDGE_DB:g} dB below the active level",
        "rate": f"{RATE_HZ} Hz, soxr {_version('soxr')}",
        "loudness": f"{LOUDNESS_LUFS:g} LUFS (ITU-R BS.1770), peaks at most {PEAK_DBFS:g} dBFS, {_loudness_code()}",
        "addressed": f"clips that speak to the judge or add words are not sent, rules {injection.RULES}",
        "format": f"WAV, mono, {_BIT_DEPTH} bit",
    }


def prepare_file(path: Path, acoustics: Acoustics | Unread | None) -> Sound:
    """Return the sound that a judge hears of the canonical clip at `path`; arguments as those of `prepare`.

    Raises:
        DecodeError: the file is no canonical clip that can be read.
    """
    samples, rate_hz = audio.read(path)
    return prepare(samples, rate_hz, acoustics)


def prepare(samples: NDArray[np.float32], rate_hz: int, acoustics: Acoustics | Unread | None) -> Sound:
    """Return the sound that a judge hears of one clip.

    Args:
        samples: the canonical clip, shape (n,), n > 0, in [-1, 1].
        rate_hz: its sampling rate, Hz.
        acoustics: what the acoustic pass read; without it the clip is trimmed by level alone.

    Returns:
        A sound at 24 kHz. A clip of digital silence stays silent.
    """
    speech = _trimmed(samples.astype(np.float64), rate_hz, acoustics)
    if rate_hz != RATE_HZ:
        speech = np.asarray(soxr.resample(speech, rate_hz, RATE_HZ), dtype=np.float64)
    return _sound(speech * _gain(speech))


def _trimmed(samples: Samples, rate_hz: int, acoustics: Acoustics | Unread | None) -> Samples:
    """Return the speech of a clip between two margins of exactly the same length."""
    coarse = slice(0, samples.size)
    if isinstance(acoustics, Acoustics):
        start = round((acoustics.speech_start_s - REACH_S) * rate_hz)
        coarse = slice(max(0, start), max(1, round((acoustics.speech_end_s + REACH_S) * rate_hz)))
    magnitude = np.abs(samples[coarse])
    peak = magnitude.max(initial=0.0)
    if peak == 0:
        return samples
    active = magnitude[magnitude >= peak * _ratio(-_ACTIVE_DB)]
    floor = np.sqrt(np.mean(np.square(active))) * _ratio(-EDGE_DB)
    first, last = (coarse.start + int(at) for at in np.flatnonzero(magnitude >= floor)[[0, -1]])
    margin, fade = round(MARGIN_S * rate_hz), round(FADE_S * rate_hz)
    start, stop = first - margin, last + 1 + margin
    cut = samples[max(0, start) : stop]
    speech = np.pad(cut, (max(0, -start), max(0, stop - samples.size)))
    ramp = (np.arange(fade) + 0.5) / fade
    speech[:fade] *= ramp
    speech[speech.size - fade :] *= ramp[::-1]
    return speech


def _gain(speech: Samples) -> float:
    """Return what brings a clip to one loudness without a peak that is too high; 1 for silence."""
    import pyloudnorm  # brings scipy

    peak = float(np.abs(speech).max(initial=0.0))
    if peak == 0:
        return 1.0
    at_full_scale = speech / peak  # so that the meter's absolute threshold treats quiet and loud clips alike
    n_copies = -(-round(_BLOCK_S * RATE_HZ) // speech.size)  # a shorter clip is measured as if it were repeated
    measured = np.tile(at_full_scale, n_copies)
    loudness = float(pyloudnorm.Meter(RATE_HZ).integrated_loudness(measured))
    wanted = _ratio(LOUDNESS_LUFS - loudness) if np.isfinite(loudness) else 1.0
    return min(wanted, _ratio(PEAK_DBFS)) / peak


def _sound(samples: Samples) -> Sound:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(_BIT_DEPTH // 8)
        out.setframerate(RATE_HZ)
        out.writeframes(audio.quantise(samples, _BIT_DEPTH).astype("<i2").tobytes())
    return Sound(wav=buffer.getvalue(), duration_s=round(samples.size / RATE_HZ, 6))


def _loudness_code() -> str:
    return ", ".join(f"{package} {_version(package)}" for package in _MEASURES_LOUDNESS)


def _version(package: str) -> str:
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise MissingDependency(f"{package}, which prepares clips for a judge,", _INSTALL) from None
    return found.partition("+")[0]  # a local label names a build, not another version


def _ratio(decibels: float) -> float:
    return float(10 ** (decibels / 20))
