"""Every slice is decided by the rule of the board, whether it is made at once or row by row."""

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.bootstrap import mean_interval
from evaluation.decision import rank_bands
from leaderboard.context import Context
from leaderboard.derive.records import ABSENT, ALL, ScoreTable, Slice, slice_of
from leaderboard.derive.slicing import Bounds, decide_slice
from leaderboard.derive.view import SliceView
from leaderboard.views import Board
from tests.leaderboard.derive import boards

PARTS = (ALL, Slice(tier=1), Slice(split="held_out"), Slice(trait="pace"), Slice(trait="gender", tier=2))


def _equal(one: SliceView, other: SliceView) -> bool:
    names = [field.name for field in dataclasses.fields(SliceView) if field.name not in ("needs", "means_micro")]
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    same = all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)
    needs = [(one.needs.of(place), other.needs.of(place)) for place in range(len(one.submissions))]
    return same and all(a == b for a, b in needs)


def _without(table: ScoreTable, places: list[int]) -> ScoreTable:
    def picked(values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
        return {name: value[places] for name, value in values.items()}

    return dataclasses.replace(
        table,
        submissions=tuple(table.submissions[place] for place in places),
        shas=tuple(table.shas[place] for place in places),
        composites=table.composites[places],
        desirabilities=picked(dict(table.desirabilities)),
        is_unread=picked(dict(table.is_unread)),
        measured=picked(dict(table.measured)),
        passed=table.passed[places],
        declined=table.declined[places],
        wer_micro=table.wer_micro[places],
    )


@settings(max_examples=60, deadline=None)
@given(boards.rows(st.integers(0, 6), st.integers(0, 9)), st.sampled_from(PARTS), st.sampled_from([0.05, 0.1, 0.333]))
def test_rule(composites: list[list[int]], part: Slice, alpha: float) -> None:
    """Means, bounds, margins, wins and bands of a slice are those that the decision rule gives of its items."""
    table = boards.table(composites, recipe=boards.protocol(alpha=alpha))
    view, _ = decide_slice(table, part)
    constants = table.protocol.constants
    rows = table.rows(part)
    right = boards.decided(rows, table.submissions, constants)
    assert np.array_equal(view.scores_micro, right.scores_micro)
    assert np.array_equal(view.lcb_micro, right.lcb_micro)
    assert np.array_equal(view.margins_micro, right.margins_micro)
    assert np.array_equal(view.outcomes == 1, right.beats)
    assert np.array_equal(view.outcomes, -view.outcomes.T)
    bands = rank_bands(right)
    for key, row in zip(table.submissions, rows, strict=True):
        found = view.row(key)
        assert found is not None
        assert found.band == bands[key]
        interval = mean_interval(
            row.astype(np.int64), n_resamples=constants.n_resamples, seed=constants.seed, alpha=constants.alpha
        )
        assert found.interval == interval
    for decision in right.pairs():
        assert view.decision(decision.incumbent, decision.challenger) == decision


@settings(max_examples=40, deadline=None)
@given(boards.rows(st.integers(2, 6), st.integers(1, 8)), st.sampled_from(PARTS), st.randoms(use_true_random=False))
def test_taken_over(composites: list[list[int]], part: Slice, rng: object) -> None:
    """What an earlier revision knew changes nothing, whoever came, went or moved since."""
    table = boards.table(composites)
    keys = list(range(len(composites)))
    earlier_places = sorted(rng.sample(keys, rng.randint(0, len(keys))))  # type: ignore[attr-defined]
    later_places = rng.sample(keys, rng.randint(1, len(keys)))  # type: ignore[attr-defined]
    _, earlier = decide_slice(_without(table, earlier_places), part)
    later = _without(table, later_places)
    fresh, bounds = decide_slice(later, part)
    view, taken_over = decide_slice(later, part, earlier)
    assert _equal(view, fresh)
    again, _ = decide_slice(later, part, taken_over)
    assert _equal(again, fresh)
    assert np.array_equal(taken_over.ends, bounds.ends)


def test_changed_row() -> None:
    """A row that was made anew is decided anew, though its submission is the same."""
    before = boards.table([[500_000] * 6, [400_000] * 6])
    after = boards.table([[500_000] * 6, [900_000] * 6])
    _, earlier = decide_slice(before, ALL)
    view, _ = decide_slice(after, ALL, earlier)
    assert _equal(view, decide_slice(after, ALL)[0])
    assert view.outcomes.tolist() == [[0, -1], [1, 0]]


def test_other_order() -> None:
    """A board whose rows come in another order takes over what belongs to each of them."""
    table = boards.table([[500_000, 0, 1], [400_000, 9, 900_000], [7, 300_000, 800_000]])
    _, earlier = decide_slice(table, ALL)
    turned = _without(table, [2, 0, 1])
    assert _equal(decide_slice(turned, ALL, earlier)[0], decide_slice(turned, ALL)[0])


def test_refused_item() -> None:
    """A refused item is 0 in a slice of a trait too, but in no mean of the dimension."""
    table = boards.table([[0, 900_000, 900_000], [800_000, 900_000, 900_000]])
    assert table.desirabilities["gender"][0, 0] == ABSENT
    assert table.rows(Slice(trait="gender"))[0, 0] == 0
    row = decide_slice(table, Slice(trait="gender"))[0].row("s0")
    assert row is not None
    assert row.n_declined == 1
    desirabilities = table.desirabilities["gender"][0, 1:]
    assert row.score == round(int(desirabilities.sum()) / 3) / 1e6
    assert row.means["gender"] == round(int(desirabilities.sum()) / 2) / 1e6


def test_published(six: Context, nine: Context) -> None:
    """The whole board, each tier and each split say what was published of them."""
    for context in (six, nine):
        board = context.published.boards()[0]
        table = context.slices.table(board)
        assert table is not None
        assert table.submissions == tuple(row.submission for row in board.rows)
        _whole(context, board)
        for submission, summary in context.derived.summaries(board, table.submissions).items():
            parts = {Slice(tier=int(tier)): one for tier, one in summary.tiers.items()}
            parts |= {slice_of(board.protocol, split=split): one for split, one in summary.splits.items()}
            assert len(parts) == 5
            for part, published in parts.items():
                view = context.slices.view(board, part)
                row = view.row(submission) if view else None
                assert row is not None
                assert (row.score, row.interval) == (published.score.mean, published.score.interval)
                assert row.gate_pass_rate == published.gate.rate
                assert row.means == {name: mean.mean for name, mean in published.dimensions.items()}


def _whole(context: Context, board: Board) -> None:
    view = context.slices.view(board)
    assert view is not None
    for row in board.rows:
        found = view.row(row.submission)
        assert found is not None
        assert found.interval is not None
        ends = (found.interval.low, found.interval.high)
        assert (found.score, *ends) == (row.score, row.score_low, row.score_high)
        assert (found.band, found.gate_pass_rate, found.means) == (row.band, row.gate_pass_rate, dict(row.means))
    for (challenger, incumbent), decision in board.decisions.items():
        assert view.decision(challenger, incumbent) == decision
    assert [view.submissions[place] for place in view.order()] == [row.submission for row in board.rows]


def test_strangers() -> None:
    """Who is not on the board has no row, no place and no decision, and nobody is decided against itself."""
    view, bounds = decide_slice(boards.table([[1, 2], [3, 4]]), ALL)
    assert view.row("x") is None
    assert view.index("x") is None
    assert view.decision("s0", "x") is None
    assert view.decision("s0", "s0") is None
    assert isinstance(bounds, Bounds)
