"""The work on a hub: every event one commit, little asked, nothing lost, and machines that know the same."""

import dataclasses
import json
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from submissions import queue
from submissions.records import (
    Event,
    Flagged,
    Queued,
    SubmissionId,
    Withdrawn,
    encode_event,
    submission_id,
    timestamp,
)
from submissions.state import State
from submissions.store.base import EventExists, StoreUnavailable, UploadChanged, UploadLost
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_limits import HubLimits
from submissions.store.hub_work import HubWork
from submissions.store.hub_work_book import Waits
from submissions.store.hub_work_ledger import Ledger, decode_ledgers, encode_ledgers
from submissions.store.spool import Spool
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK, open_repo
from tests.hub.fixtures import hub
from tests.submissions.work_examples import CORPUS, NOON, a_worker, later, received

__all__ = ["hub"]

WORK = "ohm/work"
ONE, TWO = submission_id("s00001"), submission_id("s00002")


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.s = 0.0

    def pass_(self, seconds: float) -> None:
        """Let time pass."""
        self.s += seconds


@pytest.fixture
def hands() -> Hands:
    """Give a clock."""
    return Hands()


def open_work(
    hub: HubDouble, home: Path, hands: Hands, *, spool: Spool | None = None, limits: HubLimits = QUICK
) -> HubWork:
    """Return the work of a process that has its home there."""
    repo = open_repo(hub, WORK, is_private=True, limits=limits)
    waits = Waits(clock=lambda: hands.s, sleep=hands.pass_)
    return HubWork(repo, home, BlobCache(home / "cache", 1 << 20), spool=spool, waits=waits)


def first_events(at: datetime = NOON) -> tuple[Event, Event]:
    """Return what every submission begins with."""
    return Event(n=1, at=timestamp(at), payload=received()), Event(n=2, at=timestamp(at), payload=Queued())


def send(store: HubWork, folder: Path, submission: SubmissionId = ONE, content: bytes = b"PK zip") -> Path:
    """Receive a zip, and return it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{submission}.zip"
    path.write_bytes(content)
    store.receive(submission, path, sha256_of(content), first_events())
    return path


def fill(hub: HubDouble, n: int, more: Sequence[Event] = ()) -> None:
    """Let somebody else have `n` submissions in the repo, in one commit."""
    hub.create(WORK, private=True)
    events = (*first_events(), *more)
    hub.put(
        WORK,
        {
            f"work/s{number:05d}/events/{event.n:04d}-{event.kind}.json": encode_event(event)
            for number in range(n)
            for event in events
        },
    )


def flagged(store: HubWork, submission: SubmissionId, message: str) -> None:
    """Append an event that may follow any other."""
    queue.append(store, submission, NOON, lambda _: Flagged(kind="x", other="", message=message))


def asked(hub: HubDouble) -> Counter[str]:
    """Return how many requests of each kind came since the last look."""
    found = Counter(one.kind for one in hub.seen())
    hub.forget_seen()
    return found


def test_a_receipt_is_one_commit(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Zip, received and queued come together, or nothing does."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    assert [commit.title for commit in hub.history(WORK)][:-1] == [f"{ONE} is received"]
    assert hub.paths(WORK)[1:] == [
        f"work/{ONE}/events/0001-received.json",
        f"work/{ONE}/events/0002-queued.json",
        f"work/{ONE}/upload.zip",
    ]
    assert (store.is_pushed(ONE), store.has_upload(ONE), store.has_upload(TWO)) == (True, True, False)
    other = open_work(hub, tmp_path / "b", hands)
    assert queue.load(other, ONE) == queue.load(store, ONE)
    assert other.fetch_upload(ONE).read_bytes() == b"PK zip"
    with pytest.raises(EventExists):
        send(other, tmp_path / "in")
    with pytest.raises(UploadLost):
        other.fetch_upload(TWO)


def test_a_large_zip_keeps_nobody_waiting(
    hub: HubDouble, hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes are sent once, while others write; only then it is received, in one commit. An outage shows there."""
    monkeypatch.setattr("submissions.store.hub_work._AHEAD_BYTES", 100)
    store = open_work(hub, tmp_path / "a", hands, spool=Spool(tmp_path / "spool"))
    send(store, tmp_path / "in", TWO)
    large = tmp_path / "large.zip"
    large.write_bytes(b"PK" * 1000)
    hub.forget_seen()
    hub.fail("PUT .*/_lfs/", delay_s=1.0)
    sending = threading.Thread(target=store.send_ahead, args=(ONE, large))
    sending.start()
    while not hub.seen("lfs"):  # it was asked where the bytes go
        sending.join(0.01)
    queue.withdraw(store, TWO, NOON, "meanwhile")
    assert sending.is_alive()
    sending.join()
    store.receive(ONE, large, sha256_of(large.read_bytes()), first_events())
    assert [seen.n_sent for seen in hub.seen("lfs") if seen.method == "PUT"] == [0]
    assert hub.history(WORK)[0].title == f"{ONE} is received"
    assert open_work(hub, tmp_path / "b", hands).fetch_upload(ONE).read_bytes() == large.read_bytes()
    hub.down()
    store.send_ahead(submission_id("s00003"), large)
    hub.calm()
    hub.repo(WORK).private = False
    hands.pass_(10)
    store.refresh()
    hub.forget_seen()
    store.send_ahead(submission_id("s00004"), large)
    assert hub.seen() == []


