"""Composites become wins, ties and rank bands; pure and in exact integers.

A pair is decided by the paired bootstrap: the challenger wins if the one-sided lower bound of its
mean advantage exceeds a margin that depends on the incumbent's score. Every quantity is an integer
of 1e-6 until it is shown, so any machine reaches the same decisions, bit for bit.

Who challenges: the system with the higher rounded mean. Two equal means cannot part, but their
record must not depend on who was named first: the key that sorts first is then the incumbent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import MICRO, IntArray, exact, quantile_micro, resample_sums, round_half_even
from evaluation.protocol import Constants
from evaluation.records import Decision, RankBand, SampleScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One system as a decision sees it."""

    key: str
    """Unique key of the system on its board."""
    composites_micro: tuple[int, ...]
    """Composite of every item in millionths, 0..1_000_000, in ascending order of item id."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decisions:
    """All decisions of one board, as arrays over its K systems; `of` gives one as a record."""

    keys: tuple[str, ...]
    """Keys of the systems; K of them, unique."""
    n_items: int
    """Items that every system was scored on."""
    scores_micro: IntArray
    """Mean composites, int64 (K,), millionths, rounded half to even."""
    sums: IntArray
    """Resample sums, int64 (K, n_resamples), millionths: what a new system is compared with."""
    lcb_micro: IntArray
    """Lower bound of each pair's challenger over its incumbent, int64 (K, K), symmetric, diagonal 0."""
    margins_micro: IntArray
    """What a bound must exceed to beat each system, int64 (K,), millionths."""
    beats: npt.NDArray[np.bool_]
    """(K, K): whether the row's system beats the column's."""

    def of(self, a: str, b: str) -> Decision:
        """Return the decision of the pair, whichever way round it is named.

        Raises:
            KeyError: for a key that is not on the board, or a system against itself.
        """
        for key in (a, b):
            if key not in self.keys:
                raise KeyError(f"{key} is not on this board of {len(self.keys)} systems")
        if a == b:
            raise KeyError(f"{a} is not decided against itself")
        return self._record(self.keys.index(a), self.keys.index(b))

    def pairs(self) -> Iterator[Decision]:
        """Yield the decision of every unordered pair, in order of the pair's sorted keys."""
        order = sorted(range(len(self.keys)), key=self.keys.__getitem__)
        for position, i in enumerate(order):
            for j in order[position + 1 :]:
                yield self._record(i, j)

    def _record(self, i: int, j: int) -> Decision:
        if _rank(int(self.scores_micro[i]), self.keys[i]) < _rank(int(self.scores_micro[j]), self.keys[j]):
            i, j = j, i
        return _decision(
            keys=(self.keys[i], self.keys[j]),
            n_items=self.n_items,
            scores_micro=(int(self.scores_micro[i]), int(self.scores_micro[j])),
            lcb_micro=int(self.lcb_micro[i, j]),
            margin_micro=int(self.margins_micro[j]),
        )


def contender(key: str, samples: Iterable[SampleScore]) -> Contender:
    """Return a system's composites in ascending order of item id, in whatever order `samples` come.

    The resamples draw items by position, so the order must be the same for every system, for ever.
    """
    ordered = sorted(samples, key=lambda sample: sample.item_id)
    return Contender(key=key, composites_micro=tuple(sample.composite_micro for sample in ordered))


def decide(a: Contender, b: Contender, *, constants: Constants, incumbent: str | None = None) -> Decision:
    """Return the decision of one pair.

    Args:
        a: one system.
        b: the other; same items, another key.
        constants: the protocol's constants.
        incumbent: key of the system to be beaten; None: the one with the lower mean.

    Raises:
        ValueError: for one key twice, rows of unequal length, a composite outside 0..1_000_000, or an
            incumbent that is neither.

    Example:
        An advantage of 0.030 over five items whose lower bound is -0.012 stays below the margin 0.0292
        of an incumbent at 0.708: a tie.
    """
    if a.key == b.key:
        raise ValueError(f"{a.key} cannot be decided against itself")
    if incumbent not in (None, a.key, b.key):
        raise ValueError(f"the incumbent must be {a.key} or {b.key}, got {incumbent}")
    rows = _rows((a, b))
    n_items = rows.shape[1]
    scores = {key: int(score) for key, score in zip((a.key, b.key), _scores(rows), strict=True)}
    challenger, defender = (a, b) if _rank(scores[a.key], a.key) > _rank(scores[b.key], b.key) else (b, a)
    if incumbent == challenger.key:
        challenger, defender = defender, challenger
    advantage = _rows((challenger,)) - _rows((defender,))
    lcb_micro = _bounds(_sums(advantage, constants), n_items, constants)[0]
    margin_micro = margins_of(np.array([scores[defender.key]]), constants)[0]
    return _decision(
        keys=(challenger.key, defender.key),
        n_items=n_items,
        scores_micro=(scores[challenger.key], scores[defender.key]),
        lcb_micro=int(lcb_micro),
        margin_micro=int(margin_micro),
    )


