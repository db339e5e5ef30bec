"""The worker brings every submission to an end that says whose doing it was, and never runs one for nothing."""

import dataclasses
import os
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from evaluation.errors import MissingDependency, WeightsMismatch
from evaluation.protocol import Protocol
from evaluation.run import Engine
from submissions import layout, queue
from submissions.contour_work import lacking
from submissions.reception import Upload, receive
from submissions.records import Queued, SubmissionId
from submissions.settling import settle_all
from submissions.state import State, SubmissionState
from submissions.station import Station
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.votes import VoteJournal, read_votes
from submissions.withdrawal import withdraw
from submissions.worker import Worker
from submissions.worker_status import WorkerStatus, read_statuses
from tests.submissions.small_evaluation import (
    SteadyEngine,
    acoustic_protocol,
    make_corpus,
    scripts_of,
    tones,
    tree,
    write_zip,
)
from tests.submissions.test_contours import FlatReader
from tests.submissions.test_votes import a_vote
from tests.submissions.work_examples import NOON, later

FORM = {
    "system": "Parrot",
    "version": "2",
    "organisation": "Aviary",
    "contact": "polly@aviary.example",
    "licence": "MIT",
}


@dataclasses.dataclass
class Bench:
    """A worker's surroundings, all of them within reach."""

    home: Path
    corpus: Corpus
    station: Station
    engine: SteadyEngine
    now: datetime = NOON

    @property
    def store(self) -> FolderStore:
        """A new reader of the work state."""
        return FolderStore(self.home)

    def send(self, name: str = "parrot") -> SubmissionId:
        """Send a clean zip under a name of its own."""
        work_dir = self.home.parent / "passing"
        work_dir.mkdir(exist_ok=True)
        zip_path = write_zip(work_dir / f"{name}.zip", tones(self.corpus))
        upload = Upload(zip_path=zip_path, card_fields={**FORM, "system": name}, submitter=None)
        receipt = receive(
            upload,
            corpus=self.corpus,
            store=self.store,
            work_dir=work_dir,
            now=self.now,
            code_version="0.1.0",
            decoder_processes=1,
        )
        return receipt.submission

    def state(self, submission: SubmissionId) -> SubmissionState:
        """Return what it is now."""
        return queue.load(self.store, submission)

    def with_engine(self, engine: Engine) -> Worker:
        """Return a worker that reads with another engine."""

        @contextmanager
        def opened(_: Protocol) -> Iterator[Engine]:
            yield engine

        return Worker(dataclasses.replace(self.station, open_engine=opened))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), 3)


@pytest.fixture
def bench(tmp_path: Path, corpus: Corpus) -> Bench:
    """Give a worker's surroundings with nothing in the queue."""
    engine = SteadyEngine(scripts_of(corpus))
    home = tmp_path / "home"
    station = Station(
        name="w1",
        store=FolderStore(home),
        published=PublishedFolder(home / "published"),
        corpus=corpus,
        protocol=acoustic_protocol(corpus.pin),
        open_engine=lambda _: engine.opened(),
        preflight=lambda _: None,
        clock=lambda: made.now,
        decoder_processes=1,
        shard_size=1,
        lease_s=300,
    )
    made = Bench(home=home, corpus=corpus, station=station, engine=engine)
    return made


def last_word(bench: Bench) -> WorkerStatus:
    """Return what the one worker said last."""
    (status,) = read_statuses(bench.store)
    return status


def test_zip_becomes_a_row(bench: Bench) -> None:
    """The row is there, dated by its arrival; the zip is kept, the working clips are not."""
    submission = bench.send()
    bench.now = later(3600)
    worker = Worker(bench.station)
    assert worker.run_once() == submission
    assert worker.run_once() is None
    state = bench.state(submission)
    assert (state.state, state.protocol) == (State.PUBLISHED, bench.station.protocol.id)
    (result,) = layout.read_results(bench.station.published, bench.station.protocol.id)
    assert (result.submission, result.received_at) == (submission, state.received_at)
    assert layout.read_system(bench.station.published, submission).card["system"] == "parrot"
    assert bench.store.upload_path(submission).is_file()
    assert sorted(path.name for path in (bench.home / "work" / submission).iterdir()) == [
        "events",
        "kept",
        "shards",
        "upload.zip",
    ]
    assert (last_word(bench).stage, last_word(bench).submission) == ("idle", None)


def test_contact_is_published_nowhere(bench: Bench) -> None:
    """No published file holds it."""
    bench.send()
    Worker(bench.station).run_once()
    published = tree(bench.home / "published")
    assert published
    assert not any(b"polly@" in data for data in published.values())


