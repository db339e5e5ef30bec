"""What a page gives away of itself: programs that load it, citations that any BibTeX reads, its versions."""

import re
import socket
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import citing, sharing, snippets
from leaderboard.context import Context
from leaderboard.stamps import Stamp, Stamps, stamp_of
from tests.leaderboard.cast import EVIL

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
