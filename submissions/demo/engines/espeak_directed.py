"""The rule-based baseline: espeak-ng set up by what the instruction's text asks for.

The parser hears the instruction; the casting table turns it into a voice and a pitch; one rehearsal at a known rate
and amplitude shows how long and how loud this script comes out, and the take is set from that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.gate.spoken import n_spoken_words
from submissions.demo.casting import Casting, cast
from submissions.demo.direction import Loudness, Pace, direct
from submissions.demo.engines.espeak import EspeakSettings, require_espeak, speak_script
from submissions.demo.engines.programs import in_threads
from submissions.demo.records import Prompt, Speech

REHEARSAL_RATE_WPM = 160
REHEARSAL_AMPLITUDE = 100
PACE_WORDS_PER_S: Mapping[Pace, float] = {"slow": 1.7, "moderate": 2.6, "fast": 3.5}
LEVEL_DBFS: Mapping[Loudness, float] = {"quiet": -38.5, "normal": -29.5, "loud": -20.5}
MAX_PEAK = 0.97
FRAME_S = 0.01
ACTIVE_BELOW_PEAK_DB = 40.0
# Measured: level against amplitude 100 of the same sentence, dB; the scale is steeper than linear at its foot.
_AMPLITUDES = (5, 10, 20, 36, 50, 100, 150, 200)
_GAINS_DB = (-36.8, -23.4, -15.0, -9.5, -6.3, 0.0, 3.7, 6.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What one reading of a script shows."""

    span_s: float
    """Time from the first to the last active frame, s, > 0."""

    level_dbfs: float
    """RMS level over active frames, dB re full scale."""

    peak: float
    """Largest absolute sample, 0..1."""


def load(_downloads: Path) -> "DirectedEspeak":
    """Return the baseline that follows instructions.

    Raises:
        MissingDependency: if espeak-ng is not installed.
    """
    return DirectedEspeak(program=require_espeak())


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectedEspeak:
    """espeak-ng that does what the instruction says, as far as rules reach."""

    program: str
    """Path of espeak-ng."""

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the voice that its instruction asks for."""
        return in_threads(self._speak_one, prompts)

    def _speak_one(self, prompt: Prompt) -> Speech:
        direction = direct(prompt.instruction)
        casting = cast(direction)
        rehearsed = rehearse(speak_script(self.program, prompt, _rehearsal_settings(casting)))
        settings = EspeakSettings(
            voice=casting.voice,
            pitch=casting.pitch,
            rate_wpm=rate_wpm(rehearsed, n_spoken_words(prompt.script), direction.pace or "moderate"),
            amplitude=amplitude(rehearsed, direction.loudness or "normal"),
        )
        return speak_script(self.program, prompt, settings)


def _rehearsal_settings(casting: Casting) -> EspeakSettings:
    return EspeakSettings(
        voice=casting.voice,
        pitch=casting.pitch,
        rate_wpm=REHEARSAL_RATE_WPM,
        amplitude=REHEARSAL_AMPLITUDE,
    )


def rehearse(speech: Speech) -> Rehearsal:
    """Length and level of the active part of a reading."""
    n_frame = max(1, round(FRAME_S * speech.rate_hz))
    padded = np.pad(speech.samples, (0, -speech.samples.size % n_frame))
    power = np.square(padded.reshape(-1, n_frame), dtype=np.float64).mean(axis=1)
    active = np.flatnonzero(power >= power.max() * 10 ** (-ACTIVE_BELOW_PEAK_DB / 10))
    return Rehearsal(
        span_s=(active[-1] - active[0] + 1) * FRAME_S,
        level_dbfs=float(10 * np.log10(max(power[active].mean(), 1e-10))),
        peak=float(np.abs(speech.samples).max()),
    )


def rate_wpm(rehearsed: Rehearsal, n_words: int, pace: Pace) -> int:
    """Rate setting, 80..450, at which `n_words` words come out at the wanted pace; duration is inverse to it."""
    rehearsed_words_per_s = n_words / rehearsed.span_s
    wanted = REHEARSAL_RATE_WPM * PACE_WORDS_PER_S[pace] / rehearsed_words_per_s
    return int(np.clip(round(wanted), 80, 450))


def amplitude(rehearsed: Rehearsal, loudness: Loudness) -> int:
    """Amplitude setting, 0..200, that brings the speech to the wanted level without clipping its peak."""
    gain_db = LEVEL_DBFS[loudness] - rehearsed.level_dbfs
    headroom_db = float(20 * np.log10(MAX_PEAK / max(rehearsed.peak, 1e-4)))
    return round(float(np.interp(min(gain_db, headroom_db), _GAINS_DB, _AMPLITUDES)))
