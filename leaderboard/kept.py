"""Values that are made once for a revision and kept, however many ask for them at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(slots=True, eq=False)
class _Making:
    """A value that somebody makes now; others wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    n_waiting: int = 0


class Kept(Generic[V]):
    """Values by key and revision; the least recently used ones go first. Safe to use from several threads."""

    def __init__(self, n_most: int) -> None:
        """Keep at most `n_most` values."""
        self._n_most = n_most
        self._values: OrderedDict[Hashable, tuple[str, V]] = OrderedDict()
        self._making: dict[tuple[Hashable, str], _Making] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, revision: str, make: Callable[[], V]) -> V:
        """Return the value of `key` at `revision`, made by `make` if it is not kept.

        Whoever asks for a value while another thread makes it waits and takes that one; if the making fails, the next
        one that waits tries. `make` must not ask the same keeper for the same key.
        """
        with self._lock:
            found = self._found(key, revision)
            if found is not None:
                return found[1]
            making = self._making.setdefault((key, revision), _Making())
            making.n_waiting += 1
        try:
            with making.lock:
                return self._made(key, revision, make)
        finally:
            with self._lock:
                making.n_waiting -= 1
                if not making.n_waiting:
                    self._making.pop((key, revision), None)

    def _made(self, key: Hashable, revision: str, make: Callable[[], V]) -> V:
        with self._lock:
            found = self._found(key, revision)
        if found is not None:
            return found[1]
        value = make()
        with self._lock:
            self._values[key] = (revision, value)
            self._values.move_to_end(key)
            while len(self._values) > self._n_most:
                self._values.popitem(last=False)
        return value

    def _found(self, key: Hashable, revision: str) -> tuple[str, V] | None:
        found = self._values.get(key)
        if found is None or found[0] != revision:
            return None
        self._values.move_to_end(key)
        return found
