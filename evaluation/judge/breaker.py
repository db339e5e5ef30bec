"""When to stop asking a judge that is down, and when to try it again. One state, guarded by one lock."""

import threading
from datetime import datetime

from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.clock import Clock


class JudgeDown(JudgeUnavailable):
    """The breaker is open: nobody asks until the pause is over.

    Attributes:
        since: when the outage began.
    """

    def __init__(self, *, since: datetime, retry_after_s: float, why: str = "") -> None:
        """Say since when, in how many seconds the next trial is due, and `why` the last one failed."""
        last = f" ({why})" if why else ""
        super().__init__(
            f"judge unavailable since {since.isoformat(timespec='seconds')}; next trial in {retry_after_s:.0f} s{last}",
            retry_after_s=retry_after_s,
        )
        self.since = since


class Breaker:
    """Opens after `n_failures` in a row; after a pause one trial decides whether it closes.

    Every trial that fails doubles the pause, up to `longest_pause_s`. Calls that come during a trial wait for its end:
    a run that asks from several threads would otherwise end with the very call that finds the judge back.
    """

    def __init__(self, *, n_failures: int, pause_s: float, longest_pause_s: float, clock: Clock) -> None:
        """Start closed.

        Args:
            n_failures: failures in a row that open it, >= 1.
            pause_s: first pause, s, > 0.
            longest_pause_s: longest pause, s, >= `pause_s`.
            clock: where time comes from.

        Raises:
            ValueError: for a number out of its range.
        """
        if n_failures < 1 or not 0 < pause_s <= longest_pause_s:
            raise ValueError(
                f"need n_failures >= 1, 0 < pause <= longest; got {n_failures}, {pause_s}, {longest_pause_s}"
            )
        self._n_failures, self._first_pause_s, self._longest_pause_s = n_failures, pause_s, longest_pause_s
        self._clock = clock
        self._turn = threading.Condition()
        self._n_in_a_row = 0
        self._pause_s = pause_s
        self._opened_s: float | None = None
        self._is_on_trial = False
        self._since: datetime | None = None
        self._failed: datetime | None = None
        self._why = ""

    @property
    def since(self) -> datetime | None:
        """When the outage began: the first of the failures in a row; None while the judge answers."""
        with self._turn:
            return self._since

    def enter(self) -> bool:
        """Let a call through and return whether it is the trial; tell its end to `succeed`, `fail` or `forget`.

        Raises:
            JudgeDown: while it is open.
        """
        with self._turn:
            while self._opened_s is not None:
                left_s = self._opened_s + self._pause_s - self._clock.monotonic()
                if left_s > 0:
                    since = self._since or self._clock.now()
                    raise JudgeDown(since=since, retry_after_s=max(1.0, left_s), why=self._why)
                if not self._is_on_trial:
                    self._is_on_trial = True
                    return True
                self._turn.wait()
            return False

    def allow_trial(self, asked: datetime) -> None:
        """End the pause if no call has failed since an operator said, at `asked` (aware), that the judge is back."""
        with self._turn:
            if self._opened_s is not None and self._failed is not None and self._failed < asked:
                self._opened_s = self._clock.monotonic() - self._pause_s

    def succeed(self) -> None:
        """Note that the judge answered: the outage, if any, is over."""
        with self._turn:
            self._n_in_a_row, self._pause_s = 0, self._first_pause_s
            self._opened_s, self._is_on_trial, self._since = None, False, None
            self._turn.notify_all()

    def fail(self, *, is_trial: bool, why: str = "") -> None:
        """Note that the judge was unavailable, and why."""
        with self._turn:
            self._why, self._failed = why, self._clock.now()
            self._n_in_a_row += 1
            self._since = self._since or self._failed
            if self._opened_s is None:
                if self._n_in_a_row >= self._n_failures:
                    self._opened_s = self._clock.monotonic()
            elif is_trial:
                self._opened_s, self._is_on_trial = self._clock.monotonic(), False
                self._pause_s = min(self._longest_pause_s, 2 * self._pause_s)
                self._turn.notify_all()

    def forget(self, *, is_trial: bool) -> None:
        """Note that a call that was let through never reached the judge, or was refused for its own sake."""
        with self._turn:
            if is_trial:
                self._is_on_trial = False
                self._turn.notify_all()
