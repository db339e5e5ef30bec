"""Workers on one hub whose calls to it take turns as dice say: the same seed is always the same story."""

import random
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from evaluation.corpus import CorpusPin
from evaluation.protocol import Protocol
from submissions import layout, queue
from submissions.attempt import Attempt
from submissions.records import Event, ProcessIdentity, Queued, SubmissionId, encode_event, submission_id, timestamp
from submissions.station import Station
from submissions.store.base import PublishedFiles
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_records import HubEntry, HubRevision
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work import HubWork
from submissions.store.hub_work_book import Waits
from submissions.worker import Worker
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK
from tests.submissions.work_examples import NOON, received

PATIENCE_S = 30.0
SKEWS_S = (0.0, 120.0, -120.0)
"""How far the clocks of workers are off, s; a worker whose clock is off by more does nothing."""
N_MOST_TURNS = 4_000
FAILURES: Sequence[dict[str, Any]] = (
    {"status": 412, "times": 1},
    {"status": 429, "times": 1},
    {"status": 500, "times": 2},
    {"cut": "before", "times": 1},
    {"cut": "middle", "times": 1},
    {"cut": "after", "times": 1},
    {"cut": "after", "times": 9},
    {"cut": "before", "times": 9},
    {"status": 503, "times": 9},
)
"""What goes wrong now and then; nine in a row are more than any call tries."""


class Killed(BaseException):
    """This worker is no more."""


