"""Ordering, filters and matrix of a board."""

import itertools

from evaluation.records import RankBand
from leaderboard import standings
from leaderboard.context import Context
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
