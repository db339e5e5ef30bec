"""What would have to change for a system's rank band to move: the least uniform gain or loss of its composites. Pure.

A system that gains d on every item moves every paired difference by d, so each lower bound moves by d as well, up to
the rounding, and its own margin as an incumbent shrinks with its headroom. Whether a pair turns at a given d is decided
by the very arithmetic of the board, in exact integers; the smallest such d is then searched. That composites end at 1
is left aside: a need says how far away another outcome is, not how to get there.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import MICRO, IntArray, round_half_even
from evaluation.decision import margins_of
from evaluation.protocol import Constants
from leaderboard.derive.pairs import Pairs
from leaderboard.derive.records import Flags

Places = npt.NDArray[np.intp]
"""Places of systems."""

_MOST = 4 * MICRO
"""No pair needs a larger gain, millionths: differences are at most 1 and margins too."""
_WIGGLE = 4
"""A rounding may turn a pair so many millionths before the search says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The smallest change that turns one pair."""

    submission: str
    """The other system."""
    change: float
    """How much the mean must rise (or, where that is said, fall), on every item alike, > 0, to 6 decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """How far one system is from another rank band."""

    ties: tuple[str, ...]
    """Systems that it neither beats nor is beaten by, in the order of the board."""
    n_beats: int
    """Systems that it beats."""
    n_beaten_by: int
    """Systems that beat it."""
    nearest_win: Step | None
    """Smallest gain by which it would beat one of its ties, so that its worst rank rises; None without a tie."""
    clear: Step | None
    """Smallest gain by which it would beat all of its ties, and the one that needs most; None without a tie."""
    nearest_tie: Step | None
    """Smallest gain by which a system that beats it no longer would, so that its best rank rises; None if none does."""
    nearest_slip: Step | None
    """Smallest loss by which it would no longer beat a system that it beats; None if it beats none."""
    nearest_loss: Step | None
    """Smallest loss by which one of its ties would beat it; None without a tie."""

    def up(self) -> Step | None:
        """Return the smallest gain at which its band moves at all; None if it beats every other system."""
        found = [step for step in (self.nearest_win, self.nearest_tie) if step is not None]
        return min(found, key=lambda step: step.change, default=None)

    def down(self) -> Step | None:
        """Return the smallest loss at which its band moves at all; None if every other system beats it."""
        found = [step for step in (self.nearest_slip, self.nearest_loss) if step is not None]
        return min(found, key=lambda step: step.change, default=None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NeedsTable:
    """What each of K systems would need, compact; `of` gives one as a record."""

    keys: tuple[str, ...]
    """The systems."""
    outcomes: npt.NDArray[np.int8]
    """(K, K): 1, -1, 0 as in a view."""
    changes: npt.NDArray[np.int32]
    """Smallest change, (5, K), millionths, in the order of the fields of `Needs`; 0 where there is none."""
    others: npt.NDArray[np.int32]
    """Place of the system that it concerns, (5, K)."""

    def of(self, place: int) -> Needs:
        """Return what the system at a place would need."""
        mine = self.outcomes[place]
        steps = [
            Step(submission=self.keys[int(other)], change=int(change) / MICRO) if change else None
            for change, other in zip(self.changes[:, place], self.others[:, place], strict=True)
        ]
        return Needs(
            ties=tuple(self.keys[j] for j in np.flatnonzero(mine == 0) if j != place),
            n_beats=int((mine == 1).sum()),
            n_beaten_by=int((mine == -1).sum()),
            nearest_win=steps[0],
            clear=steps[1],
            nearest_tie=steps[2],
            nearest_slip=steps[3],
            nearest_loss=steps[4],
        )


def needs_of(pairs: Pairs, outcomes: npt.NDArray[np.int8], *, constants: Constants) -> NeedsTable:
    """Return what each system of a slice would need; `outcomes` as in a view of these pairs."""
    is_tie = outcomes == 0
    np.fill_diagonal(is_tie, val=False)
    places = _places(pairs)
    guesses = _guesses(pairs, constants)

    def beats(a: Places, b: Places, gain: IntArray, *, is_first_moved: bool) -> Flags:
        return _beats(pairs, places, (a, b), gain, constants, is_first_moved=is_first_moved)

    def wins(i: Places, j: Places, d: IntArray) -> Flags:
        return beats(i, j, d, is_first_moved=True)

    def holds(i: Places, j: Places, d: IntArray) -> Flags:
        return ~beats(j, i, d, is_first_moved=False)

    def slips(i: Places, j: Places, d: IntArray) -> Flags:
        return ~beats(i, j, -d, is_first_moved=True)

    def falls(i: Places, j: Places, d: IntArray) -> Flags:
        return beats(j, i, -d, is_first_moved=False)

    found = [
        _extreme(is_tie, guesses.win, wins),
        _extreme(is_tie, guesses.win, wins, is_least=False),
        _extreme(outcomes == -1, guesses.hold, holds),
        _extreme(outcomes == 1, guesses.slip, slips),
        _extreme(is_tie, guesses.fall, falls),
    ]
    return NeedsTable(
        keys=pairs.keys,
        outcomes=outcomes,
        changes=np.array([change for change, _ in found], dtype=np.int32).reshape(len(found), len(pairs.keys)),
        others=np.array([other for _, other in found], dtype=np.int32).reshape(len(found), len(pairs.keys)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Guesses:
    """Where pairs turn but for the roundings, each (K, K), millionths: good enough to see which are the nearest."""

    win: npt.NDArray[np.float64]
    """Gain at which the row's system beats the column's."""
    hold: npt.NDArray[np.float64]
    """Gain at which it is no longer beaten by it."""
    slip: npt.NDArray[np.float64]
    """Loss at which it no longer beats it."""
    fall: npt.NDArray[np.float64]
    """Loss at which it is beaten by it."""


def _guesses(pairs: Pairs, constants: Constants) -> _Guesses:
    over = pairs.bounds / pairs.scale
    under = over.T
    behind = (pairs.scores_micro[np.newaxis, :] - pairs.scores_micro[:, np.newaxis]).astype(np.float64)
    margins = pairs.margins_micro[np.newaxis, :]
    slope, floor = constants.margin_slope, constants.margin_floor * MICRO
    headroom = slope * (MICRO - pairs.scores_micro[:, np.newaxis])
    # A gain shrinks the own margin with the headroom, down to the floor.
    sloped = (under - headroom) / max(1.0 - slope, 1e-9)
    return _Guesses(
        win=np.maximum(margins - over, behind),
        hold=np.minimum(np.minimum(under - floor, sloped), behind),
        slip=np.minimum(over - margins, -behind),
        fall=np.maximum(np.maximum(floor - under, -sloped), -behind),
    )


def _extreme(
    wanted: Flags,
    guesses: npt.NDArray[np.float64],
    turns: Callable[[Places, Places, IntArray], Flags],
    *,
    is_least: bool = True,
) -> tuple[IntArray, Places]:
    """Return for each row the smallest (or largest) change among the wanted pairs, and where; 0 without one.

    Args:
        wanted: which pairs, (K, K).
        guesses: about where they turn, (K, K).
        turns: says of pairs (rows, columns, change) whether they have turned.
        is_least: whether the smallest is looked for.
    """
    changes, others = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.intp)
    if not wanted.any():
        return changes, others
    sign = 1.0 if is_least else -1.0
    signed = np.where(wanted, sign * guesses, np.inf)
    i, j = np.nonzero(wanted & (signed <= signed.min(axis=1, keepdims=True) + 2 * _WIGGLE))
    found = _first_turns(i, j, turns)
    # The last one that is written stays: go from the furthest to the nearest, and to the first system on a draw.
    order = np.lexsort((-j, -sign * found))
    changes[i[order]], others[i[order]] = found[order], j[order]
    return changes, others


def _first_turns(i: Places, j: Places, turns: Callable[[Places, Places, IntArray], Flags]) -> IntArray:
    """Return the smallest change from 1 at which each of some pairs turns."""
    low, high = np.zeros(len(i), dtype=np.int64), np.full(len(i), _MOST, dtype=np.int64)
    while int((high - low).max(initial=0)) > 1:
        middle = (low + high) // 2
        has_turned = turns(i, j, middle)
        high = np.where(has_turned, middle, high)
        low = np.where(has_turned, low, middle)
    # Two roundings may turn a pair, turn it back and turn it again within a few millionths: the first time counts.
    found = high.copy()
    for back in range(1, _WIGGLE + 1):
        earlier = high - back
        is_earlier = (earlier > 0) & turns(i, j, np.maximum(earlier, 1))
        found = np.where(is_earlier, earlier, found)
    return found


def _beats(
    pairs: Pairs,
    places: Places,
    pair: tuple[Places, Places],
    gain: IntArray,
    constants: Constants,
    *,
    is_first_moved: bool,
) -> Flags:
    """Return whether the first beats the second of each pair if one gains so much on every item (negative: loses).

    The bound of the first over the second must be known. `places` are those of the keys when sorted.
    """
    a, b = pair
    n_items = max(1, pairs.n_items)
    new = round_half_even(pairs.totals[a if is_first_moved else b] + n_items * gain, n_items)
    bounds = pairs.bounds[a, b] + pairs.scale * (gain if is_first_moved else -gain)
    first, second = (new, pairs.scores_micro[b]) if is_first_moved else (pairs.scores_micro[a], new)
    is_ahead = (first > second) | ((first == second) & (places[a] > places[b]))
    is_over = round_half_even(bounds, pairs.scale) > margins_of(second, constants)
    return np.asarray(is_ahead & is_over, dtype=np.bool_)


def _places(pairs: Pairs) -> Places:
    places = np.empty(len(pairs.keys), dtype=np.intp)
    places[sorted(range(len(pairs.keys)), key=pairs.keys.__getitem__)] = np.arange(len(pairs.keys))
    return places
