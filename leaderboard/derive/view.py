"""A slice of a board, decided: what pages show of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import MICRO, IntArray, Interval
from evaluation.records import Decision, RankBand
from leaderboard.derive.gap import Gap
from leaderboard.derive.needs import Needs, NeedsTable
from leaderboard.derive.records import ABSENT, Codes, Slice


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """One system in a slice."""

    submission: str
    """The system."""
    score: float | None
    """Mean over the items of the slice, 0..1, a refused item 0; None if the slice has no items."""
    interval: Interval | None
    """Two-sided 95 % bootstrap interval of it; None for fewer than two items."""
    band: RankBand
    """Ranks that the decisions on the slice leave open; of the whole board, the published band."""
    n_items: int
    """Items of the slice."""
    n_declined: int
    """Those of them that the system refused."""
    gate_pass_rate: float | None
    """Share of its clips in the slice that pass the word gate; None without a clip."""
    means: Mapping[str, float | None]
    """Mean desirability of each dimension over its clips in the slice; None without a clip."""
    needs: Needs
    """What would have to change for its band to move."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliceView:
    """All systems of a board on one slice, with every pair decided by the rule of the board."""

    part: Slice
    """The slice; only the whole board ranks, anything else is a derived view and must say so."""
    submissions: tuple[str, ...]
    """The K systems, in the order of the board; every array below is in this order."""
    n_items: int
    """Items of the slice."""
    scores_micro: IntArray
    """Mean over the items, (K,), millionths."""
    low_micro: IntArray
    """Lower end of its 95 % interval, (K,), millionths; ABSENT for fewer than two items."""
    high_micro: IntArray
    """Upper end."""
    n_declined: IntArray
    """Refused items in the slice, (K,)."""
    n_passed: IntArray
    """Clips in the slice that pass the gate, (K,)."""
    means_micro: Mapping[str, IntArray]
    """Mean desirability over clips in the slice, by dimension, (K,); ABSENT without a clip."""
    outcomes: Codes
    """(K, K): 1 if the row's system beats the column's, -1 if it is beaten by it, 0 for a tie and on the diagonal."""
    lcb_micro: npt.NDArray[np.int32]
    """(K, K), symmetric: lower bound of the pair's challenger (higher mean) over its incumbent; diagonal 0."""
    margins_micro: IntArray
    """What a bound must exceed to beat each system, (K,), millionths."""
    best: IntArray
    """Best rank of each system, (K,), from 1."""
    worst: IntArray
    """Worst rank of each system, (K,)."""
    needs: NeedsTable
    """What would have to change for each system's band to move."""
    gap: Gap | None
    """The smallest difference that the test tells apart; None for fewer than two systems or items."""

    def index(self, submission: str) -> int | None:
        """Return the place of a system; None if it is not there."""
        return self.submissions.index(submission) if submission in self.submissions else None

    def order(self) -> tuple[int, ...]:
        """Return the places of all systems, best mean first, the submission that sorts first on a draw."""
        keys = [(-int(score), name) for score, name in zip(self.scores_micro, self.submissions, strict=True)]
        return tuple(sorted(range(len(keys)), key=keys.__getitem__))

    def row(self, submission: str) -> SliceRow | None:
        """Return what is known of one system; None if it is not there."""
        place = self.index(submission)
        return None if place is None else self._row(place)

    def decision(self, a: str, b: str) -> Decision | None:
        """Return the decision of a pair on this slice, whichever way round; None if it is no pair of this slice."""
        i, j = self.index(a), self.index(b)
        if i is None or j is None or i == j:
            return None
        if (self.scores_micro[i], a) < (self.scores_micro[j], b):
            i, j = j, i
        lcb, margin = int(self.lcb_micro[i, j]), int(self.margins_micro[j])
        return Decision(
            challenger=self.submissions[i],
            incumbent=self.submissions[j],
            n_items=self.n_items,
            challenger_score=int(self.scores_micro[i]) / MICRO,
            incumbent_score=int(self.scores_micro[j]) / MICRO,
            lcb=lcb / MICRO,
            margin=margin / MICRO,
            is_win=lcb > margin,
        )

    def _row(self, place: int) -> SliceRow:
        n_clips = self.n_items - int(self.n_declined[place])
        low, high = int(self.low_micro[place]), int(self.high_micro[place])
        return SliceRow(
            submission=self.submissions[place],
            score=int(self.scores_micro[place]) / MICRO if self.n_items else None,
            interval=Interval(low=low / MICRO, high=high / MICRO) if high != ABSENT else None,
            band=RankBand(best=int(self.best[place]), worst=int(self.worst[place])),
            n_items=self.n_items,
            n_declined=int(self.n_declined[place]),
            gate_pass_rate=round(int(self.n_passed[place]) / n_clips, 6) if n_clips else None,
            means={name: _number(int(means[place])) for name, means in self.means_micro.items()},
            needs=self.needs.of(place),
        )


def _number(micro: int) -> float | None:
    return None if micro == ABSENT else micro / MICRO
