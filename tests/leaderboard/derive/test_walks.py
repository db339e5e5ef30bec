"""Walks list the clips worth hearing, the widest apart first."""

import dataclasses

import numpy as np
import pytest

from leaderboard.context import Context
from leaderboard.derive.reading import read_items, read_lines, table_of
from leaderboard.derive.records import ScoreTable
from leaderboard.derive.walks import Stop, Veto, dispute_pairs, disputes, vetoed, widest
from tests.leaderboard.derive import boards


def _table(context: Context) -> ScoreTable:
    table = context.slices.table(context.published.boards()[0])
    assert table is not None
    return table


def test_widest(six: Context) -> None:
    """Items come by how far two systems are apart, by id on a draw, from the published samples; equal ones never."""
    board = six.published.boards()[0]
    a, b = board.rows[0].submission, board.rows[4].submission
    samples = six.published.samples(board, (a, b))
    for dimension in (None, "pace"):

        def value(of: str, item: str, dimension: str | None = dimension) -> float:
            sample = samples[of][item]
            scores = {one.dimension: one.desirability for one in sample.dimensions}
            return sample.composite if dimension is None else scores.get(dimension, 0.0)

        stops = widest(_table(six), a, b, dimension)
        expected = [(-abs(value(a, item) - value(b, item)), item) for item in samples[a]]
        assert [stop.item_id for stop in stops] == [item for apart, item in sorted(expected) if apart]
        assert all((stop.a, stop.b) == (value(a, stop.item_id), value(b, stop.item_id)) for stop in stops)
    assert widest(_table(six), a, b, n_most=2) == widest(_table(six), a, b)[:2]


def test_held_out(six: Context) -> None:
    """Held-out items are left out when that is asked."""
    table = _table(six)
    a, b = table.submissions[0], table.submissions[5]
    held_out = {item for item, is_it in zip(table.items.ids, table.items.is_held_out, strict=True) if is_it}
    whole = widest(table, a, b)
    assert {stop.item_id for stop in whole} & held_out
    assert widest(table, a, b, has_held_out=False) == tuple(stop for stop in whole if stop.item_id not in held_out)


def test_vetoed(six: Context) -> None:
    """Vetoed clips come with the most word errors first; a refused item is no clip."""
    board = six.published.boards()[0]
    for submission, samples in six.published.samples(board, [row.submission for row in board.rows]).items():
        wrong = [sample for sample in samples.values() if not sample.passed_gate and not sample.is_declined]
        right = [(-(sample.wer or 0), sample.item_id) for sample in wrong]
        found = vetoed(_table(six), submission)
        assert [veto.item_id for veto in found] == [item for _, item in sorted(right)]
        assert [veto.wer for veto in found] == pytest.approx([-wer for wer, _ in sorted(right)], abs=1e-6)


def test_disputes(nine: Context) -> None:
    """Judge and instrument are held against each other where both could read the clip."""
    table = _table(nine)
    assert ("tone", "emotion") in dispute_pairs(table)
    submission = table.submissions[2]
    stops = disputes(table, submission, "tone", "emotion")
    samples = nine.published.samples(nine.published.boards()[0], (submission,))[submission]
    assert stops
    for stop in stops:
        scores = {one.dimension: one for one in samples[stop.item_id].dimensions}
        assert scores["tone"].reason is None
        assert scores["emotion"].reason is None
        assert stop.b == scores["emotion"].desirability
        assert stop.a == pytest.approx(scores["tone"].desirability, abs=1e-6)
    apart = [abs(stop.difference) for stop in stops]
    assert apart == sorted(apart, reverse=True)


@pytest.mark.parametrize("name", ["gender", "age", "emotion", "accent", "naturalness"])
def test_second_reading(name: str, six: Context, nine: Context) -> None:
    """What another instrument reads of a judged dimension is scored as if it scored it."""
    context = six if name == "naturalness" else nine
    board = context.published.boards()[0]
    judge = nine.published.boards()[0].protocol.judge
    assert judge is not None
    judged = dataclasses.replace(board.protocol, judge=dataclasses.replace(judge, dimensions=(name,)))
    submission = board.rows[2].submission
    items = read_items(context.files, judged, board.protocol_id, submission)
    lines = read_lines(context.files, judged, board.protocol_id, submission, items)
    table = table_of(judged, board.protocol_id, items, [(submission, "", lines)])
    is_read = ~table.declined & ~table.is_unread[name]
    assert is_read.any()
    assert np.array_equal(table.second[name][is_read], table.desirabilities[name][is_read])
    assert (table.second[name][~is_read] == -1).all()
    assert (name, None) in dispute_pairs(table)
    assert disputes(table, submission, name) == ()


def test_by_hand() -> None:
    """The judge's number comes first; strangers and unknown dimensions walk nowhere."""
    table = dataclasses.replace(
        boards.table([[200_000, 900_000]]),
        desirabilities={"tone": np.array([[0, 1_000_000]], dtype=np.int32)},
        is_unread={"tone": np.zeros((1, 2), dtype=np.bool_)},
        second={"tone": np.array([[700_000, 900_000]], dtype=np.int32)},
        passed=np.array([[False, True]]),
    )
    assert disputes(table, "s0", "tone") == (
        Stop(item_id="it-000", a=0.0, b=0.7),
        Stop(item_id="it-001", a=1.0, b=0.9),
    )
    assert disputes(table, "s0", "tone")[0].difference == -0.7
    assert disputes(table, "s0", "tone", has_held_out=False) == (Stop(item_id="it-001", a=1.0, b=0.9),)
    table.is_unread["tone"][0, 0] = True
    assert disputes(table, "s0", "tone") == (Stop(item_id="it-001", a=1.0, b=0.9),)
    assert vetoed(table, "s0") == (Veto(item_id="it-000", wer=0.2),)
    assert vetoed(table, "s0", has_held_out=False) == ()
    assert disputes(table, "x", "tone") == disputes(table, "s0", "pace") == disputes(table, "s0", "tone", "pace") == ()
    assert widest(table, "s0", "x") == widest(table, "s0", "s0", "pace") == vetoed(table, "x") == ()
