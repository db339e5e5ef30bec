"""Nothing of a hidden system is served anywhere; every answer says since when it is hidden and why."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import machine, media, ui
from leaderboard.api.problems import Refused
from leaderboard.context import Context
from leaderboard.mcp_tools import Questions
from leaderboard.mirror import ROUTE
from leaderboard.pages.parts import clip_address
from leaderboard.reading.board import board_page
from leaderboard.reading.listen import listen_page
from leaderboard.reading.log import log_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.system import system_page
from submissions import layout
from submissions.operating import Desk, Warrant
from submissions.records import SubmissionId
from submissions.store.folder import FolderStore
from tests.leaderboard.cast import EVIL, NOW, SIX, make_site
from tests.leaderboard.page_reader import Page
from tests.submissions.test_hiding import finish
from tests.submissions.work_examples import put

ONE, OTHER = (SubmissionId(part.id) for part in SIX[:2])
WHY = f"Asked for by the voice's owner {EVIL[:24]}"


@pytest.fixture
def site(tmp_path: Path) -> Context:
    """Give a site with two rows."""
    made = make_site(tmp_path / "home", SIX[:2])
    for name in (ONE, OTHER):
        put(FolderStore(made.home), name, corpus=made.corpus.pin.name)
        finish(FolderStore(made.home), name, made.protocols[0].id)
    return made


def hide(site: Context) -> None:
    """Hide the first system."""
    warrant = Warrant.for_reason(WHY, operator="keeper", at=NOW)
    Desk(store=site.store, published=site.files).hide(ONE, warrant)


def addresses(site: Context) -> Iterator[str]:
    """Yield every address at which something of the first system is served."""
    board = site.published.board("")
    detail = site.published.detail(board, ONE)
    assert detail is not None
    item, sample = next((item, one) for item, one in detail.samples.items() if one.clip_sha256)
    yield clip_address(ONE, item, sample.clip_sha256 or "")
    for kind in ("csv", "json", "parquet"):
        yield f"/download/samples/{board.protocol_id}/{ONE}.{kind}"
    yield f"/download/results/{board.protocol_id}/{ONE}.json"
    yield f"/download/system/{ONE}.json"
    yield f"/api/v1/systems/{ONE}"
    yield f"/api/v1/clips/{ONE}/{item}"
    yield f"/api/v1/per-sample?system={ONE}"
    yield f"/api/v1/decisions?a={ONE}"
    yield f"/api/v1/decisions?a={OTHER}&b={ONE}"
    for path in site.files.paths():
        if ONE in path:
            yield f"{ROUTE}/{path}"


def test_every_address_of_a_hidden_system_is_404_with_the_reason(site: Context) -> None:
    """What was served, kept in memory or not, is gone at once, and comes back with the row."""
    app = FastAPI()
    app.include_router(media.router(site))
    machine.add(app, site, site_url="", board_repo="ohm/board")
    client, known = TestClient(app), list(addresses(site))
    before = [client.get(path).content for path in known]
    assert len(known) >= 10 and all(client.get(path).status_code == 200 for path in known)
    hide(site)
    for path in known:
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert "hidden by the operator since 2026-03-02 12:00 UTC" in answer.text and "voice" in answer.text
    assert (
        ONE not in client.get(f"{ROUTE}/index.json").text
        and layout.MODERATION in client.get(f"{ROUTE}/index.json").text
    )
    assert client.get(f"{ROUTE}/{layout.MODERATION}").status_code == 200
    Desk(store=site.store, published=site.files).unhide(ONE, Warrant.for_reason("Agreed.", operator="k", at=NOW))
    assert [client.get(path).content for path in known] == before


def test_tools_tell_the_reason_too(site: Context) -> None:
    """Whoever asks by the id hears it; the name is gone with the row."""
    hide(site)
    questions = Questions(site)
    for ask in (lambda: questions.system(ONE), lambda: questions.compare(OTHER, f" {ONE} ", "")):
        with pytest.raises(Refused, match="hidden by the operator since 2026-03-02 12:00 UTC"):
            ask()
    with pytest.raises(Refused, match="no such system"):
        questions.system(f"{SIX[0].system} {SIX[0].version}")


def test_its_page_says_so_and_no_other_page_knows_it(site: Context) -> None:
    """Board, matrix and listening go on without it, whatever an address asks for; the reason is escaped."""
    hide(site)
    told = system_page(site, {"id": ONE})
    assert "hidden by the operator since 2026-03-02 12:00 UTC" in told and "<img" not in told
    for page, asked in (
        (board_page, {}),
        (matrix_page, {"a": ONE, "b": OTHER}),
        (listen_page, {"systems": f"{ONE},{OTHER}"}),
        (system_page, {"id": OTHER}),
    ):
        shown = page(site, asked)  # type: ignore[operator]
        assert f"{SIX[0].system} {SIX[0].version}" not in shown and f"/media/clip/{ONE}" not in shown
    assert "hidden by" not in system_page(site, {"id": OTHER})


def test_the_queue_names_a_hidden_one_by_its_id_alone(site: Context) -> None:
    """Its name may be why it was hidden; what waits hidden has no place."""
    waiting = put(FolderStore(site.home), "s-waits-long", corpus=site.corpus.pin.name)
    Desk(store=site.store, published=site.files).hide(waiting, Warrant.for_reason(WHY, operator="k", at=NOW))
    hide(site)
    page = Page(ui.queue_page(site, {}))
    for name in (waiting, ONE):
        row = page.by_id(f"queue-{name}")
        assert "Hidden submission" in row.text and "hidden by the operator" in row.text
        assert "Parrot" not in row.text and "place" not in row.text
    assert "Parrot" in page.by_id(f"queue-{OTHER}").text


def test_the_log_page_tells_acts_and_nobody(site: Context) -> None:
    """The last act first, with the file to take away; empty it says that nothing was done."""
    assert "No operator has hidden" in log_page(site, {})
    hide(site)
    told = log_page(site, {})
    table = Page(told).by_id("log-table")
    assert "Hidden" in table.text and ONE in table.text and "voice" in table.text
    assert "<img" not in told and "keeper" not in told and "Larkspur" not in told
    assert f"{ROUTE}/{layout.MODERATION}" in told


def test_a_damaged_log_hinders_no_page(site: Context) -> None:
    """Pages go on as if nothing had been done."""
    site.files.write(layout.MODERATION, b"\xff not json")
    assert "No operator has hidden" in log_page(site, {})
    assert "No such system" in system_page(site, {"id": "s-unknown"})


def test_the_queue_says_that_an_operator_ended_it_and_why(site: Context) -> None:
    """The reason stands behind who decided, and it is nobody's but ours: it costs no try."""
    waiting = put(FolderStore(site.home), "s-waits-long", corpus=site.corpus.pin.name)
    Desk(store=site.store, published=site.files).fail(waiting, Warrant.for_reason(WHY, operator="keeper", at=NOW))
    shown = ui.queue_page(site, {})
    row = Page(shown).by_id(f"queue-{waiting}")
    assert "Ended by the operator: Asked for by the voice's owner" in row.text and "costs you nothing" in row.text
    assert "keeper" not in shown and "<img" not in shown
