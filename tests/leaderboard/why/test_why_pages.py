"""Pages of derivations and of pairs: what they tell, where they lead, and what they make of nonsense."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.bootstrap import MICRO
from leaderboard import why_downloads
from leaderboard.context import Context
from leaderboard.derive.records import Slice
from leaderboard.reading.matrix import matrix_page, matrix_view, pair_panel
from leaderboard.reading.pages import PAGES
from leaderboard.reading.router import router
from leaderboard.reading.system import system_page
from leaderboard.reading.why import items_part, why_page
from tests.leaderboard.page_reader import Page

A, B = "s00000000003", "s00000000005"
NONSENSE = {"tier": "9", "split": "x", "trait": "<b>", "number": "<b>", "sort": "--", "page": "99999", "show": "?"}


@pytest.fixture(scope="module")
def client(nine_site: Context) -> Iterator[TestClient]:
    """What is read of the site, without its forms."""
    site = FastAPI()
    site.include_router(router(nine_site, PAGES))
    site.include_router(why_downloads.router(nine_site))
    with TestClient(site) as found:
        yield found


@pytest.mark.parametrize("number", ["score", "gate", "coverage", "pace", "emotion", "tone", "naturalness"])
def test_a_number_is_told_with_its_sum_and_its_items(nine_site: Context, number: str) -> None:
    """The value as published, identical, and a line for each item that leads to its chain."""
    board = nine_site.published.board("")
    page = Page(why_page(nine_site, {"system": B, "number": number}))
    assert page.by_id("why-same").attributes["data-same"] == "identical"
    row = board.row(B)
    assert row is not None
    known = {"score": row.score, "gate": row.gate_pass_rate, "coverage": row.coverage, **row.means}
    assert f"{known[number]:.6f}" in page.by_id("why-value").text
    links = [e for e in page.by_id("why-table").inside if e.tag == "a" and "item=" in e.attributes["href"]]
    assert len(links) == (24 if number in ("score", "coverage") else 23)
    if number not in ("gate", "coverage"):
        assert page.by_id("why-histogram").inside


def test_the_items_can_be_filtered_and_sorted(nine_site: Context) -> None:
    """Vetoed and declined alone; largest first; every state has an address."""
    vetoed = Page(items_part(nine_site, {"system": B, "show": "vetoed"}))
    assert "declined" not in vetoed.by_id("why-table").text and "vetoed" in vetoed.by_id("why-table").text
    declined = Page(items_part(nine_site, {"system": B, "show": "declined"})).by_id("why-table")
    assert sum(e.tag == "tr" for e in declined.inside) == 2
    falling = Page(items_part(nine_site, {"system": B, "sort": "-value"})).by_id("why-table")
    values = [float(e.text) for e in falling.inside if e.tag == "td" and e.attributes.get("class") == "cb-num"]
    assert values == sorted(values, reverse=True) and values[0] > 0


def test_a_clip_is_told_from_sound_to_share(nine_site: Context) -> None:
    """Player, readings with instruments, gate, dimensions, composite and share; identical."""
    board = nine_site.published.board("")
    page = Page(why_page(nine_site, {"system": A, "item": "it-008"}))
    assert page.by_id("why-same").attributes["data-same"] == "identical"
    assert page.all("audio")[0].attributes["src"].startswith(f"/media/clip/{A}/it-008/")
    lines = [e for e in page.by_id("why-dimensions").inside if e.tag == "tr" and "data-dimension" in e.attributes]
    assert [line.attributes["data-dimension"] for line in lines] == list(board.protocol.dimensions)
    ledger = nine_site.whys.ledger(board, A)
    assert ledger is not None
    composite = int(ledger.composite_micro[ledger.ids.index("it-008")]) / MICRO
    assert f"{composite:.6f}" in page.by_id("why-composite").text.replace("\n", " ")
    assert f"{composite / 24:.6f}" in page.by_id("why-share").text
    assert any("#instrument-" in e.attributes["href"] for e in page.by_id("why-readings").inside if e.tag == "a")


def test_a_refused_item_has_a_chain_of_its_own(nine_site: Context) -> None:
    """No clip, no readings, composite 0."""
    page = Page(why_page(nine_site, {"system": B, "item": "it-003"}))
    assert "declined" in page.text() and not page.all("audio")
    assert page.by_id("why-same").attributes["data-same"] == "identical"


def test_a_band_names_everybody(nine_site: Context) -> None:
    """Who beats it, ties with it, is beaten by it: together all others, each a link to the pair."""
    board = nine_site.published.board("")
    page = Page(why_page(nine_site, {"system": A, "number": "band"}))
    assert page.by_id("why-same").attributes["data-same"] == "identical"
    pairs = [
        dict(parse_qsl(urlsplit(e.attributes["href"]).query)) for e in page.all("a") if "#pair" in e.attributes["href"]
    ]
    assert sorted(pair["b"] for pair in pairs) == sorted(row.submission for row in board.rows if row.submission != A)


def test_the_panel_of_a_pair_shows_the_sum_and_the_drawing(nine_site: Context) -> None:
    """Six steps, identical; bound, zero and margin marked; dimensions; ways down to clips; the file of the drawing."""
    page = Page(pair_panel(nine_site, {"a": A, "b": B}))
    assert page.elements[0].attributes["id"] == "pair"
    assert page.by_id("pair-same").attributes["data-same"] == "identical"
    assert sum(e.tag == "tr" for e in page.by_id("pair-sum").inside) == 7
    looks = {e.attributes["class"] for e in page.by_id("pair-histogram").inside if e.tag == "line"}
    assert {"cb-mark-line cb-mark-lcb", "cb-mark-line cb-mark-margin", "cb-mark-line cb-mark-zero"} <= looks
    assert len([e for e in page.by_id("pair-dimensions").inside if e.tag == "tr"]) == 10
    hrefs = [e.attributes["href"] for e in page.by_id("pair-items").inside if e.tag == "a"]
    assert any(href.startswith("/listen") for href in hrefs) and any(href.startswith("/why") for href in hrefs)


def test_a_slice_is_labelled_as_derived(nine_site: Context) -> None:
    """The matrix and the pair both say that only the whole board ranks; the whole board does not."""
    asked = {"trait": "pitch", "tier": "1", "a": A, "b": B}
    view = Page(matrix_view(nine_site, asked))
    assert view.by_id("matrix-derived") and view.by_id("pair-slice")
    board = nine_site.published.board("")
    found = nine_site.slices.view(board, Slice(trait="pitch", tier=1))
    assert found is not None
    outcomes = {1: "W", 0: "T", -1: "L"}
    for cell in view.all("a", cls="cb-cell"):
        pair = dict(parse_qsl(urlsplit(cell.attributes["href"]).query))
        i, j = found.index(pair["a"]), found.index(pair["b"])
        assert cell.text == outcomes[int(found.outcomes[i, j])] and pair["trait"] == "pitch" and pair["tier"] == "1"
    assert 'id="matrix-derived"' not in matrix_view(nine_site, {"a": A, "b": B})


def test_the_system_page_leads_to_each_derivation(nine_site: Context) -> None:
    """Band, score, gate, coverage, every dimension, every requested value, tier and split, and shown clips."""
    board = nine_site.published.board("")
    page = Page(system_page(nine_site, {"id": A}))
    places = [dict(parse_qsl(urlsplit(e.attributes["href"]).query)) for e in page.all("a", cls="cb-why")]
    numbers = {place.get("number") for place in places}
    assert {"band", "score", "gate", "coverage", *board.protocol.dimensions} <= numbers
    assert {place.get("tier") for place in places} >= {"0", "1", "2"} and any("value" in place for place in places)
    assert any("item" in place for place in places)
    for place in places[:40]:
        assert 'id="page-absent"' not in why_page(nine_site, place)


def test_versions_stand_in_their_order(nine_site: Context) -> None:
    """A system without another version has no such table."""
    assert 'id="system-versions"' not in system_page(nine_site, {"id": A})


@pytest.mark.parametrize(
    "path",
    [
        "/why",
        "/why?system=nobody",
        f"/why?system={A}&item=nothing",
        f"/why?system={A}&item=../../etc",
        "/why?part=why-items",
        "/why?system=x&part=why-items",
        "/why?part=nothing",
    ],
)
def test_what_is_not_there_is_said_so(client: TestClient, path: str) -> None:
    """A sentence, and never an error of ours."""
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code in (200, 404)
    assert any(said in answer.text for said in ("No system with this id", "has no item", "no such part"))


@pytest.mark.parametrize("path", ["/why", "/matrix"])
@pytest.mark.parametrize("part", ["", "why-items", "matrix-view", "pair"])
def test_nonsense_falls_back_to_the_default(client: TestClient, path: str, part: str) -> None:
    """Each word of an address that means nothing is passed over."""
    query = {"system": A, "a": A, "b": B, **NONSENSE, "from": "999", "cols": "-1", "part": part}
    answer = client.get(path, params=query, headers={"Accept": "text/html"})
    assert answer.status_code == 200 or "no such part" in answer.text


def test_the_resamples_can_be_fetched(client: TestClient, nine_site: Context) -> None:
    """As CSV, of the whole board and of a slice; of no pair there is none."""
    board = nine_site.published.board("")
    whole = client.get(f"/download/resamples/{board.protocol_id}/{A}/{B}.csv")
    assert whole.status_code == 200 and whole.headers["content-type"].startswith("text/csv")
    assert len(whole.text.splitlines()) == 2_001
    part = client.get(f"/download/resamples/{board.protocol_id}/{A}/{B}.csv?trait=pitch&tier=0")
    assert part.status_code == 200 and part.text != whole.text
    for path in (f"{board.protocol_id}/{A}/{A}", f"{board.protocol_id}/{A}/nobody", f"x/{A}/{B}", f"x/..%2f/{B}"):
        assert client.get(f"/download/resamples/{path}.csv").status_code == 404


def test_a_page_is_told_once_and_kept(nine_site: Context) -> None:
    """The whole matrix page nests, and each id occurs once."""
    page = Page(matrix_page(nine_site, {"a": A, "b": B}))
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
