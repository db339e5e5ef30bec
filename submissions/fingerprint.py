"""A print of one clip by which the same recording is known again: louder, re-encoded, resampled, shifted or noisy.

Of every 10 ms of the first seconds of speech the print keeps 16 signs: whether the slope of the spectrum between two
neighbouring bands rises or falls over time. Only the stronger half of them counts. Two prints are held against each
other at every small shift; their likeness is 1 if all that counts agrees, and near 0 for two readings by chance.

`tests/bench/duplicates.py` measures it on real voices, beside the print that music services use.

Source of the sign of band differences over time: Haitsma and Kalker, "A highly robust audio fingerprinting system",
ISMIR 2002; that only strong signs count is ours.
"""

from collections.abc import Sequence

import numpy as np
import soxr
from numpy.typing import NDArray

RATE_HZ = 8_000
"""Prints are taken at this rate, so that a narrow copy of a wide clip has the same print."""
HOP_S = 0.01
MAX_FRAMES = 400
"""Frames of a print, at most: 4 s from the first sound on."""
MIN_FRAMES = 40
"""A clip with less sound than this, 0.4 s, has no print."""
MAX_SHIFT = 25
"""Frames by which two prints may be shifted, either way."""

_SAMPLES = 10 * RATE_HZ  # enough for MAX_FRAMES after any usual pause
_WINDOW = 512
_HOP = round(HOP_S * RATE_HZ)
_N_BANDS = 17
_LOWEST_HZ, _HIGHEST_HZ = 250.0, 3_600.0
_GAP = 6  # frames between the two moments that are compared
_SOUND_DB = 35.0  # a frame this far below the loudest ones is a pause
_LOUDEST_SHARE = 20  # the loudest ones: one frame in so many
_FLOOR = 1e-2  # beside the mean power of a band; what lies below is what quiet noise and codecs change
_WEAK_SHARE = 0.5
_LEAST_CHANGE = 0.1  # a slope that changes less, in nepers, is steady: a tone has no print
_COARSE_STEP = 8  # frames left out where shifts are sought
_COARSE_NEAR = 2  # shifts either way of the best one so found that are looked at on all frames
_COARSE_LEAST = 0.3  # a likeness on few frames below this is not looked at closer

Print = NDArray[np.uint16]
"""Shape (n, 2), n <= MAX_FRAMES: 16 signs of each frame, and which of them count; n is 0 for no print."""


def fingerprint(samples: NDArray[np.float32], rate_hz: int) -> Print:
    """Return the print of a clip.

    Args:
        samples: shape (n,), mono, full scale is 1.
        rate_hz: their rate, Hz, 8,000 or more.

    Returns:
        The print; shape (0, 2) for a clip with too little sound to be known by.
    """
    sound = samples[: _SAMPLES * rate_hz // RATE_HZ]
    if rate_hz != RATE_HZ:
        sound = soxr.resample(sound, rate_hz, RATE_HZ)
    nothing = np.zeros((0, 2), np.uint16)
    if len(sound) < _WINDOW + (_GAP + MIN_FRAMES) * _HOP:
        return nothing
    power = _band_power(np.asarray(sound, dtype=np.float64))
    total = power.sum(axis=1)
    loudest = np.sort(total)[-max(1, len(total) // _LOUDEST_SHARE)]
    if loudest <= 0.0:
        return nothing
    level = np.log(power + total.mean() * _FLOOR / _N_BANDS)
    slope = np.diff(level, axis=1)
    change = slope[_GAP:] - slope[:-_GAP]
    is_sound = total > loudest * 10 ** (-_SOUND_DB / 10)
    is_sound = is_sound[_GAP:] & is_sound[:-_GAP]
    heard = np.flatnonzero(is_sound)
    if len(heard) < MIN_FRAMES:
        return nothing
    part = slice(heard[0], min(heard[-1] + 1, heard[0] + MAX_FRAMES))
    change, is_sound = change[part], is_sound[part]
    strength = np.abs(change)
    least = max(_LEAST_CHANGE, float(np.quantile(strength[is_sound], _WEAK_SHARE)))
    counts = (strength > least) & is_sound[:, None]
    if np.count_nonzero(counts.any(axis=1)) < MIN_FRAMES:
        return nothing
    weights = 1 << np.arange(_N_BANDS - 1)
    return np.stack([(change > 0) @ weights, counts @ weights], axis=1).astype(np.uint16)


def likeness(one: Print, others: Sequence[Print]) -> NDArray[np.float64]:
    """Return how alike `one` is to each of `others`, at the best shift: 1 for the same recording, near 0 by chance.

    Args:
        one: a print with frames.
        others: prints; one without frames is like nothing.

    Returns:
        Shape (len(others),), 0..1.
    """
    best = np.zeros(len(others))
    size = np.array([_n_counting(other) for other in others], dtype=np.float64)
    own = _n_counting(one)
    rows = np.zeros((len(others), MAX_FRAMES + 2 * MAX_SHIFT, 2), np.uint16)
    for place, other in enumerate(others):
        rows[place, MAX_SHIFT : MAX_SHIFT + len(other)] = other
    shifts = range(2 * MAX_SHIFT + 1)
    norm = np.maximum(np.maximum(size, own), 1.0)
    coarse = np.stack([_agreement(one[::_COARSE_STEP], rows[:, s : s + len(one) : _COARSE_STEP]) for s in shifts])
    likely = np.flatnonzero((coarse.max(axis=0) * _COARSE_STEP / norm > _COARSE_LEAST) & (size > 0))
    for index in likely:
        near = shifts[max(0, int(coarse[:, index].argmax()) - _COARSE_NEAR) :][: 2 * _COARSE_NEAR + 1]
        fine = [_agreement(one, rows[index : index + 1, s : s + len(one)])[0] for s in near]
        best[index] = max(fine) / norm[index]
    return best


def _agreement(one: Print, rows: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return, for each row, the signs that count on both sides and agree, less those that do not."""
    both = rows[:, :, 1] & one[:, 1]
    against = (rows[:, :, 0] ^ one[:, 0]) & both
    n_both: NDArray[np.float64] = np.bitwise_count(both).sum(axis=1, dtype=np.float64)
    n_against: NDArray[np.float64] = np.bitwise_count(against).sum(axis=1, dtype=np.float64)
    return n_both - 2.0 * n_against


def _n_counting(one: Print) -> int:
    return int(np.bitwise_count(one[:, 1]).sum())


def _band_power(sound: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power of each band in each frame, shape (frames, bands)."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, _WINDOW)[::_HOP] * np.hanning(_WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges_hz = np.geomspace(_LOWEST_HZ, _HIGHEST_HZ, _N_BANDS + 1)
    edges = np.searchsorted(np.fft.rfftfreq(_WINDOW, 1 / RATE_HZ), edges_hz)
    bands: NDArray[np.float64] = np.add.reduceat(power, edges, axis=1)[:, :-1]
    return bands