def decide_all(contenders: Sequence[Contender], *, constants: Constants) -> Decisions:
    """Return the decisions of every pair of a board.

    Args:
        contenders: systems with unique keys and the same items; any number, also none.
        constants: the protocol's constants.

    Raises:
        ValueError: for a key that comes twice, rows of unequal length, or a composite outside 0..1_000_000.
    """
    rows = _rows(contenders)
    keys = tuple(one.key for one in contenders)
    n_systems, n_items = rows.shape
    scores = _scores(rows)
    sums = _sums(rows, constants)
    margins = margins_of(scores, constants)
    lcb = np.zeros((n_systems, n_systems), dtype=np.int64)
    beats = np.zeros((n_systems, n_systems), dtype=np.bool_)
    ascending = np.array(sorted(range(n_systems), key=lambda i: _rank(int(scores[i]), keys[i])), dtype=np.intp)
    ranked = _narrowed(sums)[ascending]
    for place in range(1, n_systems):
        i, lower = ascending[place], ascending[:place]
        lcb[i, lower] = lcb[lower, i] = _bounds(ranked[place] - ranked[:place], n_items, constants)
        beats[i, lower] = lcb[i, lower] > margins[lower]
    return Decisions(
        keys=keys,
        n_items=n_items,
        scores_micro=scores,
        sums=sums,
        lcb_micro=lcb,
        margins_micro=margins,
        beats=beats,
    )


def add_system(board: Decisions, new: Contender, *, constants: Constants) -> Decisions:
    """Return the board with one more system, at the cost of its own pairs only.

    Gives what `decide_all` would give of all systems together, the new one last.

    Raises:
        ValueError: if its key is on the board or its items are not the board's.
    """
    if new.key in board.keys:
        raise ValueError(f"{new.key} is on the board already")
    row = _rows((new,))
    if board.keys and row.shape[1] != board.n_items:
        raise ValueError(f"{new.key} has {row.shape[1]} items, the board has {board.n_items}")
    score, sums = _scores(row), _sums(row, constants)
    mine = _rank(int(score[0]), new.key)
    others = zip(board.scores_micro, board.keys, strict=True)
    is_mine = np.array([mine > _rank(int(theirs), key) for theirs, key in others], dtype=np.bool_)
    ahead = _narrowed(sums) - _narrowed(board.sums)
    ahead[~is_mine] *= -1
    bounds = _bounds(ahead, row.shape[1], constants)
    margin = margins_of(score, constants)
    size = len(board.keys)
    lcb, beats = np.pad(board.lcb_micro, (0, 1)), np.pad(board.beats, (0, 1))
    lcb[size, :size] = lcb[:size, size] = bounds
    beats[size, :size] = is_mine & (bounds > board.margins_micro)
    beats[:size, size] = ~is_mine & (bounds > margin[0])
    return Decisions(
        keys=(*board.keys, new.key),
        n_items=row.shape[1],
        scores_micro=np.concatenate([board.scores_micro, score]),
        sums=np.concatenate([board.sums.reshape(size, -1), sums]) if size else sums,
        lcb_micro=lcb,
        margins_micro=np.concatenate([board.margins_micro, margin]),
        beats=beats,
    )


def rank_bands(decisions: Decisions) -> Mapping[str, RankBand]:
    """Return for each key the best and the worst rank that the decisions leave open to it."""
    n_systems = len(decisions.keys)
    n_beaten_by = decisions.beats.sum(axis=0)
    n_beats = decisions.beats.sum(axis=1)
    return {
        key: RankBand(best=1 + int(n_beaten_by[i]), worst=n_systems - int(n_beats[i]))
        for i, key in enumerate(decisions.keys)
    }


def margins_of(scores_micro: IntArray, constants: Constants) -> IntArray:
    """Return what a lower bound must exceed to beat systems of these means, millionths, in the same shape."""
    slope = exact(constants.margin_slope)
    headroom = round_half_even((MICRO - scores_micro) * slope.numerator, slope.denominator)
    return np.maximum(headroom, round(exact(constants.margin_floor) * MICRO))


def _rank(score_micro: int, key: str) -> tuple[int, str]:
    return (score_micro, key)


def _rows(contenders: Sequence[Contender]) -> IntArray:
    keys = [one.key for one in contenders]
    if len(set(keys)) != len(keys):
        raise ValueError(f"keys must be unique, got {sorted(keys)}")
    lengths = {len(one.composites_micro) for one in contenders}
    if len(lengths) > 1:
        raise ValueError(f"systems must be scored on the same items, got rows of {sorted(lengths)} items")
    n_items = lengths.pop() if lengths else 0
    rows = np.array([one.composites_micro for one in contenders], dtype=np.int64)
    if rows.size and not 0 <= rows.min() <= rows.max() <= MICRO:
        raise ValueError(f"composites must be 0..{MICRO} millionths, got {rows.min()}..{rows.max()}")
    return rows.reshape(len(contenders), n_items)


def _sums(rows: IntArray, constants: Constants) -> IntArray:
    return resample_sums(rows, n_resamples=constants.n_resamples, seed=constants.seed)


def _narrowed(sums: IntArray) -> IntArray:
    """Return the sums, which are never negative, as int32 if they fit: half the bytes sort twice as fast."""
    if int(sums.max(initial=0)) < 2**31:
        return sums.astype(np.int32)  # type: ignore[return-value]
    return sums


def _bounds(advantage_sums: IntArray, n_items: int, constants: Constants) -> IntArray:
    if n_items == 0:
        return np.zeros(advantage_sums.shape[0], dtype=np.int64)
    return quantile_micro(advantage_sums, exact(constants.alpha), n_items=n_items)


def _scores(rows: IntArray) -> IntArray:
    return round_half_even(rows.sum(axis=1), max(1, rows.shape[1]))


def _decision(
    *, keys: tuple[str, str], n_items: int, scores_micro: tuple[int, int], lcb_micro: int, margin_micro: int
) -> Decision:
    return Decision(
        challenger=keys[0],
        incumbent=keys[1],
        n_items=n_items,
        challenger_score=scores_micro[0] / MICRO,
        incumbent_score=scores_micro[1] / MICRO,
        lcb=lcb_micro / MICRO,
        margin=margin_micro / MICRO,
        is_win=lcb_micro > margin_micro,
    )
