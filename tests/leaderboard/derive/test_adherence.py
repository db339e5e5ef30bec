"""Adherence leaves naturalness and the gate out, and the frontier holds whom nobody tops."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.context import Context
from leaderboard.derive.adherence import frontier, standings
from leaderboard.derive.records import Slice


def test_published(six: Context, nine: Context) -> None:
    """It is the mean over items of the mean over instructed traits, from the published samples."""
    for context in (six, nine):
        board = context.published.boards()[0]
        table = context.slices.table(board)
        assert table is not None
        floor = board.protocol.constants.desirability_floor
        for averaging in ("geometric", "arithmetic"):
            found = {one.submission: one for one in standings(table, averaging=averaging)}  # type: ignore[arg-type]
            for submission, samples in context.published.samples(board, table.submissions).items():
                items = []
                for sample in samples.values():
                    shares = [one.desirability for one in sample.dimensions if one.dimension != "naturalness"]
                    logs = [math.log(max(share, floor)) for share in shares]
                    mean = math.exp(sum(logs) / len(logs)) if averaging == "geometric" and logs else None
                    items.append(mean if mean is not None else sum(shares) / max(1, len(shares)))
                assert found[submission].adherence == pytest.approx(sum(items) / len(items), abs=2e-6)
                row = board.row(submission)
                assert row is not None
                assert found[submission].naturalness == row.means["naturalness"]
            assert any(one.is_on_frontier for one in found.values())


def test_no_items(six: Context) -> None:
    """A part without items has no standings."""
    table = six.slices.table(six.published.boards()[0])
    assert table is not None
    assert standings(table, part=Slice(tier=0, split="public"))
    assert standings(table, part=Slice(tier=7)) == ()


POINTS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9])] * 2), max_size=12)


@given(POINTS)
def test_frontier(points: list[tuple[float, float]]) -> None:
    """A point is on it if, and only if, no other one is at least as high in both and higher in one."""

    def tops(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one != other and one[0] >= other[0] and one[1] >= other[1]

    right = {place for place, point in enumerate(points) if not any(tops(other, point) for other in points)}
    found = frontier(points)
    assert set(found) == right
    assert list(found) == sorted(right, key=lambda place: (points[place][0], place))
