"""An owner does what owners do: squashes a history, deletes a repo and makes it anew, or opens it to everybody."""

from pathlib import Path

import pytest

from submissions import queue
from submissions.records import Event, Withdrawn, encode_event, submission_id, timestamp
from submissions.state import State
from submissions.store.base import StoreUnavailable
from submissions.store.hub_records import Moved, Put
from tests.hub.double import HubDouble
from tests.hub.examples import open_repo
from tests.hub.fixtures import hub
from tests.submissions.store import test_hub_published as published
from tests.submissions.store.test_hub_work import ONE, TWO, WORK, Hands, fill, flagged, hands, open_work, send
from tests.submissions.work_examples import CORPUS, NOON, a_worker, later

__all__ = ["hands", "hub"]

BOARD = "ohm/board"


@pytest.mark.parametrize("n_flags", [0, 1, 3])
def test_work_goes_on_after_its_history_was_squashed(
    hub: HubDouble, hands: Hands, tmp_path: Path, n_flags: int
) -> None:
    """The commit that everything was known from is gone: the next look, and the next event, find the new one."""
    fill(hub, 4)
    store = open_work(hub, tmp_path / "a", hands)
    for state in queue.load_all(store)[:n_flags]:
        flagged(store, state.submission, "x")
    hub.squash(WORK)
    hands.pass_(10)
    store.refresh()
    assert (store.health().is_reachable, len(store.submissions())) == (True, 4)
    hub.squash(WORK)
    assert queue.withdraw(store, ONE, NOON, "mistake").state is State.WITHDRAWN
    other = open_work(hub, tmp_path / "b", hands)
    assert queue.load_all(other) == queue.load_all(store)


def test_what_was_read_is_read_again_if_it_changed(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """A history that was written anew counts as it stands now, also where it is shorter; strange names are nothing."""
    fill(hub, 2, [Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="x"))])
    store = open_work(hub, tmp_path / "a", hands)
    assert queue.load(store, ONE).state is State.WITHDRAWN
    third = f"work/{ONE}/events/0003-withdrawn.json"
    again = encode_event(Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="y")))
    for data, kinds in ((again, ["received", "queued", "withdrawn"]), (None, ["received", "queued"])):
        hub.put(WORK, {third: data})
        hub.squash(WORK)
        hands.pass_(10)
        store.refresh()
        events = store.events(ONE)
        assert [event.kind for event in events] == kinds
        assert data is None or encode_event(events[-1]) == data
    odd = ("9" * 5000 + ".json", "x.json", "\u202e.json", "0000.json")
    hub.put(WORK, {f"work/{ONE}/shards/run/{name}": b"0" for name in odd} | {f"work/{'a' * 300}/events/1.json": b""})
    hands.pass_(10)
    store.refresh()
    assert store.shards(ONE, "run").load(0) == b"0"
    assert len(store.submissions()) == 2


