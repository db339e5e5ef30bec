"""How often the judge may be asked: a bucket that fills evenly, so that a minute never sees more than its share."""

import threading

from evaluation.judge.clock import Clock


class RateLimit:
    """Requests per minute, shared by all threads. At the start one may be asked at once, the next after its share."""

    def __init__(self, *, per_minute: float | None, clock: Clock) -> None:
        """Allow `per_minute` requests, > 0; None allows any number.

        Raises:
            ValueError: if `per_minute` is not positive.
        """
        if per_minute is not None and per_minute <= 0:
            raise ValueError(f"requests per minute must be more than 0, got {per_minute}")
        self._step_s = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._next_s: float | None = None

    def take(self) -> float:
        """Take the next free place and return how long to wait for it, s, >= 0."""
        if self._step_s == 0.0:
            return 0.0
        with self._lock:
            now_s = self._clock.monotonic()
            place_s = now_s if self._next_s is None else max(now_s, self._next_s)
            self._next_s = place_s + self._step_s
            return place_s - now_s