def test_missing_dependency_stops_the_worker_before_it_claims(bench: Bench) -> None:
    """The submission waits untouched, and the Queue page can say why."""
    submission = bench.send()
    before = bench.state(submission)
    errors = (MissingDependency("swift-f0", "pip install swift-f0"), WeightsMismatch("model.onnx", "aa", "bb"))
    for error in errors:

        def preflight(_: Protocol, error: Exception = error) -> None:
            raise error

        with pytest.raises(type(error)):
            Worker(dataclasses.replace(bench.station, preflight=preflight)).run_forever(threading.Event(), 60)
        assert bench.state(submission) == before
        assert (last_word(bench).stage, last_word(bench).message) == ("stopped", str(error))


def test_dependency_that_goes_missing_costs_no_try(bench: Bench) -> None:
    """The run is given back as it was, and the worker stops."""
    submission = bench.send()

    class Gone(SteadyEngine):
        def read(self, shards, clips_dir):
            raise MissingDependency("swift-f0", "pip install swift-f0")

    with pytest.raises(MissingDependency):
        bench.with_engine(Gone({})).run_once()
    assert (bench.state(submission).state, bench.state(submission).attempts) == (State.QUEUED, 0)


def test_broken_rules_end_as_the_makers(bench: Bench) -> None:
    """A zip that the worker's own check refuses is rejected with every problem."""
    submission = bench.send()
    stricter = make_corpus(bench.home, 5)
    Worker(dataclasses.replace(bench.station, corpus=stricter)).run_once()
    reason = bench.state(submission).reason
    assert reason is not None
    assert (bench.state(submission).state, reason.fault) == (State.REJECTED, "maker")
    assert [problem.where for problem in reason.problems] == ["it-03, it-04"]


def test_damaged_zip_is_not_blamed_on_its_maker(bench: Bench) -> None:
    """What broke in our keeping is ours."""
    submission = bench.send()
    path = bench.store.upload_path(submission)
    path.write_bytes(path.read_bytes()[:-100])
    Worker(bench.station).run_once()
    reason = bench.state(submission).reason
    assert reason is not None
    assert (bench.state(submission).state, reason.code, reason.fault) == (State.QUEUED, "UploadDamaged", "ours")


