"""What a page gives away of itself: programs that load it, citations that any BibTeX reads, its versions."""

import re
import socket
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import CastboardError
from leaderboard import citing, sharing, shell, snippets, ui, words
from leaderboard.context import Context
from leaderboard.reading.listen import listen_page
from leaderboard.reading.method import method_page
from leaderboard.stamps import Stamp, Stamps, stamp_of
from leaderboard.views import Board
from tests.leaderboard.cast import EVIL, SIX, make_site
from tests.leaderboard.page_reader import Page

STAMP = Stamp(
    protocol_name="lite",
    protocol_id="0123456789ab",
    newest="2026-03-01T12:00:00.000Z",
    n_systems=3,
    revision="c" * 40,
    repo="org/board",
    code="0.1.0",
)
VIEWS: tuple[tuple[str, dict[str, Any], str, int], ...] = (
    ("/leaderboard", {"sort": "-score"}, "board", 6),
    ("/decisions", {"a": "s00000000001"}, "decisions", 5),
    ("/per-sample", {"system": "s00000000001"}, "items", 12),
)


@pytest.fixture(scope="module")
def address(six: Context) -> Iterator[str]:
    """Serve six systems on a free port of this machine."""
    import uvicorn

    from leaderboard.site import mount

    with warnings.catch_warnings(), socket.create_server(("127.0.0.1", 0)) as door:
        warnings.simplefilter("ignore")
        server = uvicorn.Server(uvicorn.Config(mount(six), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


@pytest.mark.parametrize(("route", "state", "name", "n"), VIEWS)
def test_a_program_loads_exactly_what_is_shown(
    address: str, route: str, state: dict[str, Any], name: str, n: int
) -> None:
    """It runs as it is printed, once the browser has put the site's address in; so does the line with the CSV."""
    text = snippets.of_api(route, **state).replace(snippets.SITE_ADDRESS, address)
    found: dict[str, Any] = {}
    exec(text, found)
    assert len(found[name]) == n
    csv = found["pd"].read_csv(re.search(r'read_csv\("([^"]+)"\)', text)[1])  # type: ignore[index]
    assert list(csv.columns)[:3] == list(found[name].columns)[:3]
    assert len(csv) == n


def test_a_board_in_a_repo_is_loaded_at_its_revision() -> None:
    """The second program names repo, table and commit; a board in no repo has none, and no empty place for it."""
    page = sharing.files("/per-sample", "Items", protocol="", system="s00000000001")
    told = sharing.pinned(page, STAMP)
    assert "per_sample/0123456789ab/s00000000001.parquet" in told
    assert "org/board" in told
    assert STAMP.revision in told
    compile(snippets.of_dataset("board/{protocol}/leaderboard.parquet", STAMP) or "", "program", "exec")
    assert "load_dataset" not in sharing.pinned(page, replace(STAMP, repo=None))
    assert "data-hub" not in sharing.pinned(page, replace(STAMP, repo=None))


@given(st.text(max_size=60))
def test_any_name_can_be_cited(heading: str) -> None:
    """Whatever a system is called, braces balance, nothing is a command of its own, and the entry has its fields."""
    entry = citing.bibtex(heading, "https://example.org/system?id=s1", STAMP)
    assert entry.count("{") == entry.count("}")
    assert re.match(r"@misc\{[a-z0-9-]+,\n", entry)
    assert [line.split(" = ")[0].strip() for line in entry.splitlines()[1:-1]] == [
        "title",
        "author",
        "year",
        "month",
        "url",
        "note",
    ]
    bare = re.sub(r"\\(textbackslash|textbraceleft|textbraceright|textasci\w+|textless|textgreater)\{\}", "", entry)
    assert re.search(r"(?<!\\)[%$&#_]", bare.split("title = ")[1].split("author = ")[0]) is None


def test_a_hostile_name_is_inert_in_a_citation() -> None:
    """Braces, backslashes and comments of a name do not get out of its field, and tags not out of the page."""
    entry = citing.bibtex("}} , note = {\\input{x} % " + EVIL, "https://example.org/", STAMP)
    assert "\\input" not in entry.replace("\\textbackslash{}input", "")
    assert entry.count("note = ") == 2  # the field, and the text in the title
    shown = sharing.stamp(STAMP, EVIL, "/system?id=x")
    assert "<img" not in shown
    assert "<script" not in shown


def test_a_stamp_tells_protocol_revision_and_day(six: Context) -> None:
    """A board in a folder is known by the content of its tables: the same for the same, made once."""
    board = six.published.board("")
    first, again = stamp_of(six.files, board), Stamps(six.files).of(board)
    assert first == again
    assert (first.protocol_id, first.day, first.n_systems) == (board.protocol_id, "2026-03-01", 6)
    assert re.fullmatch(r"[0-9a-f]{64}", first.revision)
    assert first.repo is None


def test_an_empty_board_has_a_stamp_too(empty: Context) -> None:
    """Without a row there is neither day nor revision, and it can still be cited."""
    found = stamp_of(empty.files, empty.published.board(""))
    assert (found.day, found.revision) == ("", "")
    assert "(n.d.)" in citing.plain("", "https://example.org/", found)
    assert "year" not in citing.bibtex("", "https://example.org/", found)


def test_pages_with_forms_and_the_blind_test_tell_as_of_when_they_are(address: str, six: Context) -> None:
    """The line that ends a page with a form, and the last lines of the blind test, name day, recipe and program."""
    board = six.published.board("")
    known = stamp_of(six.files, board)
    blind = Page(httpx.get(f"{address}/vote", timeout=60).text)
    form = Page(ui.stamp_line(six, Stamps(six.files)))
    for page in (blind, form):
        told = page.by_id(sharing.STAMP).text
        assert f"As of {known.day}" in told
        assert board.protocol_id in told
        assert known.code in told
    assert "/vote" in blind.by_id("cite-bibtex").text


def test_a_board_that_cannot_be_read_has_no_line_below_a_form(tmp_path: Path) -> None:
    """The line is left out rather than failing the page; the page itself tells what is wrong."""
    site = make_site(tmp_path, SIX[:1])

    def away(_: str) -> Board:
        raise CastboardError("the board is being written")

    broken = replace(site, published=SimpleNamespace(board=away))  # type: ignore[arg-type]
    assert ui.stamp_line(broken, Stamps(site.files)) == ""


def test_the_blind_test_is_found_from_every_page_and_its_votes_from_the_method(six: Context) -> None:
    """The footer leads to it, the listen page offers it first, and the method page leads to what people heard."""
    assert [link.text for link in Page(shell.footer()).all("a", href="/vote")] == [words.BLIND_TEST]
    offers = [one for one in Page(listen_page(six, {})).all("a") if one.attributes.get("href", "").startswith("/vote")]
    assert words.BLIND_TEST_OFFER in [one.text for one in offers]
    limits = Page(method_page(six, {})).by_id("limits")
    assert any(one.attributes.get("href", "").startswith("/votes") for one in limits.inside)
