"""Badges, the feed, results for a model's repo, embedded pages: what the site gives to other sites."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.protocol import load_shipped
from leaderboard import eval_results, machine, query, sharing
from leaderboard.arrivals import Arrival, arrivals, departures
from leaderboard.badges import badge
from leaderboard.context import Context
from leaderboard.feeds import FEED, feed, told
from leaderboard.markup import Markup
from leaderboard.pages import listen
from leaderboard.reading.board import board_page
from leaderboard.reading.data import data_page
from leaderboard.reading.listen import listen_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.system import system_page
from leaderboard.table import state as table_state
from submissions.moderation import Entry
from submissions.records import Event, Published, SubmissionId, Timestamp
from submissions.store.folder import FolderStore
from submissions.withdrawal import withdraw
from tests.leaderboard.cast import HOSTILE, NOW, SIX, Part, make_site
from tests.leaderboard.page_reader import Page
from tests.submissions.test_hiding import finish
from tests.submissions.work_examples import put

ONE = "s00000000001"
SITE = "https://board.example"
MODEL = Part(id="s0000000hub1", system="Hubbed", link="https://huggingface.co/ohm-lab/larkspur-tts/tree/main")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site with a hostile card, and a system whose card links to a model on the Hub."""
    return make_site(tmp_path_factory.mktemp("machine"), (HOSTILE, MODEL, *SIX[:2]))


@pytest.fixture(scope="module")
def client(site: Context) -> TestClient:
    """What programs ask of that site."""
    app = FastAPI()
    machine.add(app, site, site_url=SITE, board_repo="ohm-lab/board")
    return TestClient(app)


