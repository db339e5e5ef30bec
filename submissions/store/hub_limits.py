"""How much may be asked of a hub in a while, how often again, and how long to wait; one budget for one account.

The hub limits requests in five minutes by account (a free one: 1,000 to its API, 5,000 of files) and, without saying
so, commits in an hour. The defaults stay below with room for a second process.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HubLimits:
    """How patient, and how modest, one process is with a hub."""

    n_tries: int = 4
    """Attempts at one call, >= 1."""
    first_wait_s: float = 0.5
    """Wait before the second attempt, s; each further one is twice as long, all of them up to half more or less."""
    most_wait_s: float = 60.0
    """Longest single wait, s; what would take longer is given up at once."""
    rest_s: float = 5.0
    """After a call was given up, others are given up at once for so long, s."""
    connect_s: float = 10.0
    """Longest wait for a connection, s."""
    answer_s: float = 45.0
    """Longest silence in the middle of a request or an answer, s."""
    whole_s: float = 180.0
    """Longest that one answer may take to arrive, s."""
    requests_per_minute: float = 90.0
    """Requests to the API in the long run."""
    requests_burst: int = 240
    """Requests to the API at once."""
    reads_per_minute: float = 600.0
    """Requests for files in the long run."""
    reads_burst: int = 600
    """Requests for files at once."""
    commits_per_hour: float = 90.0
    """Commits in the long run."""
    commits_burst: int = 36
    """Commits at once."""


class Allowance:
    """So many of something at once, refilled evenly; safe between threads."""

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float]) -> None:
        """Begin full."""
        self._per_s, self._burst, self._clock = per_s, burst, clock
        self._lock = threading.Lock()
        self._left, self._seen_at = float(burst), clock()

    def take(self, n: int, most_wait_s: float) -> float | None:
        """Take `n`; return how long to wait before using them, s, or None, taking nothing, if that is too long."""
        with self._lock:
            now = self._clock()
            self._left = min(self._burst, self._left + (now - self._seen_at) * self._per_s)
            self._seen_at = now
            wait = max(0.0, (n - self._left) / self._per_s)
            if wait > most_wait_s:
                return None
            self._left -= n
            return wait


class Budget:
    """What one account may still ask of a hub."""

    def __init__(self, limits: HubLimits, clock: Callable[[], float]) -> None:
        """Begin with full allowances."""
        self.requests = Allowance(limits.requests_per_minute / 60, limits.requests_burst, clock)
        self.reads = Allowance(limits.reads_per_minute / 60, limits.reads_burst, clock)
        self.commits = Allowance(limits.commits_per_hour / 3600, limits.commits_burst, clock)
