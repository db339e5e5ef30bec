"""How long a clip is when a model hears it, and which clips go through it together.

A classifier learnt from clips of some seconds. A longer clip is cut to its middle. A shorter one is repeated from its
start until it fills the least length that the model is used to: silence at its end would be heard as part of the
voice, and leaving it unread would leave a hole in the row of a system that did nothing wrong by speaking a short
script quickly. Only what is too short to hold a voice at all, or silent, is unread, by the clip's own fault.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.probes.classifiers.base import RATE_HZ, Samples
from evaluation.records import Unread

SILENCE_DBFS = -70.0
"""A clip that never rises above this, without its offset, holds no voice."""


def fitted(samples_16k: Samples, *, shortest_s: float, repeated_to_s: float, longest_s: float) -> Samples | Unread:
    """Return what a model hears of a clip, or why it hears nothing.

    Args:
        samples_16k: shape (n,), float32 at 16 kHz.
        shortest_s: least length that is read, s.
        repeated_to_s: length to which shorter clips are repeated, s.
        longest_s: length of the middle that is kept of longer clips, s.

    Returns:
        Shape (m,), repeated_to_s <= m / 16000 <= longest_s; Unread ("too_short" or "silent") by the clip's fault.
    """
    if samples_16k.size < shortest_s * RATE_HZ:
        return Unread(reason="too_short", fault="clip", detail=f"A voice needs at least {shortest_s:g} s.")
    peak = float(np.abs(samples_16k - np.mean(samples_16k, dtype=np.float64)).max())
    if peak <= 10 ** (SILENCE_DBFS / 20):
        return Unread(reason="silent", fault="clip", detail=f"No sample rises above {SILENCE_DBFS:.0f} dBFS.")
    longest = round(longest_s * RATE_HZ)
    if samples_16k.size > longest:
        start = (samples_16k.size - longest) // 2
        return samples_16k[start : start + longest]
    return np.resize(samples_16k, max(samples_16k.size, round(repeated_to_s * RATE_HZ)))


def batches(lengths: Sequence[int], *, largest: int, is_masked: bool) -> tuple[tuple[int, ...], ...]:
    """Return which clips go through a model together, as indices into `lengths`; each occurs once.

    Clips of like length share a batch, so that little is padded.

    Args:
        lengths: samples of each clip.
        largest: most clips of one batch, >= 1.
        is_masked: whether lengths may differ within a batch; if not, only equal ones meet.
    """
    found: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        fits = found and len(found[-1]) < largest and (is_masked or lengths[found[-1][-1]] == lengths[index])
        if fits:
            found[-1].append(index)
        else:
            found.append([index])
    return tuple(tuple(batch) for batch in found)
