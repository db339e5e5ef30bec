"""Ordering, filters and matrix of a board."""

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.records import RankBand
from leaderboard import standings
from leaderboard.context import Context
from leaderboard.standings import Filters, SortKey
from leaderboard.views import Row

_ROW = Row(
    submission="s-one",
    system="Larkspur",
    version="2",
    organisation="Ohm",
    licence="MIT",
    is_open=True,
    parameters="",
    link="",
    received_at="2026-03-01T00:00:00Z",
    band=RankBand(best=1, worst=3),
    score=0.5,
    score_low=0.4,
    score_high=0.6,
    n_items=10,
    n_declined=0,
    coverage=1.0,
    gate_pass_rate=0.9,
    means={"pace": 0.5, "pitch": None},
)


def _rows(*scores: float) -> tuple[Row, ...]:
    return tuple(dataclasses.replace(_ROW, submission=f"s-{at}", score=score) for at, score in enumerate(scores))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_sorting_by_a_number_orders_it_and_loses_nobody(scores: list[float]) -> None:
    """Every row is still there, in order."""
    rows = _rows(*scores)
    done = standings.ordered(rows, [SortKey(column="score", is_descending=True)])
    assert [row.score for row in done] == sorted(scores, reverse=True)
    assert {row.submission for row in done} == {row.submission for row in rows}


@pytest.mark.parametrize("is_descending", [True, False])
def test_rows_without_a_value_come_last_whichever_way(is_descending: bool) -> None:
    """Nothing measured is never the best, nor a zero."""
    unread = dataclasses.replace(_ROW, submission="s-none")
    read = dataclasses.replace(_ROW, submission="s-some", means={"pace": 0.5, "pitch": 0.0})
    done = standings.ordered((unread, read), [SortKey(column="pitch", is_descending=is_descending)])
    assert [row.submission for row in done] == ["s-some", "s-none"]


def test_the_first_key_is_the_strongest_and_equal_rows_stay() -> None:
    """A second key orders within the first, and the published order within both."""
    rows = tuple(
        dataclasses.replace(_ROW, submission=f"s-{at}", organisation=name, score=score)
        for at, (name, score) in enumerate([("B", 0.1), ("a", 0.1), ("A", 0.9), ("b", 0.1)])
    )
    keys = [SortKey(column="organisation", is_descending=False), SortKey(column="score", is_descending=True)]
    assert [row.submission for row in standings.ordered(rows, keys)] == ["s-2", "s-1", "s-0", "s-3"]


def test_sorting_never_changes_a_rank() -> None:
    """The band is the data's, not the place of the row."""
    rows = _rows(0.1, 0.9)
    done = standings.ordered(rows, [SortKey(column="score", is_descending=True)])
    assert {row.submission: row.band for row in done} == {row.submission: row.band for row in rows}


@pytest.mark.parametrize(
    ("filters", "is_shown"),
    [
        (Filters(), True),
        (Filters(text="ohm LARK"), True),
        (Filters(text="lark nobody"), False),
        (Filters(only_open=True), True),
        (Filters(organisation="Ohm"), True),
        (Filters(organisation="ohm lab"), False),
    ],
)
def test_filters(filters: Filters, is_shown: bool) -> None:
    """All words must occur; an organisation must be the very one."""
    assert standings.is_shown(_ROW, filters) is is_shown


@pytest.mark.parametrize("is_open", [False, None])
def test_only_weights_that_are_said_to_be_open_pass_the_filter(is_open: bool | None) -> None:
    """Weights of which nothing was said are not open."""
    assert not standings.is_shown(dataclasses.replace(_ROW, is_open=is_open), Filters(only_open=True))


def test_a_row_without_a_score_comes_last() -> None:
    """No score is no zero: it stands below a true zero, whichever way."""
    rows = (dataclasses.replace(_ROW, submission="s-none", score=None), *_rows(0.0, 0.5))
    for is_descending in (True, False):
        done = standings.ordered(rows, [SortKey(column="score", is_descending=is_descending)])
        assert done[-1].submission == "s-none"


def test_the_matrix_is_antisymmetric_and_agrees_with_the_bands(six: Context) -> None:
    """A win read from the other side is a loss, and bands follow from the wins and losses."""
    board = six.published.board("")
    cells = standings.matrix(board, 0, 0, 99)
    mirrored = {"win": "loss", "loss": "win", "tie": "tie", "self": "self"}
    for one, other in itertools.product(range(6), repeat=2):
        assert cells[one][other].outcome == mirrored[cells[other][one].outcome]
    for row in board.rows:
        wins, ties, losses = standings.record(board, row.submission)
        assert (row.band.best, row.band.worst) == (1 + losses, 6 - wins)
        assert wins + ties + losses == 5


def test_a_window_of_the_matrix_is_cut_from_the_whole(six: Context) -> None:
    """A large board is shown in parts that agree with the whole."""
    board = six.published.board("")
    whole = standings.matrix(board, 0, 0, 99)
    assert standings.matrix(board, 2, 2, 3) == tuple(line[2:5] for line in whole[2:5])
    assert standings.matrix(board, 0, 4, 2) == tuple(line[4:6] for line in whole[0:2])


def test_widest_gaps_and_extreme_clips(six: Context) -> None:
    """Largest differences first; best clips are not among the worst, and a refused item is neither."""
    board = six.published.board("")
    one, other = board.rows[0].submission, board.rows[-1].submission
    samples = six.published.samples(board, (one, other, "s00000000005"))
    gaps = standings.widest_gaps(samples[one], samples[other], n_most=5)
    sizes = [abs(mine - theirs) for _, mine, theirs in gaps]
    assert sizes == sorted(sizes, reverse=True) and 0 < len(gaps) <= 5
    best, worst = standings.best_and_worst(samples["s00000000005"], n_each=4)
    assert min(sample.composite for sample in best) >= max(sample.composite for sample in worst)
    assert not {sample.item_id for sample in best} & {sample.item_id for sample in worst}
    assert not any(sample.is_declined for sample in (*best, *worst))
