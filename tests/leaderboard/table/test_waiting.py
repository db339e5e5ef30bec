"""A board whose parts are still being worked out: what the table says meanwhile, and how it comes by itself."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.context import Context
from leaderboard.derive.keeper import Progress, SliceKeeper
from leaderboard.derive.records import ALL, ScoreTable, Slice
from leaderboard.derive.view import SliceView
from leaderboard.reading.board import PAGE, board_page
from leaderboard.site import mount
from leaderboard.table.keeper import Tables
from leaderboard.views import Board
from tests.leaderboard.gates.serving import served
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM
from tests.leaderboard.waiting import until

HARD_PUBLIC = {"tier": "2", "split": "public"}


class Held(SliceKeeper):
    """A keeper that is at work until it is let go, part by part."""

    held: frozenset[Slice] | None = None

    def view(self, board: Board, part: Slice = ALL) -> SliceView | None:
        """Return a part unless it is held."""
        return None if self.held is None or part in self.held else super().view(board, part)

    def table(self, board: Board) -> ScoreTable | None:
        """Return the scores unless everything is held."""
        return None if self.held is None else super().table(board)

    def progress(self, board: Board) -> Progress:
        """Say that everything is ahead, or, of a part that nobody asked for before, that nothing is."""
        whole = super().progress(board)
        return dataclasses.replace(whole, n_ready=0) if self.held is None else whole

    def stamp(self) -> str:
        """Change with what is held."""
        return f"{super().stamp()} {self.held is None} {sorted(one.key for one in self.held or ())}"


@pytest.fixture
def slices(six: Context, tmp_path: Path) -> Held:
    """A keeper that holds everything."""
    return Held(six.files, tmp_path)


@pytest.fixture
def site(six: Context, slices: Held) -> Context:
    """A site that nothing is worked out for yet."""
    return dataclasses.replace(six, slices=slices, tables=Tables(six.files, slices))


def _ready(site: Context, asked: dict[str, str]) -> str:
    return str(PAGE.parts["board-ready"](site, asked))


def test_a_board_shows_its_published_numbers_meanwhile(site: Context, six: Context) -> None:
    """Ranks and scores are published and wait for nothing; what would move them is announced."""
    page = board_page(site, {})
    assert 'id="board-waiting"' in page and 'data-wait="1"' in page and "ties with" not in page
    assert page.count("data-submission=") == len(six.published.board("").rows)


@pytest.mark.parametrize("asked", [{"tier": "2"}, {"split": "held_out"}, {"preset": "pace"}, HARD_PUBLIC])
def test_no_number_of_another_part_stands_in(site: Context, slices: Held, six: Context, asked: dict[str, str]) -> None:
    """Who is on the board is told, its rank here is not; once it is ready the page is the one of a ready site."""
    page = board_page(site, asked)
    assert 'class="cb-band cb-here"' not in page and 'data-wait="1"' in page and "data-done" not in _ready(site, asked)
    before = _ready(site, asked)
    slices.held = frozenset()
    assert board_page(site, asked) == board_page(six, asked)
    assert _ready(site, asked) != before and "data-done" in _ready(site, asked)


@pytest.mark.parametrize(
    ("asked", "late"),
    [
        (HARD_PUBLIC, Slice(tier=2, split="public")),
        ({**HARD_PUBLIC, "preset": "pace"}, Slice(tier=2, split="public", trait="pace")),
        ({"split": "public"}, Slice(split="public", trait="pitch")),
    ],
)
def test_what_is_worked_out_for_one_reader_is_waited_for_too(
    site: Context, slices: Held, asked: dict[str, str], late: Slice
) -> None:
    """Nothing is left of what is made ahead, and still a page knows that its own part is not there, and when it is."""
    slices.held = frozenset({late})
    before, page = _ready(site, asked), board_page(site, asked)
    assert 'data-wait="1"' in page and "data-done" not in before
    if late.trait == asked.get("preset", ""):
        assert 'class="cb-band cb-here"' not in page, "a rank by S is no rank by this dimension"
    slices.held = frozenset()
    assert "data-wait" not in board_page(site, asked).split("data-announce")[0].split('id="board-view"')[1]
    assert _ready(site, asked) != before and "data-done" in _ready(site, asked)


@pytest.fixture
def page(site: Context) -> Iterator[Any]:
    """Return the hard tier, in a browser."""
    from playwright import sync_api

    with served(mount(site)) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        found = browser.new_page()
        found.goto(f"{address}/?tier=2&split=public")
        yield found
        browser.close()


@pytest.mark.browser
def test_a_page_that_waits_fills_by_itself(page: Any, slices: Held) -> None:
    """Nobody presses anything: numbers come when they are there, and the page stops asking."""
    assert "worked out" in page.locator("#board-waiting").inner_text()
    assert page.locator("#board-table td.cb-score a").count() == 0
    slices.held = frozenset({Slice(tier=2, split="public")})
    with page.expect_response(lambda answer: "part=board-ready" in answer.url):
        pass
    slices.held = frozenset()
    until(page, "document.querySelectorAll('#board-table td.cb-score a').length === 6")
    until(page, "document.querySelector('#board-view').dataset.wait === undefined")
    assert page.locator("#board-waiting").count() == 0
