"""The numbers of a whole board as compact arrays, and what one asks of them. Plain values; no file is read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.protocol import Protocol
from evaluation.records import Split

Micro = npt.NDArray[np.int32]
"""Integers of 1e-6; ABSENT where there is no value."""
Codes = npt.NDArray[np.int8]
"""Places in a list of values; ABSENT where there is none."""
Flags = npt.NDArray[np.bool_]

ABSENT = -1
"""Stands in an array where there is no value: never a measurement, a score or a code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Which part of a board is looked at. Only the whole board (`ALL`) ranks; any other part is a derived view.

    A part never changes what an item counts: a refused item is 0 as it is in S, of a dimension too, and what a clip
    gave nothing to read of is 0 by its own fault. So all systems are compared on the same items.
    """

    tier: int | None = None
    """Difficulty of the items, 0..2; None for every tier."""
    split: Split | None = None
    """Split of the items; None for both."""
    trait: str | None = None
    """Dimension whose desirability stands in the place of the composite (and no gate is applied); None: composites."""

    @property
    def key(self) -> str:
        """Its name in files and addresses: "all", "tier-2", "trait-accent.tier-2"."""
        parts = {"trait": self.trait, "tier": self.tier, "split": self.split}
        return ".".join(f"{name}-{value}" for name, value in parts.items() if value is not None) or "all"


ALL = Slice()
"""The whole board, whose decisions and rank bands are the published ones."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """The n items of a board, in ascending order of their ids."""

    ids: tuple[str, ...]
    """Item ids."""
    tiers: Codes
    """Difficulty, (n,), 0..2."""
    is_held_out: Flags
    """Whether the item is of the held-out split, (n,)."""
    values: Mapping[str, tuple[str, ...]]
    """Values of every trait, by trait: the registry's, then others that items ask for (of a numeric trait)."""
    requested: Mapping[str, Codes]
    """Place in `values` of what an item asks for, (n,), by trait."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """Everything scored of K systems on n items. Rows are in the board's order, columns in that of `items`."""

    protocol: Protocol
    """The recipe."""
    protocol_id: str
    """Its id."""
    submissions: tuple[str, ...]
    """The K systems, by submission."""
    shas: tuple[str, ...]
    """sha256 (hex) of each system's published result."""
    items: Items
    """The n items."""
    composites: Micro
    """Composite, (K, n); 0 for a refused item."""
    desirabilities: Mapping[str, Micro]
    """Desirability by dimension, (K, n); ABSENT for a refused item."""
    is_unread: Mapping[str, Flags]
    """Whether the clip gave nothing to read of a dimension (which is then 0), (K, n), by dimension."""
    measured: Mapping[str, Codes]
    """Place in `items.values` of what was measured, by ordinal and categorical trait that no judge scores, (K, n)."""
    second: Mapping[str, Micro]
    """By judged dimension that another instrument reads too: desirability of that reading, never scored, (K, n)."""
    passed: Flags
    """Whether the clip passed the gate, (K, n); False for a refused item."""
    declined: Flags
    """Whether the system refused the item, (K, n)."""
    wer_micro: Micro
    """Word-error rate, (K, n), capped at 2000; ABSENT for a refused item."""
    left_out: tuple[str, ...]
    """Rows of the board whose table could not be read; normally none."""

    def index(self, submission: str) -> int | None:
        """Return the row of a system; None if it has none."""
        return self.submissions.index(submission) if submission in self.submissions else None

    def chosen(self, part: Slice) -> Flags:
        """Return which items a slice holds, (n,)."""
        found = np.ones(len(self.items.ids), dtype=np.bool_)
        if part.tier is not None:
            found &= self.items.tiers == part.tier
        if part.split is not None:
            found &= self.items.is_held_out == (part.split == "held_out")
        return found

    def rows(self, part: Slice) -> Micro:
        """Return what the slice compares, (K, items of the slice): composites or one dimension; a refused item is 0.

        Raises:
            KeyError: for a dimension that the protocol does not score.
        """
        whole = self.composites if part.trait is None else np.maximum(self.desirabilities[part.trait], 0)
        return whole[:, self.chosen(part)]


def slice_of(protocol: Protocol, *, tier: str = "", split: str = "", trait: str = "") -> Slice:
    """Return the slice that the words of an address ask for; a word that means nothing here is passed over."""
    return Slice(
        tier=int(tier) if tier in ("0", "1", "2") else None,
        split="held_out" if split == "held_out" else "public" if split == "public" else None,
        trait=trait if trait in protocol.dimensions else None,
    )


def prepared(protocol: Protocol) -> tuple[Slice, ...]:
    """Return the slices that are worked out ahead, the most wanted first; others are when asked for."""
    tiers = (0, 1, 2)
    traits = protocol.dimensions
    return (
        ALL,
        *(Slice(tier=tier) for tier in tiers),
        *(Slice(trait=name) for name in traits),
        Slice(split="held_out"),
        Slice(split="public"),
        *(Slice(tier=tier, trait=name) for name in traits for tier in tiers),
    )
