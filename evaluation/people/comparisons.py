"""Judged comparisons that people are asked about too: what they are, which are drawn, and the key to their letters."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from evaluation.codec import canonical, read_record, to_json
from evaluation.errors import SchemaError
from evaluation.records import ItemId, Verdict, Winner

T = TypeVar("T")

SCHEMA_VERSION = 1

Letter = Literal["a", "b"]
Answer = Literal["a", "b", "tie"]
LETTERS: tuple[Letter, ...] = ("a", "b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One verdict of the judge: one clip of one system against the anchor's clip of the same item."""

    submission: str
    """Published submission that the clip is of."""
    item_id: ItemId
    """Item that both clips read."""
    dimension: str
    """What was judged."""
    requested: str
    """Requested value of that trait; empty for naturalness."""
    tier: int
    """Difficulty of the item, 0..2."""
    verdict: Verdict
    """What the judge said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One comparison as people hear it."""

    id: str
    """What raters know it by; tells nothing."""
    clip_letter: Letter
    """Which of the two letters the system's clip has; the other one is the anchor's."""
    judged: Judged
    """What the judge said of it."""

    def winner_of(self, answer: Answer) -> Winner:
        """Return which clip an answer prefers."""
        if answer == "tie":
            return "tie"
        return "clip" if answer == self.clip_letter else "anchor"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """What stands behind the letters of one draw; raters must not see it."""

    protocol_id: str
    """Whose judge is held against people."""
    judge: str
    """The judge's model id."""
    anchor: str
    """Published submission of the anchor."""
    seed: int
    """Seed of the draw and of the letters."""
    comparisons: tuple[Comparison, ...]
    """In the order of the sheet."""


def draw(judged: Sequence[Judged], n: int, *, seed: int) -> tuple[Comparison, ...]:
    """Return a stratified draw of comparisons, shuffled, with letters by chance.

    A stratum is a dimension, a tier and a requested value. Each gives one comparison in turn until `n` are drawn or
    none is left, so rare strata are as well represented as they can be.

    Args:
        judged: everything that was judged, in any order.
        n: most comparisons.
        seed: the same input and seed give the same draw.

    Raises:
        ValueError: for n < 1.
    """
    if n < 1:
        raise ValueError(f"at least one comparison must be drawn, got {n}")
    rng = np.random.default_rng(seed)
    strata: dict[tuple[str, int, str], list[Judged]] = defaultdict(list)
    for one in sorted(judged, key=lambda one: (one.submission, one.item_id, one.dimension)):
        strata[one.dimension, one.tier, one.requested].append(one)
    decks = [_shuffled(strata[stratum], rng) for stratum in sorted(strata)]
    decks = _shuffled(decks, rng)
    rounds = max((len(deck) for deck in decks), default=0)
    in_turn = [deck[turn] for turn in range(rounds) for deck in decks if turn < len(deck)]
    drawn = _shuffled(in_turn[:n], rng)
    letters: list[Letter] = [LETTERS[place] for place in rng.integers(0, 2, size=len(drawn)).tolist()]
    return tuple(
        Comparison(id=f"c{number:04}", clip_letter=letter, judged=one)
        for number, (letter, one) in enumerate(zip(letters, drawn, strict=True), start=1)
    )


def encode_key(key: AnswerKey) -> bytes:
    """Return the canonical JSON bytes of an answer key, schema version included."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(key)})


def decode_key(data: bytes, where: str) -> AnswerKey:
    """Read an answer key.

    Raises:
        SchemaError: if it is damaged, of an unknown version, or names one comparison twice.
    """
    key = read_record(AnswerKey, data, where, version=SCHEMA_VERSION)
    if len({one.id for one in key.comparisons}) != len(key.comparisons):
        raise SchemaError(f"{where}: a comparison is named twice")
    return key


def _shuffled(deck: Sequence[T], rng: np.random.Generator) -> list[T]:
    return [deck[place] for place in rng.permutation(len(deck)).tolist()]
