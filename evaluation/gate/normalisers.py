"""Every normaliser that ever scored a row, by the version that its protocol names.

The newest is this package's; an older one stays as it was in a package of its own, so that rows which it
scored can be recomputed for ever.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.errors import ProtocolError
from evaluation.gate import spoken, wer
from evaluation.gate.frozen import shipped_forms
from evaluation.gate.lite_1 import spoken as first_spoken
from evaluation.gate.lite_1 import wer as first_wer
from evaluation.records import Item, WordErrors

LITE_1 = first_spoken.NORMALISER
"""The first normaliser: one reading of each script, no units."""
NEWEST = spoken.NORMALISER
"""What new protocols name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A transcript held against its script."""

    errors: WordErrors
    """Counts and rate."""
    path: str | None
    """The accepted reading that is nearest to what was heard; None under a normaliser that knows but one."""
    n_units: int | None
    """Numbers, dates, addresses and the like in the script; None under a normaliser that knows none."""
    n_units_right: int | None
    """Those of them that were read right."""
    words: tuple[wer.AlignedWord, ...]
    """Word by word, in reading order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Normaliser:
    """How one version compares texts and counts words."""

    compare: Callable[[Item, str], Comparison]
    """Item and transcript to comparison."""
    n_spoken_words: Callable[[str], int]
    """Script to the number of words that a speaker says for it."""
    takes_forms: bool
    """Whether it accepts the spoken forms that a corpus brings."""


def normaliser(version: str) -> Normaliser:
    """Return the normaliser of a version.

    Raises:
        ProtocolError: if no such version is known.
    """
    found = _VERSIONS.get(version)
    if found is None:
        raise ProtocolError(f"no normaliser is called {version!r:.40}; this version knows {', '.join(_VERSIONS)}")
    return found


def _compare(item: Item, transcript: str) -> Comparison:
    reading = wer.read_gate(item.script, transcript, extra=shipped_forms(item.script) + item.spoken_forms)
    return Comparison(
        errors=reading.errors,
        path=" ".join(reading.path),
        n_units=len(reading.units),
        n_units_right=reading.n_units_right,
        words=reading.words,
    )


def _compare_first(item: Item, transcript: str) -> Comparison:
    steps = first_wer.aligned(item.script, transcript)
    return Comparison(
        errors=first_wer.word_errors(item.script, transcript),
        path=None,
        n_units=None,
        n_units_right=None,
        words=tuple(wer.AlignedWord(kind=one.kind, reference=one.reference, heard=one.heard) for one in steps),
    )


_VERSIONS: Mapping[str, Normaliser] = {
    NEWEST: Normaliser(compare=_compare, n_spoken_words=spoken.n_spoken_words, takes_forms=True),
    LITE_1: Normaliser(compare=_compare_first, n_spoken_words=first_spoken.n_spoken_words, takes_forms=False),
}
