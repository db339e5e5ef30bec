"""Numbers of a system, worked out again from its published items."""

import dataclasses
import itertools

import numpy as np
import pytest

from evaluation.bootstrap import MICRO
from evaluation.summary import Mean
from leaderboard.context import Context
from leaderboard.derive.records import ALL, Slice
from leaderboard.why.number import COVERAGE, GATE, SCORE, Place, composites_right, prove_number, read_place

PARTS = (ALL, Slice(tier=0), Slice(tier=1), Slice(tier=2), Slice(split="public"), Slice(split="held_out"))


@pytest.mark.parametrize("site", ["nine_site", "lite_site"])
def test_every_published_mean_is_worked_out_again(site: str, request: pytest.FixtureRequest) -> None:
    """Score, gate and every dimension, whole, by tier and by split: mean and interval are the published ones."""
    context: Context = request.getfixturevalue(site)
    board = context.published.board("")
    for row in board.rows:
        ledger = context.whys.ledger(board, row.submission)
        summary = context.derived.summaries(board, (row.submission,))[row.submission]
        assert ledger is not None
        for number, part in itertools.product((SCORE, GATE, *board.protocol.dimensions), PARTS):
            found = prove_number(board.protocol, ledger, summary, Place(number=number, part=part))
            assert found.same() == "identical", (row.name, number, part.key)
        whole = prove_number(board.protocol, ledger, summary, Place(number=SCORE))
        assert whole.mean == row.score and len(whole.items) == row.n_items
        coverage = prove_number(board.protocol, ledger, summary, Place(number=COVERAGE))
        assert coverage.same() == "identical" and coverage.mean == row.coverage
        assert context.whys.composites_right(board, ledger) == row.n_items


def test_every_requested_value_is_worked_out_again(nine_site: Context) -> None:
    """The mean of each requested value of each trait is the published one."""
    board = nine_site.published.board("")
    row = board.rows[-1]
    ledger = nine_site.whys.ledger(board, row.submission)
    summary = nine_site.derived.summaries(board, (row.submission,))[row.submission]
    assert ledger is not None
    for trait, table in summary.traits.items():
        for value in table.values:
            place = Place(number=trait, value=value)
            assert prove_number(board.protocol, ledger, summary, place).same() == "identical", (trait, value)


def test_a_number_that_is_not_the_published_one_is_said_so(nine_site: Context) -> None:
    """A changed composite shows in the mean and in the count of right composites; a mixed part is nobody's figure."""
    board = nine_site.published.board("")
    row = board.rows[0]
    ledger = nine_site.whys.ledger(board, row.submission)
    summary = nine_site.derived.summaries(board, (row.submission,))[row.submission]
    assert ledger is not None
    changed = np.array(ledger.composite_micro)
    changed[3] = MICRO - changed[3] // 2 if changed[3] > MICRO // 2 else changed[3] + 5_000
    forged = dataclasses.replace(ledger, composite_micro=changed)
    assert prove_number(board.protocol, forged, summary, Place(number=SCORE)).same() == "different"
    assert composites_right(board.protocol, forged) == len(ledger.ids) - 1
    mixed = Place(number=SCORE, part=Slice(tier=1, split="public"))
    assert prove_number(board.protocol, ledger, summary, mixed).same() == "unpublished"


def test_an_empty_part_has_no_mean(nine_site: Context) -> None:
    """Nothing is never 0."""
    board = nine_site.published.board("")
    row = board.rows[0]
    ledger = nine_site.whys.ledger(board, row.submission)
    summary = nine_site.derived.summaries(board, (row.submission,))[row.submission]
    assert ledger is not None
    found = prove_number(board.protocol, ledger, summary, Place(number="pace", value="no such pace"))
    assert found.mean is None and found.interval is None and not found.items


def test_an_address_is_read_leniently(nine_site: Context) -> None:
    """Unknown numbers are S, and a value belongs to a dimension only."""
    protocol = nine_site.published.board("").protocol
    assert read_place(protocol, {"number": "nonsense"}, ALL) == Place(number=SCORE)
    assert read_place(protocol, {"number": "gate", "value": "x"}, Slice(tier=2)) == Place(
        number=GATE, part=Slice(tier=2)
    )
    assert read_place(protocol, {"number": "pace", "value": "fast"}, ALL).value == "fast"


def test_published_kinds_differ(nine_site: Context) -> None:
    """A dimension's published figure is a mean, a gate's a rate."""
    board = nine_site.published.board("")
    row = board.rows[0]
    ledger = nine_site.whys.ledger(board, row.submission)
    summary = nine_site.derived.summaries(board, (row.submission,))[row.submission]
    assert ledger is not None
    pace = prove_number(board.protocol, ledger, summary, Place(number="pace"))
    gate = prove_number(board.protocol, ledger, summary, Place(number=GATE))
    assert isinstance(pace.published, Mean) and not pace.is_share and gate.is_share
    assert gate.total_micro % MICRO == 0
