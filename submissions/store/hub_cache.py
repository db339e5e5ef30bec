"""Copies of a hub's files on this disk: bounded, shared by all processes of one home, never taken for whole if cut.

Each copy is a file of its own: the sha256 of what follows, then that. Copies of clips go first when room is needed,
those unused longest before others; tables and results go only if there is nothing else. A copy can be fetched again.
"""

import contextlib
import hashlib
import logging
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from submissions.store import atomic

log = logging.getLogger(__name__)

Kind = Literal["table", "clip"]

_KEY = re.compile(r"[a-z0-9]{7,64}(?:-[0-9]{1,12}){0,2}")
_N_DIGEST = 32
_FREED_SHARE = 0.1
_TOTAL = "total"
_KINDS: tuple[Kind, ...] = ("clip", "table")
"""What is removed first, and what last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    path: Path
    rank: int
    used_at: float
    n_bytes: int


class BlobCache:
    """Copies below one folder; safe between threads and processes."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """Keep at most `most_bytes` in `folder`, which need not exist."""
        self._folder = folder
        self._most_bytes = most_bytes

    def get(self, kind: Kind, key: str) -> bytes | None:
        """Return a copy, or None if there is none that is whole."""
        path = self._path(kind, key)
        try:
            kept = path.read_bytes()
        except OSError:
            return None
        data = kept[_N_DIGEST:]
        if len(kept) < _N_DIGEST or hashlib.sha256(data).digest() != kept[:_N_DIGEST]:
            log.warning("cache.damaged", extra={"kind": kind, "key": key})
            path.unlink(missing_ok=True)
            return None
        with contextlib.suppress(OSError):  # another process has just removed it
            os.utime(path)
        return data

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        """Keep a copy if there is room; a full disk is no error, for what is not kept is fetched again."""
        n_bytes = len(data) + _N_DIGEST
        if n_bytes > self._most_bytes * (1 - _FREED_SHARE):
            return
        path = self._path(kind, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic.locked(self._folder, exclusive=True):
                self._admit(path, hashlib.sha256(data).digest() + data)
        except OSError as error:
            log.warning("cache.full", extra={"why": error.strerror})

    def total(self) -> int:
        """Return how many bytes all copies take."""
        return sum(copy.n_bytes for copy in self._copies())

    def sweep(self) -> None:
        """Remove what killed writers left half-written, and count anew."""
        if not self._folder.is_dir():
            return
        with atomic.locked(self._folder, exclusive=True):
            for path in self._folder.rglob(".*.writing"):
                path.unlink(missing_ok=True)
            self._write_total(self.total())

    def _admit(self, path: Path, kept: bytes) -> None:
        """Write a copy once there is room; only one process of all is here at a time."""
        if path.exists():
            return
        total = self._read_total()
        if total is None or total + len(kept) > self._most_bytes:
            total = self._make_room(len(kept))
        # Counted first: a process that is killed in between leaves a total that is too high, never too low.
        self._write_total(total + len(kept))
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.writing")
        try:
            temporary.write_bytes(kept)
            temporary.rename(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _make_room(self, n_bytes: int) -> int:
        """Remove what was unused longest until `n_bytes` and some more fit; return what is left."""
        copies = sorted(self._copies(), key=lambda copy: (copy.rank, copy.used_at))
        total = sum(copy.n_bytes for copy in copies)
        if total + n_bytes <= self._most_bytes:
            return total
        wanted = self._most_bytes * (1 - _FREED_SHARE) - n_bytes
        for copy in copies:
            if total <= wanted:
                break
            copy.path.unlink(missing_ok=True)
            total -= copy.n_bytes
        return total

    def _copies(self) -> Iterator[_Copy]:
        for rank, kind in enumerate(_KINDS):
            for path in (self._folder / kind).glob("*/*"):
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    yield _Copy(path=path, rank=rank, used_at=status.st_mtime, n_bytes=status.st_size)

    def _read_total(self) -> int | None:
        try:
            return int((self._folder / _TOTAL).read_text())
        except (OSError, ValueError):
            return None

    def _write_total(self, total: int) -> None:
        (self._folder / _TOTAL).write_text(str(total))

    def _path(self, kind: Kind, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a copy is named by letters and digits, got {key!r:.80}")
        return self._folder / kind / key[:2] / key
