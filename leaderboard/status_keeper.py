"""Keeps the last word on how something is, and has it made anew beside whoever asks."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

V = TypeVar("V")

KEPT_S = 10.0
"""So long a word is good, s."""
PATIENCE_S = 0.5
"""So long whoever asks waits for a newer one, s."""


class StatusKeeper(Generic[V]):
    """Makes a value at most every few seconds, in a thread of its own; safe to ask from several threads."""

    def __init__(self, make: Callable[[], V], *, kept_s: float = KEPT_S, patience_s: float = PATIENCE_S) -> None:
        """Ask `make`, which may take as long as it likes."""
        self._make = make
        self._kept_s = kept_s
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._value: V | None = None
        self._made_s: float | None = None
        self._under_way: threading.Event | None = None

    def last(self) -> V | None:
        """Return the newest value that is there after a short wait; None if there never was one."""
        with self._lock:
            is_good = self._made_s is not None and time.monotonic() - self._made_s < self._kept_s
            if is_good:
                return self._value
            if self._under_way is None:
                self._under_way = threading.Event()
                threading.Thread(target=self._renew, args=(self._under_way,), name="status", daemon=True).start()
            under_way = self._under_way
        under_way.wait(self._patience_s)
        with self._lock:
            return self._value

    def _renew(self, done: threading.Event) -> None:
        made: list[V] = []
        try:
            made.append(self._make())
        finally:  # a bug is told by the thread's own hook; the next who asks tries again
            with self._lock:
                if made:
                    self._value, self._made_s = made[0], time.monotonic()
                self._under_way = None
            done.set()
