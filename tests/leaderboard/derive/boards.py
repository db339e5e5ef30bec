"""Small boards as arrays, without a file: what hypothesis draws, and the same board as the decisions take it."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from evaluation.decision import Contender, Decisions, decide_all
from evaluation.protocol import Constants, Protocol, load_shipped
from leaderboard.derive.reading import coded
from leaderboard.derive.records import ABSENT, Items, ScoreTable

N_RESAMPLES = 41
TRAITS = ("gender", "pace")


def protocol(**constants: float) -> Protocol:
    """Return the shipped recipe with two traits and naturalness, few resamples, and other constants as given."""
    shipped = load_shipped("lite")
    frozen = dataclasses.replace(shipped.constants, **{"n_resamples": N_RESAMPLES, **constants})  # type: ignore[arg-type]
    return dataclasses.replace(shipped, dimensions=(*TRAITS, "naturalness"), constants=frozen)


def table(
    composites: Sequence[Sequence[int]], *, recipe: Protocol | None = None, keys: Sequence[str] | None = None
) -> ScoreTable:
    """Return a table of these composites, millionths; a system whose first one is 0 refused that item."""
    recipe = recipe or protocol()
    rows = np.array(composites, dtype=np.int32).reshape(len(composites), -1 if composites else 0)
    n_systems, n_items = rows.shape
    declined = np.zeros(rows.shape, dtype=np.bool_)
    declined[:, :1] = rows[:, :1] == 0
    places = np.arange(n_items, dtype=np.int8)
    values = {one.name: one.values for one in recipe.traits}
    requested = {name: (places % len(values[name])).astype(np.int8) for name in values}

    def desirability(shift: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        levels = np.array([0, 500_000, 1_000_000], dtype=np.int32)
        found = levels[(rows // 7 + places + shift) % 3]
        return np.where(declined, ABSENT, found).astype(np.int32)

    return ScoreTable(
        protocol=recipe,
        protocol_id="0123456789ab",
        submissions=tuple(keys) if keys else tuple(f"s{place}" for place in range(n_systems)),
        shas=tuple(f"{hash(tuple(row)) & 0xFFFFFFFF:08x}" for row in rows.tolist()),
        items=Items(
            ids=tuple(f"it-{place:03d}" for place in range(n_items)),
            tiers=(places % 3).astype(np.int8),
            is_held_out=places % 5 == 0,
            values=values,
            requested=requested,
        ),
        composites=rows,
        desirabilities={name: desirability(shift) for shift, name in enumerate(recipe.dimensions)},
        is_unread={name: np.zeros(rows.shape, dtype=np.bool_) for name in recipe.dimensions},
        measured={name: np.broadcast_to(requested[name], rows.shape).copy() for name in coded(recipe)},
        second={},
        passed=(rows > 0) & ~declined,
        declined=declined,
        wer_micro=np.where(declined, ABSENT, (1_000_000 - rows) // 4).astype(np.int32),
        left_out=(),
    )


def decided(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.int32]], keys: Sequence[str], constants: Constants
) -> Decisions:
    """Return what the rule of the board says of these rows."""
    contenders = [Contender(key=key, composites_micro=tuple(row)) for key, row in zip(keys, rows.tolist(), strict=True)]
    return decide_all(contenders, constants=constants)


def rows(
    n_systems: st.SearchStrategy[int], n_items: st.SearchStrategy[int], *, most: int = 1_000_000
) -> st.SearchStrategy[list[list[int]]]:
    """Draw composites whose systems lie close together now and then, with equal means and exact halves among them."""
    cells = st.one_of(st.integers(0, most), st.sampled_from([0, 1, 2, 3, most // 2, most // 2 + 1, most]))

    def board(size: tuple[int, int]) -> st.SearchStrategy[list[list[int]]]:
        row = st.lists(cells, min_size=size[1], max_size=size[1])
        return st.lists(row, min_size=size[0], max_size=size[0])

    return st.tuples(n_systems, n_items).flatmap(board)