class Turns:
    """Lets one of several threads go on at a time, and says which."""

    def __init__(self, dice: random.Random, hub: HubDouble, failure_share: float, kill_share: float) -> None:
        """Choose by `dice`; before some of the calls let the hub fail, or kill who makes it."""
        self.dice = dice
        self.now = NOON
        self.story: list[str] = []
        self.publishing: set[str] = set()
        self._hub = hub
        self._failure_share, self._kill_share = failure_share, kill_share
        self._changed = threading.Condition()
        self._waiting: dict[str, str] = {}
        self._alive: set[str] = set()
        self._chosen: str | None = None

    def enter(self, name: str) -> None:
        """Add a worker, before its thread begins."""
        self._alive.add(name)

    def leave(self, name: str) -> None:
        """Take a worker out; call it from its thread."""
        with self._changed:
            self._alive.discard(name)
            self._changed.notify_all()

    def take(self, name: str, what: str) -> None:
        """Wait for the turn to do `what`; raises Killed if it never comes."""
        with self._changed:
            self._waiting[name] = what
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._chosen == name, PATIENCE_S), f"{name} waits for ever"
            self._chosen = None
            del self._waiting[name]
        self.story.append(f"{name} {what}")
        if what != "waits":
            if self.dice.random() < self._kill_share:
                raise Killed
            if self.dice.random() < self._failure_share:
                self._hub.fail("", **self.dice.choice(FAILURES))

    def give(self) -> bool:
        """Let the next one go on once all wait; False if nobody is left."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: self._chosen is None and self._waiting.keys() == self._alive, PATIENCE_S
            )
            if not self._alive:
                return False
            self._hub.calm()  # an outage lasts for one turn
            self._chosen = self.dice.choice(sorted(self._alive))
            self._changed.notify_all()
            return True


class TurnTaker(HubRepo):
    """A repo whose every call waits for the turn of the worker that makes it."""

    def __init__(self, hub: HubDouble, repo_id: str, turns: Turns, name: str) -> None:
        """Open a repo of `hub` for the worker called `name`."""
        super().__init__(repo_id, token=hub.token, endpoint=hub.endpoint, limits=QUICK)
        self._turns, self._name = turns, name

    def head(self) -> str:
        """Return the head, in turn."""
        self._turns.take(self._name, f"head of {self.repo_id}")
        return super().head()

    def revision(self, name: str) -> HubRevision | None:
        """Return what a branch is, in turn."""
        self._turns.take(self._name, f"{name} of {self.repo_id}")
        return super().revision(name)

    def listing(self, revision: str, folder: str = "", *, is_recursive: bool = False) -> tuple[HubEntry, ...]:
        """Return a listing, in turn."""
        self._turns.take(self._name, f"listing of {folder or 'all'}")
        return super().listing(revision, folder, is_recursive=is_recursive)

    def commit(self, changes, why, parent, nonce=None) -> str:
        """Make a commit, in turn."""
        try:
            self._turns.take(self._name, f"commit: {why}")
            return super().commit(changes, why, parent, nonce)
        finally:
            self._turns.publishing.discard(self._name)


class Passing(threading.Event):
    """What tells a worker to stop; waiting for it lets time pass, and others go on."""

    def __init__(self, turns: Turns, name: str, is_done: Callable[[], bool]) -> None:
        """Be set once `is_done`."""
        super().__init__()
        self._turns, self._name, self._is_done = turns, name, is_done

    def is_set(self) -> bool:
        """Tell whether all is done."""
        return self._is_done()

    def wait(self, timeout: float | None = None) -> bool:
        """Let a time pass: mostly what was asked for, now and then longer than any lease.

        No request takes that long, so it does not pass while a row is on its way.
        """
        self._turns.take(self._name, "waits")
        longer = self._turns.dice.choice((0.0, 0.0, 700.0, 2000.0))
        self._turns.now += timedelta(seconds=(timeout or 0.0) + (0.0 if self._turns.publishing else longer))
        return self.is_set()


class TakingTurns(HubWork):
    """A store that knows whose turn it is."""

    turns: Turns


class MarkingAttempt(Attempt):
    """An attempt whose evaluation takes no time, and whose row is one file that names its claim."""

    def _evaluate(self, folder: Path) -> None:
        store = self._station.store
        assert isinstance(store, TakingTurns)
        turns = store.turns

        def write(files: PublishedFiles, see_claim: Callable[[], None]) -> None:
            def make(draft: PublishedFiles) -> None:
                see_claim()
                turns.publishing.add(self._station.name)
                path = layout.result_path(self._protocol.id, self._claim.submission)
                draft.write(path, f"{self._station.name} {self._claim.number}".encode())

            try:
                files.change(f"Row of {self._claim.submission}", make)
            finally:
                turns.publishing.discard(self._station.name)

        self._patience.until_done(lambda: self._commit(write))

    def _mend_board(self, files: PublishedFiles) -> None:
        pass


class Scene:
    """One queue on a hub, and the workers at it."""

    def __init__(self, hub: HubDouble, folder: Path, seed: int, protocol: Protocol) -> None:
        """Set up fresh repos for the story of `seed`."""
        self.hub, self.folder, self.protocol = hub, folder, protocol
        self.work, self.board = f"ohm/work{seed}", f"ohm/board{seed}"
        hub.create(self.work, private=True)
        hub.create(self.board)
        dice = random.Random(seed)
        self.turns = Turns(dice, hub, failure_share=0.15, kill_share=0.01)
        self.names = [submission_id(f"s{seed:05d}-{n}") for n in range(dice.choice((1, 2)))]
        files: dict[str, bytes | None] = {}
        for name in self.names:
            first = Event(n=1, at=timestamp(NOON), payload=received(protocol.corpus.name))
            second = Event(n=2, at=timestamp(NOON), payload=Queued())
            files |= {f"work/{name}/events/{e.n:04d}-{e.kind}.json": encode_event(e) for e in (first, second)}
        hub.put(self.work, files)
        self.bugs: list[BaseException] = []
        self._killed: set[int] = set()
        self._n_workers = 0

    def play(self) -> Self:
        """Let two workers work until every submission has ended; a killed one is replaced."""
        threads = [self._start(), self._start()]
        for _ in range(N_MOST_TURNS):
            if not self.turns.give():
                break
        else:
            raise AssertionError("they go on for ever:\n" + "\n".join(self.turns.story[-40:]))
        for thread in threads:
            thread.join()
        if self.bugs:
            raise AssertionError("a worker failed:\n" + "\n".join(self.turns.story[-40:])) from self.bugs[0]
        return self

    def kinds(self, name: SubmissionId) -> list[str]:
        """Return the kinds of a submission's events, from the file names on the hub."""
        folder = f"work/{name}/events/"
        return [path.removeprefix(folder) for path in self.hub.paths(self.work) if path.startswith(folder)]

    def rows(self, name: SubmissionId) -> list[bytes]:
        """Return every content that a submission's row ever had, oldest first."""
        path, found = layout.result_path(self.protocol.id, name), []
        for commit in reversed(self.hub.history(self.board)):
            entry = commit.files.get(path)
            data = self.hub.repo(self.board).read(entry).read_bytes() if entry else None
            if data is not None and data not in found[-1:]:
                found.append(data)
        return found

    def is_done(self) -> bool:
        """Tell whether every submission has ended, as the hub knows."""
        return all(self.kinds(name)[-1].endswith(("published.json", "failed.json")) for name in self.names)

    def _start(self) -> threading.Thread:
        self._n_workers += 1
        number = self._n_workers
        self.turns.enter(f"w{number}")
        thread = threading.Thread(target=self._work, args=(number,), daemon=True)
        thread.start()
        return thread

    def _work(self, number: int) -> None:
        name = f"w{number}"
        try:
            worker = Worker(self._station(number))
            worker._identity = queue.Worker(name=name, process=process(number))
            worker.run_forever(Passing(self.turns, name, self.is_done), 1.0)
        except Killed:
            self._killed.add(number)
            if not self.is_done():
                self._start()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test is to tell
            self.bugs.append(error)
        finally:
            self.turns.leave(name)

    def _station(self, number: int) -> Station:
        name, home = f"w{number}", self.folder / f"w{number}"

        def sleep(seconds: float) -> None:
            self.turns.now += timedelta(seconds=seconds)

        def seconds() -> float:
            return (self.turns.now - NOON).total_seconds()

        waits = Waits(refresh_s=10.0, clock=seconds, sleep=sleep)
        cache = BlobCache(home / "cache", 1 << 20)
        board = TurnTaker(self.hub, self.board, self.turns, name)
        store = TakingTurns(TurnTaker(self.hub, self.work, self.turns, name), home, cache, waits=waits)
        store.turns = self.turns
        return Station(
            name=name,
            store=store,
            published=HubPublished(board, cache, home / "published", clock=seconds),
            corpus=OneCorpus(self.protocol.corpus),  # type: ignore[arg-type]
            protocol=self.protocol,
            open_engine=lambda _: 1 / 0,  # type: ignore[arg-type,return-value]
            preflight=lambda _: None,
            clock=lambda: self.turns.now + timedelta(seconds=SKEWS_S[number % len(SKEWS_S)]),
            lease_s=1800.0,
            is_dead=lambda holder: holder.pid in self._killed,
            is_shared=True,
        )


class OneCorpus:
    """What a worker asks of a corpus before it reads any clip."""

    def __init__(self, pin: CorpusPin) -> None:
        """Be the corpus of `pin`."""
        self.pin = pin


def process(number: int) -> ProcessIdentity:
    """Return the identity of a worker's make-believe process."""
    return ProcessIdentity(host="h", boot_id="b", pid_namespace="n", pid=number, started_ticks=number)
