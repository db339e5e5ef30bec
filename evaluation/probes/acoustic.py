"""The one shared pass over a clip: level, speech bounds, pauses and F0, for pace, pitch and loudness alike.

Everything but the two levels is measured on a copy brought to one speech level, so that a clip's gain
changes its levels and nothing else. Readings are rounded; one thread; no state between clips.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from evaluation import weights
from evaluation.probes.vad import FRAME_SAMPLES as VAD_FRAME_SAMPLES
from evaluation.probes.vad import RATE_HZ, Vad
from evaluation.records import Acoustics, Unread

STEP_S = 0.01
STEP_SAMPLES = 160  # at 16 kHz
SILENCE_DBFS = -70.0  # a peak below this is nothing that a listener could hear as speech
SHORTEST_S = 0.1
WORKING_DBFS = -23.0
ACTIVE_MARGIN_DB = 15.9  # frames further below the active level are not speech (the margin of ITU-T P.56)
EDGE_MARGIN_DB = 30.0  # a voiced sound begins and ends within this of the active level
EDGE_REACH_S = 0.1  # how far from the detector's own bound the edge is looked for
PAUSE_MARGIN_DB = 35.0
SHORTEST_PAUSE_S = 0.15  # a shorter gap is the closure of a plosive
F0_FLOOR_HZ = 50.0
F0_CEILING_HZ = 600.0
F0_PERIOD_S = 0.016
F0_BUDGET_S = 4.5  # of a longer span, this much is tracked
F0_PIECES = 6
F0_REACH_S = 0.08  # a joint disturbs frames this near
LEAST_MISSED_S = 0.05
VOICED_CONFIDENCE = 0.5
LEAST_VOICED_SHARE = 0.1  # stray frames of a whisper are no voice
DECIMALS = 4

F0_PACKAGE = "swift_f0"
F0_WEIGHTS_FILE = "model.onnx"
F0_WEIGHTS_SHA256 = "6385e8c2ebc3872e82c9ff5946228de44cd3be77a750ea53698b7dbfe94b0a22"
F0_INSTALL = "pip install swift-f0==0.3.0"

Samples = NDArray[np.float32]


def to_16k(samples: Samples, rate_hz: int) -> Samples:
    """Return a clip at 16 kHz, as every model wants it.

    Args:
        samples: mono, shape (n,), float32 in [-1, 1].
        rate_hz: its sampling rate, Hz.

    Returns:
        Shape (about n * 16000 / rate_hz,), float32; the same samples if they are at 16 kHz already.
    """
    if rate_hz == RATE_HZ:
        return samples
    return np.asarray(soxr.resample(samples, rate_hz, RATE_HZ), dtype=np.float32)


def load_f0_tracker() -> Any:
    """Return the F0 tracker, a swift_f0.SwiftF0 on one thread, its weights checked.

    Raises:
        MissingDependency: the package is not installed.
        WeightsMismatch: the model is not the one that this version names.
    """
    weights.locate(F0_PACKAGE, F0_WEIGHTS_FILE, F0_WEIGHTS_SHA256, F0_INSTALL)
    import swift_f0

    return swift_f0.SwiftF0(threads=1, spin=False)


def track_f0(tracker: Any, samples_16k: Samples) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return voicing and F0 (Hz) of each 16 ms of a clip at working level, 16 kHz."""
    track = tracker.detect(samples_16k, RATE_HZ, fmin=F0_FLOOR_HZ, fmax=F0_CEILING_HZ)
    return track.confidence >= VOICED_CONFIDENCE, track.pitch_hz


