"""The decisions of a whole board as columns: a record is made when somebody looks at it, and not before.

500 systems have 124,750 decisions; as records they would take a second and 140 MiB at each new row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.records import Decision
from submissions.board import DECISIONS_SCHEMA

Pair = tuple[str, str]
Places: TypeAlias = npt.NDArray[np.int32]
_NOWHERE = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionRows(Sequence[Decision]):
    """Decisions in the order of their table; taking some of them makes no record."""

    keys: tuple[str, ...]
    """Every system that is named, sorted."""
    challengers: Places
    """Place of each row's challenger among the keys."""
    incumbents: Places
    """Place of each row's incumbent."""
    n_items: npt.NDArray[np.int64]
    """Paired items."""
    challenger_scores: npt.NDArray[np.float64]
    """Mean composite of the challenger, 0..1."""
    incumbent_scores: npt.NDArray[np.float64]
    """Mean composite of the incumbent, 0..1."""
    lcb: npt.NDArray[np.float64]
    """Lower bound of the mean paired difference."""
    margins: npt.NDArray[np.float64]
    """What the bound must exceed."""
    wins: npt.NDArray[np.bool_]
    """Whether it does."""

    def __len__(self) -> int:
        """Return how many there are."""
        return int(self.challengers.size)

    @overload
    def __getitem__(self, at: int) -> Decision: ...
    @overload
    def __getitem__(self, at: slice) -> "DecisionRows": ...
    def __getitem__(self, at: int | slice) -> "Decision | DecisionRows":
        """Return one decision, or some as rows of their own."""
        if isinstance(at, slice):
            return self.taken(np.arange(len(self), dtype=np.int32)[at])
        return Decision(
            challenger=self.keys[self.challengers[at]],
            incumbent=self.keys[self.incumbents[at]],
            n_items=int(self.n_items[at]),
            challenger_score=float(self.challenger_scores[at]),
            incumbent_score=float(self.incumbent_scores[at]),
            lcb=float(self.lcb[at]),
            margin=float(self.margins[at]),
            is_win=bool(self.wins[at]),
        )

    def __iter__(self) -> Iterator[Decision]:
        """Yield every decision."""
        return (self[at] for at in range(len(self)))

    def taken(self, places: Places) -> "DecisionRows":
        """Return the rows at some places, in their order."""
        return replace(
            self,
            challengers=self.challengers[places],
            incumbents=self.incumbents[places],
            n_items=self.n_items[places],
            challenger_scores=self.challenger_scores[places],
            incumbent_scores=self.incumbent_scores[places],
            lcb=self.lcb[places],
            margins=self.margins[places],
            wins=self.wins[places],
        )

    def of(self, submission: str) -> "DecisionRows":
        """Return the rows that a system is in."""
        place = self.keys.index(submission) if submission in self.keys else _NOWHERE
        return self.taken(np.flatnonzero((self.challengers == place) | (self.incumbents == place)).astype(np.int32))

    def table(self) -> pa.Table:
        """Return the rows as the published table has them."""
        names = pa.array(self.keys, pa.string())
        columns = (
            names.take(pa.array(self.challengers)),
            names.take(pa.array(self.incumbents)),
            *(self.n_items, self.challenger_scores, self.incumbent_scores, self.lcb, self.margins, self.wins),
        )
        return pa.Table.from_arrays([pa.array(one) for one in columns], schema=DECISIONS_SCHEMA)


class DecisionMap(Mapping[Pair, Decision]):
    """The decisions of a board by the submissions of challenger and incumbent."""

    def __init__(self, table: pa.Table) -> None:
        """Take them from the published table; of a pair that stands in it twice the last row counts."""
        rows = _rows(table)
        n_keys = len(rows.keys)
        self._places = np.full((n_keys, n_keys), _NOWHERE, dtype=np.int32)
        self._places[rows.challengers, rows.incumbents] = np.arange(len(rows), dtype=np.int32)
        self._numbers = {key: number for number, key in enumerate(rows.keys)}
        counted = self._places[rows.challengers, rows.incumbents] == np.arange(len(rows))
        self.rows = rows if bool(counted.all()) else rows.taken(np.flatnonzero(counted).astype(np.int32))
        if len(self.rows) != len(rows):
            self._places[self.rows.challengers, self.rows.incumbents] = np.arange(len(self.rows), dtype=np.int32)

    def __len__(self) -> int:
        """Return how many pairs are decided."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Pair]:
        """Yield every pair, in the order of the table."""
        keys = self.rows.keys
        numbers = zip(self.rows.challengers.tolist(), self.rows.incumbents.tolist(), strict=True)
        return ((keys[one], keys[other]) for one, other in numbers)

    def __getitem__(self, pair: Pair) -> Decision:
        """Return the decision of a pair."""
        place = self._place(pair)
        if place == _NOWHERE:
            raise KeyError(pair)
        return self.rows[place]

    def __contains__(self, pair: object) -> bool:
        """Say whether a pair is decided, in this direction."""
        return isinstance(pair, tuple) and len(pair) == 2 and self._place(pair) != _NOWHERE

    def between(self, one: str, other: str) -> DecisionRows:
        """Return the decision of two systems, whoever challenges: one row, or none."""
        places = {self._place((one, other)), self._place((other, one))} - {_NOWHERE}
        return self.rows.taken(np.array(sorted(places)[:1], dtype=np.int32))

    def decides_all(self, submissions: Sequence[str]) -> bool:
        """Say whether every pair of some systems is decided, each once."""
        known = [self._numbers[name] for name in set(submissions) if name in self._numbers]
        n_decided = int((self._places[np.ix_(known, known)] != _NOWHERE).sum())
        n_names = len(set(submissions))
        return n_decided == n_names * (n_names - 1) // 2

    def _place(self, pair: Pair) -> int:
        one, other = self._numbers.get(pair[0]), self._numbers.get(pair[1])
        return _NOWHERE if one is None or other is None else int(self._places[one, other])


def _rows(table: pa.Table) -> DecisionRows:
    names = pa.chunked_array([*table["challenger"].chunks, *table["incumbent"].chunks], pa.string())
    keys = pc.unique(names).sort()

    def numbers(column: str) -> Places:
        found: Places = pc.index_in(table[column], value_set=keys).to_numpy().astype(np.int32)
        return found

    return DecisionRows(
        keys=tuple(keys.to_pylist()),
        challengers=numbers("challenger"),
        incumbents=numbers("incumbent"),
        n_items=table["n_items"].to_numpy(),
        challenger_scores=table["challenger_score"].to_numpy(),
        incumbent_scores=table["incumbent_score"].to_numpy(),
        lcb=table["lcb"].to_numpy(),
        margins=table["margin"].to_numpy(),
        wins=table["is_win"].to_numpy(),
    )


NOTHING_DECIDED = DecisionMap(DECISIONS_SCHEMA.empty_table())
"""Of a board without rows."""
