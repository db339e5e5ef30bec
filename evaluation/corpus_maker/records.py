"""What the corpus maker passes on: what an item must be, what was written for it, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.errors import CastboardError


class CorpusMakerError(CastboardError):
    """A corpus cannot be made, or is not fit to be frozen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What one item must be, before anything is written."""

    index: int
    """Position in the corpus, from 0."""
    tier: int
    """Difficulty: 0 easy, 1 normal, 2 hard."""
    category: str
    """What its script is hard for, for example "questions"."""
    requested: Mapping[str, str]
    """Requested value of every trait, by trait name."""
    is_held_out: bool
    """It goes to the private file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item as it was written."""

    id: str
    """Unique id in the corpus."""
    instruction: str
    """The voice prompt."""
    script: str
    """The text to read."""
    requested: Mapping[str, str]
    """Requested value of every trait, by trait name, as the fields of the item say."""
    tier: int
    """Difficulty: 0 easy, 1 normal, 2 hard."""
    category: str
    """What its script is hard for."""
    is_held_out: bool = False
    """It goes to the private file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One invariant that one item breaks."""

    item_id: str
    """The item."""
    check: str
    """Short name of the invariant: "traits", "instruction", "leak", "length", ..."""
    reason: str
    """What is wrong and what is allowed, one sentence for a writer to act on."""
