"""Lets an operator in who knows the key; guessing is slow, and no answer tells how near a guess was."""

import threading
import time
from collections.abc import Callable

from leaderboard.secret import Secret

N_TRIES = 5
"""Wrong keys that are looked at in a row; then one for every REFILL_S."""
REFILL_S = 60.0
"""So long it takes until one more wrong key is looked at, s."""

CLOSED = "Too many wrong keys were tried. Wait a minute; until then no key is looked at."
WRONG = "That is not the operator's key."


class OperatorDoor:
    """Compares keys, for all visitors together; safe to use from several threads."""

    def __init__(self, key: Secret, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Open for `key` alone; `clock` gives seconds that never go back."""
        self._key = key
        self._clock = clock
        self._lock = threading.Lock()
        self._tries_left = float(N_TRIES)
        self._counted_s = clock()

    def refusal(self, given: str) -> str | None:
        """Return None if `given` is the key, else what to tell whoever gave it."""
        with self._lock:
            now_s = self._clock()
            self._tries_left = min(N_TRIES, self._tries_left + (now_s - self._counted_s) / REFILL_S)
            self._counted_s = now_s
            if self._tries_left < 1:
                return CLOSED
            if self._key.matches(given):
                return None
            self._tries_left -= 1
            return WRONG
