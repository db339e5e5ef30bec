"""New versions mark older rows, granted names stand in place of the card's, and what is published can be checked."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import downloads
from leaderboard.api.app import build
from leaderboard.context import Context
from leaderboard.mcp_tools import Questions
from leaderboard.mirror import make_index
from leaderboard.reading.board import board_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.system import system_page
from leaderboard.versions import with_versions
from leaderboard.views import Row
from submissions import layout, queue, renaming, settling
from submissions.operator_events import Renamed
from submissions.records import Event, Queued, submission_id, timestamp
from submissions.verify import verify
from tests.leaderboard.cast import EVIL, NOW, SIX, make_site
from tests.submissions.work_examples import CARD, received

FIRST, SECOND, OTHER = "s00000000002", "s00000000001", "s00000000003"
VERSIONS = (SIX[1], replace(SIX[0], supersedes=FIRST), SIX[2])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site on which one system has two versions."""
    return make_site(tmp_path_factory.mktemp("versions"), VERSIONS)


@pytest.fixture(scope="module")
def some_row(site: Context) -> Row:
    """Give any row."""
    return site.published.board("").rows[0]


def shown(site: Context) -> dict[str, Row]:
    """Return the rows of the board."""
    return {row.submission: row for row in site.published.board("").rows}


def test_older_rows_stay_and_are_marked(site: Context) -> None:
    """On the board, in the matrix and on both systems' pages, each with a link to the newer one."""
    rows = shown(site)
    assert len(rows) == 3
    assert (rows[FIRST].superseded_by, rows[SECOND].supersedes) == (SECOND, FIRST)
    assert rows[SECOND].superseded_by is rows[OTHER].superseded_by is None
    for page in (board_page(site, {}), matrix_page(site, {})):
        assert page.count(">superseded</a>") == 1
        assert f'<a href="/system?id={SECOND}" class="cb-chip cb-plain cb-superseded"' in page
    assert "Superseded by " in system_page(site, {"id": FIRST})
    assert "A new version of " in system_page(site, {"id": SECOND})
    assert "uperseded by" not in system_page(site, {"id": OTHER})


def test_newest_versions_alone_on_request(site: Context) -> None:
    """The tick is there because a row has a later version; ranks and the number of rows stay."""
    page = board_page(site, {"newest": "1"})
    assert 'id="board-newest"' in page and "2 of 3 systems" in page
    assert "3 of 3 systems" in board_page(site, {})


def test_a_board_without_versions_has_no_such_tick_and_no_such_column(six: Context) -> None:
    """Its published bytes are those of before."""
    assert 'id="board-newest"' not in board_page(six, {})
    board = six.published.board("")
    assert "supersedes" not in layout.read_leaderboard(six.files, board.protocol_id).column_names


def test_what_supersedes_what_is_published_and_checked(site: Context) -> None:
    """In the system's file, the result and the leaderboard; a board whose marks were changed is not identical."""
    board = site.published.board("")
    assert layout.read_system(site.files, SECOND).provenance.supersedes == FIRST
    lines = {line["submission"]: line for line in layout.read_leaderboard(site.files, board.protocol_id).to_pylist()}
    assert (lines[SECOND]["supersedes"], lines[FIRST]["supersedes"]) == (FIRST, None)
    assert verify(site.home / "published").is_identical


def test_a_forged_version_is_found_out(tmp_path: Path) -> None:
    """Whoever writes into a system's file that it supersedes another is named by the check."""
    site = make_site(tmp_path, SIX[:2])
    path = layout.system_path(SIX[0].id)
    forged = site.files.read(path).replace(b'"code_version"', f'"supersedes":"{FIRST}","code_version"'.encode())
    site.files.write(path, forged)
    report = verify(tmp_path / "published")
    assert any(one.path == path for one in report.differences)


@given(st.data())
def test_chains_end_at_the_newest(some_row: Row, data: st.DataObject) -> None:
    """Whatever links there are, even circles: nothing supersedes itself, and what has a follower is marked."""
    names = [f"s{at:05}" for at in range(data.draw(st.integers(1, 7)))]
    links = {name: data.draw(st.none() | st.sampled_from([*names, "gone"])) for name in names}
    rows = [replace(some_row, submission=name, supersedes=links[name], received_at=name) for name in names]
    for row in with_versions(rows):
        followers = {name for name in names if links[name] == row.submission and name != row.submission}
        assert row.superseded_by != row.submission
        assert not followers or row.superseded_by is not None
        assert row.superseded_by is None or row.superseded_by >= min(followers)


def test_a_link_through_a_row_that_is_gone_marks_nothing(some_row: Row) -> None:
    """The third version names the second, which was taken back; the first is not known to be older."""
    rows = [
        replace(some_row, submission=name, supersedes=older, received_at=name)
        for name, older in (("a", None), ("c", "b"))
    ]
    assert [row.superseded_by for row in with_versions(rows)] == [None, None]


def granted(site: Context, system: str = "Larkspur Pro", organisation: str = "Ohm AG") -> None:
    """Let the names of the first version be granted, and publish them."""
    submission = submission_id(FIRST)
    card = replace(CARD, system=SIX[1].system, organisation=SIX[1].organisation)
    events = (replace(received(), card=card), Queued())
    names = Renamed(system=system, organisation=organisation, reason="We are called so now.", operator="secret-op")
    known = len(site.store.events(submission))
    for n, payload in enumerate((*events, names)[known and 2 :], start=known + 1):
        site.store.create_event(submission, Event(n=n, at=timestamp(NOW), payload=payload))
    renaming.settle(site.store, site.files, submission)


