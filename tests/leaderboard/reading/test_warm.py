"""The first visitor for every revision: what it looked at is there for everybody, and is made once."""

import threading
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage, router
from leaderboard.reading.warm import Warmer
from tests.leaderboard.cast import SIX, make_site, play


def _pages(made: list[str]) -> tuple[ReadingPage, ...]:
    def make(context: Context, _: Query) -> Markup:
        made.append(context.published.revision())
        return Markup('<main id="page-board"><h1>Board</h1></main>')

    return (ReadingPage(path="/", make=make), ReadingPage(path="/log", make=make))


def test_pages_are_made_before_a_reader_comes_and_again_only_after_a_publication(tmp_path: Path) -> None:
    """One look makes the page that a reader then gets; a second look makes nothing, a new row does."""
    site, made = make_site(tmp_path, SIX[:2]), []
    pages = router(site, _pages(made))
    warmer = Warmer(site, pages)
    assert warmer.look() == ("/",)
    app = FastAPI()
    app.include_router(pages)
    assert "Board" in TestClient(app).get("/").text
    assert len(made) == 1
    assert warmer.look() == ()
    play(site.files, site.corpus, site.protocols[0], SIX[2])
    assert warmer.look() == ("/",)
    assert len(made) == 2
    assert made[0] != made[1]


def test_a_look_that_fails_is_no_end(tmp_path: Path) -> None:
    """A page that cannot be made is tried again at the next look, and one that works again is kept."""
    site, is_well = make_site(tmp_path, SIX[:1]), threading.Event()

    def make(_: Context, __: Query) -> Markup:
        if not is_well.is_set():
            raise OSError("away")
        return Markup('<main id="page-board"><h1>Board</h1></main>')

    warmer = Warmer(site, router(site, (ReadingPage(path="/", make=make),)))
    assert warmer.look() == ()
    is_well.set()
    assert warmer.look() == ("/",)


def test_the_thread_begins_and_ends(tmp_path: Path) -> None:
    """What is started looks by itself, and stops when it is asked to."""
    site, is_seen = make_site(tmp_path, SIX[:1]), threading.Event()

    def make(_: Context, __: Query) -> Markup:
        is_seen.set()
        return Markup('<main id="page-board"><h1>Board</h1></main>')

    warmer = Warmer(site, router(site, (ReadingPage(path="/", make=make),)), look_s=0.01)
    warmer.start()
    assert is_seen.wait(20)
    warmer.stop()
    warmer._thread.join(20)
    assert not warmer._thread.is_alive()


def test_switches_of_the_first_board_are_made_once_it_is_worked_out(tmp_path: Path) -> None:
    """Its tiers and traits wait for nobody, and are not made a second time."""
    site, asked = make_site(tmp_path, SIX[:3]), []

    def make(_: Context, __: Query) -> Markup:
        return Markup('<main id="page-board"><h1>Board</h1></main>')

    def part(_: Context, query: Query) -> Markup:
        asked.append((query.get("tier"), query.get("trait")))
        return Markup('<div id="board-view"></div>')

    board = site.published.board("")
    warmer = Warmer(site, router(site, (ReadingPage(path="/", make=make, parts={"board-view": part}),)))
    assert site.slices.settle(board)
    traits = board.protocol.dimensions
    assert len(warmer.look()) == 1 + 3 + len(traits)
    assert asked == [(tier, None) for tier in "012"] + [(None, trait) for trait in traits]
    assert warmer.look() == ()
