"""A pair's decision, worked out again; the code for a notebook; the grid of all pairs."""

import contextlib
import io
import itertools

import numpy as np
import pytest

from evaluation.bootstrap import MICRO
from evaluation.paired import paired
from evaluation.scoring import score_submission
from leaderboard.context import Context
from leaderboard.derive.records import ALL, Slice
from leaderboard.standings import between
from leaderboard.why.grid import Grid, of_board, of_view
from leaderboard.why.snippet import snippet
from leaderboard.why_downloads import resamples_csv
from submissions import layout
from submissions.evidence import read_evidence

PARTS = (ALL, Slice(tier=2), Slice(split="public"), Slice(trait="pace"), Slice(trait="accent", tier=1))


def test_every_decision_is_made_again(nine_site: Context) -> None:
    """Whichever way round a pair is named, the whole record is the published one."""
    board = nine_site.published.board("")
    for one, other in itertools.permutations([row.submission for row in board.rows], 2):
        found = nine_site.whys.proof(board, one, other, ALL)
        assert found is not None and found.decision == between(board.decisions, one, other)
        assert len(found.means) == board.protocol.constants.n_resamples
        percentile = np.percentile(found.means, 100 * board.protocol.constants.alpha)
        assert found.decision.lcb == pytest.approx(percentile, abs=1e-6)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.key)
def test_a_slice_decides_as_the_derived_view_does(nine_site: Context, part: Slice) -> None:
    """The proof of a pair on a slice is the decision that the matrix of that slice shows."""
    board = nine_site.published.board("")
    view = nine_site.slices.view(board, part)
    assert view is not None
    for one, other in itertools.combinations([row.submission for row in board.rows], 2):
        found = nine_site.whys.proof(board, one, other, part)
        assert found is not None and found.decision == view.decision(one, other)


def test_differences_are_those_of_the_paired_comparison(nine_site: Context) -> None:
    """Every dimension, means, difference and interval; and the widest items with what differs on them."""
    board = nine_site.published.board("")
    one, other = board.rows[0].submission, board.rows[4].submission
    scored = {}
    for name in (one, other):
        evidence = read_evidence(layout.read_samples(nine_site.files, board.protocol_id, name))
        made = score_submission(board.protocol, evidence.items, evidence.readings, evidence.declined)
        scored[name] = made.samples
    expected = paired(board.protocol, scored[one], scored[other], n_widest=12)
    found = nine_site.whys.proof(board, one, other, ALL)
    assert found is not None and found.dimensions == dict(expected.dimensions)
    assert [(gap.item_id, gap.a, gap.b, gap.why) for gap in found.widest] == [
        (gap.item_id, gap.a, gap.b, gap.dimensions) for gap in expected.widest
    ]


def test_what_would_change_it_would(nine_site: Context) -> None:
    """With the lacking amount added to every difference the bound reaches the margin, no less and no more."""
    board = nine_site.published.board("")
    for one, other in itertools.combinations([row.submission for row in board.rows], 2):
        found = nine_site.whys.proof(board, one, other, ALL)
        assert found is not None
        shifted = np.percentile(np.asarray(found.means) + found.needed(), 5)
        assert shifted == pytest.approx(found.decision.margin, abs=2e-6)
        assert (found.needed() < 0) is found.decision.is_win
        n_items = found.items_needed()
        if n_items is not None:
            gap = found.decision.challenger_score - found.decision.incumbent_score
            shrunk = (gap - found.decision.lcb) * (found.decision.n_items / n_items) ** 0.5
            assert gap - shrunk >= found.decision.margin - 1e-9 and n_items > found.decision.n_items


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.key)
def test_the_code_for_a_notebook_prints_this_very_bound(nine_site: Context, part: Slice) -> None:
    """It runs as it stands on the page, on the published parquet."""
    board = nine_site.published.board("")
    found = nine_site.whys.proof(board, board.rows[0].submission, board.rows[4].submission, part)
    assert found is not None
    code = snippet(board.protocol, board.protocol_id, found, site="https://this-site")
    home = nine_site.home / "published"
    code = code.replace("{SITE}/published", home.as_posix())
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "snippet", "exec"), {})
    decision = found.decision
    expected = f"n = {decision.n_items}, LCB {decision.lcb:.6f}, margin {decision.margin:.6f}:"
    assert said.getvalue().startswith(expected), (said.getvalue(), expected)
    assert said.getvalue().strip().endswith("win" if decision.is_win else "tie")


def test_the_file_holds_every_resample(nine_site: Context) -> None:
    """One line each, whose sums are those of the proof."""
    board = nine_site.published.board("")
    found = nine_site.whys.proof(board, board.rows[0].submission, board.rows[1].submission, ALL)
    assert found is not None
    lines = resamples_csv(found).splitlines()
    assert len(lines) == 1 + board.protocol.constants.n_resamples
    assert [int(line.split(",")[3]) for line in lines[1:]] == found.sums.tolist()
    total, mean = lines[7].split(",")[3:]
    assert float(mean) == int(total) / (found.decision.n_items * MICRO)


def test_both_grids_of_a_board_are_one(nine_site: Context) -> None:
    """From the published decisions and from the derived view: same outcomes, bounds and bands of each system."""
    board = nine_site.published.board("")
    view = nine_site.slices.view(board, ALL)
    assert view is not None
    one, other = of_board(board), of_view(view)
    assert set(one.keys) == set(other.keys)
    order = [other.keys.index(key) for key in one.keys]
    assert np.array_equal(one.outcomes, other.outcomes[np.ix_(order, order)])
    assert np.array_equal(one.lcb_micro, other.lcb_micro[np.ix_(order, order)])
    assert np.array_equal(one.best, other.best[order]) and np.array_equal(one.worst, other.worst[order])


def test_clusters_hold_mutual_ties_and_everybody_once(nine_site: Context) -> None:
    """No pair inside a cluster is decided; the next system beats or is beaten by somebody in it."""
    board = nine_site.published.board("")
    grid: Grid = nine_site.whys.grid(board)
    clusters = grid.clusters()
    assert [place for one in clusters for place in range(one.first, one.first + one.n)] == list(range(len(grid.keys)))
    for one in clusters:
        inside = slice(one.first, one.first + one.n)
        assert not grid.outcomes[inside, inside].any()
        after = one.first + one.n
        assert after == len(grid.keys) or grid.outcomes[after, inside].any()
        assert one.best == grid.best[inside].min() and one.worst == grid.worst[inside].max()


def test_no_pair_has_no_proof(nine_site: Context) -> None:
    """A system with itself, and a stranger."""
    board = nine_site.published.board("")
    name = board.rows[0].submission
    assert nine_site.whys.proof(board, name, name, ALL) is None
    assert nine_site.whys.proof(board, name, "nobody", ALL) is None