def test_a_worker_goes_on_after_a_squash(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Its claim, its shards and the zip are found again, with no step by hand."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    claim = queue.claim_next(store, a_worker("a"), NOON, corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    store.shards(ONE, "run").save(0, b"zero")
    hub.squash(WORK)
    queue.renew(store, claim, NOON)
    hub.squash(WORK)
    hands.pass_(10)
    store.refresh()
    assert store.fetch_upload(ONE).read_bytes() == b"PK zip"
    hub.squash(WORK)
    other = open_work(hub, tmp_path / "b", hands)
    taken = queue.claim_next(other, a_worker("b"), later(300), corpus=CORPUS, is_dead=lambda _: False)
    assert taken is not None
    assert other.shards(ONE, "run").load(0) == b"zero"


def test_many_submissions_survive_a_squash(
    hub: HubDouble, hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one between a look and the snapshot that is then due."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    fill(hub, 40)
    store = open_work(hub, tmp_path / "a", hands)
    states = queue.load_all(store)
    hub.squash(WORK)
    flagged(store, states[0].submission, "x")
    assert "snapshot.json" in hub.paths(WORK)
    for n, state in enumerate(states[:20]):
        if n in (0, 7, 17, 18, 19):
            hub.squash(WORK)
        flagged(store, state.submission, "y")
    assert queue.load_all(open_work(hub, tmp_path / "b", hands)) == queue.load_all(store)


def test_a_board_is_shown_and_published_after_a_squash(hub: HubDouble, tmp_path: Path) -> None:
    """What is not kept here is read at the new commit after the next look, and a change is made on top of it."""
    hands = published.Hands()
    files = published.make(hub, tmp_path / "a", hands)
    published.make(hub, tmp_path / "b").change("two", published.two)
    hands.s += 15
    files.refresh()
    hub.squash(BOARD)
    with pytest.raises(StoreUnavailable):
        files.read("clips/a.parquet")
    hands.s += 15
    files.refresh()
    assert files.read("clips/a.parquet") == b"clips"
    hub.squash(BOARD)
    files.change("more", lambda draft: draft.write("more.json", b"{}"))
    assert [commit.title for commit in hub.history(BOARD)] == ["more", "squashed"]


def test_a_parent_that_is_gone_counts_as_moved(hub: HubDouble) -> None:
    """Whatever the hub answers then, the writer reads again."""
    repo = open_repo(hub)
    parent = repo.head()
    hub.squash(BOARD)
    for status in (400, 404, 412, 422):
        hub.fail("POST .*/commit/", status=status)
        with pytest.raises(Moved):
            repo.commit([Put(path="x", data=b"x")], "x", parent)
    hub.fail("POST .*/commit/", status=400)
    with pytest.raises(StoreUnavailable):
        repo.commit([Put(path="x", data=b"x")], "x", repo.head())


def test_a_repo_that_was_deleted_and_made_anew_is_begun_with(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """While it is gone nothing is forgotten here; once there is another, what that holds counts."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    hub.delete(WORK)
    hands.pass_(10)
    store.refresh()
    assert (store.submissions(), store.health().is_reachable) == ((ONE,), False)
    assert "does not exist" in store.health().message
    hub.create(WORK, private=True)
    hands.pass_(10)
    store.refresh()
    assert store.submissions() == ()
    send(store, tmp_path / "in", TWO)
    assert open_work(hub, tmp_path / "b", hands).submissions() == (TWO,)


def test_nothing_more_is_written_once_the_repo_is_open_to_all(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """It was private at the first event and is looked at ever after."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    hub.repo(WORK).private = False
    hands.pass_(10)
    store.refresh()
    with pytest.raises(StoreUnavailable, match="is public"):
        send(store, tmp_path / "in", TWO)
    hub.repo(WORK).private = True
    send(store, tmp_path / "in", TWO)
    assert store.is_pushed(TWO)
    hub.delete(WORK)
    hub.create(WORK, private=False)
    with pytest.raises(StoreUnavailable, match="is public"):
        send(store, tmp_path / "in", submission_id("s00003"))


def test_a_token_that_lost_its_rights_is_told(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """What is known stays, nothing is taken in that cannot be kept, and `health` names the token."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    hub.add_user("ohm", hub.token, can_write=False)
    with pytest.raises(StoreUnavailable, match="may not be written with this token"):
        send(store, tmp_path / "in", TWO)
    for _ in range(2):
        assert store.health().message.endswith("may not be written with this token")
        hands.pass_(10)
        store.refresh()  # it can be read all the same
    assert not store.health().is_reachable
    hub.state.people.by_token.clear()
    hands.pass_(10)
    store.refresh()
    assert (store.submissions(), store.health().is_reachable) == ((ONE,), False)
    assert "the token does not open it" in store.health().message
    hub.add_user("ohm", hub.token)
    send(store, tmp_path / "in", TWO)
    assert (store.is_pushed(TWO), store.health().is_reachable) == (True, True)
