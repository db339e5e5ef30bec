"""What stands in a cell of the board: gains that are never nothing, and numbers that lead to how they were made."""

import dataclasses

import pytest

from leaderboard import display
from leaderboard.context import Context
from leaderboard.derive.needs import Needs, Step
from leaderboard.pages.board_cells import band_note
from leaderboard.pages.board_open import told_needs
from leaderboard.reading.board import board_page
from tests.leaderboard.page_reader import Page

ALONE = Needs(
    ties=(),
    n_beats=0,
    n_beaten_by=0,
    nearest_win=None,
    clear=None,
    nearest_tie=None,
    nearest_slip=None,
    nearest_loss=None,
)


def step(change: float) -> Step:
    """Return a step to some system."""
    return Step(submission="s1", change=change)


@pytest.mark.parametrize(
    ("change", "told"),
    [(0.000001, "0.001"), (0.0004, "0.001"), (0.001, "0.001"), (0.001001, "0.002"), (0.0215, "0.022")],
)
def test_a_gain_is_rounded_up(change: float, told: str) -> None:
    """What is printed is enough, and never nothing."""
    assert display.gain(change) == told


def test_a_band_says_what_the_gain_would_do() -> None:
    """With ties it beats one, without it ties one above; on top and alone there is no gain to tell."""
    ties = dataclasses.replace(ALONE, ties=("s1", "s2"), nearest_win=step(0.0002), clear=step(0.0105))
    assert band_note(ties) == ("ties with 2", "+0.001 beats one")
    beaten = dataclasses.replace(ALONE, n_beaten_by=2, n_beats=1, nearest_tie=step(0.03))
    assert band_note(beaten) == ("ties with none", "+0.030 ties one")
    assert band_note(dataclasses.replace(ALONE, n_beats=3, nearest_slip=step(0.1))) == ("beats all others",)
    assert band_note(ALONE) == ("no other yet",)


def test_an_open_row_never_tells_of_a_gain_of_nothing() -> None:
    """Every step of the sentence is rounded up as in the table."""
    small = step(0.0001)
    needs = dataclasses.replace(
        ALONE,
        ties=("s1", "s2"),
        n_beats=1,
        n_beaten_by=1,
        nearest_win=small,
        clear=step(0.02),
        nearest_tie=small,
        nearest_slip=small,
        nearest_loss=small,
    )
    assert "0.000" not in told_needs(needs) and told_needs(needs).count("0.001") == 3
    assert "nothing to be compared with" in told_needs(ALONE)


def test_every_number_of_the_table_leads_to_how_it_was_made(six: Context) -> None:
    """Ranks, S, gate, dimensions and coverage are links; one a row is in the order of the Tab key."""
    page = Page(board_page(six, {}))
    row = next(found for found in page.all("tr") if "data-submission" in found.attributes)
    submission = row.attributes["data-submission"]
    links = [found for found in row.inside if found.tag == "a" and found.attributes["href"].startswith("/why?")]
    numbers = [found.attributes["href"].split("number=")[1] for found in links]
    assert numbers == ["band", "score", "gate", "naturalness", "gender", "pace", "pitch", "loudness", "coverage"]
    assert all(f"system={submission}" in found.attributes["href"] for found in links)
    assert [found.attributes["href"][-5:] for found in links if "tabindex" not in found.attributes] == ["score"]


def test_numbers_of_a_part_lead_to_that_part(six: Context) -> None:
    """On the hard tier, links carry the tier; the derived rank leads to its row of the matrix."""
    page = Page(board_page(six, {"preset": "hard"}))
    hrefs = [found.attributes["href"] for found in page.by_id("board-rows").inside if found.tag == "a"]
    whys = [href for href in hrefs if href.startswith("/why?") and "number=band" not in href]
    assert whys and all("tier=2" in href for href in whys)
    assert any(href.startswith("/matrix?") and "tier=2" in href for href in hrefs)
