"""One slice of a table, decided: rows, resamples, pairs, bands, needs. Pure."""

from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import IntArray, exact, quantile_micro
from evaluation.protocol import Constants
from leaderboard.derive.gap import gap
from leaderboard.derive.needs import needs_of
from leaderboard.derive.pairs import UNKNOWN, Pairs, pairs_of, sums_of
from leaderboard.derive.rates import mean_of
from leaderboard.derive.records import ABSENT, ScoreTable, Slice
from leaderboard.derive.view import SliceView


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds:
    """The bounds of all pairs of a slice, as they are kept for the next revision of the board."""

    systems: tuple[tuple[str, str], ...]
    """Submission and sha256 of the result of each of K systems."""
    bounds: IntArray
    """Bounds of their pairs before rounding, (K, K), as in `Pairs`."""
    ends: IntArray
    """Lower and upper end of the interval of each mean, (2, K), millionths; ABSENT for fewer than two items."""


def decide_slice(table: ScoreTable, part: Slice, earlier: Bounds | None = None) -> tuple[SliceView, Bounds]:
    """Return a slice of a board, and what the next revision of the board can take over from it.

    Args:
        table: the board.
        part: the slice.
        earlier: bounds of an earlier revision of the same slice; pairs of systems that are in both are taken over.

    Raises:
        KeyError: for a dimension that the protocol does not score.
    """
    constants = table.protocol.constants
    rows = table.rows(part)
    systems = tuple(zip(table.submissions, table.shas, strict=True))
    if earlier is not None and set(systems) <= set(earlier.systems):
        places = [earlier.systems.index(system) for system in systems]
        sums, ends = None, earlier.ends[:, places]
    else:
        sums = sums_of(rows, constants)
        ends = _intervals(sums, rows.shape[1], constants)
    known = None if earlier is None else _taken_over(systems, earlier)
    pairs = pairs_of(table.submissions, rows, sums, constants=constants, known=known)
    return _view(table, part, pairs, ends), Bounds(systems=systems, bounds=pairs.bounds, ends=ends)


def _taken_over(systems: tuple[tuple[str, str], ...], earlier: Bounds) -> IntArray:
    known = np.full((len(systems), len(systems)), UNKNOWN, dtype=np.int64)
    places = {system: place for place, system in enumerate(earlier.systems)}
    here = [place for place, system in enumerate(systems) if system in places]
    there = [places[systems[place]] for place in here]
    known[np.ix_(here, here)] = earlier.bounds[np.ix_(there, there)]
    return known


def _view(table: ScoreTable, part: Slice, pairs: Pairs, ends: IntArray) -> SliceView:
    constants = table.protocol.constants
    chosen = table.chosen(part)
    beats = pairs.beats.astype(np.int8)
    outcomes = beats - beats.T
    return SliceView(
        part=part,
        submissions=table.submissions,
        n_items=pairs.n_items,
        scores_micro=pairs.scores_micro,
        low_micro=ends[0],
        high_micro=ends[1],
        n_declined=table.declined[:, chosen].sum(axis=1, dtype=np.int64),
        n_passed=table.passed[:, chosen].sum(axis=1, dtype=np.int64),
        means_micro={name: mean_of(values[:, chosen]) for name, values in table.desirabilities.items()},
        outcomes=outcomes,
        lcb_micro=pairs.lcb_micro.astype(np.int32),
        margins_micro=pairs.margins_micro,
        best=1 + pairs.beats.sum(axis=0),
        worst=len(pairs.keys) - pairs.beats.sum(axis=1),
        needs=needs_of(pairs, outcomes, constants=constants),
        gap=gap(pairs.scores_micro, pairs.lcb_micro, pairs.margins_micro, n_items=pairs.n_items),
    )


def _intervals(sums: IntArray, n_items: int, constants: Constants) -> IntArray:
    if n_items < 2:
        return np.full((2, len(sums)), ABSENT, dtype=np.int64)
    tail = exact(constants.alpha) / 2
    narrow = sums.astype(np.int32) if int(sums.max(initial=0)) < 2**31 else sums.copy()
    ends = [quantile_micro(narrow, level, n_items=n_items) for level in (tail, 1 - tail)]  # type: ignore[arg-type]
    return np.stack(ends)
