"""Decisions as columns: they are the same records as before, whoever looks and in whatever way."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.records import Decision
from leaderboard.decision_map import NOTHING_DECIDED, DecisionMap
from submissions.board import DECISIONS_SCHEMA

_NAMES = ("b-two", "a-one", "d-four", "c-three")
_PAIRS = st.lists(
    st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES)).filter(lambda pair: pair[0] != pair[1]), max_size=12
)


def _records(pairs: list[tuple[str, str]]) -> list[Decision]:
    return [
        Decision(
            challenger=one,
            incumbent=other,
            n_items=12 + at,
            challenger_score=0.5 + at / 1000,
            incumbent_score=0.25,
            lcb=-0.000123 * at,
            margin=0.015,
            is_win=at % 3 == 1,
        )
        for at, (one, other) in enumerate(pairs)
    ]


def _table(records: list[Decision]) -> pa.Table:
    columns = {name: [getattr(one, name) for one in records] for name in DECISIONS_SCHEMA.names}
    return pa.Table.from_pydict(columns, schema=DECISIONS_SCHEMA)


@given(_PAIRS)
def test_a_map_of_columns_is_the_dictionary_of_records(pairs: list[tuple[str, str]]) -> None:
    """Every look-up, iteration and count gives what a dictionary made of the table's rows gives."""
    records = _records(pairs)
    wanted = {(one.challenger, one.incumbent): one for one in records}
    found = DecisionMap(_table(records))
    assert dict(found.items()) == wanted
    assert len(found) == len(wanted)
    assert sorted(found) == sorted(wanted)
    for one in (*_NAMES, "nobody"):
        for other in (*_NAMES, "nobody"):
            assert found.get((one, other)) == wanted.get((one, other))
            assert ((one, other) in found) is ((one, other) in wanted)


@given(_PAIRS)
def test_rows_are_taken_by_system_and_by_place(pairs: list[tuple[str, str]]) -> None:
    """The rows of one system are those that name it, in the order of the table, and a table of them is published's."""
    found = DecisionMap(_table(_records(pairs)))
    everything = list(found.rows)
    for name in (*_NAMES, "nobody"):
        mine = [one for one in everything if name in (one.challenger, one.incumbent)]
        assert list(found.rows.of(name)) == mine
        assert found.rows.of(name).table() == _table(mine)
        assert list(found.rows.of(name)[1:3]) == mine[1:3]


def test_a_pair_is_found_whoever_challenges() -> None:
    """Both orders give the one row; a system against itself, or somebody unknown, gives none."""
    records = _records([("a", "b"), ("c", "a")])
    found = DecisionMap(_table(records))
    assert list(found.between("a", "b")) == list(found.between("b", "a")) == records[:1]
    assert list(found.between("a", "c")) == records[1:]
    assert list(found.between("b", "c")) == list(found.between("a", "a")) == list(found.between("a", "nobody")) == []


def test_a_board_lacks_a_decision_until_every_pair_has_one() -> None:
    """All pairs once is complete; one that is missing, or stands in both directions instead of another, is not."""
    pairs = [("a", "b"), ("c", "a"), ("b", "c")]
    assert DecisionMap(_table(_records(pairs))).decides_all(("a", "b", "c"))
    assert not DecisionMap(_table(_records(pairs[:2]))).decides_all(("a", "b", "c"))
    assert DecisionMap(_table(_records(pairs))).decides_all(("a", "b"))
    assert not DecisionMap(_table(_records(pairs))).decides_all(("a", "b", "c", "d"))
    assert NOTHING_DECIDED.decides_all(())
    assert NOTHING_DECIDED.decides_all(("a",))
    with pytest.raises(KeyError):
        NOTHING_DECIDED["a", "b"]
