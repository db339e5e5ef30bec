"""What is learnt of a clip while it is decoded: running sums over blocks, then facts, faults and notes. No file."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import DecodeError

CLIPPED_FROM = 0.999
"""A sample of this size or more counts as clipped (full scale is 1)."""
CLIPPING_SHARE = 0.001
"""From this share of clipped samples on, a clip is noted as clipping."""
LOW_RATE_HZ = 16_000
"""Below this rate a clip is noted: part of the band of speech is missing."""
DC_OFFSET = 0.05
"""From this mean on (full scale is 1), a clip is noted as having an offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one clip may be; the ends are allowed."""

    min_s: float = 0.2
    """Shortest clip, s."""
    max_s: float = 120.0
    """Longest clip, s."""
    min_hz: int = 8_000
    """Lowest sampling rate, Hz."""
    max_hz: int = 192_000
    """Highest sampling rate, Hz."""
    max_channels: int = 2
    """Most channels; two are averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing about one clip: a fault (the clip is refused) or a note (it is not)."""

    code: str
    """Short code, for example "too_short" or "stereo"."""
    detail: str
    """What was found, as a phrase with its figures."""


class ClipRefused(DecodeError):
    """A clip has one or more faults; `code` is the first one's.

    Attributes:
        faults: every fault that was found, at least one.
    """

    def __init__(self, faults: tuple[Remark, ...]) -> None:
        """Carry `faults`, at least one."""
        super().__init__(faults[0].code, "; ".join(fault.detail for fault in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalFacts:
    """What the decoder learnt of one clip that it made canonical."""

    sha256: str
    """sha256 (hex) of the canonical FLAC bytes."""
    n_bytes: int
    """Size of the canonical FLAC file."""
    duration_s: float
    """Length in seconds, rounded to 6 decimals."""
    rate_hz: int
    """Sampling rate in Hz, that of the source."""
    bit_depth: int
    """16 or 24."""
    source_format: str
    """Container and coding of the source by its content, for example "WAV/PCM_16"."""
    source_channels: int
    """Channels of the source, 1 or 2."""
    peak: float
    """Largest absolute source sample over all channels; 1 is full scale, float sources may exceed it."""
    clipped_share: float
    """Share of source frames with a sample of CLIPPED_FROM or more, 0..1."""
    over_share: float
    """Share of averaged samples beyond full scale, which the canonical clip holds at full scale, 0..1."""
    dc_offset: float
    """Mean of the canonical samples, -1..1."""
    is_silent: bool
    """Every canonical sample is zero."""
    is_constant: bool
    """Every canonical sample has the same value, and it is not zero."""
    has_dead_channel: bool
    """One of two source channels is all zero and the other is not."""
    notes: tuple[Remark, ...]
    """What a maker should know although it blocks nothing."""


class Meter:
    """Running sums over the blocks of one clip."""

    def __init__(self, n_channels: int, full_scale: int) -> None:
        """Start a clip of `n_channels` whose canonical samples are integers up to `full_scale`."""
        self.n_channels = n_channels
        self.n_frames = 0
        self.n_nonfinite = 0
        self.first_nonfinite_frame = 0
        self._full_scale = full_scale
        self._peaks: NDArray[np.float64] = np.zeros(n_channels)
        self._n_clipped = 0
        self._n_over = 0
        self._sum = 0
        self._low = full_scale
        self._high = -full_scale - 1

    def add(self, block: NDArray[np.float64], mono: NDArray[np.float64], samples: NDArray[np.int32]) -> None:
        """Take one block.

        Args:
            block: source samples of shape (frames, channels), frames >= 1, 1 is full scale.
            mono: their average of shape (frames,).
            samples: canonical samples of shape (frames,), integers within +-full_scale.
        """
        is_bad = ~np.isfinite(block).all(axis=1)
        n_bad = int(np.count_nonzero(is_bad))
        if n_bad:
            if not self.n_nonfinite:
                self.first_nonfinite_frame = self.n_frames + int(np.argmax(is_bad))
            self.n_nonfinite += n_bad
        size = np.abs(block)
        self._peaks = np.maximum(self._peaks, size.max(axis=0))
        self._n_clipped += int(np.count_nonzero((size >= CLIPPED_FROM).any(axis=1)))
        self._n_over += int(np.count_nonzero(np.abs(mono) > 1.0))
        self._sum += int(samples.sum(dtype=np.int64))
        self._low = min(self._low, int(samples.min()))
        self._high = max(self._high, int(samples.max()))
        self.n_frames += len(block)

    @property
    def peak(self) -> float:
        """Largest absolute source sample so far."""
        return float(self._peaks.max())

    @property
    def clipped_share(self) -> float:
        """Share of frames that reach full scale, 0..1."""
        return round(self._n_clipped / max(1, self.n_frames), 6)

    @property
    def over_share(self) -> float:
        """Share of averaged samples beyond full scale, 0..1."""
        return round(self._n_over / max(1, self.n_frames), 6)

    @property
    def n_over(self) -> int:
        """Number of averaged samples beyond full scale."""
        return self._n_over

    @property
    def dc_offset(self) -> float:
        """Mean of the canonical samples, full scale is 1."""
        return round(self._sum / max(1, self.n_frames) / (self._full_scale + 1), 6)

    @property
    def is_silent(self) -> bool:
        """Every canonical sample is zero."""
        return self._low == self._high == 0

    @property
    def is_constant(self) -> bool:
        """Every canonical sample is the same value, not zero."""
        return self._low == self._high != 0

    @property
    def dead_channel(self) -> str | None:
        """Name the one silent side of a stereo clip; None if there is none."""
        if len(self._peaks) != 2 or self._peaks.max() == 0 or self._peaks.min() > 0:
            return None
        return "left" if self._peaks[0] == 0 else "right"


def signal_notes(meter: Meter, rate_hz: int, is_float_source: bool) -> tuple[Remark, ...]:
    """Return what a maker should know of the samples that `meter` has seen."""
    notes = []
    if meter.dead_channel:
        notes.append(Remark(code="dead_channel", detail=f"{meter.dead_channel} side silent"))
    elif meter.n_channels == 2:
        notes.append(Remark(code="stereo", detail="2 channels"))
    if rate_hz < LOW_RATE_HZ:
        notes.append(Remark(code="low_rate", detail=f"{rate_hz} Hz"))
    if meter.is_silent:
        notes.append(Remark(code="silent", detail="all samples zero"))
    elif meter.is_constant:
        notes.append(Remark(code="constant", detail=f"one constant value, {meter.dc_offset:+.3f}"))
    elif abs(meter.dc_offset) >= DC_OFFSET:
        notes.append(Remark(code="dc_offset", detail=f"mean {meter.dc_offset:+.3f}"))
    if meter.n_over and (is_float_source or meter.over_share >= CLIPPING_SHARE):
        hint = ", perhaps integers stored as floats" if meter.peak > 100 else ""
        notes.append(Remark(code="over_full_scale", detail=f"peak {meter.peak:.4g} times full scale{hint}"))
    elif meter.clipped_share >= CLIPPING_SHARE and not meter.is_constant:
        notes.append(Remark(code="clipping", detail=f"{meter.clipped_share:.1%} of its samples"))
    return tuple(notes)
