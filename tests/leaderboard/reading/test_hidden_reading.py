"""A hidden or withdrawn system leaves every part, figure, contour, vote and derivation at once; unhidden it is back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import figure_files, machine, media, vote_pairing, vote_routes, why_downloads, words
from leaderboard.context import VOTES, Context
from leaderboard.reading.pages import PAGES
from leaderboard.reading.router import router
from submissions.operating import Desk, Warrant
from submissions.records import SubmissionId
from submissions.store.folder import FolderStore
from submissions.votes import Vote, VoteJournal
from submissions.withdrawal import withdraw
from tests.leaderboard.cast import NOW, SIX, make_site
from tests.submissions.test_hiding import finish
from tests.submissions.work_examples import put

GONE, ONE, OTHER = (SubmissionId(part.id) for part in (SIX[2], SIX[0], SIX[3]))
NAME = SIX[2].system
STATES: tuple[dict[str, str], ...] = (
    {},
    {"q": "halyard", "find": "halyard", "facts": "1", "org": SIX[2].organisation},
    {"a": GONE, "b": ONE, "system": GONE, "systems": f"{GONE},{ONE}", "row": GONE, "facts": "1"},
    {"systems": f"{ONE},{OTHER}", "walk": "widest", "tier": "1", "a": ONE, "b": OTHER, "trait": "pitch"},
    {"system": ONE, "number": "pitch", "id": ONE, "blind": "1"},
)
_ACTS = ("/log",)
"""Tells what operators did, by id."""


@pytest.fixture
def site(tmp_path: Path) -> Context:
    """A site of three rows, on one of which people have voted."""
    made = make_site(tmp_path / "home", (SIX[0], SIX[2], SIX[3]))
    for name in (GONE, ONE, OTHER):
        put(FolderStore(made.home), name, corpus=made.corpus.pin.name)
        finish(FolderStore(made.home), name, made.protocols[0].id)
    a, b = vote_pairing.ordered(GONE, ONE)
    journal = VoteJournal(made.home / VOTES)
    for number in range(25):
        journal.add(
            Vote(
                id=f"{number:032x}",
                day="2026-03-01",
                protocol=made.protocols[0].id,
                kind="preference",
                question="better",
                catch="",
                item="it-001",
                a=a,
                b=b,
                first="a",
                expected="",
                answer="a",
                seconds=5.0,
                n_plays=None,
                listened_s=None,
                rater="0" * 16,
            )
        )
    return made


@pytest.fixture
def client(site: Context) -> Iterator[TestClient]:
    """A reader."""
    app = FastAPI()
    for routes in (
        router(site, PAGES),
        figure_files.router(site),
        media.router(site),
        why_downloads.router(site),
        vote_routes.router(site),
    ):
        app.include_router(routes)
    machine.add(app, site, site_url="", board_repo=None)
    with TestClient(app) as client:
        yield client


def _asked(site: Context) -> Iterator[tuple[str, dict[str, str]]]:
    for state in STATES:
        for page in PAGES:
            if page.path not in _ACTS:
                yield from ((page.path, state | ({"part": part} if part else {})) for part in ("", *page.parts))
        yield from ((f"/figure/{name}.{kind}", state) for name in words.FIGURES for kind in ("json", "csv"))
    for _ in range(8):
        yield "/vote", {}
    protocol = site.protocols[0].id
    yield f"/download/resamples/{protocol}/{GONE}/{ONE}.csv", {}
    yield from ((f"/api/v1/{name}", {}) for name in ("leaderboard", "systems", "votes", "votes/pairs", "decisions"))


def _naming(client: TestClient, site: Context) -> list[str]:
    """Return every address whose answer names the system; what the stranger typed, in an address, is no answer."""
    found = []
    for path, asked in _asked(site):
        answer = client.get(path, params=asked)
        assert answer.status_code in (200, 404), (path, asked)
        named = NAME in answer.text or (GONE in answer.text and GONE not in str(asked))
        if named or f"/media/clip/{GONE}" in answer.text or f"/media/contour/{GONE}" in answer.text:
            found.append(f"{path} {asked}")
    return found


def _hide(site: Context) -> None:
    Desk(store=site.store, published=site.files).hide(GONE, Warrant.for_reason("Asked for.", operator="k", at=NOW))


def _withdraw(site: Context) -> None:
    withdraw(site.store, site.files, GONE, now=NOW, reason="Asked for.")


@pytest.mark.parametrize("leave", [_hide, _withdraw])
def test_who_leaves_is_nowhere_at_once(client: TestClient, site: Context, leave: Callable[[Context], None]) -> None:
    """Whatever was kept in memory, by the routes or below them; with a browser's old answer nothing is "unchanged"."""
    before = _naming(client, site)
    assert len(before) > 60
    tag = client.get("/", params={"part": "board-view"}).headers["etag"]
    leave(site)
    assert _naming(client, site) == []
    assert client.get("/", params={"part": "board-view"}, headers={"if-none-match": tag}).status_code == 200
    if leave is _hide:
        Desk(store=site.store, published=site.files).unhide(GONE, Warrant.for_reason("Agreed.", operator="k", at=NOW))
        again = _naming(client, site)
        assert [one for one in again if "/vote " not in one] == [one for one in before if "/vote " not in one]


def test_no_browser_shows_an_old_page_unasked(client: TestClient, site: Context) -> None:
    """Whatever names a system is asked for again each time, or never stored."""
    for path, asked in _asked(site):
        kept = client.get(path, params=asked).headers.get("cache-control", "")
        assert not kept or "no-cache" in kept or "no-store" in kept, (path, kept)
