"""Every page with an empty board, one system and six."""

import base64
import csv
import dataclasses
import io
import itertools
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlsplit

import pyarrow as pa
import pytest

from leaderboard import downloads, ui, words
from leaderboard.border import guarded
from leaderboard.context import Context
from leaderboard.decision_map import DecisionMap
from leaderboard.markup import Markup
from leaderboard.pages import listen, matrix, parts
from leaderboard.pages.board_cells import score_cell
from leaderboard.pages.matrix_state import MatrixState
from leaderboard.query import ListenQuery
from leaderboard.reading.board import board_page
from leaderboard.reading.listen import listen_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.method import method_page
from leaderboard.reading.system import system_page
from leaderboard.views import Board
from leaderboard.why.grid import of_board
from tests.leaderboard.page_reader import Page

Make = Callable[[Context, Mapping[str, str]], Markup]
PAGES: Mapping[str, Make] = {
    "board": board_page,
    "matrix": matrix_page,
    "listen": listen_page,
    "system": system_page,
    "queue": ui.queue_page,
    "method": method_page,
}
A, B = "s00000000001", "s00000000004"


@pytest.mark.parametrize("site", ["empty", "lone", "six", "hostile"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_nests_names_itself_and_says_where_one_is(page: str, site: str, request: pytest.FixtureRequest) -> None:
    """Elements close, ids are unique, there is one heading, a main part, and a marked link for pages in the menu."""
    context: Context = request.getfixturevalue(site)
    built = Page(PAGES[page](context, {"id": A, "a": A, "b": B, "systems": f"{A},{B}"}))
    ids = [element.attributes["id"] for element in built.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    name = "absent" if (page, site) == ("system", "empty") else page
    assert len(built.all("h1")) == 1 and built.by_id(f"page-{name}").tag == "main"
    assert len(built.all("a", aria_current="page")) == (0 if page == "system" else 1)
    assert str(context.home) not in str(built.elements)


def test_an_empty_board_says_what_to_do(empty: Context) -> None:
    """Three steps and a way to the Submit page instead of an empty table."""
    page = Page(board_page(empty, {}))
    assert len([e for e in page.by_id("board-empty").inside if e.tag == "li"]) == 3
    assert page.all("a", href="/submit", cls="cb-button") and not page.all("table")
    assert Page(matrix_page(empty, {})).by_id("matrix-empty")
    assert Page(listen_page(empty, {})).by_id("listen-empty")


def test_a_lone_system_is_not_called_the_best(lone: Context) -> None:
    """Its band is 1, and the page says why."""
    page = Page(board_page(lone, {}))
    assert page.all("td", cls="cb-band")[0].text.startswith("1") and not page.all("em")
    assert words.LONE_NOTE in Page(board_page(lone, {"facts": "1"})).by_id("page-board").text
    assert "one so far" in Page(matrix_page(lone, {})).by_id("matrix-empty").text


def test_the_board_shows_every_column_with_a_sentence(six: Context) -> None:
    """Each head is a link with its tip; each row has a cell for each head."""
    page = Page(board_page(six, {}))
    heads = [link for link in page.all("a") if "data-sort" in link.attributes]
    keys = ["band", "system", "score", "gate", "naturalness", "gender", "pace", "pitch", "loudness", "coverage"]
    assert [head.attributes["data-sort"] for head in heads] == [*keys, "licence", "size"]
    assert all(head.attributes["data-tip"].endswith(".") for head in heads)
    assert words.PREDICTOR_NOTE in page.by_id("board-table").text
    rows = [element for element in page.all("tr") if "data-submission" in element.attributes]
    assert len(rows) == 6
    assert all(sum(cell.tag in ("td", "th") for cell in row.inside) == len(heads) for row in rows)


def test_the_board_shows_bands_from_the_data_whatever_the_order(six: Context) -> None:
    """Sorted by name, each system keeps its band."""
    board = six.published.board("")
    bands = {row.submission: (row.band.best, row.band.worst) for row in board.rows}
    for sort in ("", "system", "-system", "score,pace"):
        page = Page(board_page(six, {"sort": sort}))
        for row in [element for element in page.all("tr") if "data-submission" in element.attributes]:
            best, worst = bands[row.attributes["data-submission"]]
            told = next(element.text for element in row.inside if element.tag == "b")
            assert told == (f"{best}–{worst}" if best != worst else str(best))
    first = Page(board_page(six, {"sort": "score"})).all("tr")[1]
    assert first.attributes["data-submission"] == board.rows[-1].submission


def test_the_board_reads_filters_from_its_address(six: Context) -> None:
    """Rows that do not fit are not there, the fields hold what the address says."""
    page = Page(board_page(six, {"q": "larkspur", "open": "1"}))
    rows = [element for element in page.all("tr") if "data-submission" in element.attributes]
    assert len(rows) == 2
    assert page.by_id("board-search").attributes["value"] == "larkspur"
    assert "checked" in page.by_id("board-open").attributes
    assert page.by_id("board-count").text == "2 of 6 systems"


def test_the_matrix_tells_the_whole_arithmetic_of_a_pair(six: Context) -> None:
    """Means, bound, margin and its two candidates, verdict; and links to hear the pair."""
    board = six.published.board("")
    decision = board.decisions.get((A, B)) or board.decisions[B, A]
    page = Page(matrix_page(six, {"a": A, "b": B}))
    told = page.by_id("decision-sentence").text.replace("−", "-")
    for number in (decision.challenger_score, decision.incumbent_score, decision.lcb, decision.margin):
        assert f"{number:.6f}" in told
    assert ("a win for" in told) is decision.is_win
    assert page.by_id("pair-items").inside
    assert page.all("a", href=f"/listen?protocol={board.protocol_id}&systems={A},{B}")
    assert len(page.all("a", cls="cb-cell")) == 30
    assert all(e.text in ("W", "T", "L") and e.attributes["data-lcb"] for e in page.all("a", cls="cb-cell"))


@pytest.mark.parametrize(("a", "b"), [("nobody", A), (A, A), (A, "")])
def test_a_pair_that_does_not_exist_is_said_so(six: Context, a: str, b: str) -> None:
    """A wrong link leads to a sentence, not to an error."""
    assert "not on this board" in Page(matrix_page(six, {"a": a, "b": b})).by_id("pair").text


def test_listening_side_by_side(six: Context) -> None:
    """Players that load nothing by themselves, asked against measured, and the way to the neighbours."""
    page = Page(listen_page(six, {"item": "it-004", "systems": f"{A},{B}", "tier": "1"}))
    players = page.all("audio")
    assert [player.attributes["preload"] for player in players] == ["none", "none"]
    assert all(player.attributes["src"].startswith("/media/clip/") for player in players)
    assert len(page.all("table", cls="cb-readings")) == 2
    assert "item=it-001" in page.by_id("listen-previous").attributes["href"]
    assert "item=it-007" in page.by_id("listen-next").attributes["href"]
    assert "tier=1" in page.by_id("listen-next").attributes["href"]


def test_differences_of_a_transcript_are_marked(six: Context) -> None:
    """What was left out is deleted, what was said instead inserted."""
    board = six.published.board("")
    samples = six.published.samples(board, ["s00000000006"])["s00000000006"]
    item = next(sample.item_id for sample in samples.values() if not sample.passed_gate)
    page = Page(listen_page(six, {"item": item, "systems": "s00000000006"}))
    assert page.all("del") and any("something" in inserted.text for inserted in page.all("ins"))
    assert page.all("span", cls="cb-mark")[0].text.startswith("✕ vetoed")


def test_blind_listening_leaks_no_name_and_shuffles_by_item(six: Context) -> None:
    """Before the reveal no name or clip address of a system is on the page; after it all are, in the same order."""
    asked = {"item": "it-004", "systems": f"{A},{B},s00000000006", "blind": "1"}
    markup = listen_page(six, asked)
    page = Page(markup)
    assert [voice.text for voice in page.all("h3")] == ["Voice A", "Voice B", "Voice C"]
    assert all(player.attributes["src"].startswith("/media/blind/it-004/") for player in page.all("audio"))
    for row in six.published.board("").rows:
        assert row.system not in markup and f"/system?id={row.submission}" not in markup
    revealed = Page(listen_page(six, {**asked, "reveal": "1"}))
    assert [voice.text.split(" · ")[0] for voice in revealed.all("h3")] == ["Voice A", "Voice B", "Voice C"]
    rows = six.published.board("").rows
    orders = {tuple(row.submission for row in listen.shuffled(rows, f"it-{n:03d}")) for n in range(8)}
    assert len(orders) > 1
    assert "reveal" not in page.by_id("listen-next").attributes["href"]


def test_items_are_found_by_trait_tier_and_text(six: Context) -> None:
    """Each filter cuts the list, and what nothing fits is said so."""
    corpus = six.corpus
    fast = listen.matching(corpus, ListenQuery(trait="pace", value="fast"))
    assert fast and all(item.requested["pace"] == "fast" for item in fast)
    assert all(item.tier == 2 for item in listen.matching(corpus, ListenQuery(tier=2)))
    assert all("kettle" in item.script for item in listen.matching(corpus, ListenQuery(text="KETTLE blue")))
    assert Page(listen_page(six, {"q": "no such words"})).by_id("listen-none")


def test_a_systems_page_has_card_traits_confusion_clips_and_downloads(six: Context) -> None:
    """Everything that the board says of it in one number is there in full."""
    page = Page(system_page(six, {"id": A}))
    assert "Larkspur" in page.by_id("system-card").text
    assert {e.attributes["id"] for e in page.by_id("system-downloads").inside if "download" in e.attributes} == {
        f"download-{kind}" for kind in ("csv", "parquet", "json", "summary", "clips", "card", "protocol", "card-gender")
    }
    tables = page.all("table", cls="cb-confusion")
    assert len(tables) == 5  # four of the system, and one of the gender probe's card
    counts = [int(cell.text) for cell in tables[0].inside if cell.tag == "td"]
    assert sum(counts) == 12
    assert page.by_id("system-best").inside and page.by_id("system-worst").inside
    assert len([e for e in page.by_id("system-neighbours").inside if e.tag == "tr"]) == 6
    link = next(e for e in page.by_id("system-card").inside if e.tag == "a")
    assert link.attributes["rel"] == "noopener nofollow ugc"


def test_an_unknown_system_is_said_so(six: Context) -> None:
    """The id that was asked for is repeated as text."""
    page = Page(system_page(six, {"id": "<b>x"}))
    assert "<b>x" in page.by_id("page-absent").text and page.all("a", href="/queue")


def test_the_method_page_tells_what_is_left_out_and_every_constant(six: Context) -> None:
    """Reasons, instruments with licence and hash, thresholds."""
    page = Page(method_page(six, {}))
    protocol = six.protocols[0]
    assert all(reason in page.by_id("not-measured").text for reason in protocol.not_measured.values())
    for instrument in protocol.instruments.values():
        told = page.by_id("instruments").text
        assert instrument.package in told and instrument.licence in told
        assert all(digest in told for digest in instrument.weights.values())
    assert "app.py verify" in page.by_id("verify").text
    assert protocol.id in page.by_id("constants").text


def test_a_failing_page_says_so_and_tells_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    """A bug becomes a page with a reference that the log knows; its text stays in the log."""

    def broken() -> Markup:
        raise RuntimeError("/secret/place")

    page = Page(guarded(broken, here="/queue"))
    told = page.by_id("page-failure").text
    reference = told.split("knows it as ")[1][:12]
    assert "/secret" not in told and any(reference == getattr(record, "reference", "") for record in caplog.records)


def _crowd(site: Context, n: int) -> Board:
    """A board of as many systems as asked for, every pair decided."""
    board = site.published.board("")
    first, (known, *_) = board.rows[0], board.decisions.values()
    rows = tuple(dataclasses.replace(first, submission=f"s-{at:03d}", system=f"Voice {at}") for at in range(n))
    pairs = [
        dataclasses.asdict(dataclasses.replace(known, challenger=one.submission, incumbent=other.submission))
        for one, other in itertools.combinations(rows, 2)
    ]
    decisions = DecisionMap(pa.Table.from_pylist(pairs))
    return dataclasses.replace(board, rows=rows, decisions=decisions)


def test_every_pair_of_a_large_board_is_a_cell_of_some_view(six: Context) -> None:
    """Rows and columns have choices of their own, another leads along the diagonal, and the map shows the whole."""
    board = _crowd(six, 100)
    state = MatrixState(protocol=board.protocol_id, first_row=0, first_column=80)
    page = Page(matrix.build(matrix.MatrixShown(board=board, state=state, grid=of_board(board)), (board,)))
    cells = [dict(parse_qsl(urlsplit(e.attributes["href"]).query)) for e in page.all("a", cls="cb-cell")]
    rows, columns = range(40), range(60, 100)
    expected = {(f"s-{row:03d}", f"s-{column:03d}") for row in rows for column in columns}
    assert {(cell["a"], cell["b"]) for cell in cells} == expected
    fields = page.by_id("matrix-windows").inside
    options = [e.attributes["value"] for e in fields if e.tag == "option"]
    assert options == ["0", "40", "60"] * 2
    assert [e.attributes["value"] for e in fields if "selected" in e.attributes] == ["0", "60"]
    assert {e.attributes["name"]: e.attributes["value"] for e in fields if e.tag == "input"} == {
        "protocol": board.protocol_id
    }
    links = [e.attributes["href"].split("?")[1] for e in fields if e.tag == "a"]
    assert links == [f"protocol={board.protocol_id}&from=40&cols=40"]
    picture = next(e for e in page.elements if e.tag == "image")
    png = base64.b64decode(picture.attributes["href"].partition("base64,")[2])
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20]) == int.from_bytes(png[20:24]) == 100


def test_the_matrix_opens_where_the_picked_pair_is(six: Context) -> None:
    """A link with a pair and nothing else shows the cell of that pair, marked."""
    board = _crowd(six, 100)
    state = MatrixState(protocol=board.protocol_id, one="s-050", other="s-003")
    page = Page(matrix.build(matrix.MatrixShown(board=board, state=state, grid=of_board(board)), (board,)))
    (cell,) = page.all("a", cls="cb-cell", aria_current="true")
    assert "a=s-050&b=s-003" in cell.attributes["href"]


def test_what_a_card_does_not_say_is_a_dash(six: Context) -> None:
    """Weights of which nothing was said are neither open nor closed, on the page and in the file."""
    board = six.published.board("")
    row = board.row("s00000000004")
    assert row is not None and row.is_open is None
    facts = [e for e in Page(system_page(six, {"id": row.submission})).by_id("system-card").inside if e.tag == "dd"]
    assert facts[4].text == "–"
    lines = {line["submission"]: line for line in csv.DictReader(io.StringIO(downloads.board_csv(board)))}
    assert lines[row.submission]["open_weights"] == "" and lines[A]["open_weights"] == "true"


def test_a_row_without_a_score_has_a_dash(six: Context) -> None:
    """Nothing scored is never shown as 0."""
    board = six.published.board("")
    row = dataclasses.replace(board.rows[0], score=None, score_low=None, score_high=None)
    assert score_cell(row) == '<span class="cb-score-in">–</span>'


def test_a_transcript_that_never_ends_stays_in_its_box(six: Context) -> None:
    """All of it can be read, by keyboard too; a short one needs no box."""
    board = six.published.board("")
    sample = six.published.samples(board, [A])[A]["it-004"]
    item = dataclasses.replace(six.corpus.items[4], script="So it goes.")
    heard = dataclasses.replace(sample.transcript, text="so it goes " * 200)
    looped = dataclasses.replace(sample, transcript=heard)
    box = Page(parts.transcript(item, looped, board.protocol)).elements[0]
    assert (box.attributes["tabindex"], box.attributes["role"]) == ("0", "region")
    assert "600 words" in box.attributes["aria-label"] and box.text.count("goes") == 200
    assert Page(parts.transcript(item, sample, board.protocol)).elements[0].tag == "p"


def test_the_method_page_puts_the_instruments_on_trial(six: Context) -> None:
    """Confusion, interval, and what nobody has measured."""
    page = Page(method_page(six, {}))
    told = page.by_id("trials").text
    assert "845 of 866, 97.6% (96.3% to 98.4%)" in told
    assert [e.text for e in page.by_id("trial-gender").inside if e.tag == "td"] == ["420", "14", "7", "425"]
    for open_question in ("children", "flawless"):
        assert open_question in told
    assert "app.py fetch" in page.by_id("verify").text
