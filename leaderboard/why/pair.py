"""The decision of one pair on one slice, worked out again from both systems' published values. Pure.

The resampled differences are what the published lower bound is a quantile of; the differences by dimension are those
of `evaluation.paired`, taken together so that a page of them is quick.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import MICRO, IntArray, Interval, exact, mean_micro, quantile_micro, resample_sums
from evaluation.decision import Contender, decide
from evaluation.paired import PairedDifference
from evaluation.protocol import Constants, Protocol
from evaluation.records import Decision
from leaderboard.derive.records import Slice
from leaderboard.why.ledger import Ledger

N_WIDEST = 12
"""Items that are listed as differing most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One item on which two systems differ."""

    item_id: str
    """The item."""
    a: float
    """What the slice compares, of the first, 0..1."""
    b: float
    """The same of the second."""
    why: tuple[str, ...]
    """Dimensions whose desirabilities differ, the widest first; "gate" or "declined" before them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairProof:
    """Everything that decides one pair."""

    part: Slice
    """The slice."""
    decision: Decision
    """The decision, made anew by the code that makes the published ones."""
    sums: IntArray
    """Resample sums of challenger less incumbent, (n_resamples,), millionths, in the order of the resamples."""
    dimensions: Mapping[str, PairedDifference]
    """First system less second, over the items of the slice that neither refused, by dimension."""
    widest: tuple[Gap, ...]
    """Items that differ most, the widest first."""

    @property
    def means(self) -> tuple[float, ...]:
        """Return the resampled mean differences, in the order of the resamples."""
        return tuple((self.sums / self.decision.n_items / MICRO).tolist())

    def needed(self) -> float:
        """Return what the bound lacks to be a win (> 0), or what it has to spare (<= 0)."""
        return round(self.decision.margin - self.decision.lcb, 6)

    def items_needed(self) -> int | None:
        """Return how many items of this spread would make a tie a win; None if no number of them would.

        The distance between difference and lower bound shrinks with the root of the number of items.
        """
        decision = self.decision
        gap = decision.challenger_score - decision.incumbent_score
        if decision.is_win or gap <= decision.margin:
            return None
        return int(np.ceil(decision.n_items * ((gap - decision.lcb) / (gap - decision.margin)) ** 2))


def prove(protocol: Protocol, a: Ledger, b: Ledger, part: Slice) -> PairProof | None:
    """Return the decision of a pair on a slice with all that it rests on; None if the slice holds no item.

    Args:
        protocol: its constants decide.
        a: the first system.
        b: the second, of the same items.
        part: the slice.

    Raises:
        ValueError: if the two were scored on different items.
    """
    if a.ids != b.ids:
        raise ValueError(f"{a.submission} and {b.submission} were scored on different items")
    constants = protocol.constants
    rows = {one.submission: one.row(part) for one in (a, b)}
    if not len(rows[a.submission]):
        return None
    contenders = (Contender(key=key, composites_micro=tuple(row.tolist())) for key, row in rows.items())
    decision = decide(*contenders, constants=constants)
    ahead = rows[decision.challenger] - rows[decision.incumbent]
    sums = resample_sums(ahead[np.newaxis, :], n_resamples=constants.n_resamples, seed=constants.seed)[0]
    return PairProof(
        part=part,
        decision=decision,
        sums=sums,
        dimensions=_dimensions(a, b, part, constants),
        widest=_widest(a, b, part),
    )


def _dimensions(a: Ledger, b: Ledger, part: Slice, constants: Constants) -> dict[str, PairedDifference]:
    kept = a.chosen(part) & ~a.declined & ~b.declined
    n = int(kept.sum())
    ours, theirs = ({name: one.dimensions[name].desirability_micro[kept] for name in one.dimensions} for one in (a, b))
    if not n or not ours:
        empty = PairedDifference(mean_a=None, mean_b=None, difference=None, interval=None, n=0)
        return dict.fromkeys(ours, empty)
    ahead = np.array([ours[name] - theirs[name] for name in ours], dtype=np.int64)
    intervals = _intervals(ahead, constants)
    return {
        name: PairedDifference(
            mean_a=mean_micro(ours[name]) / MICRO,
            mean_b=mean_micro(theirs[name]) / MICRO,
            difference=mean_micro(ahead[at]) / MICRO,
            interval=intervals[at],
            n=n,
        )
        for at, name in enumerate(ours)
    }


def _intervals(rows: IntArray, constants: Constants) -> list[Interval | None]:
    """Return the interval of every row's mean, as `mean_interval` gives it, from one product for all of them."""
    n = rows.shape[1]
    if n < 2:
        return [None] * len(rows)
    sums = resample_sums(rows, n_resamples=constants.n_resamples, seed=constants.seed)
    tail = exact(constants.alpha) / 2
    lows, highs = (quantile_micro(sums, level, n_items=n) for level in (tail, 1 - tail))
    ends = zip(lows.tolist(), highs.tolist(), strict=True)
    return [Interval(low=low / MICRO, high=high / MICRO) for low, high in ends]


def _widest(a: Ledger, b: Ledger, part: Slice) -> tuple[Gap, ...]:
    ours, theirs = a.row(part), b.row(part)
    places = np.flatnonzero(a.chosen(part))
    gaps = np.abs(ours - theirs)
    order = np.lexsort((np.arange(len(gaps)), -gaps))[:N_WIDEST]
    return tuple(
        Gap(
            item_id=a.ids[places[at]],
            a=int(ours[at]) / MICRO,
            b=int(theirs[at]) / MICRO,
            why=_why(a, b, int(places[at])),
        )
        for at in order
        if gaps[at]
    )


def _why(a: Ledger, b: Ledger, at: int) -> tuple[str, ...]:
    if a.declined[at] != b.declined[at]:
        return ("declined",)
    gate = ("gate",) if a.passed[at] != b.passed[at] else ()
    gaps = {
        name: abs(int(a.dimensions[name].desirability_micro[at]) - int(b.dimensions[name].desirability_micro[at]))
        for name in a.dimensions
    }
    return (*gate, *sorted((name for name, gap in gaps.items() if gap), key=lambda name: (-gaps[name], name)))
