"""The place of one more system is the one that the board would give it."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.decision import Contender, decide_all, rank_bands
from evaluation.frozen_constants import FROZEN
from evaluation.placement import place

CONSTANTS = dataclasses.replace(FROZEN, n_resamples=50)
ROWS = st.lists(st.lists(st.integers(0, 1_000_000), min_size=6, max_size=6), min_size=1, max_size=6)


@given(ROWS)
def test_place_is_the_boards_own(rows: list[list[int]]) -> None:
    """Band, decisions and the three groups equal those of a board that has the system already."""
    systems = [Contender(key=f"s{number}", composites_micro=tuple(row)) for number, row in enumerate(rows)]
    new, others = systems[0], systems[1:]
    board = decide_all(systems, constants=CONSTANTS)
    found = place(others, new, constants=CONSTANTS)
    assert found.band == rank_bands(board)[new.key]
    assert found.n_systems == len(systems)
    for other in others:
        decision = found.with_neighbour(other.key)
        assert decision == board.of(new.key, other.key)
        group = (
            found.ties if not decision.is_win else found.beats if decision.challenger == new.key else found.beaten_by
        )
        assert other.key in group
    assert len(found.beats) + len(found.ties) + len(found.beaten_by) == len(others)


def test_neighbours_are_the_next_scores() -> None:
    """An equal score stands below; at the ends there is no neighbour."""
    rows = {"low": 100_000, "same": 500_000, "high": 900_000}
    board = [Contender(key=key, composites_micro=(value, value)) for key, value in rows.items()]
    found = place(board, Contender(key="new", composites_micro=(500_000, 500_000)), constants=CONSTANTS)
    assert (found.above, found.below) == ("high", "same")
    assert (found.beaten_by, found.ties, found.beats) == (("high",), ("same",), ("low",))
    top = place(board, Contender(key="new", composites_micro=(950_000, 950_000)), constants=CONSTANTS)
    assert (top.above, top.below) == (None, "high")
    alone = place([], Contender(key="new", composites_micro=(1, 2)), constants=CONSTANTS)
    assert (alone.above, alone.below, alone.band.worst) == (None, None, 1)
    with pytest.raises(KeyError):
        alone.with_neighbour("low")
