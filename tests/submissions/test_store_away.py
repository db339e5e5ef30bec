"""While the store is away a worker loses nothing, wastes nothing, blames nobody, and goes on at the first answer."""

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from evaluation.errors import MissingDependency
from submissions import layout, queue
from submissions.lease_keeper import LeaseKeeper
from submissions.queue import LeaseLost
from submissions.reception import Upload, receive
from submissions.records import Queued, SubmissionId, submission_id
from submissions.state import State
from submissions.station import Station
from submissions.store.base import StoreUnavailable
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker import Worker
from submissions.worker_status import Reporter, read_statuses
from tests.submissions.small_evaluation import (
    SteadyEngine,
    acoustic_protocol,
    make_corpus,
    scripts_of,
    tones,
    write_zip,
)
from tests.submissions.work_examples import NOON, a_process, a_worker, later, put

FORM = {"system": "Parrot", "version": "2", "organisation": "x", "contact": "a@b.example", "licence": "MIT"}


class Outage:
    """Fails the steps that `fails` names, `n` times in all."""

    def __init__(self) -> None:
        """Fail nothing yet."""
        self.n = 0
        self.fails: Callable[[str], bool] = lambda _: False
        self.failed: list[str] = []
        self.between: Callable[[], None] = lambda: None

    def pass_or_fail(self, step: str) -> None:
        """Raise StoreUnavailable if `step` is to fail."""
        if self.n > 0 and self.fails(step):
            self.n -= 1
            self.failed.append(step)
            self.between()
            raise StoreUnavailable("the hub cannot be reached")


class MoodyStore(FolderStore):
    """A folder that is away now and then."""

    def __init__(self, home: Path, outage: Outage) -> None:
        """Be away as `outage` says."""
        super().__init__(home)
        self.outage = outage

    def create_event(self, submission, event) -> None:
        """Append an event, unless it is away."""
        self.outage.pass_or_fail(event.kind)
        super().create_event(submission, event)

    def fetch_upload(self, submission) -> Path:
        """Return the zip, unless it is away."""
        self.outage.pass_or_fail("fetch")
        return super().fetch_upload(submission)


class MoodyFolder(PublishedFolder):
    """A published layout that is away now and then."""

    def __init__(self, root: Path, outage: Outage) -> None:
        """Be away as `outage` says."""
        super().__init__(root)
        self.outage = outage

    def change(self, why, make):
        """Let `make` write, unless it is away."""
        self.outage.pass_or_fail("publish")
        return super().change(why, make)


@dataclasses.dataclass
class Bench:
    """A worker's surroundings with one submission in the queue."""

    home: Path
    station: Station
    engine: SteadyEngine
    outage: Outage
    submission: SubmissionId

    def kinds(self) -> list[str]:
        """Return the kinds of its events."""
        return [event.kind for event in FolderStore(self.home).events(self.submission)]

    def message(self) -> str:
        """Return what the worker said last."""
        return read_statuses(FolderStore(self.home))[0].message


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), 3)


@pytest.fixture
def bench(tmp_path: Path, corpus: Corpus) -> Bench:
    """Give a queue of one on a store that is away when it is told to."""
    home, outage, engine = tmp_path / "home", Outage(), SteadyEngine(scripts_of(corpus))
    (tmp_path / "passing").mkdir()
    store = MoodyStore(home, outage)
    receipt = receive(
        Upload(zip_path=write_zip(tmp_path / "p.zip", tones(corpus)), card_fields=FORM, submitter=None),
        corpus=corpus,
        store=store,
        work_dir=tmp_path / "passing",
        now=NOON,
        code_version="0.1.0",
        decoder_processes=1,
    )
    station = Station(
        name="w1",
        store=store,
        published=MoodyFolder(home / "published", outage),
        corpus=corpus,
        protocol=acoustic_protocol(corpus.pin),
        open_engine=lambda _: engine.opened(),
        preflight=lambda _: None,
        clock=lambda: NOON,
        decoder_processes=1,
        shard_size=1,
        away_pauses_s=(0.0, 0.0),
    )
    return Bench(home=home, station=station, engine=engine, outage=outage, submission=receipt.submission)


@pytest.mark.parametrize("step", ["fetch", "renewed", "publish", "published"])
def test_a_run_waits_and_goes_on_with_the_same_claim(bench: Bench, step: str) -> None:
    """Whatever step the store is away for, the clips are read once, no try is lost and the row comes."""
    bench.outage.n, bench.outage.fails = 3, lambda name: name == step
    said: list[str] = []
    bench.outage.between = lambda: said.append(bench.message())
    assert Worker(bench.station).run_once() == bench.submission
    assert bench.outage.failed == [step] * 3
    assert said[1].startswith("waiting: the hub cannot be reached")
    assert bench.engine.read_shards == [0, 1, 2]
    assert bench.kinds()[:3] == ["received", "queued", "claimed"]
    assert set(bench.kinds()[3:]) == {"renewed", "published"}
    assert queue.load(bench.station.store, bench.submission).attempts == 0
    assert len(layout.committed(bench.station.published, bench.station.protocol.id)) == 1


