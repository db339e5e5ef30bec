"""All pairs of a board's systems on one slice as arrays, best mean first, and the clusters of mutual ties. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import MICRO
from leaderboard.derive.records import ALL, Slice
from leaderboard.derive.view import SliceView
from leaderboard.views import Board

WIN, TIE, LOSS = 1, 0, -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Neighbours in the order of means that all tie with each other."""

    first: int
    """Place of the first system, from 0."""
    n: int
    """Systems in it, >= 1."""
    best: int
    """Best rank that any of them may have."""
    worst: int
    """Worst rank that any of them may have."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """Who beats whom among K systems, best mean first."""

    part: Slice
    """The slice; only the whole board ranks."""
    keys: tuple[str, ...]
    """Submissions; K of them."""
    scores_micro: npt.NDArray[np.int64]
    """Means, (K,), millionths."""
    outcomes: npt.NDArray[np.int8]
    """(K, K): 1 if the row's system beats the column's, -1 if it is beaten, 0 for a tie and on the diagonal."""
    lcb_micro: npt.NDArray[np.int32]
    """(K, K), symmetric: lower bound of the pair's challenger, millionths; diagonal 0."""
    margins_micro: npt.NDArray[np.int64]
    """What a bound must exceed to beat each system, (K,), millionths; -1 if no decision tells it."""
    best: npt.NDArray[np.int64]
    """Best rank, (K,), from 1."""
    worst: npt.NDArray[np.int64]
    """Worst rank, (K,)."""

    def place(self, key: str) -> int | None:
        """Return the place of a system, from 0; None if it is not there."""
        return self.keys.index(key) if key in self.keys else None

    def tally(self, place: int) -> tuple[int, int, int]:
        """Return a system's wins, ties and losses."""
        line = self.outcomes[place]
        wins, losses = int((line == WIN).sum()), int((line == LOSS).sum())
        return wins, len(self.keys) - 1 - wins - losses, losses

    def clusters(self) -> tuple[Cluster, ...]:
        """Return the systems cut, from the best mean down, into runs in which everybody ties with everybody.

        Ties are not handed on: a system may also tie with members of the next run. Each run is as long as it can be.
        """
        found: list[Cluster] = []
        first = 0
        for place in range(1, len(self.keys) + 1):
            if place < len(self.keys) and not self.outcomes[place, first:place].any():
                continue
            found.append(self._cluster(first, place))
            first = place
        return tuple(found)

    def _cluster(self, first: int, end: int) -> Cluster:
        best, worst = int(self.best[first:end].min()), int(self.worst[first:end].max())
        return Cluster(first=first, n=end - first, best=best, worst=worst)


def of_view(view: SliceView) -> Grid:
    """Return the grid of a derived slice."""
    order = np.array(view.order(), dtype=np.intp)
    return Grid(
        part=view.part,
        keys=tuple(view.submissions[place] for place in order),
        scores_micro=view.scores_micro[order],
        outcomes=view.outcomes[np.ix_(order, order)],
        lcb_micro=view.lcb_micro[np.ix_(order, order)],
        margins_micro=view.margins_micro[order],
        best=view.best[order],
        worst=view.worst[order],
    )


def of_board(board: Board) -> Grid:
    """Return the grid of a whole board from its published decisions.

    A pair without a decision counts as a tie whose bound is 0; a board that is read whole has none.
    """
    keys = tuple(row.submission for row in board.rows)
    places = {key: place for place, key in enumerate(keys)}
    outcomes = np.zeros((len(keys), len(keys)), dtype=np.int8)
    lcb = np.zeros((len(keys), len(keys)), dtype=np.int32)
    margins = np.full(len(keys), -1, dtype=np.int64)
    rows = board.decisions.rows
    order = np.array([places.get(key, -1) for key in rows.keys], dtype=np.int64)
    i, j = order[rows.challengers], order[rows.incumbents]
    is_known = (i >= 0) & (j >= 0)
    i, j, wins = i[is_known], j[is_known], rows.wins[is_known]
    lcb[i, j] = lcb[j, i] = np.rint(rows.lcb[is_known] * MICRO).astype(np.int32)
    margins[j] = np.rint(rows.margins[is_known] * MICRO).astype(np.int64)
    outcomes[i[wins], j[wins]], outcomes[j[wins], i[wins]] = WIN, LOSS
    return Grid(
        part=ALL,
        keys=keys,
        scores_micro=_array([round((row.score or 0.0) * MICRO) for row in board.rows]),
        outcomes=outcomes,
        lcb_micro=lcb,
        margins_micro=margins,
        best=_array([row.band.best for row in board.rows]),
        worst=_array([row.band.worst for row in board.rows]),
    )


def _array(values: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)
