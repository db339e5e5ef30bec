"""Rates by requested value are the published ones, system by system."""

import numpy as np
import pytest

from evaluation.bootstrap import wilson_interval
from leaderboard.context import Context
from leaderboard.derive.rates import UNREAD, trait_rates
from leaderboard.derive.records import ABSENT, Slice
from tests.leaderboard.derive import boards


def test_published(six: Context, nine: Context) -> None:
    """Counts, means and confusions of every trait, value and system are those of the published summaries."""
    for context in (six, nine):
        board = context.published.boards()[0]
        table = context.slices.table(board)
        assert table is not None
        for submission, summary in context.derived.summaries(board, table.submissions).items():
            for name, published in summary.traits.items():
                rates = trait_rates(table, name)
                asked = {value: mean for value, mean in published.values.items() if value in rates.values}
                assert {value for value, mean in published.values.items() if mean.n_scored} <= set(rates.values)
                for value, mean in asked.items():
                    rate = rates.rate(submission, value)
                    assert rate is not None
                    assert (rate.n, rate.n_unread, rate.mean) == (mean.n_scored, mean.n_unread, mean.mean)
                    wrong = {was: n for was, n in published.confusion[value].items() if n and was != value}
                    if rates.confusions is not None:
                        assert dict(rates.confused(submission, value)) == wrong


def test_exact(nine: Context) -> None:
    """The share exact counts full marks, has a Wilson interval, and the board's mean counts each system once."""
    board = nine.published.boards()[0]
    table = nine.slices.table(board)
    assert table is not None
    rates = trait_rates(table, "pace", Slice(tier=1))
    chosen = table.items.tiers == 1
    for place, value in enumerate(rates.values):
        is_asked = chosen & (table.items.requested["pace"] == table.items.values["pace"].index(value))
        for row, submission in enumerate(rates.submissions):
            cells = table.desirabilities["pace"][row, is_asked & ~table.declined[row]]
            n_exact = int((cells == 1_000_000).sum())
            rate = rates.rate(submission, value)
            assert rate is not None
            assert (rate.n, rate.n_exact) == (len(cells), n_exact)
            assert rate.interval == wilson_interval(n_exact, len(cells), alpha=0.05)
        means = [int(mean) for mean in rates.means_micro[:, place] if mean != ABSENT]
        expected = sum(means) / len(means) if means else ABSENT
        assert rates.board_micro[place] == pytest.approx(expected, abs=1)


def test_most_confused_first() -> None:
    """What a value is taken for comes most often first; who or what is not there has no rate."""
    table = boards.table([[1] * 12])
    values = table.items.values["pace"]
    table.measured["pace"][0] = np.array([1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2], dtype=np.int8)
    table.is_unread["pace"][0, 11] = True
    table.measured["pace"][0, 11] = 0
    rates = trait_rates(table, "pace")
    assert rates.confused("s0", values[0]) == ((values[1], 2), (values[2], 2))
    assert rates.confused("s0", values[2]) == ((UNREAD, 1),)
    assert rates.rate("nobody", values[0]) is None
    assert rates.rate("s0", "nothing") is None
    assert rates.confused("nobody", values[0]) == ()
    with pytest.raises(KeyError):
        trait_rates(table, "colour")