@pytest.mark.parametrize(
    ("error", "kind"), [(ZeroDivisionError(), "requeued"), (StoreUnavailable("gone"), "requeued"), (None, "rejected")]
)
def test_an_end_of_another_kind_waits_too(bench: Bench, corpus: Corpus, error: Exception | None, kind: str) -> None:
    """A failure, or a rejection, is told once the store answers; an outage itself is no failure."""

    class Broken(SteadyEngine):
        def read(self, shards, clips_dir):
            first, self.read_shards = not self.read_shards, [0]
            if first or not isinstance(error, StoreUnavailable):
                raise error or AssertionError
            return super().read(shards, clips_dir)

    engine = Broken(scripts_of(corpus))
    station = dataclasses.replace(bench.station, open_engine=lambda _: engine.opened())
    if error is None:
        station = dataclasses.replace(station, corpus=make_corpus(bench.home, 5))
    bench.outage.n, bench.outage.fails = 2, lambda name: name == kind
    assert Worker(station).run_once() == bench.submission
    if isinstance(error, StoreUnavailable):
        assert (bench.kinds()[-1], bench.outage.n) == ("published", 2)
    else:
        assert (bench.kinds()[-1], bench.outage.n) == (kind, 0)


def test_taken_over_in_an_outage_it_publishes_nothing(bench: Bench) -> None:
    """If another worker took it while the store was away for us, ours finds its lease lost and drops it."""
    others = FolderStore(bench.home)

    def take_over() -> None:
        found = queue.claim_next(
            others, a_worker("w2"), later(301), corpus=bench.station.corpus.pin.name, is_dead=lambda _: False
        )
        assert found is not None

    bench.outage.n, bench.outage.fails, bench.outage.between = 1, lambda name: name == "renewed", take_over
    Worker(bench.station).run_once()
    assert bench.kinds() == ["received", "queued", "claimed", "claimed"]
    assert bench.station.published.paths() == ()


@pytest.mark.parametrize("step", ["publish", "released"])
def test_stopped_in_an_outage_it_leaves_its_lease(bench: Bench, step: str) -> None:
    """A worker that is asked to stop does not wait for a store that is away; another takes over later."""
    stop, worker = threading.Event(), Worker(bench.station)
    bench.outage.n, bench.outage.fails, bench.outage.between = 99, lambda name: name in ("publish", step), stop.set
    worker.run_forever(stop, 60)
    assert bench.kinds()[2:4] == ["claimed", "renewed"]
    assert bench.kinds()[-1] == ("renewed" if step == "released" else "released")
    assert bench.message() == ""
    assert queue.load(FolderStore(bench.home), bench.submission).attempts == 0


def test_nothing_is_claimed_while_the_store_is_away(bench: Bench) -> None:
    """The worker neither ends nor spins: it waits, says why, and claims at the first answer."""
    stop, said = threading.Event(), []
    bench.outage.n, bench.outage.fails = 5, lambda name: name == "claimed"
    bench.outage.between = lambda: said.append(bench.message())

    class Ending(SteadyEngine):
        def read(self, shards, clips_dir):
            yield from super().read(shards, clips_dir)
            bench.outage.n, bench.outage.fails = 1, lambda name: name == "publish"
            bench.outage.between = stop.set

    engine = Ending(bench.engine.scripts)
    Worker(dataclasses.replace(bench.station, open_engine=lambda _: engine.opened())).run_forever(stop, 60)
    assert said[1:] == ["waiting: the hub cannot be reached"] * 4
    assert bench.kinds()[-1] == "released"


def test_a_claim_whose_answer_was_cut_is_taken_up(bench: Bench) -> None:
    """The store had written it: the worker finds that it holds the submission, and does not wait for its own lease."""

    class Cut(MoodyStore):
        def create_event(self, submission, event) -> None:
            FolderStore.create_event(self, submission, event)
            self.outage.pass_or_fail(event.kind)

    bench.outage.n, bench.outage.fails = 1, lambda name: name == "claimed"
    worker = Worker(dataclasses.replace(bench.station, store=Cut(bench.home, bench.outage), is_shared=True))
    with pytest.raises(StoreUnavailable):
        worker.run_once()
    assert worker.run_once() == bench.submission
    assert bench.kinds() == ["received", "queued", "claimed", "renewed", "published"]


