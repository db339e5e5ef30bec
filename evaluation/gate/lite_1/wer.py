"""Word errors under the first normaliser, frozen with it. Pure.

Two spoken forms of one thing must not count as errors, so before words are compared

1. runs of number words are compared by the digits that they stand for, and runs of single letters
   by the letters ("two thousand twenty four" is "twenty twenty four"; "a x" is "ax");
2. stretches that differ in their spaces only are made equal ("wild flora" is "wildflora").

Neither can be heard. What is left is an ordinary word alignment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

import jiwer

from evaluation.gate.lite_1.numerals import NUMBER_WORDS, digits_of
from evaluation.gate.lite_1.spoken import spoken_words
from evaluation.records import WordErrors

Edit = Literal["equal", "substitute", "delete", "insert"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedWord:
    """One step of the alignment of a transcript with its script."""

    kind: Edit
    """What happened to the word."""
    reference: str
    """Word of the script's spoken form; empty for an insertion."""
    heard: str
    """Word of the transcript's spoken form; empty for a deletion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """Words that can only be right or wrong together."""

    key: str
    """What is compared."""
    words: tuple[str, ...]
    """The words."""


def word_errors(script: str, transcript: str) -> WordErrors:
    """Return the word errors of `transcript`; fewer is better.

    Args:
        script: text that should be said.
        transcript: text that was heard; empty: every word of the script is deleted.

    Returns:
        Counts and rate. A script without a single word counts as one word, so that whatever is heard
        instead is an error and silence is none.

    Example:
        >>> word_errors("I paid $5.50.", "I paid five dollars and fifty cents").wer
        0.0
    """
    kinds = [word.kind for word in aligned(script, transcript)]
    n_words = kinds.count("equal") + kinds.count("substitute") + kinds.count("delete")
    n_errors = len(kinds) - kinds.count("equal")
    return WordErrors(
        wer=round(n_errors / max(1, n_words), 6),
        substitutions=kinds.count("substitute"),
        deletions=kinds.count("delete"),
        insertions=kinds.count("insert"),
        n_words=n_words,
    )


def aligned(script: str, transcript: str) -> tuple[AlignedWord, ...]:
    """Return the word alignment that `word_errors` counts, in reading order."""
    reference, heard = _units(script), _units_of(spoken_words(transcript))
    words = _without_spacing(_words(reference), _agreed(reference, heard))
    steps: list[AlignedWord] = []
    for kind, ours, theirs in _edits(_words(reference), words):
        steps.append(AlignedWord(kind=kind, reference=ours, heard=theirs))
    return tuple(steps)


@lru_cache(maxsize=4096)
def _units(script: str) -> tuple[_Unit, ...]:
    return _units_of(spoken_words(script))


def _units_of(words: Sequence[str]) -> tuple[_Unit, ...]:
    units: list[_Unit] = []
    for kind, members in groupby(_classed(words), key=lambda pair: pair[0]):
        run = tuple(word for _, word in members)
        if kind == "number":
            units.append(_Unit(key=digits_of(run), words=run))
        elif kind == "letter":
            units.append(_Unit(key="".join(run), words=run))
        else:
            units.extend(_Unit(key=word, words=(word,)) for word in run)
    return tuple(units)


def _classed(words: Sequence[str]) -> list[tuple[str, str]]:
    out = []
    for i, word in enumerate(words):
        is_point = word == "point" and 0 < i < len(words) - 1
        is_point = is_point and words[i - 1] in NUMBER_WORDS and words[i + 1] in NUMBER_WORDS
        kind = "number" if word in NUMBER_WORDS or is_point else "letter" if len(word) == 1 else "word"
        out.append((kind, word))
    return out


def _words(units: Sequence[_Unit]) -> tuple[str, ...]:
    return tuple(word for unit in units for word in unit.words)


def _agreed(reference: Sequence[_Unit], heard: Sequence[_Unit]) -> tuple[str, ...]:
    """Return the heard words, each unit that means the same as the script's said as in the script."""
    ours, theirs = iter(reference), iter(heard)
    words: list[str] = []
    for kind, _, _ in _edits([unit.key for unit in reference], [unit.key for unit in heard]):
        mine = next(ours) if kind != "insert" else None
        other = next(theirs) if kind != "delete" else None
        spoken = mine if kind == "equal" else other
        words.extend(spoken.words if spoken else ())
    return tuple(words)


def _without_spacing(reference: Sequence[str], heard: Sequence[str]) -> tuple[str, ...]:
    """Return the heard words with the script's spaces wherever nothing but the spaces differs."""
    words: list[str] = []
    for is_equal, steps in groupby(_edits(reference, heard), key=lambda step: step[0] == "equal"):
        stretch = list(steps)
        ours = [step[1] for step in stretch if step[1]]
        theirs = [step[2] for step in stretch if step[2]]
        words.extend(ours if is_equal or "".join(ours) == "".join(theirs) else theirs)
    return tuple(words)


def _edits(reference: Sequence[str], heard: Sequence[str]) -> list[tuple[Edit, str, str]]:
    """Align two token rows; jiwer takes no empty row, so those are spelled out here."""
    if not reference or not heard:
        return [("delete", word, "") for word in reference] + [("insert", "", word) for word in heard]
    output = jiwer.process_words(" ".join(reference), " ".join(heard))
    edits: list[tuple[Edit, str, str]] = []
    for chunk in output.alignments[0]:
        ours = reference[chunk.ref_start_idx : chunk.ref_end_idx]
        theirs = heard[chunk.hyp_start_idx : chunk.hyp_end_idx]
        length = max(len(ours), len(theirs))
        padded = zip([*ours, *[""] * (length - len(ours))], [*theirs, *[""] * (length - len(theirs))], strict=True)
        edits.extend((chunk.type, mine, other) for mine, other in padded)
    return edits
