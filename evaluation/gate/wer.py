"""Word errors of a transcript against every accepted way to say its script. Pure but for the shipped forms' file."""

from dataclasses import dataclass

from evaluation.gate.distance import Edit, Step, align
from evaluation.gate.frozen import shipped_forms
from evaluation.gate.lattice import Lattice, heard_lattice, script_lattice
from evaluation.gate.reading import PLAIN
from evaluation.records import ExtraForm, WordErrors

__all__ = ["AlignedWord", "Edit", "GateReading", "UnitReading", "aligned", "read_gate", "word_errors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedWord:
    """One step of the alignment of a transcript with its script."""

    kind: Edit
    """What happened to the word."""
    reference: str
    """Word of the script's chosen reading; empty for an insertion."""
    heard: str
    """Word that was heard; empty for a deletion."""
    unit: int | None = None
    """Index of the unit that the word belongs to; None for ordinary text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitReading:
    """One number, date, address or the like of a script, and how it was read."""

    kind: str
    """Its class: "currency", "date", "url", ..."""
    start: int
    """First character in the script."""
    end: int
    """Behind its last character."""
    text: str
    """As written."""
    is_right: bool
    """Every word of it was heard, and nothing in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReading:
    """A transcript held against its script."""

    errors: WordErrors
    """Counts and rate."""
    path: tuple[str, ...]
    """The accepted reading that is nearest to what was heard, word by word."""
    words: tuple[AlignedWord, ...]
    """The alignment, in reading order."""
    units: tuple[UnitReading, ...]
    """All units of the script, in reading order."""

    @property
    def n_units_right(self) -> int:
        """Count the units that were read right."""
        return sum(unit.is_right for unit in self.units)


def word_errors(script: str, transcript: str, *, extra: tuple[ExtraForm, ...] | None = None) -> WordErrors:
    """Return the word errors of `transcript`; fewer is better.

    Args:
        script: text that should be said.
        transcript: text that was heard; empty: every word of the script is deleted.
        extra: further accepted forms of the script; None: those that are shipped for it, if any.

    Returns:
        Counts and rate. A script without a single word counts as one word, so that whatever is heard
        instead is an error and silence is none.

    Example:
        >>> word_errors("I paid $5.50.", "I paid five dollars and fifty cents").wer
        0.0
    """
    return read_gate(script, transcript, extra=extra).errors


def aligned(script: str, transcript: str, *, extra: tuple[ExtraForm, ...] | None = None) -> tuple[AlignedWord, ...]:
    """Return the word alignment that `word_errors` counts, in reading order."""
    return read_gate(script, transcript, extra=extra).words


def read_gate(
    script: str, transcript: str, *, extra: tuple[ExtraForm, ...] | None = None, joins: bool = True
) -> GateReading:
    """Return everything that the gate knows of one transcript.

    Args:
        script: text that should be said.
        transcript: text that was heard.
        extra: further accepted forms of the script; None: those that are shipped for it, if any.
        joins: spaces are free ("web site" is "website"); False compares word by word.
    """
    lattice = script_lattice(script, shipped_forms(script) if extra is None else extra)
    steps = align(lattice, heard_lattice(transcript), joins=joins)
    of_units = (index for index, fragment in enumerate(lattice.fragments) if fragment.kind != PLAIN)
    numbers = {index: number for number, index in enumerate(of_units)}
    words = tuple(word for step in steps for word in _aligned(step, numbers))
    wrong = {index for step in steps if not step.is_equal for index in _touched(step, lattice)}
    return GateReading(
        errors=_counted(words),
        path=tuple(word.reference for word in words if word.reference),
        words=words,
        units=tuple(
            UnitReading(
                kind=fragment.kind,
                start=fragment.start,
                end=fragment.end,
                text=script[fragment.start : fragment.end],
                is_right=index not in wrong,
            )
            for index, fragment in enumerate(lattice.fragments)
            if index in numbers
        ),
    )


def _aligned(step: Step, numbers: dict[int, int]) -> list[AlignedWord]:
    ours = step.script[2] if step.script else ""
    theirs = step.heard[2] if step.heard else ""
    unit = numbers.get(step.script[3]) if step.script else None
    if step.is_equal:
        # Where words run on across their spaces the letters are the same: shown with the script's spaces.
        is_same_word = step.script and step.heard and step.script[1] == step.heard[1]
        return (
            [AlignedWord(kind="equal", reference=ours, heard=theirs if is_same_word else ours, unit=unit)]
            if ours
            else []
        )
    kind: Edit = "substitute" if ours and theirs else "delete" if ours else "insert"
    return [AlignedWord(kind=kind, reference=ours, heard=theirs, unit=unit)]


def _touched(step: Step, lattice: Lattice) -> tuple[int, ...]:
    """Return the fragment that an error falls into, if any."""
    index = step.script[3] if step.script else lattice.inner[step.at]
    return (index,) if index >= 0 else ()


def _counted(words: tuple[AlignedWord, ...]) -> WordErrors:
    kinds = [word.kind for word in words]
    n_insertions = kinds.count("insert")
    n_words = len(kinds) - n_insertions
    n_errors = len(kinds) - kinds.count("equal")
    return WordErrors(
        wer=round(n_errors / max(1, n_words), 6),
        substitutions=kinds.count("substitute"),
        deletions=kinds.count("delete"),
        insertions=n_insertions,
        n_words=n_words,
    )
