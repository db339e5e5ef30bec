"""What every probe that a model drives has in common: what it takes, what it gives, and how it is refused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol as TypingProtocol

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import CastboardError
from evaluation.records import ProbeReading

RATE_HZ = 16_000
"""Sampling rate of the clips that a probe is given, Hz."""

Samples = NDArray[np.float32]
Outputs = Callable[[Sequence[Samples]], NDArray[np.float64]]
"""Raw outputs, shape (n, k), of n clips that go through a model together."""


class Probe(TypingProtocol):
    """Reads one trait of clips; a clip's reading does not depend on its company."""

    def read_many(self, clips_16k: Sequence[Samples]) -> tuple[ProbeReading, ...]:
        """Return one reading a clip, in order: ClassScores, Estimate, or Unread with the reason.

        Args:
            clips_16k: mono clips, each of shape (n,), float32 in [-1, 1] at 16 kHz, any level.
        """
        ...


class BrokenInstrument(CastboardError):
    """A model loads but cannot be trusted: weights are missing, labels do not fit, or it fails its canary."""

    def __init__(self, what: str, faults: Sequence[str], advice: str) -> None:
        """Name the model `what`, all its `faults`, and in a sentence what to do (`advice`)."""
        super().__init__(f"{what} cannot be used: {'; '.join(faults)}. {advice}")
        self.what = what
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model in memory, ready to be asked."""

    labels: tuple[str, ...]
    """Its own label of each output; empty for a regressor."""
    outputs: Outputs
    """What it says of some clips: logits for a classifier, one number each for a regressor."""
    is_masked: bool
    """Whether clips of different lengths may share a batch, because padding is hidden from the model."""
    largest_batch: int
    """Most clips that it takes at once, >= 1, whatever the pin allows."""
    decimals: int
    """Decimals to which its arithmetic is the same in any company: 6 for double, 4 for single precision."""