def test_bug_is_logged_retried_and_given_up(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """Each failure has an id that leads to its traceback; the third ends it as ours; others run on."""
    submission = bench.send()

    class Broken(SteadyEngine):
        def read(self, shards, clips_dir):
            raise ZeroDivisionError

    worker = bench.with_engine(Broken({}))
    for at_s in (0, 30, 330):
        bench.now = later(at_s)
        assert worker.run_once() == submission
        reason = bench.state(submission).reason
        assert reason is not None
        assert reason.trace_id is not None
        (logged,) = [r for r in caplog.records if getattr(r, "trace_id", None) == reason.trace_id]
        assert logged.exc_info is not None
        assert reason.trace_id in reason.message
    assert (bench.state(submission).state, reason.fault) == (State.FAILED, "ours")
    assert not (bench.home / "work" / submission / "clips").exists()
    assert worker.run_once() is None
    assert bench.station.published.paths() == ()


def test_owed_readings_are_read_again_and_no_others(bench: Bench) -> None:
    """A shard with a hole on our side is not kept; after the mending only that one is read."""
    submission = bench.send()
    bench.engine.faulty = {"it-01"}
    worker = Worker(bench.station)
    worker.run_once()
    reason = bench.state(submission).reason
    assert reason is not None
    assert (reason.code, reason.fault) == ("InstrumentFault", "ours")
    assert "it-01: no_model The model is gone." in reason.message
    bench.engine.faulty, bench.engine.read_shards = set(), []
    bench.now = later(30)
    worker.run_once()
    assert bench.engine.read_shards == [1]
    assert bench.state(submission).state is State.PUBLISHED


def test_stopped_worker_gives_back_what_it_holds(bench: Bench) -> None:
    """A stop between shards ends the run without a try lost; the next worker goes on from the finished shard."""
    submission, stop = bench.send(), threading.Event()

    class Stopping(SteadyEngine):
        def read(self, shards, clips_dir):
            for shard in super().read(shards, clips_dir):
                stop.set()
                yield shard

    bench.with_engine(Stopping(bench.engine.scripts)).run_forever(stop, 60)
    state = bench.state(submission)
    assert (state.state, state.attempts, state.n_lost) == (State.QUEUED, 0, 0)
    assert last_word(bench).stage == "stopped"
    Worker(bench.station).run_once()
    assert bench.engine.read_shards == [1, 2]
    assert bench.state(submission).state is State.PUBLISHED


def test_progress_reaches_the_status(bench: Bench) -> None:
    """While it reads, the worker says what, how far and how long still."""
    submission, seen = bench.send(), []

    class Watched(SteadyEngine):
        def read(self, shards, clips_dir):
            for shard in super().read(shards, clips_dir):
                seen.append(last_word(bench))
                yield shard

    bench.with_engine(Watched(bench.engine.scripts)).run_once()
    assert [(s.stage, s.submission, s.shards_done, s.n_shards) for s in seen] == [
        ("reading", submission, done, 3) for done in range(3)
    ]
    assert seen[0].eta_s is None
    assert seen[2].eta_s is not None
    assert (seen[2].clips_done, seen[2].n_clips) == (2, 3)


def test_word_of_another_version_is_left_out(bench: Bench) -> None:
    """A status that an older program left does not take the Queue page down."""
    Worker(bench.station).run_once()
    bench.store.write_worker("w0", b'{"schema_version":0}')
    assert last_word(bench).worker == "w1"


def test_worker_that_lost_its_lease_publishes_nothing(bench: Bench) -> None:
    """A take-over while it reads ends in one row, by the one that took over."""
    submission = bench.send()

    class TakenOver(SteadyEngine):
        def read(self, shards, clips_dir):
            yield from super().read(shards, clips_dir)
            bench.now = later(301)
            other = dataclasses.replace(bench.station, name="w2", store=bench.store)
            assert Worker(other).run_once() == submission

    bench.with_engine(TakenOver(bench.engine.scripts)).run_once()
    kinds = [event.kind for event in bench.store.events(submission)]
    assert kinds == ["received", "queued", "claimed", "claimed", "renewed", "published"]
    assert bench.engine.read_shards == []


def test_lease_is_renewed_while_the_work_goes_on(bench: Bench) -> None:
    """A run that outlasts its lease keeps it: the worker renews it from beside the work."""
    submission = bench.send()

    class Slow(SteadyEngine):
        def read(self, shards, clips_dir):
            kinds: list[str] = []
            while kinds.count("renewed") < 2:
                os.sched_yield()
                kinds = [event.kind for event in bench.store.events(submission)]
            yield from super().read(shards, clips_dir)

    station = dataclasses.replace(bench.station, lease_s=0.05)
    dataclasses.replace(bench, station=station).with_engine(Slow(bench.engine.scripts)).run_once()
    assert bench.state(submission).state is State.PUBLISHED


def test_lost_lease_ends_the_run_between_shards(bench: Bench) -> None:
    """Once the worker learns that the submission is not its own any more it reads no further."""
    submission = bench.send()

    class Withdrawing(SteadyEngine):
        def read(self, shards, clips_dir):
            for shard in super().read(shards, clips_dir):
                queue.withdraw(bench.store, submission, later(1), "mistake")
                while any(thread.name == "lease-keeper" for thread in threading.enumerate()):
                    os.sched_yield()
                yield shard

    engine = Withdrawing(bench.engine.scripts)
    station = dataclasses.replace(bench.station, lease_s=0.05)
    dataclasses.replace(bench, station=station).with_engine(engine).run_once()
    assert engine.read_shards == [0]
    assert bench.state(submission).state is State.WITHDRAWN
    assert not (bench.home / "work" / submission / "clips").exists()


def test_withdrawn_while_it_runs_leaves_no_row(bench: Bench) -> None:
    """Whatever moment a withdrawal comes, no file of the submission stays published."""
    submission = bench.send()

    class Withdrawing(SteadyEngine):
        def read(self, shards, clips_dir):
            yield from super().read(shards, clips_dir)
            withdraw(bench.store, bench.station.published, submission, now=later(1), reason="mistake")

    bench.with_engine(Withdrawing(bench.engine.scripts)).run_once()
    assert bench.state(submission).state is State.WITHDRAWN
    assert bench.station.published.paths() == ()


def test_withdrawn_row_goes_and_the_others_stay(bench: Bench) -> None:
    """The board is what it would be had the withdrawn one never come; its zip is kept."""
    kept = bench.send("kept")
    worker = Worker(bench.station)
    worker.run_once()
    before = tree(bench.home / "published")
    gone = bench.send("gone")
    worker.run_once()
    assert tree(bench.home / "published") != before
    withdraw(bench.store, bench.station.published, gone, now=later(1), reason="mistake")
    assert tree(bench.home / "published") == before
    assert bench.state(kept).state is State.PUBLISHED
    assert bench.store.upload_path(gone).is_file()


def test_half_done_withdrawal_is_finished(bench: Bench) -> None:
    """If the event came and the files stayed, the next start removes them; sent again, the row comes back alike."""
    submission = bench.send()
    worker = Worker(bench.station)
    worker.run_once()
    before = tree(bench.home / "published")
    queue.withdraw(bench.store, submission, later(1), "mistake")
    settle_all(bench.store, bench.station.published)
    assert not [path for path in tree(bench.home / "published") if submission in path]
    bench.now = later(99)
    assert bench.send() == submission
    worker.run_once()
    assert tree(bench.home / "published") == before


def test_row_without_its_event_is_not_evaluated_again(bench: Bench) -> None:
    """A worker that died between row and event left a whole row; the next one only says so."""
    submission = bench.send()
    Worker(bench.station).run_once()
    before = tree(bench.home / "published")
    (bench.home / "work" / submission / "events" / "0005-published.json").unlink()
    bench.engine.read_shards = []
    bench.now = later(1000)
    assert Worker(dataclasses.replace(bench.station, store=bench.store)).run_once() == submission
    assert bench.engine.read_shards == []
    assert bench.state(submission).state is State.PUBLISHED
    assert tree(bench.home / "published") == before


def test_order_of_submissions_is_that_of_arrival(bench: Bench) -> None:
    """The first to come is the first to be published."""
    first = bench.send("first")
    bench.now = later(1)
    second = bench.send("second")
    worker = Worker(bench.station)
    assert [worker.run_once(), worker.run_once(), worker.run_once()] == [first, second, None]
    assert not any(isinstance(event.payload, Queued) for event in bench.store.events(first)[2:])


def test_two_workers_make_the_board_of_one(bench: Bench) -> None:
    """Workers at the same time publish what one would have, each submission once."""
    sent = [bench.send(name) for name in ("one", "two", "three")]
    alone = bench.home.parent / "alone"
    shutil.copytree(bench.home, alone)
    with ThreadPoolExecutor(2) as pool:
        stations = [dataclasses.replace(bench.station, name=name, store=bench.store) for name in ("w1", "w2")]
        ran = [submission for mine in pool.map(_run_all, stations) for submission in mine]
    assert sorted(ran) == sorted(sent)
    published = PublishedFolder(alone / "published")
    _run_all(dataclasses.replace(bench.station, store=FolderStore(alone), published=published))
    assert tree(bench.home / "published") == tree(alone / "published")


def _run_all(station: Station) -> list[SubmissionId]:
    worker, ran = Worker(station), []
    while (submission := worker.run_once()) is not None:
        ran.append(submission)
    return ran


class Evening(threading.Event):
    """Sets itself after so many waits; nothing is waited for."""

    def __init__(self, n_waits: int) -> None:
        """Let that many waits pass."""
        super().__init__()
        self._n_left = n_waits

    def wait(self, timeout: float | None = None) -> bool:
        """Return at once."""
        self._n_left -= 1
        if self._n_left <= 0:
            self.set()
        return self.is_set()


def test_an_idle_worker_draws_what_lacks_and_publishes_votes(bench: Bench) -> None:
    """After its row is there and nothing waits, its contours come by themselves; so do votes of listeners."""
    submission, other = bench.send("parrot"), bench.send("magpie")
    pair = tuple(sorted((submission, other)))
    reader = FlatReader()
    journal = VoteJournal(bench.home / "votes")
    station = dataclasses.replace(bench.station, open_contours=lambda: reader, votes=journal)
    worker = Worker(station)
    worker.run_forever(Evening(2), 0.001)
    assert {bench.state(one).state for one in pair} == {State.PUBLISHED}
    assert lacking(station.published) == () and reader.n_read == 6
    journal.add(a_vote(1, a=pair[0], b=pair[1], protocol=station.protocol.id))
    bench.now = later(3600)
    worker.run_forever(Evening(1), 0.001)
    assert len(read_votes(station.published, station.protocol.id)) == 1
    assert verify(bench.home / "published").is_identical


def test_a_fault_of_drawing_ends_no_worker(bench: Bench) -> None:
    """Pictures that cannot be made are told in the log; rows are made all the same."""

    def broken() -> FlatReader:
        raise RuntimeError("no picture")

    submission = bench.send()
    worker = Worker(dataclasses.replace(bench.station, open_contours=broken))
    worker.run_forever(Evening(3), 0.001)
    assert bench.state(submission).state is State.PUBLISHED
    assert lacking(bench.station.published) == (submission,)
