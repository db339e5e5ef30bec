"""All histories and logs of the work's repo, as one process reads and appends to them.

A commit is made on top of the commit that everything here is from; if the branch has moved, all is read again, and
whether the number is still free is decided anew.
"""

import contextlib
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from submissions.store.base import EventExists, StoreUnavailable
from submissions.store.hub_records import Change, Moved, Put
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work_files import RidingFiles
from submissions.store.hub_work_ledger import NOTHING, Ledger, number_of
from submissions.store.hub_work_mirror import Mirror

Numbered = Sequence[tuple[str, bytes]]
"""Files with numbers that follow each other: name and content."""

_N_TRIES = 12
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How a process waits on the hub."""

    refresh_s: float = 10.0
    """Shortest time between two looks at the hub, s."""
    ride_s: float = 600.0
    """Longest time that files wait for an event to ride along with, s, if somebody pushes."""
    clock: Callable[[], float] = time.monotonic
    """Seconds that only grow."""
    sleep: Callable[[float], object] = time.sleep
    """Waits some seconds."""


class HubBook:
    """The ledgers of one repo; safe between threads. Reading waits for the hub only the first time."""

    def __init__(self, repo: HubRepo, mirror: Mirror, riding: RidingFiles, waits: Waits) -> None:
        """Keep `mirror` fresh, and let `riding` files go along with what is appended; nothing is asked yet."""
        self._repo = repo
        self._mirror = mirror
        self._riding = riding
        self._waits = waits
        self._lock = threading.RLock()
        self._is_loaded = False
        self._looked_s = self._rode_s = float("-inf")
        self._dice = random.Random()  # noqa: S311 - spreads writers, hides nothing
        self.as_of: datetime | None = None

    @property
    def head(self) -> str:
        """Commit that everything here is from; empty if none was ever seen."""
        self._load()
        return self._mirror.head

    @property
    def is_private(self) -> bool:
        """Whether the repo was private when it was last looked at."""
        self._load()
        return self._mirror.is_private

    def ledger(self, key: str) -> Ledger:
        """Return a ledger by the path of its folder; one without a file if there is none."""
        self._load()
        return self._mirror.ledgers.get(key, NOTHING)

    def ledgers(self) -> Mapping[str, Ledger]:
        """Return all of them."""
        self._load()
        return self._mirror.ledgers

    def recall(self) -> None:
        """Begin with what this disk holds, without asking the hub; if it holds nothing, the first reader asks."""
        with self._lock:
            if not self._is_loaded:
                self.as_of = self._mirror.load()
                self._is_loaded = self.as_of is not None

    def refresh(self) -> None:
        """Read again what others changed, at most every some seconds; an outage changes nothing."""
        self._load()
        if self._waits.clock() - self._looked_s >= self._waits.refresh_s and self._lock.acquire(blocking=False):
            try:
                with contextlib.suppress(StoreUnavailable):
                    self._pull()
            finally:
                self._lock.release()

    def pull(self) -> None:
        """Read again what others changed, now; raises StoreUnavailable."""
        with self._lock:
            self._pull()

    def send_riding(self) -> None:
        """Commit the files that found nothing to ride along with for long; raises StoreUnavailable."""
        if self._riding.waiting() and self._waits.clock() - self._rode_s >= self._waits.ride_s:
            self.append("", "", (), "kept files")

    def append(self, key: str, below: str, added: Numbered, why: str, others: tuple[Change, ...] = ()) -> None:
        """Append files to the ledger `key`, in the folder `below` it, in one commit with `others`.

        Raises:
            EventExists: if the ledger has a file of the first number, other than this one.
            StoreUnavailable: if it cannot be done now; a later try finds out whether it was done after all.
        """
        with self._lock:
            self._load()
            pause_s = _FIRST_PAUSE_S
            for n in range(_N_TRIES):
                if n or not self._mirror.head or not self._mirror.is_private:
                    self._pull()
                self._see_privacy()
                if added and self._is_taken(key, added):
                    return
                try:
                    self._commit(key, below, added, why, others)
                except Moved:
                    self._waits.sleep(self._dice.uniform(0, pause_s))
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                else:
                    return
            raise StoreUnavailable(f"others wrote to the hub's repo {self._repo.repo_id} faster {_N_TRIES} times")

    def _is_taken(self, key: str, added: Numbered) -> bool:
        """Return whether just these files are there: an earlier try was carried out and not answered."""
        there = self._mirror.ledgers.get(key, NOTHING).entries
        first = number_of(added[0][0])
        if len(there) < first - 1:
            raise EventExists(f"{key} has no number {first - 1} yet; read it again")
        if len(there) >= first:
            if there[first - 1 : first - 1 + len(added)] == tuple(added):
                return True
            raise EventExists(f"{key} has a number {first} already; read it again")
        return False

    def _commit(self, key: str, below: str, added: Numbered, why: str, others: tuple[Change, ...]) -> None:
        mirror = self._mirror
        riding = self._riding.waiting()
        snapshot = mirror.snapshot_if_due()
        files = tuple(Put(path=f"{key}{below}/{name}", data=data) for name, data in added)
        changes = (*others, *files, *riding, *((snapshot,) if snapshot else ()))
        head = self._repo.commit(changes, why, mirror.head)
        mirror.changed(head, key, added, snapshot)
        self._riding.sent(riding)
        self._rode_s = self._waits.clock()
        self.as_of = datetime.now(UTC)

    def _see_privacy(self) -> None:
        if not self._mirror.is_private:
            raise StoreUnavailable(
                f"the hub's repo {self._repo.repo_id} is public, and would show contacts and uploads to everybody; "
                "its owner must make it private"
            )

    def _pull(self) -> None:
        self._looked_s = self._waits.clock()
        self._mirror.pull()
        self._looked_s = self._waits.clock()
        self.as_of = datetime.now(UTC)

    def _load(self) -> None:
        if self._is_loaded:
            return
        with self._lock:
            if not self._is_loaded:
                self.as_of = self._mirror.load()
                with contextlib.suppress(StoreUnavailable):
                    self._pull()
                self._is_loaded = True