def test_a_zip_that_changed_is_not_kept(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """What is on the hub is what was checked."""
    store = open_work(hub, tmp_path / "a", hands, spool=Spool(tmp_path / "spool"))
    (tmp_path / "x.zip").write_bytes(b"other")
    with pytest.raises(UploadChanged):
        store.receive(ONE, tmp_path / "x.zip", sha256_of(b"checked"), first_events())
    assert (store.submissions(), len(hub.history(WORK))) == ((), 1)


def test_nothing_is_written_where_everybody_reads(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """A work repo that somebody made public would show contacts: it is refused until it is private."""
    hub.create(WORK)
    store = open_work(hub, tmp_path / "a", hands)
    with pytest.raises(StoreUnavailable, match="is public"):
        send(store, tmp_path / "in")
    assert len(hub.history(WORK)) == 1
    hub.repo(WORK).private = True
    send(store, tmp_path / "in")
    assert store.is_pushed(ONE)


def test_of_two_writers_one_is_first(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Who decided from an older commit reads again, and finds the number taken or writes the next one."""
    a, b = (open_work(hub, tmp_path / name, hands) for name in "ab")
    send(a, tmp_path / "in")
    b.submissions()
    claim = queue.claim_next(a, a_worker("a"), NOON, corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    assert queue.claim_next(b, a_worker("b"), NOON, corpus=CORPUS, is_dead=lambda _: False) is None
    assert queue.withdraw(b, ONE, NOON, "mistake").state is State.WITHDRAWN
    with pytest.raises(queue.LeaseLost):
        queue.renew(a, claim, NOON)
    assert [event.kind for event in a.events(ONE)] == ["received", "queued", "claimed", "withdrawn"]


def test_many_writers_lose_nothing(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Threads and homes that append at once each get a number of their own."""
    stores = [open_work(hub, tmp_path / str(n), hands) for n in range(3)]
    send(stores[0], tmp_path / "in")

    def flag(n: int) -> None:
        for m in range(3):
            flagged(stores[n], ONE, f"{n}.{m}")

    threads = [threading.Thread(target=flag, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hands.pass_(60)
    stores[0].refresh()
    assert len(queue.load(stores[0], ONE).flags) == 9
    assert [event.n for event in stores[0].events(ONE)] == list(range(1, 12))


def test_an_event_whose_answer_was_cut_is_written_once(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """The next try finds it there, and does not take it for somebody else's."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    event = Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="mistake"))
    hub.fail("POST .*/commit/", cut="after", times=1)
    hub.fail("GET .*/commits/", cut="before", times=99)
    with pytest.raises(StoreUnavailable):
        store.create_event(ONE, event)
    hub.calm()
    store.create_event(ONE, event)
    with pytest.raises(EventExists):
        store.create_event(ONE, Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="another")))
    assert [event.kind for event in store.events(ONE)] == ["received", "queued", "withdrawn"]


def test_looking_costs_one_request_and_not_often(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """While nothing happens only the head is asked for, and at most every ten seconds."""
    fill(hub, 3)
    store = open_work(hub, tmp_path / "a", hands)
    assert len(store.submissions()) == 3
    asked(hub)
    for _ in range(100):
        store.refresh()
        store.events(ONE)
        queue.load_all(store)
    assert asked(hub) == {}
    hands.pass_(10)
    store.refresh()
    assert asked(hub) == {"info": 1}


def test_another_writers_event_costs_a_few_requests(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Only the folder that changed is listed, and only the file that is new is read."""
    fill(hub, 40)
    store = open_work(hub, tmp_path / "a", hands)
    store.submissions()
    third = Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="x"))
    hub.put(WORK, {f"work/{ONE}/events/0003-withdrawn.json": encode_event(third)})
    asked(hub)
    hands.pass_(10)
    store.refresh()
    assert asked(hub) == {"info": 1, "tree": 3, "resolve": 1}
    assert queue.load(store, ONE).state is State.WITHDRAWN
    hub.put(WORK, {"records/bans/0001.json": b"{}"})
    asked(hub)
    hands.pass_(10)
    store.refresh()
    assert asked(hub) == {"info": 1, "tree": 3, "resolve": 1}
    assert store.log("bans") == (b"{}",)


def test_a_start_with_five_hundred_submissions_is_a_few_requests(
    hub: HubDouble, hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new machine reads the snapshot and what changed since; one that was here before lists two folders."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    fill(hub, 500)
    first = open_work(hub, tmp_path / "a", hands)
    assert len(first.submissions()) == 500
    assert queue.claim_next(first, a_worker("a"), NOON, corpus=CORPUS, is_dead=lambda _: False) is not None
    assert "snapshot.json" in hub.paths(WORK)
    third = Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="x"))
    hub.put(WORK, {f"work/s0049{n}/events/0003-withdrawn.json": encode_event(third) for n in range(3)})
    asked(hub)
    second = open_work(hub, tmp_path / "b", hands)
    states = queue.load_all(second)
    assert asked(hub) == {"info": 1, "tree": 2 + 4, "resolve": 1 + 4, "create": 1}
    assert Counter(state.state for state in states) == {State.QUEUED: 496, State.RUNNING: 1, State.WITHDRAWN: 3}
    again = open_work(hub, tmp_path / "b", hands)
    assert queue.load_all(again) == states
    assert asked(hub) == {"info": 1, "tree": 2, "create": 1}


@pytest.mark.parametrize("damage", ["no json", "version", "gap", "gone", "old"])
def test_a_snapshot_is_never_believed_more_than_the_events(
    hub: HubDouble, hands: Hands, tmp_path: Path, damage: str
) -> None:
    """Whatever is wrong with it, histories are what the event files say."""
    fill(hub, 40)
    first = open_work(hub, tmp_path / "a", hands)
    assert queue.claim_next(first, a_worker("a"), NOON, corpus=CORPUS, is_dead=lambda _: False) is not None
    snapshot = json.loads(hub.read(WORK, "snapshot.json"))
    match damage:
        case "no json":
            hub.put(WORK, {"snapshot.json": b"{"})
        case "version":
            hub.put(WORK, {"snapshot.json": json.dumps({**snapshot, "schema_version": 2}).encode()})
        case "gap":
            for one in snapshot["ledgers"].values():
                del one["entries"][0]
            hub.put(WORK, {"snapshot.json": json.dumps(snapshot).encode()})
        case "gone":
            hub.put(WORK, {"snapshot.json": None})
        case "old":
            third = Event(n=3, at=timestamp(NOON), payload=Withdrawn(reason="x"))
            names = [f"work/s000{n}/events/0003-withdrawn.json" for n in range(11, 40)]
            hub.put(WORK, dict.fromkeys(names, encode_event(third)))
    states = queue.load_all(open_work(hub, tmp_path / "b", hands))
    assert (len(states), sum(state.state is State.RUNNING for state in states)) == (40, 1)
    assert sum(state.state is State.WITHDRAWN for state in states) == (29 if damage == "old" else 0)


def test_snapshots_are_rare(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Most commits carry none, and a new process does not write one anew."""
    fill(hub, 40)
    for home in "ab":
        store = open_work(hub, tmp_path / home, hands)
        for state in queue.load_all(store)[:3]:
            flagged(store, state.submission, home)
    snapshots = [commit.files.get("snapshot.json") for commit in reversed(hub.history(WORK))]
    assert len({entry.oid for entry in snapshots if entry}) == 1


def test_shards_ride_along_and_another_machine_goes_on(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """A finished shard takes no commit of its own, and none is read twice after the next renewal."""
    a, b = (open_work(hub, tmp_path / name, hands) for name in "ab")
    send(a, tmp_path / "in")
    claim = queue.claim_next(a, a_worker("a"), NOON, corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    shards = a.shards(ONE, "run")
    assert shards.load(0) is None
    n_commits = len(hub.history(WORK))
    shards.save(0, b"zero")
    shards.save(1, b"one")
    a.keep_file(ONE, "prints.bin", b"prints")
    assert len(hub.history(WORK)) == n_commits
    queue.renew(a, claim, NOON)
    assert len(hub.history(WORK)) == n_commits + 1
    shards.remove(1)
    shards.save(1, b"uno")
    taken = queue.claim_next(b, a_worker("b"), later(300), corpus=CORPUS, is_dead=lambda _: False)
    assert taken is not None
    asked(hub)
    theirs = b.shards(ONE, "run")
    assert [theirs.load(n) for n in range(3)] == [b"zero", b"one", None]
    assert asked(hub) == {"tree": 1, "resolve": 2}
    assert (b.kept_file(ONE, "prints.bin"), b.kept_file(ONE, "other.bin")) == (b"prints", None)
    asked(hub)
    assert (b.kept_file(ONE, "prints.bin"), b.kept_file(ONE, "other.bin")) == (b"prints", None)
    assert asked(hub) == {}
    a.keep_file(ONE, "late.bin", b"late")  # it is told that it lost its lease, and what it made goes all the same
    hands.pass_(600)
    a.push()
    b.refresh()
    asked(hub)
    assert (b.kept_file(ONE, "late.bin"), b.kept_file(ONE, "other.bin")) == (b"late", None)
    assert asked(hub) == {"resolve": 2, "cdn": 1}
    queue.renew(b, taken, later(300))
    changed = hub.history(WORK)[0].files.keys() - hub.history(WORK)[1].files.keys()
    assert changed == {f"work/{ONE}/events/0006-renewed.json"}


def test_files_without_an_event_go_in_the_end(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """What was kept after the last event is pushed by itself, in one commit after ten minutes."""
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    store.keep_file(ONE, "prints.bin", b"prints")
    store.push()
    assert f"work/{ONE}/kept/prints.bin" not in hub.paths(WORK)
    hands.pass_(600)
    store.push()
    assert hub.read(WORK, f"work/{ONE}/kept/prints.bin") == b"prints"
    n_commits = len(hub.history(WORK))
    hands.pass_(600)
    store.push()
    assert len(hub.history(WORK)) == n_commits


def test_logs_are_told_to_every_machine(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Entries come in order; a number is written once."""
    a, b = (open_work(hub, tmp_path / name, hands) for name in "ab")
    assert (a.log("bans"), b.log("bans")) == ((), ())
    a.append_log("bans", 1, b"{}")
    with pytest.raises(EventExists):
        b.append_log("bans", 1, b"[]")
    b.append_log("bans", 2, b"[]")
    hands.pass_(10)
    a.refresh()
    assert a.log("bans") == b.log("bans") == (b"{}", b"[]")


def test_hidden_files_wait_on_the_hub_in_private(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Another machine finds them, and the history beside them is as it was."""
    a, b = (open_work(hub, tmp_path / name, hands) for name in "ab")
    send(a, tmp_path / "in")
    a.hidden(ONE).write("results/p/s00001.json", b"{}")
    assert b.hidden(ONE).read("results/p/s00001.json") == b"{}"
    b.hidden(ONE).remove("results/p/s00001.json")
    assert a.hidden(ONE).paths() == ()
    assert queue.withdraw(a, ONE, NOON, "x").n_events == 3


def test_an_outage_changes_nothing_that_is_known(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Everything is still shown, with the time it was known; writing is refused; then all goes on."""
    before = datetime.now(UTC)
    store = open_work(hub, tmp_path / "a", hands)
    send(store, tmp_path / "in")
    as_of = store.health().as_of
    hub.down()
    hands.pass_(10)
    store.refresh()
    found = store.health()
    assert (found.kind, found.is_reachable, found.n_unpushed) == ("hub", False, 0)
    assert found.as_of == as_of
    assert as_of is not None
    assert as_of >= before
    with pytest.raises(StoreUnavailable):
        queue.withdraw(store, ONE, NOON, "x")
    fresh = open_work_in_an_outage(hub, tmp_path / "a", hands)
    assert queue.load(fresh, ONE).state is State.QUEUED
    known = fresh.health().as_of
    assert known is not None
    assert abs((known - as_of).total_seconds()) < 60
    nobody = open_work_in_an_outage(hub, tmp_path / "never", hands)
    assert (nobody.submissions(), nobody.health().as_of) == ((), None)
    with pytest.raises(StoreUnavailable, match="not known here"):
        queue.load(nobody, ONE)
    hub.calm()
    assert queue.withdraw(store, ONE, NOON, "x").state is State.WITHDRAWN


def test_a_start_waits_for_nobody(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Pages begin with what the disk holds, without a request; the first look brings the rest."""
    fill(hub, 1)
    open_work(hub, tmp_path / "a", hands).submissions()
    hub.put(WORK, {"work/s00001/events/0001-received.json": encode_event(first_events()[0])})
    asked(hub)
    store, nobody = (open_work_in_an_outage(hub, tmp_path / name, hands) for name in ("a", "never"))
    store.recall()
    nobody.recall()
    assert (store.submissions(), len(queue.load_all(store)), asked(hub)) == ((submission_id("s00000"),), 1, {})
    assert store.health().as_of is not None
    hands.pass_(10)
    store.refresh()
    assert len(store.submissions()) == len(nobody.submissions()) == 2


def open_work_in_an_outage(hub: HubDouble, home: Path, hands: Hands) -> HubWork:
    """Return the work of a process that began in an outage."""
    from submissions.store.hub_repo import HubRepo

    repo = HubRepo(WORK, token=hub.token, endpoint=hub.endpoint, limits=QUICK)
    return HubWork(repo, home, BlobCache(home / "cache", 1 << 20), waits=Waits(clock=lambda: hands.s))


def test_histories_that_cannot_be_are_named(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """A damaged event, or one that is missing in between, is told and takes no other submission along."""
    fill(hub, 2)
    hub.put(WORK, {"work/s00000/events/0001-received.json": None, "work/not-good/x": b"", "other": b""})
    store = open_work(hub, tmp_path / "a", hands)
    with pytest.raises(SchemaError, match="s00000"):
        store.events(submission_id("s00000"))
    assert queue.load(store, ONE).state is State.QUEUED


def test_a_disk_that_cannot_be_written_hides_nothing(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """What the hub says is known all the same, and damaged copies of before are passed over."""
    fill(hub, 3)
    open_work(hub, tmp_path / "a", hands).submissions()
    folder, other, third = sorted((tmp_path / "a" / "mirror").glob("*.json"))
    folder.unlink()
    folder.mkdir()
    other.write_bytes(b"[")
    third.write_bytes(b"\xff")
    store = open_work(hub, tmp_path / "a", hands)
    assert len(queue.load_all(store)) == 3
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mirror").write_bytes(b"a file where a folder should be")
    assert len(queue.load_all(open_work(hub, tmp_path / "b", hands))) == 3


def test_ledgers_survive_their_own_file(tmp_path: Path) -> None:
    """Bytes come back as they were."""
    ledgers = {
        "work/s00001": Ledger(
            tree="ab", entries=tuple((f"000{e.n}-{e.kind}.json", encode_event(e)) for e in first_events())
        )
    }
    assert decode_ledgers(encode_ledgers(ledgers)) == ledgers


def test_what_ended_leaves_little_on_the_disk(hub: HubDouble, hands: Hands, tmp_path: Path) -> None:
    """Shards and zips of ended submissions go at the next start; those of others stay."""
    store = open_work(hub, tmp_path / "a", hands)
    for one in (ONE, TWO):
        send(store, tmp_path / "in", one)
        store.shards(one, "run").save(0, b"x")
        store.fetch_upload(one)
    queue.withdraw(store, ONE, NOON, "x")
    store.sweep()
    here = tmp_path / "a" / "here" / "work"
    assert [path.relative_to(here).as_posix() for path in sorted(here.rglob("*")) if path.is_file()] == [
        f"{TWO}/shards/run/0000.json",
        f"{TWO}/upload.zip",
    ]
    assert dataclasses.asdict(store.health())["n_unpushed"] == 0
