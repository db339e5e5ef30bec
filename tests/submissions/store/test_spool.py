"""While the hub is away submissions are kept on the disk, honestly, and pushed once, whoever pushes."""

import dataclasses
import shutil
import threading
from pathlib import Path

import pytest

from evaluation.codec import sha256_of
from submissions import queue
from submissions.records import Event, Queued, SubmissionId, Withdrawn, submission_id, timestamp
from submissions.state import State
from submissions.store import spool as spool_module
from submissions.store.base import EventExists, StoreUnavailable
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_work import HubWork
from submissions.store.hub_work_book import Waits
from submissions.store.spool import Spool
from tests.hub.double import HubDouble
from tests.hub.examples import open_repo
from tests.hub.fixtures import hub
from tests.submissions.work_examples import CORPUS, NOON, a_worker, later, received

__all__ = ["hub"]

WORK = "ohm/work"
ONE, TWO = submission_id("s00001"), submission_id("s00002")
ZIP = b"PK zip"


def open_work(hub: HubDouble, home: Path, *, sees_spool: bool = True) -> HubWork:
    """Return the work of a process that has its home there."""
    repo = open_repo(hub, WORK, is_private=True)
    waits = Waits(refresh_s=0.0, sleep=lambda _: None)
    spool = Spool(home / "spool") if sees_spool else None
    return HubWork(repo, home, BlobCache(home / "cache", 1 << 20), spool=spool, waits=waits)


def events(at_s: float = 0.0) -> tuple[Event, Event]:
    """Return what a submission begins with at that time."""
    at = timestamp(later(at_s))
    return Event(n=1, at=at, payload=received()), Event(n=2, at=at, payload=Queued())


def send(store: HubWork, folder: Path, submission: SubmissionId = ONE, at_s: float = 0.0) -> None:
    """Receive a zip, which may go at once."""
    folder.mkdir(exist_ok=True)
    path = folder / "passing.zip"
    path.write_bytes(ZIP)
    store.receive(submission, path, sha256_of(ZIP), events(at_s))
    path.unlink()


def kinds(store: HubWork, submission: SubmissionId = ONE) -> list[str]:
    """Return the kinds of a submission's events."""
    return [event.kind for event in store.events(submission)]


@pytest.fixture
def store(hub: HubDouble, tmp_path: Path) -> HubWork:
    """Give a site's work while the hub is away."""
    made = open_work(hub, tmp_path / "site")
    made.submissions()
    hub.down()
    return made


def test_taken_in_an_outage_and_pushed_after_it(store: HubWork, hub: HubDouble, tmp_path: Path) -> None:
    """It waits where the site sees it and workers do not, and comes to the hub in the same one commit."""
    send(store, tmp_path / "in")
    assert (store.is_pushed(ONE), store.has_upload(ONE), store.health().n_unpushed) == (False, True, 1)
    assert queue.load(store, ONE).state is State.QUEUED
    assert store.fetch_upload(ONE).read_bytes() == ZIP
    with pytest.raises(StoreUnavailable):
        store.push()
    assert Spool(tmp_path / "site" / "spool").submissions() == (ONE,)
    hub.calm()
    worker = open_work(hub, tmp_path / "site", sees_spool=False)
    assert worker.submissions() == ()
    store.push()
    assert [commit.title for commit in hub.history(WORK)][:-1] == [f"{ONE} is received"]
    assert hub.read(WORK, f"work/{ONE}/upload.zip") == ZIP
    assert (store.is_pushed(ONE), store.health().n_unpushed, store.submissions()) == (True, 0, (ONE,))
    assert list((tmp_path / "site" / "spool").rglob("*.zip")) == []
    worker.refresh()
    assert queue.claim_next(worker, a_worker(), NOON, corpus=CORPUS, is_dead=lambda _: False) is not None
    store.push()
    assert len(hub.history(WORK)) == 3


def test_without_a_lasting_disk_it_is_refused(hub: HubDouble, tmp_path: Path) -> None:
    """The sentence says that nothing is kept and what to do."""
    store = open_work(hub, tmp_path / "site", sees_spool=False)
    store.submissions()
    hub.down()
    with pytest.raises(StoreUnavailable, match=r"not taken and nothing is kept.*ohm/work.*Send it again later"):
        send(store, tmp_path / "in")
    assert store.submissions() == ()
    hub.calm()
    send(store, tmp_path / "in")
    assert store.is_pushed(ONE)