def test_granted_names_stand_everywhere_and_rows_stay(tmp_path: Path) -> None:
    """Board, matrix, CSV, system page with the old names, and the mirror; not one published byte of a row moves."""
    site = make_site(tmp_path, VERSIONS)
    before = {path: site.files.read(path) for path in site.files.paths()}
    assert "Larkspur Pro" not in board_page(site, {})
    granted(site)
    for text in (
        board_page(site, {}),
        matrix_page(site, {}),
        system_page(site, {"id": FIRST}),
        downloads.board_csv(site.published.board("")),
    ):
        assert "Larkspur Pro" in text
    page = system_page(site, {"id": FIRST})
    assert "Formerly <b>Larkspur</b> by Ohm Lab" in page and "secret-op" not in page
    path = layout.rename_path(FIRST)
    assert {name: site.files.read(name) for name in site.files.paths() if name != path} == before
    assert path in make_index(site.files, site.published.boards())
    assert b"secret-op" not in site.files.read(path)
    assert verify(tmp_path / "published").is_identical


def test_programs_are_told_versions_and_names_of_before(tmp_path: Path) -> None:
    """As JSON and as tables; a board without either has no such columns."""
    site = make_site(tmp_path, VERSIONS)
    client = TestClient(build(site))
    heads = next(csv.reader(io.StringIO(client.get("/leaderboard?format=csv").text)))
    assert "formerly_system" not in heads and "superseded_by" in heads
    granted(site)
    row = next(one for one in client.get("/leaderboard").json()["rows"] if one["submission"] == FIRST)
    assert (row["superseded_by"], row["formerly"]["system"]) == (SECOND, SIX[1].system)
    for path in ("/leaderboard", "/systems"):
        table = pq.read_table(io.BytesIO(client.get(f"{path}?format=parquet").content)).to_pylist()
        told = {line["submission"]: (line["superseded_by"], line["formerly_system"]) for line in table}
        assert told[FIRST] == (SECOND, SIX[1].system) and told[SECOND] == told[OTHER] == (None, None)


def test_tools_find_a_system_by_its_name_of_before(tmp_path: Path) -> None:
    """As long as nobody else has that name."""
    site = make_site(tmp_path, VERSIONS[:1])
    granted(site)
    assert Questions(site).system(SIX[1].system).submission == FIRST


def test_hostile_names_are_text(tmp_path: Path) -> None:
    """An operator who grants markup puts none on any page."""
    site = make_site(tmp_path, VERSIONS)
    granted(site, EVIL[:60], EVIL[:60])
    for page in (board_page(site, {}), matrix_page(site, {}), system_page(site, {"id": FIRST})):
        assert "<img src=x" not in page and "&lt;img src=x" in page


def test_names_follow_the_events(tmp_path: Path) -> None:
    """A file that a killed process did not write is made good, one too many goes, and nothing is written twice."""
    site = make_site(tmp_path, VERSIONS[:1])
    path = layout.rename_path(FIRST)
    granted(site)
    data = site.files.read(path)
    site.files.remove(path)
    settling.settle_all(site.store, site.files)
    assert site.files.read(path) == data
    granted(site, "Larkspur Max")
    assert renaming.decode_rename(site.files.read(path), path).system == "Larkspur Max"
    version = site.files.version(path)
    settling.settle_all(site.store, site.files)
    assert site.files.version(path) == version
    queue.withdraw(site.store, submission_id(FIRST), NOW, "mistake")
    settling.settle_all(site.store, site.files)
    assert path not in site.files.paths()


def test_names_that_were_granted_before_there_is_a_row_are_told(tmp_path: Path) -> None:
    """They are no difference: the row they belong to may still come."""
    site = make_site(tmp_path, (SIX[2],))
    granted(site)
    report = verify(tmp_path / "published")
    assert report.is_identical
    assert report.notes == (f"{layout.rename_path(FIRST)}: belongs to no committed row; not checked",)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"Ohm Lab", b"Ohm Bla"), (b'"at"', b'"ta"'), (b'"schema_version":1', b'"schema_version":9'), (b'","', b'" ,"')],
)
def test_changed_names_are_found_out(tmp_path: Path, old: bytes, new: bytes) -> None:
    """Names of before that are not the card's, a damaged file, another version, other bytes: the file is named."""
    site = make_site(tmp_path, VERSIONS[:1])
    granted(site)
    path = layout.rename_path(FIRST)
    site.files.write(path, site.files.read(path).replace(old, new))
    assert [one.path for one in verify(tmp_path / "published").differences] == [path]
    assert "page-board" in board_page(site, {})


def test_a_wish_must_be_one(tmp_path: Path) -> None:
    """All that is wrong is told; the same names or no reason are no wish; a blank name stays; a later wish replaces."""
    site = make_site(tmp_path, ())
    submission = submission_id("s00001")
    for n, payload in enumerate((received(), Queued()), start=1):
        site.store.create_event(submission, Event(n=n, at=timestamp(NOW), payload=payload))

    def ask(system: str, organisation: str, reason: str) -> None:
        renaming.ask(site.store, submission, now=NOW, system=system, organisation=organisation, reason=reason)

    for names, told in (
        ((CARD.system, CARD.organisation, "why"), "already"),
        (("", " ", "why"), "already"),
        (("Heron", "Marsh", " "), "reason is missing"),
        (("He\u202eron", "x" * 81, "why"), "Organisation is not accepted"),
    ):
        with pytest.raises(renaming.BadRename, match=told):
            ask(*names)
    assert queue.load(site.store, submission).rename_asked is None
    ask("Heron", "Marsh", "why")
    ask("Heron", "Marsh", "why")
    ask("Egret", "", "why")
    state = queue.load(site.store, submission)
    assert state.n_events == 4 and state.rename_asked is not None and state.rename_asked.system == "Egret"
    assert state.rename_asked.organisation == CARD.organisation
