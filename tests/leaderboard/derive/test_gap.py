"""The minimum detectable gap is the difference of means from which the test says "win"."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.bootstrap import MICRO
from leaderboard.derive.gap import gap
from leaderboard.derive.records import ALL
from leaderboard.derive.slicing import decide_slice
from tests.leaderboard.derive import boards


@settings(max_examples=60, deadline=None)
@given(boards.rows(st.just(2), st.integers(2, 8), most=300_000))
def test_pair(drawn: list[list[int]]) -> None:
    """For one pair it is exact: a larger difference of the same spread wins, a smaller one ties."""
    table = boards.table([[300_000 + cell for cell in row] for row in drawn])
    view, _ = decide_slice(table, ALL)
    assert view.gap is not None
    low, high = view.order()[::-1]
    assume(view.scores_micro[low] != view.scores_micro[high])
    missing = round(view.gap.typical * MICRO) - int(view.scores_micro[high] - view.scores_micro[low])
    for more, is_win in ((2, True), (-2, False)):
        rows = table.composites.copy()
        rows[high] += missing + more
        assume(rows.min() >= 0 and rows.max() <= MICRO and rows[high].mean() > rows[low].mean() + 1)
        assert boards.decided(rows, table.submissions, table.protocol.constants).beats[high, low] == is_win


def test_by_hand() -> None:
    """It is the median over neighbours of margin and spread, whoever stands first on the board."""
    scores = np.array([900_000, 500_000, 600_000])
    lcb = np.array([[0, 390_000, 260_000], [390_000, 0, 70_000], [260_000, 70_000, 0]])
    margins = np.array([15_000, 50_000, 40_000])
    found = gap(scores, lcb, margins, n_items=496)
    # 0.5 to 0.6: 0.030 + 0.050; 0.6 to 0.9: 0.040 + 0.040.
    assert found is not None
    assert (found.typical, found.spread, found.floor) == (0.08, 0.035, 0.015)
    assert (found.n_pairs, found.n_items) == (2, 496)
    assert "496 items" in found.sentence()
    assert "0.080" in found.sentence()


@pytest.mark.parametrize(("n_systems", "n_items"), [(0, 5), (1, 5), (3, 1), (3, 0)])
def test_nothing_to_tell(n_systems: int, n_items: int) -> None:
    """Fewer than two systems or two items have no gap."""
    assert decide_slice(boards.table([[7] * n_items] * n_systems), ALL)[0].gap is None
