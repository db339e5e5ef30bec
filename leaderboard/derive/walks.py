"""Clips worth hearing: where two systems differ, where judge and another instrument disagree, vetoes. Pure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bootstrap import MICRO
from leaderboard.derive.records import ABSENT, Flags, Micro, ScoreTable

N_WALK = 50
"""Items of a walk, at most, unless asked otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One item of a walk, with the two numbers that part there."""

    item_id: str
    """The item."""
    a: float
    """0..1: the first system's composite or desirability; of a dispute, the judge's."""
    b: float
    """0..1: the second system's; of a dispute, the other instrument's."""

    @property
    def difference(self) -> float:
        """How far apart they are, -1..1."""
        return round(self.a - self.b, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Veto:
    """One clip that the word gate vetoed."""

    item_id: str
    """The item."""
    wer: float
    """Its word-error rate."""


def widest(
    table: ScoreTable,
    a: str,
    b: str,
    dimension: str | None = None,
    *,
    has_held_out: bool = True,
    n_most: int = N_WALK,
) -> tuple[Stop, ...]:
    """Return the items where two systems differ most, the widest first, item ids in order on a draw.

    Args:
        table: the board.
        a: one system.
        b: the other.
        dimension: compares its desirability; None: the composite. A refused item counts 0.
        has_held_out: whether items of the held-out split may be among them.
        n_most: most items that are listed; those without a difference never are.

    Returns:
        Nothing if a system is not on the board, or the dimension is none of its.
    """
    i, j = table.index(a), table.index(b)
    if i is None or j is None or (dimension is not None and dimension not in table.desirabilities):
        return ()
    rows = table.composites if dimension is None else np.maximum(table.desirabilities[dimension], 0)
    return _walk(table, rows[i], rows[j], _allowed(table, has_held_out=has_held_out), n_most)


def disputes(
    table: ScoreTable,
    submission: str,
    judged: str,
    other: str | None = None,
    *,
    has_held_out: bool = True,
    n_most: int = N_WALK,
) -> tuple[Stop, ...]:
    """Return the clips on which the judge and another instrument disagree most, the widest first.

    Clips that either could not read are left out: there is nothing to disagree on.

    Args:
        table: the board.
        submission: a system.
        judged: a dimension that the judge scores.
        other: another dimension whose desirability it is held against; None: what another instrument reads of `judged`
            itself, if the protocol has one (`table.second`).
        has_held_out: whether items of the held-out split may be among them.
        n_most: most items that are listed.
    """
    i = table.index(submission)
    second = table.second.get(judged) if other is None else table.desirabilities.get(other)
    if i is None or judged not in table.desirabilities or second is None:
        return ()
    allowed = _allowed(table, has_held_out=has_held_out) & ~table.declined[i] & ~table.is_unread[judged][i]
    allowed &= second[i] != ABSENT if other is None else ~table.is_unread[other][i]
    return _walk(table, table.desirabilities[judged][i], second[i], allowed, n_most)


def vetoed(table: ScoreTable, submission: str, *, has_held_out: bool = True) -> tuple[Veto, ...]:
    """Return the clips of a system that the word gate vetoed, the most word errors first; refused items are none."""
    i = table.index(submission)
    if i is None:
        return ()
    allowed = _allowed(table, has_held_out=has_held_out) & ~table.passed[i] & ~table.declined[i]
    rates = table.wer_micro[i].astype(np.int64)
    places = [int(place) for place in np.argsort(-rates, kind="stable") if allowed[place]]
    return tuple(Veto(item_id=table.items.ids[place], wer=int(rates[place]) / MICRO) for place in places)


def dispute_pairs(table: ScoreTable) -> tuple[tuple[str, str | None], ...]:
    """Return the pairs (judged dimension, other) that `disputes` can be asked: None is another reading of the same."""
    judged = table.protocol.judged
    others = [name for name in table.protocol.dimensions if name not in judged]
    seconds: list[tuple[str, str | None]] = [(name, None) for name in judged if name in table.second]
    return (*seconds, *((name, other) for name in judged for other in others))


def _allowed(table: ScoreTable, *, has_held_out: bool) -> Flags:
    return np.ones(len(table.items.ids), dtype=np.bool_) if has_held_out else ~table.items.is_held_out


def _walk(table: ScoreTable, a: Micro, b: Micro, allowed: Flags, n_most: int) -> tuple[Stop, ...]:
    apart: npt.NDArray[np.int64] = np.abs(a.astype(np.int64) - b)
    order = np.argsort(-apart, kind="stable")
    found = [int(place) for place in order if allowed[place] and apart[place] > 0][: max(0, n_most)]
    return tuple(
        Stop(item_id=table.items.ids[place], a=int(a[place]) / MICRO, b=int(b[place]) / MICRO) for place in found
    )
