"""The folder store: an event is there once and whole, and nothing half-written is ever seen."""

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from submissions.records import Event, Queued, Withdrawn, submission_id, timestamp
from submissions.store import atomic
from submissions.store.base import EventExists, StoreUnavailable
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions.work_examples import NOON, put, received

SUBMISSION = submission_id("s00001")


def event(n: int, payload: object = None) -> Event:
    """Return an event of that number."""
    return Event(n=n, at=timestamp(NOON), payload=payload or received())  # type: ignore[arg-type]


def tree(folder: Path) -> list[str]:
    """Return every file below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


class Killed(BaseException):
    """Stands for the end of the process at this very call."""


@contextlib.contextmanager
def dying_at(n: int) -> Iterator[None]:
    """Let the n-th call that changes the disk never happen, nor any after it: the process has ended there."""
    left = [n]

    def until_dead(original):
        def call(*args, **kwargs):
            left[0] -= 1
            if left[0] <= 0:
                raise Killed
            return original(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((os, "link"), (os, "fsync"), (Path, "rename"), (Path, "unlink")):
            patch.setattr(owner, name, until_dead(getattr(owner, name)))
        with contextlib.suppress(Killed):
            yield


def test_a_disk_is_never_filled_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zip that would leave less than what must stay free is refused; with one byte more of room it is kept."""
    upload = tmp_path / "mine.zip"
    upload.write_bytes(b"zip")
    store, name = FolderStore(tmp_path / "home", room_bytes=1_000), SUBMISSION
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_002))
    with pytest.raises(StoreUnavailable, match="no room to keep another zip"):
        store.receive(name, upload, sha256_of(b"zip"), (event(1),))
    assert store.submissions() == () and not store.has_upload(name)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_003))
    store.receive(name, upload, sha256_of(b"zip"), (event(1),))
    assert store.submissions() == (name,)


def test_events_come_back_in_order(tmp_path: Path) -> None:
    """What was appended is read, by this store and by another one on the same folder."""
    store = FolderStore(tmp_path)
    put(store, SUBMISSION)
    for reader in (store, FolderStore(tmp_path)):
        assert [e.kind for e in reader.events(SUBMISSION)] == ["received", "queued"]
        assert reader.submissions() == (SUBMISSION,)
    assert tree(tmp_path) == [f"work/{SUBMISSION}/events/{name}.json" for name in ("0001-received", "0002-queued")]


@pytest.mark.parametrize("payload", [Queued(), Withdrawn(reason="mistake")])
def test_number_is_given_once(tmp_path: Path, payload: object) -> None:
    """A second event of a number is refused, whether it is of the same kind or not, and leaves no trace."""
    store = FolderStore(tmp_path)
    put(store, SUBMISSION)
    before = tree(tmp_path)
    with pytest.raises(EventExists, match="event 2 already"):
        store.create_event(SUBMISSION, event(2, payload))
    assert tree(tmp_path) == before


def test_stray_files_are_no_events(tmp_path: Path) -> None:
    """A backup copy beside the events neither counts nor stands in the way."""
    store = FolderStore(tmp_path)
    put(store, SUBMISSION)
    (tmp_path / "work" / SUBMISSION / "events" / "0003-claimed.json.bak").write_text("{")
    (tmp_path / "work" / ".stray").mkdir()
    store.create_event(SUBMISSION, event(3, Withdrawn(reason="mistake")))
    assert [e.n for e in store.events(SUBMISSION)] == [1, 2, 3]
    assert store.submissions() == (SUBMISSION,)


def test_one_of_many_writers_wins(tmp_path: Path) -> None:
    """Of threads that write the same number with different kinds, exactly one succeeds, every time."""
    start = threading.Barrier(6)

    def write(n: int, i: int) -> bool:
        start.wait()
        try:
            FolderStore(tmp_path).create_event(SUBMISSION, event(n, Queued() if i % 2 else Withdrawn(reason=str(i))))
        except EventExists:
            return False
        return True

    FolderStore(tmp_path).create_event(SUBMISSION, event(1))
    with ThreadPoolExecutor(6) as pool:
        for n in range(2, 22):
            assert sum(pool.map(write, [n] * 6, range(6))) == 1
    assert [e.n for e in FolderStore(tmp_path).events(SUBMISSION)] == list(range(1, 22))


@pytest.mark.parametrize("n", range(1, 7))
def test_killed_writer_leaves_no_event_or_a_whole_one(tmp_path: Path, n: int) -> None:
    """Wherever a writer dies, readers see a legal history, the next writer goes on, and the leftovers go."""
    store = FolderStore(tmp_path)
    store.create_event(SUBMISSION, event(1))
    with dying_at(n):
        store.create_event(SUBMISSION, event(2, Queued()))
    kept = FolderStore(tmp_path).events(SUBMISSION)
    assert [e.kind for e in kept] in (["received"], ["received", "queued"])
    store.create_event(SUBMISSION, event(len(kept) + 1, Withdrawn(reason="mistake")))
    assert not [name for name in tree(tmp_path) if atomic.is_temporary(Path(name).name)]


@pytest.mark.parametrize("n", range(1, 5))
def test_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path, n: int) -> None:
    """Wherever a writer dies, a published file is whole."""
    files = PublishedFolder(tmp_path)
    files.write("a.json", b"old")
    with dying_at(n):
        files.write("a.json", b"new")
    assert files.read("a.json") in (b"old", b"new")
    assert files.paths() == ("a.json",)
    files.sweep()
    assert tree(tmp_path) == ["a.json"]