def test_a_badge_tells_band_score_and_day(client: TestClient, site: Context) -> None:
    """As text for those who hear it, and drawn; it loads and runs nothing."""
    board = site.published.board("")
    row = board.row(ONE)
    answer = client.get(f"/badge/{ONE}.svg")
    root = ElementTree.fromstring(answer.text)
    assert row is not None and answer.headers["content-type"].startswith("image/svg+xml")
    band = str(row.band.best) if row.band.best == row.band.worst else f"{row.band.best}–{row.band.worst}"
    assert root.attrib["aria-label"] == f"Castboard: rank {band} of 4 · S {row.score:.3f} · 2026-03-01"
    assert "max-age=300" in answer.headers["cache-control"] and "script-src" not in str(answer.headers)
    assert {one.tag.rpartition("}")[2] for one in root.iter()} == {"svg", "title", "rect", "text"}
    again = client.get(f"/badge/{ONE}.svg", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("name", ["nobody", "..%2fx", "%3Cscript%3E"])
def test_a_badge_of_nobody_is_grey_and_an_image(name: str, client: TestClient) -> None:
    """Unknown, withdrawn and hidden systems look the same, so that a README never shows a broken image."""
    answer = client.get(f"/badge/{name}.svg")
    if answer.status_code == 200:
        assert "not on the board" in answer.text and "<script" not in answer.text
    else:
        assert name == "..%2fx" and answer.status_code == 404


def test_a_badge_of_another_protocol_asks_that_board(client: TestClient, site: Context) -> None:
    """A row is looked for on the named board; a protocol that is not known falls back to where the row is."""
    named = client.get(f"/badge/{ONE}.svg?protocol={site.published.board('').protocol_id}").text
    assert named == client.get(f"/badge/{ONE}.svg?protocol=nobody").text == client.get(f"/badge/{ONE}.svg").text


def _items(data: bytes) -> list[dict[str, str]]:
    root = ElementTree.parse(io.BytesIO(data)).getroot()
    return [{one.tag: one.text or "" for one in item} for item in root.iter("item")]


def test_the_feed_has_an_item_a_row(client: TestClient, site: Context) -> None:
    """Each with a lasting id, a date, an absolute link; hostile names are inert as XML and as HTML within it."""
    answer = client.get(FEED)
    items = _items(answer.content)
    assert answer.headers["content-type"].startswith("application/rss+xml")
    assert len(items) == 4 == len({one["guid"] for one in items})
    assert all(one["link"].startswith(SITE + "/system?id=") for one in items)
    assert all(parsedate_to_datetime(one["pubDate"]) == datetime(2026, 3, 1, 12, tzinfo=UTC) for one in items)
    texts = "".join(one["title"] + one["description"] for one in items)
    assert "<script" not in texts and "onerror=alert(1)>" not in texts and "<img" not in texts
    assert client.get(FEED).content == answer.content and client.get(f"{FEED}?protocol=nobody").status_code == 404


def test_an_item_tells_the_decisions_that_its_row_brings(site: Context) -> None:
    """Against the rows that were there before it, and those alone."""
    board = site.published.board("")
    one, other = board.rows[0], board.rows[-1]
    arrived = Arrival(board=board, row=one, at="2026-03-05T00:00:00Z", is_anew=False)
    first = told(arrived, set())
    then = told(arrived, {(board.protocol_id, other.submission)})
    assert "Decisions" not in first and "Decisions that it brings: Wins against" in then
    assert "Decisions made anew" in told(
        Arrival(board=board, row=one, at="x", is_anew=True), {(board.protocol_id, other.submission)}
    )


def test_an_item_of_a_row_made_anew_is_a_new_one(site: Context) -> None:
    """The same row keeps its id whatever else comes; another result of it is another id."""
    board = site.published.board("")
    old = Arrival(board=board, row=board.rows[0], at="2026-03-05T00:00:00Z", is_anew=False)
    new = replace(old, row=replace(board.rows[0], results_sha256="ff" * 32), is_anew=True)
    ids = [_items(feed([one], site=SITE, here=FEED))[0]["guid"] for one in (old, old, new)]
    assert ids[0] == ids[1] != ids[2]


def test_what_an_operator_hides_is_told_with_its_reason(site: Context) -> None:
    """Under a lasting id, with a link to the public log; of the acts, only what changes the board."""
    board = site.published.board("")
    came = Arrival(board=board, row=board.rows[0], at="2026-03-05T00:00:00Z", is_anew=False)
    acts = [
        Entry(n=n, at=Timestamp(f"2026-03-0{n + 5}T00:00:00Z"), act=act, submission=ONE, reason=why, source=f"s.{n}")
        for n, (act, why) in enumerate((("hidden", "<b>copied</b>\x00"), ("renamed", "x")), start=1)
    ]
    items = _items(feed([came], acts=acts, site=SITE, here=FEED))
    assert items[0]["title"] == f"Hidden by the operator: {ONE}" and len(items) == 2
    assert items[0]["link"] == f"{SITE}/log" and items[0]["guid"] == "castboard:log:s.1"
    assert "<b>" not in items[0]["description"] and "\x00" not in items[0]["description"]


def test_what_a_maker_takes_back_is_told_with_the_reason(tmp_path: Path) -> None:
    """Once it had a row there: by its id, with a link to the queue; what never had a row came to nobody's notice."""
    site = make_site(tmp_path, SIX[:2])
    for name in (ONE, "s-waits-long"):
        put(FolderStore(site.home), name, corpus=site.corpus.pin.name)
    finish(FolderStore(site.home), SubmissionId(ONE), site.protocols[0].id)
    for name in (ONE, "s-waits-long"):
        withdraw(site.store, site.files, SubmissionId(name), now=NOW, reason="Wrong <b>voice</b>.")
    boards = site.published.boards()
    (gone,) = departures(site.store, boards)
    items = _items(feed(arrivals(site.store, boards), gone=[gone], site=SITE, here=FEED))
    assert [one["title"] for one in items if ONE in one["link"]] == [f"Taken back by its maker: {ONE}"]
    assert items[0]["link"] == f"{SITE}/queue?id={ONE}" and "&lt;b&gt;voice" in items[0]["description"]
    assert departures(site.store, ()) == ()


def test_no_sign_that_xml_cannot_hold_is_sent(site: Context) -> None:
    """A name with control characters still gives a feed that any reader parses."""
    board = site.published.board("")
    row = replace(board.rows[0], system="bad\x00\x1b\ud800name")
    (item,) = _items(feed([Arrival(board=board, row=row, at="no time", is_anew=False)], site=SITE, here=FEED))
    assert item["title"].startswith("bad\ufffd\ufffd\ufffdname")


def test_a_row_comes_when_it_is_published(tmp_path: Path) -> None:
    """The work state's event dates it; without events, or with damaged ones, the day of its zip stands in."""
    site = make_site(tmp_path, SIX[:2])
    board = site.published.board("")
    published = Published(claim=3, protocol=board.protocol_id)
    site.store.create_event(SubmissionId(ONE), Event(n=1, at=Timestamp("2026-03-09T00:00:00.000Z"), payload=published))
    found = arrivals(site.store, site.published.boards())
    assert [(one.row.submission, one.at, one.is_anew) for one in found] == [
        (ONE, "2026-03-09T00:00:00.000Z", False),
        ("s00000000002", "2026-03-01T12:00:00.000Z", False),
    ]


def test_results_for_a_model_are_read_by_the_hub_s_own_library(client: TestClient, site: Context) -> None:
    """S and each dimension with date, source and notes, naming the board's dataset."""
    from huggingface_hub import parse_eval_result_entries

    answer = client.get(f"/download/eval-results/{MODEL.id}.yaml")
    board = site.published.board("")
    row = board.row(MODEL.id)
    found = parse_eval_result_entries(yaml.safe_load(answer.text))
    assert row is not None and found[0].value == row.score
    assert [one.value for one in found[1:]] == [mean for mean in row.means.values() if mean is not None]
    assert {one.dataset_id for one in found} == {"ohm-lab/board"} and len({one.task_id for one in found}) == len(found)
    assert found[0].source_url == f"{SITE}/system?id={MODEL.id}&protocol={board.protocol_id}"
    assert found[0].date == "2026-03-01" and f"of {len(board.rows)}" in str(found[0].notes)


def test_results_need_a_model_and_a_dataset(client: TestClient, site: Context) -> None:
    """A system without a model, or a board that is kept in no dataset, has no such file and says why."""
    assert "names no model" in client.get(f"/download/eval-results/{ONE}.yaml").json()["detail"]
    assert client.get("/download/eval-results/nobody.yaml").status_code == 404
    app = FastAPI()
    machine.add(app, site)
    assert "in no dataset" in TestClient(app).get(f"/download/eval-results/{MODEL.id}.yaml").json()["detail"]


@pytest.mark.parametrize(
    ("link", "model"),
    [
        ("https://huggingface.co/a/b", "a/b"),
        ("https://hf.co/a/b/", "a/b"),
        ("https://huggingface.co/datasets/a/b", None),
        ("https://huggingface.co/spaces/a", None),
        ("https://huggingface.co/a", None),
        ("https://huggingface.co.evil.example/a/b", None),
        ("javascript:alert(1)//huggingface.co/a/b", None),
        ("", None),
    ],
)
def test_a_model_is_known_by_its_link(link: str, model: str | None) -> None:
    """Only two names on the Hub's own hosts are a model."""
    assert eval_results.hub_model(link) == model


def test_a_page_s_files_are_of_what_it_shows(site: Context) -> None:
    """The board's links hold its filters and order; those of a pair hold the pair."""
    page = Page(board_page(site, {"q": "lark", "open": "1", "sort": "-pitch"}))
    links = [one.attributes["href"] for one in page.all("a") if "data-export" in one.attributes]
    board = site.published.board("").protocol_id
    kept = f"/api/v1/leaderboard?q=lark&open=1&sort=-pitch&protocol={board}&cols=band,system"
    assert [link.partition("&format=")[2] for link in links] == ["csv", "parquet", ""]
    assert all(link.startswith(kept) for link in links)
    pair = Page(matrix_page(site, {"a": ONE, "b": "s00000000002"}))
    assert [one for one in pair.all("a") if f"a={ONE}&b=s00000000002&format=csv" in str(one.attributes.get("href"))]


def test_a_listening_page_gives_the_items_of_its_filter(client: TestClient, site: Context) -> None:
    """Of each system that is heard, the very items that the page steps through; while it is blind there is no link."""
    asked = {"systems": ONE, "pick": "pace:fast", "tier": "0", "q": "ferry"}
    links = [
        str(one.attributes["href"])
        for one in Page(listen_page(site, asked)).all("a")
        if "data-export" in one.attributes
    ]
    found = client.get(links[-1]).json()["rows"]
    assert len(links) == 3 and found and "trait=pace&value=fast" in links[0]
    assert [one["item_id"] for one in found] == [
        one.id for one in listen.matching(site.corpus, query.read_listen(asked))
    ]
    assert "data-export" not in listen_page(site, {**asked, "blind": "1"})


def test_an_embedded_page_links_to_the_whole_one() -> None:
    """With its state, without what makes it embedded; only embed=1 embeds."""
    page = Page(sharing.embedded(Markup("<p>x</p>"), "/matrix", {"a": "1", "b": "2", "embed": "1", '"><x': "y"}))
    (link,) = page.all("a")
    assert link.attributes["href"] == "/matrix?a=1&b=2" and link.attributes["target"] == "_blank"
    assert sharing.is_embedded({"embed": "1"}) and not sharing.is_embedded({"embed": "yes"})


def test_a_system_s_page_shows_its_badge(site: Context) -> None:
    """With the Markdown for a README; the file for a model's repo only where there is a model."""
    page = Page(system_page(site, {"id": MODEL.id}))
    assert page.all("img")[0].attributes["src"].startswith(f"/badge/{MODEL.id}.svg")
    assert page.by_id("download-eval-results").attributes["href"].startswith("/download/eval-results/")
    assert "download-eval-results" not in str(Page(system_page(site, {"id": ONE})).elements)


def test_the_data_page_names_what_there_is(site: Context, empty: Context) -> None:
    """With rows its examples name one; without any it still stands."""
    page = Page(data_page(site, {}))
    text = page.by_id("page-data").text
    for part in ("/api/v1/leaderboard", "/mcp", "embed=1", "/badge/", ".eval_results", FEED, "format=parquet"):
        assert part in text
    assert Page(data_page(empty, {})).by_id("page-data")


def test_a_board_s_state_is_told_as_its_address_has_it() -> None:
    """What is read from an address is told as that address again."""
    protocol = load_shipped("lite")
    state = table_state.read({"sort": "-pitch", "q": "a b", "open": "1", "tier": "nonsense"}, protocol)
    assert query.address("/", **table_state.told(state, protocol)) == "/?q=a%20b&open=1&sort=-pitch"


def test_a_badge_without_a_score_has_a_dash(lone: Context) -> None:
    """A row of which nothing was scored is on the board, and says so."""
    board = lone.published.board("")
    assert "S –" in badge(board, replace(board.rows[0], score=None))
