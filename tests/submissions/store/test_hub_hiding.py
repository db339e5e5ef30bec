"""Hiding on a hub: one commit of the board each way, the same bytes back, and nothing done twice by two machines."""

from pathlib import Path

import pytest

from submissions import layout, queue
from submissions.operating import Desk, Undone, Warrant
from submissions.records import Event, Queued, SubmissionId, timestamp
from submissions.settling import settle_all
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_work import HubWork
from submissions.verify import verify
from tests.hub.double import HubDouble
from tests.hub.examples import open_repo
from tests.hub.fixtures import hub
from tests.submissions import published_example as example
from tests.submissions.work_examples import NOON, later, received

__all__ = ["hub"]

ONE, OTHER = (SubmissionId(name) for name in example.SUBMISSIONS[:2])
BOARD, WORK = "ohm/board", "ohm/work"


def desk(hub: HubDouble, home: Path) -> Desk:
    """Return an operator's desk on a machine of its own."""
    cache = BlobCache(home / "cache", 1 << 26)
    work = HubWork(open_repo(hub, WORK, is_private=True), home, cache)
    return Desk(store=work, published=HubPublished(open_repo(hub, BOARD), cache, home / "published"))


def content(hub: HubDouble) -> dict[str, bytes]:
    """Return what is published but for the log."""
    return {path: hub.read(BOARD, path) for path in hub.paths(BOARD) if path != layout.MODERATION}


def warrant(seconds: float) -> Warrant:
    """Return an operator's warrant."""
    return Warrant.for_reason("Asked for by the voice's owner.", operator="keeper", at=later(seconds))


@pytest.fixture
def here(hub: HubDouble, tmp_path: Path) -> Desk:
    """Give a machine with two published systems on the hub."""
    made, under = desk(hub, tmp_path / "here"), example.protocol()
    for name in (ONE, OTHER):
        for n, payload in enumerate((received(), Queued()), start=1):
            made.store.create_event(name, Event(n=n, at=timestamp(NOON), payload=payload))
        example.send(made.published, example.submission(tmp_path / name, name), under)
    return made


def test_one_commit_each_way_and_the_same_bytes_back(hub: HubDouble, here: Desk, tmp_path: Path) -> None:
    """The board's repo gets one commit for hiding and one for showing again; another machine shows it again."""
    before, n_commits = content(hub), len(hub.history(BOARD))
    assert here.hide(ONE, warrant(10))
    assert len(hub.history(BOARD)) == n_commits + 1
    assert not [path for path in hub.paths(BOARD) if ONE in path]
    assert [path for path in hub.paths(WORK) if path.endswith(f"hidden/clips/{ONE}.parquet")]
    assert desk(hub, tmp_path / "there").unhide(ONE, warrant(20))
    assert content(hub) == before and len(hub.history(BOARD)) == n_commits + 2
    assert not [path for path in hub.paths(WORK) if "/hidden/" in path]
    root = tmp_path / "copy"
    for path in hub.paths(BOARD):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(hub.read(BOARD, path))
    assert verify(root).is_identical


def test_decided_while_the_hub_falls_silent_is_carried_out_elsewhere(
    hub: HubDouble, here: Desk, tmp_path: Path
) -> None:
    """The event is there, the board is not reached: it says so, and any machine that settles finishes it, once."""
    hub.fail("POST .*ohm/board/commit", status=500, times=None)
    with pytest.raises(Undone, match="decided"):
        here.hide(ONE, warrant(10))
    hub.calm()
    there = desk(hub, tmp_path / "there")
    assert queue.load(there.store, ONE).hidden is not None
    assert [path for path in hub.paths(BOARD) if ONE in path]
    settle_all(there.store, there.published)
    assert not [path for path in hub.paths(BOARD) if ONE in path]
    n_commits = len(hub.history(BOARD)) + len(hub.history(WORK))
    for machine in (there, desk(hub, tmp_path / "third")):
        settle_all(machine.store, machine.published)
    assert len(hub.history(BOARD)) + len(hub.history(WORK)) == n_commits