def test_gap_is_refused(tmp_path: Path) -> None:
    """A history with a hole is no history."""
    store = FolderStore(tmp_path)
    store.create_event(SUBMISSION, event(1))
    store.create_event(SUBMISSION, event(3, Queued()))
    with pytest.raises(SchemaError, match="without a gap"):
        store.events(SUBMISSION)


def test_renamed_event_is_refused(tmp_path: Path) -> None:
    """A file must hold the event that its name says."""
    put(FolderStore(tmp_path), SUBMISSION)
    events = tmp_path / "work" / SUBMISSION / "events"
    (events / "0002-queued.json").rename(events / "0002-claimed.json")
    with pytest.raises(SchemaError, match=r"0002-claimed\.json holds the event 2-queued"):
        FolderStore(tmp_path).events(SUBMISSION)


@pytest.mark.parametrize("name", ["../up-and-out", "a/b-c-d-e", "", ".hidden", "UPPER-case"])
def test_unsafe_names_reach_no_file(tmp_path: Path, name: str) -> None:
    """No id, run or worker leads out of its folder."""
    store = FolderStore(tmp_path / "home")
    for use in (
        lambda: store.create_event(name, event(1)),  # type: ignore[arg-type]
        lambda: store.events(name),  # type: ignore[arg-type]
        lambda: store.upload_path(name),  # type: ignore[arg-type]
        lambda: store.shards(SUBMISSION, name),
        lambda: store.write_worker(name, b"{}"),
    ):
        with pytest.raises(ValueError, match="a-z, 0-9 and -"):
            use()
    assert tree(tmp_path) == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a//../x", ".x", "a/.x", "a b", "a\\b", "a\n"])
def test_unsafe_published_paths_reach_no_file(tmp_path: Path, path: str) -> None:
    """No published path leads out of its folder or hides in it."""
    files = PublishedFolder(tmp_path / "published")
    for use in (files.read, files.local_path, files.remove, lambda p: files.write(p, b"")):
        with pytest.raises(ValueError, match="published path is made of"):
            use(path)
    assert tree(tmp_path) == []


def test_published_files_are_replaced_whole(tmp_path: Path) -> None:
    """A file is written, listed by prefix, replaced and removed."""
    files = PublishedFolder(tmp_path / "published")
    source = tmp_path / "source"
    source.write_bytes(b"two")
    files.write("results/p/one.json", b"one")
    files.write_file("results/p/two.json", source)
    files.write("results/p/one.json", b"1")
    assert files.paths("results/p/t") == ("results/p/two.json",)
    assert files.paths() == ("results/p/one.json", "results/p/two.json")
    assert (files.read("results/p/one.json"), files.read("results/p/two.json")) == (b"1", b"two")
    files.remove("results/p/one.json")
    files.remove("results/p/one.json")
    assert files.paths("results/") == ("results/p/two.json",)
    with pytest.raises(FileNotFoundError):
        files.read("results/p/one.json")


def test_leftovers_are_not_seen_and_are_swept(tmp_path: Path) -> None:
    """What a killed writer left is in no listing and goes with the next sweep."""
    files = PublishedFolder(tmp_path)
    files.write("results/one.json", b"1")
    (tmp_path / "results" / ".two.json.0123456789abcdef.writing").write_bytes(b"half")
    assert files.paths() == ("results/one.json",)
    files.sweep()
    assert tree(tmp_path) == ["results/one.json"]


def test_sweep_leaves_a_writer_at_work_alone(tmp_path: Path) -> None:
    """While another writes in a folder nothing there is removed."""
    half = tmp_path / ".x.0123456789abcdef.writing"
    half.write_bytes(b"half")
    with atomic.locked(tmp_path, exclusive=False):
        atomic.sweep(tmp_path)
        assert half.exists()
    atomic.sweep(tmp_path)
    assert not half.exists()


def test_shards_are_kept_by_run(tmp_path: Path) -> None:
    """A shard is found under its run only, until it is forgotten."""
    store = FolderStore(tmp_path)
    shards = store.shards(SUBMISSION, "p-1")
    shards.save(3, b"three")
    assert store.shards(SUBMISSION, "p-1").load(3) == b"three"
    assert store.shards(SUBMISSION, "p-2").load(3) is None
    shards.remove(3)
    shards.remove(3)
    assert shards.load(3) is None


def test_clips_of_an_earlier_claim_go(tmp_path: Path) -> None:
    """Each claim has an empty folder of its own."""
    store = FolderStore(tmp_path)
    (store.clips_dir(SUBMISSION, 3) / "x.flac").write_bytes(b"x")
    assert list(store.clips_dir(SUBMISSION, 5).iterdir()) == []
    assert tree(tmp_path) == []
    store.remove_clips(SUBMISSION, 3)
    assert (tmp_path / "work" / SUBMISSION / "clips" / "5").is_dir()
    store.remove_clips(SUBMISSION, 5)
    store.remove_clips(SUBMISSION, 5)
    assert not (tmp_path / "work" / SUBMISSION / "clips").exists()


def test_kept_upload_is_a_copy(tmp_path: Path) -> None:
    """The kept zip lives on when the upload goes."""
    store, upload = FolderStore(tmp_path / "home"), tmp_path / "upload"
    upload.write_bytes(b"zip")
    store.receive(SUBMISSION, upload, sha256_of(b"zip"), [event(1)])
    upload.unlink()
    assert store.upload_path(SUBMISSION).read_bytes() == b"zip"


def test_last_word_of_every_worker(tmp_path: Path) -> None:
    """A worker's last word replaces the one before; workers come sorted by name."""
    store = FolderStore(tmp_path)
    assert store.workers() == ()
    for worker, word in (("b", b"1"), ("a", b"2"), ("b", b"3")):
        store.write_worker(worker, word)
    with store.publishing():
        assert store.workers() == (b"2", b"3")
