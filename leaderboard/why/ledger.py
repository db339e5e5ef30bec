"""One system's published values item by item, in order of item id: what its figures are sums of.

Only the columns that sums need are read, so that a page of one number is quick on any board.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evaluation.bootstrap import MICRO
from evaluation.protocol import Protocol
from leaderboard.derive.records import Slice
from submissions import layout
from submissions.columns import REQUESTED
from submissions.store.base import PublishedFiles

IntArray = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DimensionColumns:
    """One dimension of every item."""

    requested: tuple[str | None, ...]
    """Requested value; None for naturalness."""
    measured: tuple[str | None, ...]
    """Measured bucket or class; None if there is none."""
    quantity: tuple[float | None, ...]
    """The number behind it, in the dimension's unit; None if unread."""
    desirability_micro: IntArray
    """Desirability in millionths, 0 for a refused item."""
    desirability: tuple[float | None, ...]
    """The same as it was published; None for a refused item."""
    reason: tuple[str | None, ...]
    """Why nothing could be read; None if it was read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ledger:
    """The n items of one system, in ascending order of item id."""

    submission: str
    """The system."""
    ids: tuple[str, ...]
    """Item ids."""
    tiers: IntArray
    """Difficulty, 0..2."""
    splits: tuple[str, ...]
    """Split of each item."""
    declined: Flags
    """The system refused the item."""
    passed: Flags
    """The clip passed the gate; False for a refused item."""
    wer: tuple[float | None, ...]
    """Word-error rate; None for a refused item."""
    composite_micro: IntArray
    """Composite in millionths."""
    dimensions: Mapping[str, DimensionColumns]
    """Scored dimensions, in the protocol's order."""

    def chosen(self, part: Slice) -> Flags:
        """Return which items a slice holds, (n,)."""
        found = np.ones(len(self.ids), dtype=np.bool_)
        if part.tier is not None:
            found &= self.tiers == part.tier
        if part.split is not None:
            found &= np.array([split == part.split for split in self.splits], dtype=np.bool_)
        return found

    def row(self, part: Slice) -> IntArray:
        """Return what a slice compares: composites, or one dimension with 0 for a refused item; millionths."""
        whole = self.composite_micro if part.trait is None else self.dimensions[part.trait].desirability_micro
        return whole[self.chosen(part)]


def read_ledger(files: PublishedFiles, protocol: Protocol, protocol_id: str, submission: str) -> Ledger:
    """Return a system's ledger from its per-sample table.

    Raises:
        FileNotFoundError: if there is none.
        SchemaError: if it is damaged or of an unknown version.
    """
    path = layout.samples_path(protocol_id, submission)
    with layout.opened(files, path) as file:
        known = set(file.schema_arrow.names)
        wanted = ["item_id", "tier", "split", "is_declined", "passed_gate", "wer", "composite_micro"]
        for name in protocol.dimensions:
            wanted += [f"{part}_{name}" for part in ("measured", "quantity", "desirability", "reason")]
            wanted += [REQUESTED + name] if REQUESTED + name in known else []
        table = file.read(columns=wanted)
    return of_table(table.sort_by("item_id"), protocol, submission)


def of_table(table: pa.Table, protocol: Protocol, submission: str) -> Ledger:
    """Return the ledger of a table whose rows are in order of item id."""
    listed = {name: table[name].to_pylist() for name in table.column_names}
    return Ledger(
        submission=submission,
        ids=tuple(listed["item_id"]),
        tiers=_integers(listed["tier"]),
        splits=tuple(listed["split"]),
        declined=np.array(listed["is_declined"], dtype=np.bool_),
        passed=np.array(listed["passed_gate"], dtype=np.bool_),
        wer=tuple(listed["wer"]),
        composite_micro=_integers(listed["composite_micro"]),
        dimensions={name: _dimension(name, listed) for name in protocol.dimensions},
    )


def _dimension(name: str, listed: Mapping[str, Sequence[object]]) -> DimensionColumns:
    n = len(listed["item_id"])
    values: list[float | None] = list(listed[f"desirability_{name}"])  # type: ignore[arg-type]
    return DimensionColumns(
        requested=tuple(listed.get(REQUESTED + name, [None] * n)),  # type: ignore[arg-type]
        measured=tuple(listed[f"measured_{name}"]),  # type: ignore[arg-type]
        quantity=tuple(listed[f"quantity_{name}"]),  # type: ignore[arg-type]
        desirability_micro=_integers([0 if value is None else round(value * MICRO) for value in values]),
        desirability=tuple(values),
        reason=tuple(listed[f"reason_{name}"]),  # type: ignore[arg-type]
    )


def _integers(values: Sequence[int]) -> IntArray:
    return np.array(values, dtype=np.int64)
