"""What is needed to draw a clip without decoding it: peaks of the wave, level and F0, in bins of one length.

It is read with the instruments of the acoustic pass, but it is no reading: nothing is scored by it. Unlike there, F0 is
tracked over the whole clip, since all of it is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.probes.acoustic import (
    F0_PERIOD_S,
    SHORTEST_S,
    SILENCE_DBFS,
    Samples,
    at_working_level,
    decibels,
    frame_powers,
    load_f0_tracker,
    to_16k,
    track_f0,
)

SHORTEST_BIN_S = 0.02
MOST_BINS = 600
"""Of one clip: up to 12 s have the shortest bins, longer ones a multiple of them."""
FULL_SCALE = 127
LEVEL_STEP_DB = 0.5
LOWEST_DBFS = -96.0
"""What is fainter has no level: it lies below the last bit of a 16-bit clip."""
F0_DECIMALS = 1
BIN_DECIMALS = 2
_SLACK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Contour:
    """One clip in bins; bin i lies from i * bin_s to (i + 1) * bin_s, the last one ends with the clip."""

    duration_s: float
    """Length of the clip, s."""
    bin_s: float
    """Length of a bin, s: a multiple of 0.02."""
    low: tuple[int, ...]
    """Smallest sample of each bin, -127..127 of full scale."""
    high: tuple[int, ...]
    """Largest sample of each bin, -127..127 of full scale."""
    level_dbfs: tuple[float | None, ...]
    """Mean power of each bin, dB re full scale, -96..0 in steps of 0.5; None below."""
    f0_hz: tuple[float | None, ...]
    """Median F0 of each bin's voiced frames, Hz, in steps of 0.1; None where nothing is voiced."""


Draw = Callable[[Samples, int], Contour]
"""Returns the contour of samples at a rate, as `ContourReader.read`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContourReader:
    """Draws contours; the same clip gives the same contour whatever was read before it."""

    f0_tracker: Any
    """swift_f0.SwiftF0 on one thread."""

    @classmethod
    def load(cls) -> "ContourReader":
        """Return the reader.

        Raises:
            MissingDependency: the tracker's package is not installed.
            WeightsMismatch: its model is not the one that this version names.
        """
        return cls(f0_tracker=load_f0_tracker())

    def read(self, samples: Samples, rate_hz: int) -> Contour:
        """Return the contour of one canonical clip.

        Args:
            samples: mono, shape (n,), n >= 1, float32 in [-1, 1].
            rate_hz: its sampling rate, Hz.
        """
        duration_s = samples.size / rate_hz
        bin_s = bin_length_s(duration_s)
        edges = _edges(samples.size, rate_hz, bin_s)
        return Contour(
            duration_s=round(duration_s, 6),
            bin_s=bin_s,
            low=_steps(np.minimum.reduceat(samples, edges)),
            high=_steps(np.maximum.reduceat(samples, edges)),
            level_dbfs=_levels(samples, rate_hz, bin_s, edges),
            f0_hz=self._f0(samples, rate_hz, bin_s, edges.size),
        )

    def _f0(self, samples: Samples, rate_hz: int, bin_s: float, n_bins: int) -> tuple[float | None, ...]:
        is_silent = np.abs(samples - np.mean(samples)).max() <= 10 ** (SILENCE_DBFS / 20)
        if is_silent or samples.size < SHORTEST_S * rate_hz:
            return (None,) * n_bins
        is_voiced, f0_hz = track_f0(self.f0_tracker, at_working_level(to_16k(samples, rate_hz)))
        voiced = np.flatnonzero(is_voiced)
        places = np.minimum((voiced * F0_PERIOD_S / bin_s + _SLACK).astype(np.int64), n_bins - 1)
        found: list[float | None] = [None] * n_bins
        for place in np.unique(places):
            found[place] = round(float(np.median(f0_hz[voiced[places == place]])), F0_DECIMALS)
        return tuple(found)


def bin_length_s(duration_s: float) -> float:
    """Return the length of the bins of a clip, s: the shortest multiple of 0.02 with which they are at most 600."""
    n_shortest = max(1, int(np.ceil(duration_s / SHORTEST_BIN_S - _SLACK)))
    return round(SHORTEST_BIN_S * -(-n_shortest // MOST_BINS), BIN_DECIMALS)


def n_bins(duration_s: float, bin_s: float) -> int:
    """Return how many bins a clip has; the last one may be shorter."""
    return max(1, int(np.ceil(duration_s / bin_s - _SLACK)))


def _edges(n_samples: int, rate_hz: int, bin_s: float) -> NDArray[np.int64]:
    """Return the first sample of each bin."""
    edges = np.round(np.arange(n_bins(n_samples / rate_hz, bin_s)) * (bin_s * rate_hz)).astype(np.int64)
    return np.minimum(edges, n_samples - 1)


def _steps(values: Samples) -> tuple[int, ...]:
    held = np.clip(np.rint(values.astype(np.float64) * FULL_SCALE), -FULL_SCALE, FULL_SCALE)
    return tuple(int(value) for value in held)


def _levels(samples: Samples, rate_hz: int, bin_s: float, edges: NDArray[np.int64]) -> tuple[float | None, ...]:
    centred = samples.astype(np.float64) - np.mean(samples, dtype=np.float64)
    powers = frame_powers(centred, rate_hz, bin_s)[: edges.size]
    if powers.size < edges.size:
        powers = np.append(powers, np.mean(np.square(centred[edges[-1] :])))
    return tuple(_level(float(power)) for power in powers)


def _level(power: float) -> float | None:
    lowest = 10 ** (LOWEST_DBFS / 10)
    if power < lowest:
        return None
    return min(0.0, round(decibels(power) / LEVEL_STEP_DB) * LEVEL_STEP_DB)
