"""What the demo systems pass around: a prompt as makers get it, a spoken clip, an engine, a system."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.errors import CastboardError
from submissions.card import Card

ClipSuffix = Literal["flac", "wav", "mp3", "ogg"]


class EngineFailed(CastboardError):
    """An installed engine gave no speech for one prompt; the system cannot be finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One item as makers download it; a demo system sees nothing else."""

    id: str
    """Id of the item, for example "vb-00007"."""

    instruction: str
    """The voice that is asked for, in English."""

    script: str
    """The text to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """One prompt, spoken."""

    prompt_id: str
    """Id of the prompt."""

    samples: npt.NDArray[np.float32]
    """Mono samples of shape (n,), full scale is [-1, 1]."""

    rate_hz: int
    """Sampling rate, Hz."""


class Engine(Protocol):
    """A loaded engine, ready to speak."""

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield one Speech a prompt, in any order.

        Raises:
            EngineFailed: if the engine gives no sound for a prompt.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSystem:
    """One demo system: a card and the way to its engine."""

    key: str
    """Name of its folder and zip: lower-case letters and dashes."""

    card: Card
    """What its system.json says; a new version there discards cached clips."""

    suffix: ClipSuffix
    """Format of its clips; the systems differ so that every accepted format is exercised."""

    is_slow: bool
    """Whether it takes minutes rather than seconds, and is left out of the default demo."""

    load: Callable[[Path], Engine]
    """Load the engine, given a folder for its downloads; raises MissingDependency."""
