"""Choices out of fuzzed bytes: the same bytes give the same choices, and running out gives zeros."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Cursor:
    """Reads numbers and pieces from the front of some bytes."""

    def __init__(self, data: bytes) -> None:
        """Start at the front of `data`."""
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Nothing is left."""
        return self._at >= len(self._data)

    def take(self, n_bytes: int) -> bytes:
        """Return the next bytes, at most `n_bytes`."""
        piece = self._data[self._at : self._at + n_bytes]
        self._at += n_bytes
        return piece

    def number(self, n_bytes: int = 1) -> int:
        """Return the next bytes as one unsigned number."""
        return int.from_bytes(self.take(n_bytes), "little")

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of `choices`."""
        return choices[self.number() % len(choices)]

    def is_rare(self) -> bool:
        """Return True for one byte in sixteen, so that most of what is built stays good."""
        return self.number() % 16 == 15

    def rest(self) -> bytes:
        """Return all that is left."""
        return self.take(max(0, len(self._data) - self._at))