def test_without_room_it_is_refused(store: HubWork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk is never filled up, and nothing is kept by half."""
    full = shutil.disk_usage(tmp_path)._replace(free=spool_module.ROOM_LEFT_BYTES + len(ZIP) - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(StoreUnavailable, match="no room"):
        send(store, tmp_path / "in")
    monkeypatch.undo()
    assert (store.submissions(), store.health().n_unpushed) == ((), 0)


@pytest.mark.parametrize("step", ["zip", "event"])
def test_a_disk_that_fails_keeps_nothing_by_half(
    store: HubWork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whether the zip or the first event finds no room: refused, and no zip stays behind."""
    name = "replace_with_copy" if step == "zip" else "create"

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"submissions.store.atomic.{name}", full)
    with pytest.raises(StoreUnavailable, match="No space left"):
        send(store, tmp_path / "in")
    monkeypatch.undo()
    assert store.submissions() == ()
    assert [path for path in (tmp_path / "site" / "spool").rglob("*") if path.is_file()] == []
    send(store, tmp_path / "in")
    assert kinds(store) == ["received", "queued"]


def test_what_happens_meanwhile_is_pushed_with_it(store: HubWork, hub: HubDouble, tmp_path: Path) -> None:
    """A withdrawal in the outage is no less a withdrawal."""
    send(store, tmp_path / "in")
    queue.withdraw(store, ONE, NOON, "mistake")
    with pytest.raises(EventExists):
        store.create_event(ONE, Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="again")))
    hub.calm()
    store.push()
    assert kinds(open_work(hub, tmp_path / "other")) == ["received", "queued", "withdrawn"]
    assert len(hub.history(WORK)) == 2


def test_the_same_upload_that_is_there_already_is_dropped(store: HubWork, hub: HubDouble, tmp_path: Path) -> None:
    """Somebody else's history stands, and what was written here since joins it if it can."""
    for one in (ONE, TWO):
        send(store, tmp_path / "in", one)
    queue.withdraw(store, ONE, NOON, "mistake")
    hub.calm()
    other = open_work(hub, tmp_path / "other")
    for one in (ONE, TWO):
        send(other, tmp_path / "in2", one, at_s=-5)
        queue.claim_next(other, a_worker(), NOON, corpus=CORPUS, is_dead=lambda _: False)
    store.push()
    assert kinds(store) == ["received", "queued", "claimed", "withdrawn"]
    assert kinds(store, TWO) == ["received", "queued", "claimed"]
    assert queue.load(store, ONE).received_at == timestamp(later(-5))
    assert store.health().n_unpushed == 0


@pytest.mark.parametrize("cut", ["before", "after"])
def test_killed_while_it_pushed(store: HubWork, hub: HubDouble, tmp_path: Path, cut: str) -> None:
    """Pushed or not, the next push finds out, and there is one of it."""
    send(store, tmp_path / "in")
    queue.withdraw(store, ONE, NOON, "mistake")
    kept = tmp_path / "kept"
    shutil.copytree(tmp_path / "site" / "spool", kept)
    hub.calm()
    if cut == "after":  # it was pushed, and the process died before it forgot it
        store.push()
        shutil.rmtree(tmp_path / "site" / "spool")
        shutil.copytree(kept, tmp_path / "site" / "spool")
    else:
        hub.fail("POST .*/commit/", cut="after", times=1)
        hub.fail("GET .*/commits/", cut="before", times=9)
        with pytest.raises(StoreUnavailable):
            store.push()
        hub.calm()
    again = open_work(hub, tmp_path / "site")
    again.push()
    assert kinds(again) == ["received", "queued", "withdrawn"]
    assert (len(hub.history(WORK)), again.health().n_unpushed) == (2, 0)


def test_an_answer_that_was_cut_is_no_second_submission(hub: HubDouble, tmp_path: Path) -> None:
    """Received on the hub, unanswered, spooled: it is there once, and leaves the spool."""
    store = open_work(hub, tmp_path / "site")
    hub.fail("POST .*/commit/", cut="after", times=1)
    hub.fail("GET .*/commits/", cut="before", times=99)
    send(store, tmp_path / "in")
    assert not store.is_pushed(ONE)
    hub.calm()
    store.push()
    assert (store.is_pushed(ONE), store.health().n_unpushed, len(hub.history(WORK))) == (True, 0, 2)


def test_processes_of_one_home_push_at_once(store: HubWork, hub: HubDouble, tmp_path: Path) -> None:
    """Each submission is pushed by one of them."""
    for n in range(3):
        send(store, tmp_path / "in", submission_id(f"s0000{n}"))
    hub.calm()
    stores = [open_work(hub, tmp_path / "site") for _ in range(3)]
    threads = [threading.Thread(target=one.push) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hub.history(WORK)) == 4
    stores[0].refresh()
    assert all(kinds(stores[0], submission_id(f"s0000{n}")) == ["received", "queued"] for n in range(3))
    assert dataclasses.replace(stores[0].health(), as_of=None).n_unpushed == 0


def test_what_is_left_behind_is_swept(tmp_path: Path) -> None:
    """A removal that was cut off does not bring a submission back."""
    spool = Spool(tmp_path)
    (tmp_path / "gone" / ONE / "events").mkdir(parents=True)
    (tmp_path / "gone" / ONE / "upload.zip").write_bytes(ZIP)
    assert spool.submissions() == ()
    spool.sweep()
    assert list(tmp_path.rglob("*.zip")) == []
