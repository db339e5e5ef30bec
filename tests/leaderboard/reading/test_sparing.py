"""One stranger's endless addresses cost so much and no more; what is kept costs nothing and is never refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import figure_files, why_downloads
from leaderboard.context import Context
from leaderboard.gates.limits import Budget
from leaderboard.reading import sparing as module
from leaderboard.reading.pages import PAGES
from leaderboard.reading.router import router
from leaderboard.reading.sparing import BUSY, Spared, Sparing
from tests.leaderboard.cast import SIX


def _scope(client: str) -> dict[str, Any]:
    return {"type": "http", "headers": [], "client": (client, 1)}


@pytest.fixture
def client(six: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A reader of a site on which three new views are made in a row."""
    monkeypatch.setattr(module, "MADE", Budget(burst=3, per_s=0.001))
    six.slices.table(six.published.board(""))  # what is worked out of a board is a part of every revision
    site, sparing = FastAPI(), Sparing()
    site.include_router(router(six, PAGES, sparing=sparing))
    site.include_router(figure_files.router(six, sparing))
    site.include_router(why_downloads.router(six, sparing))
    with TestClient(site) as client:
        yield client


def test_endless_addresses_are_refused_and_known_ones_are_not(client: TestClient) -> None:
    """Whatever differs in an address, pages, parts and files together; a page for a reader, a sentence for a script."""
    assert [client.get(path).status_code for path in ("/?q=a", "/matrix", "/figure/forest.json")] == [200] * 3
    for path in ("/?q=b", "/?anything=1", "/matrix?from=1", "/figure/forest.json?tier=1", "/figure/forest.csv"):
        told = client.get(path)
        assert told.status_code == 429 and int(told.headers["retry-after"]) > 900, path
        assert "Too many new views" in told.text
    assert "<main" in client.get("/?q=c").text
    part = client.get("/?q=c&part=board-view")
    assert "<" not in part.text and part.headers["content-type"].startswith("text/plain")
    assert part.headers["cache-control"] == "no-store"
    pair = f"/download/resamples/{'0' * 12}/{SIX[0].id}/{SIX[1].id}.csv"
    assert client.get(pair).status_code == 404
    for path in ("/?q=a", "/matrix", "/figure/forest.json"):
        assert client.get(path).status_code == 200, "it was made already"


def test_resamples_count_too(client: TestClient, six: Context) -> None:
    """Ten thousand lines are drawn for every pair that is asked for."""
    board = six.published.board("").protocol_id
    pairs = [(one.id, other.id) for one in SIX[:2] for other in SIX[2:4]]
    told = [client.get(f"/download/resamples/{board}/{a}/{b}.csv").status_code for a, b in pairs]
    assert told == [200, 200, 200, 429]


def test_so_many_are_made_side_by_side() -> None:
    """One stranger holds half of the places at most, all of them together the places that there are; then all free."""
    sparing, go = Sparing(), Event()
    n = module.N_MAKING
    all_in = Barrier(n + 1)

    def make() -> str:
        all_in.wait(10)
        go.wait(10)
        return "made"

    with ThreadPoolExecutor(n) as pool:
        half = module.N_MAKING_VISITOR
        waiting = [pool.submit(sparing.make, _scope(f"10.0.0.{at // half}"), make) for at in range(n)]
        all_in.wait(10)
        with pytest.raises(Spared, match=BUSY.split("{")[0]) as told:
            sparing.make(_scope("10.0.0.9"), lambda: "more")
        assert told.value.status == 503 and told.value.headers == {"Retry-After": "2"}
        assert sparing.make({"type": "http", "headers": []}, lambda: "the site's own") == "the site's own"
        go.set()
        assert {one.result() for one in waiting} == {"made"}
    assert sparing.make(_scope("10.0.0.9"), lambda: "more") == "more"
    with pytest.raises(ZeroDivisionError):
        sparing.make(_scope("10.0.0.9"), lambda: 1 // 0)
    assert not sparing._making


def test_one_stranger_never_holds_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one's page is made while the first's ninth is refused."""
    monkeypatch.setattr(module, "N_MAKING_VISITOR", 1)
    sparing = Sparing()

    def inside() -> str:
        with pytest.raises(Spared):
            sparing.make(_scope("10.0.0.1"), lambda: "mine again")
        return sparing.make(_scope("10.0.0.2"), lambda: "another's")

    assert sparing.make(_scope("10.0.0.1"), inside) == "another's"
