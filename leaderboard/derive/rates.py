"""How each requested value of a trait was followed, system by system and over the board; and tiers. Pure."""

from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import MICRO, IntArray, Interval, round_half_even, wilson_interval
from leaderboard.derive.records import ABSENT, Flags, Micro, ScoreTable, Slice

UNREAD = "unread"
"""What a clip was taken for whose quantity could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRate:
    """One requested value of one trait, of one system."""

    value: str
    """What was asked for."""
    n: int
    """Clips that were asked for it; refused items are none."""
    n_unread: int
    """Those of them that gave nothing to read."""
    mean: float | None
    """Mean desirability, 0..1; None without a clip."""
    n_exact: int
    """Clips of desirability 1."""
    exact: float | None
    """Share of them, 0..1; None without a clip."""
    interval: Interval | None
    """Two-sided 95 % Wilson interval of that share; None for fewer than two clips."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraitRates:
    """One trait of every system of a board, value by value."""

    trait: str
    """The trait."""
    submissions: tuple[str, ...]
    """The K systems, in the order of the board."""
    values: tuple[str, ...]
    """The V values that its items ask for."""
    n: IntArray
    """Clips by requested value, (K, V)."""
    n_unread: IntArray
    """Those that gave nothing to read, (K, V)."""
    n_exact: IntArray
    """Those of desirability 1, (K, V)."""
    means_micro: IntArray
    """Mean desirability, (K, V), millionths; ABSENT without a clip."""
    board_micro: IntArray
    """Mean over systems of `means_micro`, (V,), each system counting once; ABSENT without a clip."""
    taken_for: tuple[str, ...]
    """What a clip may be taken for: values, then "unread"; empty for a trait without measured classes."""
    confusions: IntArray | None
    """Clips by requested value and by what they were taken for, (K, V, taken_for); None as above."""
    alpha: float
    """Share left outside the intervals."""

    def rate(self, submission: str, value: str) -> ValueRate | None:
        """Return one value of one system; None for what is not here."""
        if submission not in self.submissions or value not in self.values:
            return None
        at = (self.submissions.index(submission), self.values.index(value))
        n, n_exact, mean = int(self.n[at]), int(self.n_exact[at]), int(self.means_micro[at])
        return ValueRate(
            value=value,
            n=n,
            n_unread=int(self.n_unread[at]),
            mean=None if mean == ABSENT else mean / MICRO,
            n_exact=n_exact,
            exact=round(n_exact / n, 6) if n else None,
            interval=wilson_interval(n_exact, n, alpha=self.alpha),
        )

    def confused(self, submission: str, value: str) -> tuple[tuple[str, int], ...]:
        """Return what clips of a value were taken for, and how many, most first, without those that were right."""
        if self.confusions is None or submission not in self.submissions or value not in self.values:
            return ()
        counts = self.confusions[self.submissions.index(submission), self.values.index(value)]
        found = [(name, int(n)) for name, n in zip(self.taken_for, counts, strict=True) if n and name != value]
        return tuple(sorted(found, key=lambda pair: (-pair[1], self.taken_for.index(pair[0]))))


def trait_rates(table: ScoreTable, trait: str, part: Slice | None = None) -> TraitRates:
    """Return how every system followed each value of a trait.

    Args:
        table: the board.
        trait: a scored trait (naturalness is none: nothing of it is requested).
        part: tier and split of the items; None for all.

    Raises:
        KeyError: for a name that is no scored trait.
    """
    chosen = table.chosen(part or Slice())
    desirability = table.desirabilities[trait][:, chosen]
    asked = table.items.requested[trait][chosen]
    places = [place for place in range(len(table.items.values[trait])) if (table.items.requested[trait] == place).any()]
    values = tuple(table.items.values[trait][place] for place in places)
    is_clip = desirability != ABSENT
    is_asked = np.array([asked == place for place in places], dtype=np.bool_).reshape(len(places), len(asked))
    n = _count(is_clip, is_asked)
    totals = np.where(is_clip, desirability, 0).astype(np.int64) @ is_asked.T.astype(np.int64)
    means = _means(totals, n)
    has_classes = trait in table.measured
    taken_for = (*table.items.values[trait], UNREAD) if has_classes else ()
    return TraitRates(
        trait=trait,
        submissions=table.submissions,
        values=values,
        n=n,
        n_unread=_count(table.is_unread[trait][:, chosen], is_asked),
        n_exact=_count(desirability == MICRO, is_asked),
        means_micro=means,
        board_micro=_means(np.where(means == ABSENT, 0, means).sum(axis=0), (means != ABSENT).sum(axis=0)),
        taken_for=taken_for,
        confusions=_confusions(table, trait, chosen, is_asked, len(taken_for)) if has_classes else None,
        alpha=table.protocol.constants.alpha,
    )


def _confusions(table: ScoreTable, trait: str, chosen: Flags, is_asked: Flags, n_columns: int) -> IntArray:
    measured = table.measured[trait][:, chosen]
    unread = table.is_unread[trait][:, chosen]
    columns = [(measured == place) & ~unread for place in range(n_columns - 1)] + [unread]
    return np.stack([_count(column, is_asked) for column in columns], axis=2)


def _count(flags: Flags, is_asked: Flags) -> IntArray:
    return np.asarray(flags.astype(np.int64) @ is_asked.T.astype(np.int64), dtype=np.int64)


def _means(totals: IntArray, n: IntArray) -> IntArray:
    found = np.full(n.shape, ABSENT, dtype=np.int64)
    for count in np.unique(n[n > 0]):
        found[n == count] = round_half_even(totals[n == count], int(count))
    return found


def mean_of(values: Micro) -> IntArray:
    """Return the mean of each row of (K, n) over what is there, millionths; ABSENT for a row with nothing."""
    is_there = values != ABSENT
    return _means(np.where(is_there, values, 0).sum(axis=1, dtype=np.int64), is_there.sum(axis=1, dtype=np.int64))
