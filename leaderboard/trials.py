"""What is known of the instruments themselves: trials against labels and rivals, read from a data file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evaluation.codec import from_json
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol

SCHEMA_VERSION = 1
"""Version of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTrial:
    """One engine's share of a trial."""

    engine: str
    """Synthesiser whose voices were judged."""
    n_right: int
    """Clips measured as labelled."""
    n_clips: int
    """All its clips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassTrial:
    """A classifier against labelled clips."""

    role: str
    """Role of what was tried in a protocol."""
    of: str
    """Name of the instrument that was tried, as protocols name it."""
    instrument: str
    """What was tried."""
    what: str
    """On what, in a sentence or two."""
    source: str
    """Command that makes the figures again."""
    confusion: Mapping[str, Mapping[str, int]]
    """Clips by label and then by measured class."""
    engines: tuple[EngineTrial, ...]
    """The same clips by engine."""

    @property
    def n_clips(self) -> int:
        """All clips."""
        return sum(sum(row.values()) for row in self.confusion.values())

    @property
    def n_right(self) -> int:
        """Clips measured as labelled."""
        return sum(row.get(label, 0) for label, row in self.confusion.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class PitchTrial:
    """A pitch tracker against another one."""

    role: str
    """Role of what was tried in a protocol."""
    of: str
    """Name of the instrument that was tried, as protocols name it."""
    instrument: str
    """What was tried."""
    rival: str
    """What it was compared with."""
    source: str
    """Command that makes the figures again."""
    n_clips: int
    """Clips on which both found a voice."""
    correlation: float
    """Pearson correlation of the medians, -1..1."""
    median_difference_semitones: float
    """Median absolute difference, semitones."""
    worst_difference_semitones: float
    """Largest absolute difference, semitones."""
    n_octave_errors: int
    """Clips on which the two are an octave apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something that nobody has measured yet."""

    role: str
    """Role of the instrument that it concerns; empty if it concerns every board."""
    of: str
    """That instrument's name, as protocols name it; empty likewise."""
    what: str
    """The question."""
    why: str
    """Why it is open, and what that means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """All that is known, and what is not."""

    gender: ClassTrial
    """The gender probe."""
    pitch: PitchTrial
    """The pitch tracker."""
    unknown: tuple[Unknown, ...]
    """Open questions."""


def concerns(trial: ClassTrial | PitchTrial | Unknown, protocol: Protocol) -> bool:
    """Return whether a trial, or an open question, is of an instrument of `protocol`."""
    instrument = protocol.instruments.get(trial.role)
    return not trial.role or (instrument is not None and instrument.name == trial.of)


@lru_cache(maxsize=4)
def load_trials(path: Path) -> Trials:
    """Return the trials of a file.

    Raises:
        SchemaError: if it is damaged, of an unknown version, or its two counts of the same clips differ.
    """
    try:
        fields = json.loads(path.read_bytes())
        version = fields.pop("schema_version", None)
    except (OSError, ValueError, AttributeError) as error:
        raise SchemaError(f"{path.name}: not readable: {error}") from error
    if version != SCHEMA_VERSION:
        raise SchemaError(f"{path.name}: schema_version must be {SCHEMA_VERSION}, got {version!r}")
    trials = from_json(Trials, fields)
    told = (trials.gender.n_right, trials.gender.n_clips)
    by_engine = tuple(sum(getattr(engine, name) for engine in trials.gender.engines) for name in ("n_right", "n_clips"))
    if told != by_engine:
        raise SchemaError(f"{path.name}: the confusion has {told} clips right and in all, the engines {by_engine}")
    return trials
