"""What a system needs is the very change at which the decision rule turns, and no smaller one."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.bootstrap import MICRO
from evaluation.decision import rank_bands
from evaluation.protocol import Constants
from leaderboard.derive.needs import Needs, Step
from leaderboard.derive.records import ALL, ScoreTable
from leaderboard.derive.slicing import decide_slice
from tests.leaderboard.derive import boards

BASE = 450_000
"""Lowest composite of the boards here, so that whatever is needed stays within 0..1."""
CONSTANTS = (
    {"margin_floor": 0.015, "margin_slope": 0.1},
    {"margin_floor": 0.05, "margin_slope": 0.1},
    {"margin_floor": 0.03, "margin_slope": 0.0},
    {"margin_floor": 0.0, "margin_slope": 0.3},
    {"margin_floor": 0.0, "margin_slope": 0.1, "alpha": 0.8},
)
TURNING_TWICE = (
    [[458_039, 479_971, 498_106, 492_268, 490_323, 452_831], [450_535, 462_428, 450_828, 517_062, 502_561, 514_718]],
    [[461_336, 450_995, 460_222, 486_504, 460_968, 457_863], [475_875, 515_261, 502_417, 477_384, 545_046, 520_265]],
    [[513_441, 544_380, 528_554, 462_681, 453_695, 536_477], [490_784, 455_946, 497_656, 488_077, 493_109, 492_977]],
)
"""Boards on which two roundings turn the pair, turn it back and turn it again, two millionths later."""


class Shifted:
    """A board on which one system gains, or loses, the same on every item."""

    def __init__(self, table: ScoreTable, place: int) -> None:
        """Move the system at `place`."""
        self._table = table
        self._place = place

    def outcomes(self, change_micro: int) -> tuple[set[str], set[str]]:
        """Return whom it beats and who beats it, by the rule of the board."""
        rows = self._table.composites.copy()
        rows[self._place] += change_micro
        found = boards.decided(rows, self._table.submissions, self._constants())
        keys = self._table.submissions
        beats = {keys[j] for j in np.flatnonzero(found.beats[self._place])}
        return beats, {keys[j] for j in np.flatnonzero(found.beats[:, self._place])}

    def band(self, change_micro: int) -> tuple[int, int]:
        """Return its rank band."""
        rows = self._table.composites.copy()
        rows[self._place] += change_micro
        band = rank_bands(boards.decided(rows, self._table.submissions, self._constants()))
        mine = band[self._table.submissions[self._place]]
        return mine.best, mine.worst

    def _constants(self) -> Constants:
        return self._table.protocol.constants


def _least(step: Step, has_turned: Callable[[int], bool]) -> None:
    """Hold that `has_turned` is true at a step's change and at no smaller one that is looked at."""
    change = round(step.change * MICRO)
    assert has_turned(change)
    nearby = range(max(1, change - 12), change)
    far = (round(one) for one in np.linspace(1, change, 7)[:-1])
    assert not any(has_turned(smaller) for smaller in {*nearby, *far} if 0 < smaller < change)


@settings(max_examples=60, deadline=None)
@given(boards.rows(st.integers(2, 5), st.integers(1, 6), most=100_000), st.sampled_from(CONSTANTS), st.integers(0, 4))
def test_brute_force(drawn: list[list[int]], constants: dict[str, float], place: int) -> None:
    """Each step is the smallest change at which a pair of its kind turns, on the shifted board itself."""
    table = boards.table([[BASE + cell for cell in row] for row in drawn], recipe=boards.protocol(**constants))
    place %= len(drawn)
    view, _ = decide_slice(table, ALL)
    needs, moved = view.needs.of(place), Shifted(table, place)
    beats, beaten_by = moved.outcomes(0)
    ties = {*table.submissions} - beats - beaten_by - {table.submissions[place]}
    assert {*needs.ties} == ties
    assert (needs.n_beats, needs.n_beaten_by) == (len(beats), len(beaten_by))
    present = [needs.nearest_win is None, needs.clear is None, needs.nearest_loss is None]
    assert present == [not ties] * 3
    assert (needs.nearest_tie is None, needs.nearest_slip is None) == (not beaten_by, not beats)
    if needs.nearest_win:
        _least(needs.nearest_win, lambda change: bool(ties & moved.outcomes(change)[0]))
    if needs.clear:
        _least(needs.clear, lambda change: ties <= moved.outcomes(change)[0])
    if needs.nearest_loss:
        _least(needs.nearest_loss, lambda change: bool(ties & moved.outcomes(-change)[1]))
    if needs.nearest_tie:
        _least(needs.nearest_tie, lambda change: not beaten_by <= moved.outcomes(change)[1])
    if needs.nearest_slip:
        _least(needs.nearest_slip, lambda change: not beats <= moved.outcomes(-change)[0])


@settings(max_examples=40, deadline=None)
@given(boards.rows(st.integers(2, 5), st.integers(1, 6), most=100_000), st.integers(0, 4))
def test_band(drawn: list[list[int]], place: int) -> None:
    """A rank band moves at the step up and at the step down, and not before."""
    table = boards.table([[BASE + cell for cell in row] for row in drawn])
    place %= len(drawn)
    needs, moved = decide_slice(table, ALL)[0].needs.of(place), Shifted(table, place)
    here = moved.band(0)
    for step, sign in ((needs.up(), 1), (needs.down(), -1)):
        if step:
            _least(step, lambda change, sign=sign: moved.band(sign * change) != here)  # type: ignore[misc]


@pytest.mark.parametrize("board", TURNING_TWICE)
def test_turning_twice(board: list[list[int]]) -> None:
    """Where roundings turn a pair twice, the first time counts."""
    table = boards.table(board, recipe=boards.protocol(margin_floor=0.0, margin_slope=0.3))
    step, moved = decide_slice(table, ALL)[0].needs.of(0).nearest_loss, Shifted(table, 0)
    assert step is not None
    _least(step, lambda change: moved.outcomes(-change)[1] == {"s1"})
    assert moved.outcomes(-round(step.change * MICRO) - 1)[1] == set()


def _alone(composites: list[list[int]]) -> Needs:
    return decide_slice(boards.table(composites), ALL)[0].needs.of(0)


def test_by_hand() -> None:
    """Without any variation a bound is the difference: a tie is left once that exceeds the margin of 0.055."""
    needs = _alone([[460_000] * 4, [450_000] * 4])
    assert needs.ties == ("s1",)
    assert needs.nearest_win == Step(submission="s1", change=0.045001)
    assert needs.clear == needs.nearest_win == needs.up()
    # It loses d: 0.45 - (0.46 - d) must exceed 0.1 * (0.54 + d).
    assert needs.nearest_loss is not None
    assert needs.nearest_loss.change == pytest.approx((0.054 + 0.01) / 0.9, abs=2e-6)
    assert needs.nearest_slip is None
    assert needs.nearest_tie is None


def test_nearest() -> None:
    """Of two equally near systems the first on the board is named; a beaten system sees the one to catch up with."""
    needs = _alone([[450_000] * 3, [460_000] * 3, [460_000] * 3, [600_000] * 3, [700_000] * 3])
    assert needs.nearest_win == Step(submission="s1", change=0.010001 + 0.054)
    assert (needs.nearest_tie or Step(submission="", change=0)).submission == "s3"
    assert needs.n_beaten_by == 2


def test_alone() -> None:
    """A system that is alone, or on no items, needs nothing and has nothing to fear."""
    for board in ([[1, 2, 3]], [[]]):
        needs = _alone(board)
        assert needs.ties == ()
        assert needs.up() is None
        assert needs.down() is None