def test_a_lease_outlives_an_outage(bench: Bench) -> None:
    """The keeper goes on trying, and renews at the first answer if nobody took it."""
    store, renewed = bench.station.store, threading.Event()
    claim = queue.claim_next(store, a_worker(), NOON, corpus=bench.station.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    bench.outage.n, bench.outage.fails = 3, lambda name: name == "renewed"

    class Watched(Reporter):
        def beat(self) -> None:
            super().beat()
            if bench.kinds()[-1] == "renewed":
                renewed.set()

    reporter = Watched(store, "w1", a_process(), lambda: NOON)
    with LeaseKeeper(store, claim, reporter, lambda: NOON, 0.003) as keeper:
        assert renewed.wait(30)
        keeper.check()
    assert bench.outage.failed == ["renewed"] * 3


def test_a_withdrawal_is_noticed_between_two_renewals(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease of half an hour does not keep a worker at what was taken back."""
    monkeypatch.setattr("submissions.lease_keeper._LONGEST_BEAT_S", 0.001)
    store = bench.station.store
    claim = queue.claim_next(store, a_worker(), NOON, corpus=bench.station.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    keeper = LeaseKeeper(store, claim, Reporter(store, "w1", a_process(), lambda: NOON), lambda: NOON, 1800.0)
    with keeper:
        assert queue.holds(store, claim)
        queue.withdraw(FolderStore(bench.home), bench.submission, NOON, "mistake")
        keeper._thread.join(30)
        assert keeper.is_lost
    assert bench.kinds() == ["received", "queued", "claimed", "withdrawn"]


def test_what_cannot_be_run_here_is_left_to_other_workers(bench: Bench) -> None:
    """On a shared queue a worker that lacks something claims nothing of it, says what and why, and runs the rest."""
    own, tried = bench.station.protocol, []
    other = dataclasses.replace(own, name="other")

    def preflight(protocol: object) -> None:
        tried.append(protocol)
        if protocol == own:
            raise MissingDependency("swift-f0", "pip install swift-f0")

    second = put(FolderStore(bench.home), "s00002", later(-1), corpus=bench.station.corpus.pin.name)
    station = dataclasses.replace(
        bench.station, is_shared=True, preflight=preflight, find_protocol=lambda _: other, protocol=own
    )
    worker = Worker(station)
    assert worker.run_once() is None
    assert worker.run_once() is None
    assert len(tried) == 1
    assert [event.kind for event in FolderStore(bench.home).events(second)] == ["received", "queued"]
    assert bench.kinds() == ["received", "queued"]
    assert f"Leaves {second}, {bench.submission} to other workers: protocol small" in bench.message()
    assert "swift-f0" in bench.message()
    able = dataclasses.replace(station, preflight=lambda _: None, name="w2")
    assert Worker(able).run_once() == second


def test_what_breaks_on_a_shared_queue_goes_to_the_others(bench: Bench) -> None:
    """A protocol that fails while it runs is given back without a try lost, and left alone for a while."""

    class Gone(SteadyEngine):
        def read(self, shards, clips_dir):
            raise MissingDependency("swift-f0", "pip install swift-f0")

    engine, times = Gone({}), [NOON]
    station = dataclasses.replace(
        bench.station, is_shared=True, open_engine=lambda _: engine.opened(), clock=lambda: times[-1]
    )
    worker = Worker(station)
    assert worker.run_once() == bench.submission
    assert worker.run_once() is None
    state = queue.load(bench.station.store, bench.submission)
    assert (state.state, state.attempts, state.not_before) == (State.QUEUED, 0, None)
    for at_s, runs in ((301, True), (602, False), (902, True)):
        times.append(later(at_s))
        assert (worker.run_once() is not None) is runs, at_s
    assert bench.kinds().count("released") == 3


def test_an_unknown_submission_is_not_denied_while_the_store_is_away(bench: Bench) -> None:
    """Nobody is told that a submission does not exist by a machine that has not heard of it yet."""

    class Away(FolderStore):
        def health(self):
            return dataclasses.replace(super().health(), is_reachable=False, message="the hub cannot be reached")

    with pytest.raises(StoreUnavailable, match="not known here"):
        queue.load(Away(bench.home), submission_id("s-never"))


def test_lease_lost_is_still_an_error_of_its_own(bench: Bench) -> None:
    """An outage is not taken for a lost lease, nor the other way round."""
    store = bench.station.store
    claim = queue.claim_next(store, a_worker(), NOON, corpus=bench.station.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    bench.outage.n, bench.outage.fails = 1, lambda name: name == "renewed"
    with pytest.raises(StoreUnavailable):
        queue.renew(store, claim, NOON)
    queue.withdraw(store, bench.submission, NOON, "mistake")
    with pytest.raises(LeaseLost):
        queue.renew(store, claim, NOON)
    assert not any(isinstance(event.payload, Queued) for event in store.events(bench.submission)[2:])