@dataclass(frozen=True, slots=True, kw_only=True)
class AcousticPass:
    """The loaded pass; the same clip gives the same reading whatever was read before it."""

    vad: Vad
    """Voice activity detector."""
    f0_tracker: Any
    """swift_f0.SwiftF0 on one thread."""

    @classmethod
    def load(cls) -> "AcousticPass":
        """Return the pass, its weights checked.

        Raises:
            MissingDependency: a package is not installed.
            WeightsMismatch: a model is not the one that this version names.
        """
        return cls(f0_tracker=load_f0_tracker(), vad=Vad.load())

    def read(self, samples: Samples, rate_hz: int, samples_16k: Samples) -> Acoustics | Unread:
        """Return what the pass reads of one canonical clip.

        Args:
            samples: mono, shape (n,), float32 in [-1, 1], at the clip's own rate.
            rate_hz: that rate, Hz.
            samples_16k: the same clip by `to_16k`.

        Returns:
            Acoustics; Unread by the clip's own fault if it is too short, silent, or holds no speech.
        """
        duration_s = samples.size / rate_hz
        if duration_s < SHORTEST_S:
            return _fault("too_short", f"The clip lasts {duration_s:.3f} s; at least {SHORTEST_S} s can be read.")
        centred = samples.astype(np.float64) - np.mean(samples, dtype=np.float64)
        if np.abs(centred).max() <= 10 ** (SILENCE_DBFS / 20):
            return _fault("silent", f"No sample of the clip rises above {SILENCE_DBFS:.0f} dBFS.")
        working = at_working_level(samples_16k)
        is_speech = self.vad.speech(working)
        if not is_speech.any():
            return _fault("no_speech", "The voice activity detector finds no speech in the clip.")
        powers = frame_powers(working.astype(np.float64), RATE_HZ)
        heard = self._heard(is_speech, working, powers)
        span = _span(heard, powers)
        in_pause = _in_pause(heard, powers, span)
        f0_hz, voiced_share = self._f0(working, span.start + np.flatnonzero(~in_pause))
        native = frame_powers(centred, rate_hz)[span.start : span.stop]
        return Acoustics(
            duration_s=round(duration_s, DECIMALS),
            speech_start_s=round(span.start * STEP_S, DECIMALS),
            speech_end_s=round(min(span.stop * STEP_S, duration_s), DECIMALS),
            pause_s=round(int(in_pause.sum()) * STEP_S, DECIMALS),
            level_dbfs=round(decibels(active_power(native)), DECIMALS),
            peak_dbfs=round(20 * float(np.log10(np.abs(samples).max())), DECIMALS),
            f0_hz=f0_hz,
            voiced_share=voiced_share,
        )

    def _heard(self, is_speech: NDArray[np.bool_], working: Samples, powers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which 10 ms frames hold speech: those of the detector and, before and after it, audible voicing.

        The detector alone misses whole first words of mechanical voices.
        """
        middles = ((np.arange(powers.size) + 0.5) * STEP_S * RATE_HZ).astype(np.int64)
        heard = np.asarray(is_speech[np.minimum(middles // VAD_FRAME_SAMPLES, is_speech.size - 1)])
        audible = powers >= _floor(powers[heard], EDGE_MARGIN_DB)
        first, last = (int(frame) for frame in np.flatnonzero(heard)[[0, -1]])
        for start, stop in ((0, first), (last + 1, powers.size)):
            if audible[start:stop].sum() * STEP_S < LEAST_MISSED_S:
                continue
            is_voiced, _ = track_f0(self.f0_tracker, working[_cut(start, stop)])
            frames = start + np.round(np.flatnonzero(is_voiced) * F0_PERIOD_S / STEP_S).astype(np.int64)
            frames = frames[frames < stop]
            heard[frames[audible[frames]]] = True
        return heard

    def _f0(self, working: Samples, frames: NDArray[np.int64]) -> tuple[float | None, float]:
        """Return the median F0 (Hz) of the voiced frames and their share.

        The tracker costs more than all the rest, so long speech is sampled: pieces spread evenly over it, joined; what
        lies near a joint is not used.

        Args:
            working: the clip at working level, 16 kHz.
            frames: the 10 ms frames that hold speech, ascending, not empty.
        """
        chosen = frames[_evenly(frames.size)]
        speech = working[_cut(0, int(frames[-1]) + 1)].reshape(-1, STEP_SAMPLES)[chosen].ravel()
        is_voiced, pitch_hz = track_f0(self.f0_tracker, speech)
        joints_s = (np.flatnonzero(np.diff(chosen) > 1) + 1) * STEP_S
        distance_s = np.abs(np.arange(is_voiced.size)[:, None] * F0_PERIOD_S - joints_s[None])
        is_used = np.all(distance_s >= F0_REACH_S, axis=1)
        voiced_hz = pitch_hz[is_voiced & is_used]
        share = voiced_hz.size / max(int(is_used.sum()), 1)
        f0_hz = round(float(np.median(voiced_hz)), DECIMALS) if share >= LEAST_VOICED_SHARE else None
        return f0_hz, round(share, DECIMALS)


def _fault(reason: str, detail: str) -> Unread:
    return Unread(reason=reason, fault="clip", detail=detail)


def decibels(power: float) -> float:
    """Return a mean square, > 0, in dB re full scale."""
    return 10 * float(np.log10(power))


def _cut(start: int, stop: int) -> slice:
    """Return where 10 ms frames lie in samples at 16 kHz."""
    return slice(start * STEP_SAMPLES, stop * STEP_SAMPLES)


def frame_powers(samples: NDArray[np.float64], rate_hz: int, step_s: float = STEP_S) -> NDArray[np.float64]:
    """Return the mean square of every whole 10 ms, or `step_s`, of a clip."""
    n_frames = int(samples.size / rate_hz / step_s + 1e-6)
    edges = np.round(np.arange(n_frames + 1) * (step_s * rate_hz)).astype(np.int64)
    sums = np.concatenate(([0.0], np.cumsum(np.square(samples))))
    return np.asarray(np.diff(sums[edges]) / np.diff(edges), dtype=np.float64)


def active_power(powers: NDArray[np.float64]) -> float:
    """Return the mean power of the frames that are active against that very mean."""
    active = powers
    while True:
        power = float(active.mean())
        kept = powers[powers >= power * 10 ** (-ACTIVE_MARGIN_DB / 10)]
        if kept.size >= active.size:
            return power
        active = kept


def at_working_level(samples_16k: Samples) -> Samples:
    """Return a clip at 16 kHz without its offset, brought to the level at which it is measured."""
    centred = samples_16k.astype(np.float64) - np.mean(samples_16k, dtype=np.float64)
    gain = 10 ** (WORKING_DBFS / 20) / np.sqrt(max(active_power(frame_powers(centred, RATE_HZ)), 1e-12))
    return np.asarray(centred * gain, dtype=np.float32)


def _floor(powers: NDArray[np.float64], margin_db: float) -> float:
    return active_power(powers) * 10 ** (-margin_db / 10)


def _span(heard: NDArray[np.bool_], powers: NDArray[np.float64]) -> range:
    """Return the 10 ms frames from the first to the last sound of the speech."""
    reach = round(EDGE_REACH_S / STEP_S)
    first, last = np.flatnonzero(heard)[[0, -1]]
    window = range(max(0, int(first) - reach), min(powers.size, int(last) + 1 + reach))
    inside = powers[window.start : window.stop]
    audible = window.start + np.flatnonzero(inside >= _floor(inside, EDGE_MARGIN_DB))
    return range(int(audible[0]), int(audible[-1]) + 1)


def _in_pause(heard: NDArray[np.bool_], powers: NDArray[np.float64], span: range) -> NDArray[np.bool_]:
    """Return which 10 ms frames of the span lie in pauses: near silence, or faint and no speech."""
    inside = powers[span.start : span.stop]
    faint = ~heard[span.start : span.stop] & (inside < _floor(inside, ACTIVE_MARGIN_DB))
    quiet = faint | (inside < _floor(inside, PAUSE_MARGIN_DB))
    edges = np.flatnonzero(np.diff(np.concatenate(([False], quiet, [False])).astype(np.int8)))
    in_pause = np.zeros(inside.size, dtype=np.bool_)
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        in_pause[start:stop] = stop - start >= round(SHORTEST_PAUSE_S / STEP_S)
    return in_pause


def _evenly(n_frames: int) -> NDArray[np.int64]:
    """Return the places of the frames to track: all, or pieces spread evenly from the first to the last."""
    length = round(F0_BUDGET_S / F0_PIECES / STEP_S)
    if n_frames <= F0_PIECES * length:
        return np.arange(n_frames)
    starts = np.linspace(0, n_frames - length, F0_PIECES).round().astype(np.int64)
    return np.asarray(np.add.outer(starts, np.arange(length)).ravel())
