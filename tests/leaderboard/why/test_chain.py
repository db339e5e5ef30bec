"""A clip's chain, scored again from its published readings, and the rules in words."""

import re

import pyarrow as pa
import pytest

from leaderboard.context import Context
from leaderboard.why.chain import chain_of
from leaderboard.why.rules import explained
from submissions import layout


@pytest.mark.parametrize("site", ["nine_site", "lite_site"])
def test_every_clip_is_scored_again(site: str, request: pytest.FixtureRequest) -> None:
    """Every column that the publisher writes of a row is what it wrote, of declined and of doubtful items too."""
    context: Context = request.getfixturevalue(site)
    board = context.published.board("")
    for row in board.rows:
        ledger = context.whys.ledger(board, row.submission)
        assert ledger is not None
        for at, item in enumerate(ledger.ids):
            chain = context.whys.chain(board, row.submission, item)
            assert chain is not None and not chain.differences and not chain.fault
            assert chain.n_columns > 60 and chain.score is not None
            assert chain.score.composite_micro == chain.published_micro == ledger.composite_micro[at]


def test_a_forged_value_is_named(nine_site: Context) -> None:
    """A composite that its readings do not give is found in the very column."""
    board = nine_site.published.board("")
    table = layout.read_samples(nine_site.files, board.protocol_id, board.rows[0].submission)
    at = table.column_names.index("composite_micro")
    forged = pa.array([value + 1 for value in table["composite_micro"].to_pylist()], pa.int64())
    chain = chain_of(board.protocol, table.set_column(at, table.schema.field(at), forged), table["item_id"][0].as_py())
    assert chain is not None and chain.differences == ("composite_micro",)
    assert chain_of(board.protocol, table, "no-such-item") is None


def test_each_rule_ends_in_the_desirability(nine_site: Context) -> None:
    """The last number of each sentence is the published desirability, for every clip and dimension of the board."""
    board = nine_site.published.board("")
    seen = set()
    for row in board.rows:
        ledger = nine_site.whys.ledger(board, row.submission)
        assert ledger is not None
        for item in ledger.ids:
            chain = nine_site.whys.chain(board, row.submission, item)
            assert chain is not None and chain.score is not None
            for score in chain.score.dimensions:
                told = explained(board.protocol, chain, score).rule
                last = re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", told)[-1]
                assert float(last) == pytest.approx(score.desirability, abs=1e-5), told
                seen.add((score.dimension, score.reason is None, score.desirability))
    assert {name for name, _, _ in seen} == set(board.protocol.dimensions)


def test_the_quantity_follows_from_the_readings(nine_site: Context) -> None:
    """Pace, pitch and loudness show a sum that ends in the published quantity."""
    board = nine_site.published.board("")
    chain = nine_site.whys.chain(board, board.rows[0].submission, "it-001")
    assert chain is not None and chain.score is not None
    shown = {
        score.dimension: (explained(board.protocol, chain, score).measured, score) for score in chain.score.dimensions
    }
    for name in ("pace", "loudness"):
        told, score = shown[name]
        assert f"{abs(score.quantity or 0):.6f}" in told, told
    told, score = shown["pitch"]
    assert score.reason is not None or f"{abs(score.quantity or 0):.6f}" in told
