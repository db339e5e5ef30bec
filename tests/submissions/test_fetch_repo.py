"""A published board, copied from a public dataset repo over HTTP and verified."""

import shutil
from pathlib import Path

import pytest

from submissions import fetch_repo as fetching
from submissions.fetch import FetchError
from submissions.fetch_repo import FetchedRepo, fetch_repo
from submissions.store import hub_download
from submissions.store.base import StoreUnavailable
from submissions.store.folder import PublishedFolder
from submissions.store.hub_download import FileChanged
from submissions.verify import verify
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK
from tests.hub.fixtures import hub
from tests.submissions import published_example as example
from tests.submissions.hub_board import BOARD, mirror, publish

__all__ = ["hub"]


@pytest.fixture
def files(tmp_path: Path) -> PublishedFolder:
    """Two systems on a board."""
    return publish(tmp_path, *example.SUBMISSIONS[:2])


def _fetch(hub: HubDouble, folder: Path, revision: str | None = None, repo: str = BOARD) -> FetchedRepo:
    return fetch_repo(repo, folder, revision=revision, endpoint=hub.endpoint, limits=QUICK)


def _content(files: PublishedFolder) -> dict[str, bytes]:
    return {path: files.read(path) for path in files.paths()}


def test_a_copy_is_the_board_and_verifies(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """Every file comes over as it is, anonymously, and the check finds it identical; what else is there stays there."""
    commit = mirror(hub, files)
    hub.put(BOARD, {".gitattributes": b"*.parquet filter=lfs", "notes/x.txt": b"x", "clips/../../evil": b"x"})
    seen: list[tuple[int, int]] = []
    found = fetch_repo(
        BOARD, tmp_path / "copy", endpoint=hub.endpoint, limits=QUICK, on_progress=lambda *n: seen.append(n)
    )
    assert _content(PublishedFolder(tmp_path / "copy")) == _content(files)
    assert (found.n_fetched, found.n_kept, found.n_left_out) == (len(files.paths()), 0, 3)
    assert found.commit == hub.history(BOARD)[0].id != commit
    assert verify(tmp_path / "copy").is_identical and seen[-1][0] == seen[-1][1]
    assert not (tmp_path / "evil").exists()


def test_an_older_revision_is_what_it_was(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """A commit is copied as it was, whatever the branch holds now."""
    first = mirror(hub, files)
    before = _content(files)
    example.send(files, example.submission(tmp_path / "third", example.SUBMISSIONS[2]), example.protocol())
    mirror(hub, files)
    assert _fetch(hub, tmp_path / "old", first).commit == first
    assert _content(PublishedFolder(tmp_path / "old")) == before
    # The same folder is brought to the newest state, and only what is new is fetched.
    newer = _fetch(hub, tmp_path / "old")
    assert _content(PublishedFolder(tmp_path / "old")) == _content(files) and newer.n_kept >= 8


def test_a_copy_is_never_mixed(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """A folder with published files that the commit lacks is refused, and nothing is written."""
    mirror(hub, files)
    (tmp_path / "copy" / "systems").mkdir(parents=True)
    (tmp_path / "copy" / "systems" / "stranger.json").write_text("{}")
    with pytest.raises(FetchError, match=r"systems/stranger\.json"):
        _fetch(hub, tmp_path / "copy")
    assert len(list((tmp_path / "copy").rglob("*.*"))) == 1


def test_a_cut_download_goes_on(
    hub: HubDouble, files: PublishedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the hub went away in the middle of a large file the next run asks for the rest of it alone."""
    monkeypatch.setattr(hub_download, "PIECE_BYTES", 4096)
    monkeypatch.setattr(hub_download, "N_AT_ONCE", 1)
    mirror(hub, files)
    clips = next(path for path in files.paths("clips/"))
    hub.fail("GET /_cdn/", status=503, skip=2, times=None)
    with pytest.raises(StoreUnavailable):
        _fetch(hub, tmp_path / "copy")
    parts = [path for path in (tmp_path / "copy").rglob("*.part") if path.stat().st_size]
    assert parts and parts[0].stat().st_size % 4096 == 0
    hub.calm()
    hub.forget_seen()
    _fetch(hub, tmp_path / "copy")
    assert _content(PublishedFolder(tmp_path / "copy")) == _content(files)
    n_sent = sum(seen.n_sent for seen in hub.seen("cdn"))
    assert n_sent < sum(files.size(path) for path in files.paths() if path.endswith(".parquet")), clips


def test_passing_trouble_is_ridden_out(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """A hub that says later, breaks off or errs now and then gives the whole board all the same."""
    mirror(hub, files)
    hub.fail("GET .*/resolve/", status=429, retry_after_s=0, times=2)
    hub.fail("GET .*/tree/", status=500)
    hub.fail("GET /_cdn/", cut="middle", times=2)
    _fetch(hub, tmp_path / "copy")
    assert verify(tmp_path / "copy").is_identical


@pytest.mark.parametrize(
    ("repo", "revision", "told"),
    [
        ("ohm/nowhere", None, "no public dataset repo ohm/nowhere"),
        ("ohm/secret", None, "no public dataset repo ohm/secret"),
        (BOARD, "v9", "no revision 'v9'"),
        (BOARD, "../x", "no revision"),
        ("ohm/empty", None, "holds no published board"),
        ("ohm/gated", None, "not open to everybody"),
        ("../../etc", None, "is called org/name"),
        ("http://other.example/x", None, "is called org/name"),
    ],
)
def test_what_cannot_be_verified_is_told(
    hub: HubDouble, files: PublishedFolder, tmp_path: Path, repo: str, revision: str | None, told: str
) -> None:
    """No such repo, a closed one, no such revision, another kind of repo: one sentence each, and nothing written."""
    mirror(hub, files)
    mirror(hub, files, "ohm/secret", private=True)
    mirror(hub, files, "ohm/gated")
    hub.repo("ohm/gated").is_gated = True
    hub.create("ohm/empty")
    with pytest.raises(FetchError, match=told):
        _fetch(hub, tmp_path / "copy", revision, repo)
    assert not (tmp_path / "copy").exists()


def test_a_hub_that_is_away_is_told(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """A hub that cannot be reached is no fault of the board."""
    mirror(hub, files)
    hub.stop()
    with pytest.raises(StoreUnavailable, match=r"could not be reached|no whole answer"):
        _fetch(hub, tmp_path / "copy")


def test_a_file_too_large_is_not_begun(
    hub: HubDouble, files: PublishedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sizes and room are looked at in the listing, before anything is fetched."""
    mirror(hub, files)
    monkeypatch.setattr(fetching, "ROOM_BYTES", 1 << 60)
    with pytest.raises(FetchError, match="Make room"):
        _fetch(hub, tmp_path / "copy")
    monkeypatch.setattr(fetching, "limit_of", lambda path: 10)
    with pytest.raises(FetchError, match="allowed are 10"):
        _fetch(hub, tmp_path / "copy")
    assert not hub.seen("resolve")


def test_another_file_than_the_listed_one_is_refused(hub: HubDouble, files: PublishedFolder, tmp_path: Path) -> None:
    """A hub, or whoever sits before it, that sends other bytes is found out by the hash that the commit lists."""
    mirror(hub, files)
    for stored in (hub.repo(BOARD).folder / "lfs").iterdir():
        stored.write_bytes(bytes(reversed(stored.read_bytes())))
    with pytest.raises(FileChanged, match="something else than it lists"):
        _fetch(hub, tmp_path / "copy")
    assert not list((tmp_path / "copy").rglob("*.parquet"))
    shutil.rmtree(tmp_path / "copy")
