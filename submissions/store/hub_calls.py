"""Calls to a hub: again if that may help, within an account's budget, and at last an answer or one plain sentence."""

import contextlib
import logging
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from submissions.store.base import StoreUnavailable
from submissions.store.hub_limits import Allowance, Budget, HubLimits
from submissions.store.hub_trouble import Failed, Trouble, explain

log = logging.getLogger(__name__)

T = TypeVar("T")

WRITING = "commit"
"""The call that writes."""


class HubRefused(StoreUnavailable):
    """The hub will not do this for this token, or not at all; asking again changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubHealth:
    """How calls to a repo went lately."""

    is_reachable: bool
    """Whether the last call that ended, ended well, and the last commit was not refused; true before the first."""
    succeeded_at: datetime | None
    """When a call last ended well, aware; None for never."""
    failed_at: datetime | None
    """When one was last given up, aware; None for never."""
    message: str
    """Why, in one sentence without any secret; empty while it is reachable."""


class Calls:
    """Makes calls for one repo; safe between threads."""

    def __init__(
        self,
        name: str,
        limits: HubLimits,
        budget: Budget,
        clock: Callable[[], float],
        sleep: Callable[[float], None] | None,
    ) -> None:
        """Speak of the repo as `name`; `sleep` is for tests, else waits end when `stop` is called."""
        self._name, self._limits, self._clock = name, limits, clock
        self.budget = budget
        self._stopping = threading.Event()
        self._sleep = sleep or self._wait
        self._random = random.Random()  # noqa: S311 - spreads attempts, hides nothing
        self._lock = threading.Lock()
        self._silent_until = float("-inf")
        self._unwritable = ""
        self._is_away = False
        self._asking = threading.RLock()  # what settles a failure asks within its call
        self._health = HubHealth(is_reachable=True, succeeded_at=None, failed_at=None, message="")

    def make(
        self,
        what: str,
        attempt: Callable[[], T],
        *,
        allowance: Allowance | None = None,
        n_requests: int = 1,
        settle: Callable[[Trouble], T | None] | None = None,
    ) -> T:
        """Return what `attempt` returns, trying again where that may help.

        Args:
            what: name of the call, for the log.
            attempt: does it; raises whatever the client raises.
            allowance: what it is paid from; the API's requests by default.
            n_requests: how much it costs.
            settle: looks at a failure first; what it returns, if anything, is the result, and what it raises stands.

        Raises:
            HubRefused: if the hub will not do it.
            StoreUnavailable: if it could not be done now.
        """
        self._see_whether_at_rest()
        with self._alone_while_away():
            return self._tries(what, attempt, allowance or self.budget.requests, n_requests, settle)

    def _tries(
        self,
        what: str,
        attempt: Callable[[], T],
        allowance: Allowance,
        n_requests: int,
        settle: Callable[[Trouble], T | None] | None,
    ) -> T:
        from submissions.store.hub_client import EXPECTED

        for n in range(1, self._limits.n_tries + 1):
            self.pay(allowance, n_requests)
            try:
                result = attempt()
            except (Failed, *EXPECTED) as error:
                trouble, kind = explain(error), type(error).__name__
            else:
                self._note_success(what)
                return result
            # The error's kind tells a mistake of ours from one of the hub; its text may hold a signed address.
            facts = {"repo": self._name, "call": what, "n": n, "why": trouble.words, "kind": kind}
            log.info("hub.attempt", extra=facts)
            settled = settle(trouble) if settle is not None else None
            if settled is not None:
                self._note_success(what)
                return settled
            if trouble.is_final:
                raise self._refuse(what, trouble)
            wait = self._wait_after(n, trouble)
            if n == self._limits.n_tries or wait > self._limits.most_wait_s:
                raise self._give_up(what, trouble, wait)
            self.pause(wait)
        raise StoreUnavailable(f"{self._name} cannot be asked: at least one attempt must be allowed")

    def pay(self, allowance: Allowance, n: int) -> None:
        """Take `n` of an allowance, waiting for it if need be; raises StoreUnavailable if that would be long."""
        wait = allowance.take(n, self._limits.most_wait_s)
        if wait is None:
            log.warning("hub.budget", extra={"repo": self._name})
            raise StoreUnavailable(f"{self._name} has been asked as often as it allows for now; try again in minutes")
        if wait > 0:
            self.pause(wait)

    def pause(self, wait_s: float) -> None:
        """Wait; raises StoreUnavailable if `stop` is called meanwhile."""
        self._sleep(wait_s)
        if self._stopping.is_set():
            raise StoreUnavailable(f"{self._name} is not asked again: the program is being stopped")

    def health(self) -> HubHealth:
        """Return how calls went lately."""
        with self._lock:
            found = self._health
            if self._unwritable and found.is_reachable:  # to be read is not enough
                return replace(found, is_reachable=False, message=self._unwritable)
            return found

    def stop(self) -> None:
        """End all waits; what waits is given up."""
        self._stopping.set()

    @contextlib.contextmanager
    def _alone_while_away(self) -> Iterator[None]:
        """Let one thread find out whether the hub is back, and send others away at once: an attempt may last minutes.

        Raises:
            StoreUnavailable: if the hub is away and another thread is asking it.
        """
        with self._lock:
            is_away, message = self._is_away, self._health.message
        if not is_away:
            yield
            return
        if not self._asking.acquire(blocking=False):
            raise StoreUnavailable(message)
        try:
            yield
        finally:
            self._asking.release()

    def _see_whether_at_rest(self) -> None:
        with self._lock:
            rest, message = self._silent_until - self._clock(), self._health.message
        if rest > 0:
            raise StoreUnavailable(message or f"{self._name} is asked again in {rest:.0f} s")

    def _wait(self, wait_s: float) -> None:
        self._stopping.wait(wait_s)

    def _wait_after(self, n: int, trouble: Trouble) -> float:
        own = min(self._limits.most_wait_s / 2, self._limits.first_wait_s * 2.0 ** (n - 1))
        return max(own * self._random.uniform(0.5, 1.5), trouble.retry_after_s or 0.0)

    def _note_success(self, what: str) -> None:
        now = datetime.now(UTC)
        with self._lock:
            self._is_away = False
            if what == WRITING:
                self._unwritable = ""
            self._health = HubHealth(is_reachable=True, succeeded_at=now, failed_at=self._health.failed_at, message="")

    def _refuse(self, what: str, trouble: Trouble) -> HubRefused:
        message = f"{self._name} {trouble.words}"
        self._is_away = False  # it answered
        is_absence = trouble.code in ("EntryNotFound", "RevisionNotFound")
        # A repo that is not there yet is made by the site; whoever cannot go on without it says so.
        level = logging.INFO if is_absence or trouble.code == "RepoNotFound" else self._level_of(message)
        log.log(level, "hub.refused", extra={"repo": self._name, "call": what, "why": trouble.words})
        if not is_absence:
            self._note_failure(message, 0.0)
        if what == WRITING and trouble.status in (401, 403):
            self._unwritable = message
        return HubRefused(message)

    def _give_up(self, what: str, trouble: Trouble, wait_s: float) -> StoreUnavailable:
        message = f"{self._name} {trouble.words}"
        log.log(self._level_of(message), "hub.given_up", extra={"repo": self._name, "call": what, "why": trouble.words})
        self._is_away = True
        self._note_failure(message, wait_s if trouble.retry_after_s else self._limits.rest_s)
        return StoreUnavailable(message)

    def _level_of(self, message: str) -> int:
        """Return how loud a failure is told: an outage of hours is one warning, not one at every look."""
        return logging.INFO if self.health().message == message else logging.WARNING

    def _note_failure(self, message: str, rest_s: float) -> None:
        now = datetime.now(UTC)
        with self._lock:
            self._silent_until = self._clock() + rest_s
            self._health = HubHealth(
                is_reachable=False, succeeded_at=self._health.succeeded_at, failed_at=now, message=message
            )
