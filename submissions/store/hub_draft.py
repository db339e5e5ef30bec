"""A change that is not made yet: what is written lies here, everything else is read at the commit it is based on."""

import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from submissions.store.base import PublishedFiles, StoreHealth
from submissions.store.hub_listing import Blob, Listing, see_path
from submissions.store.hub_records import Change, Put, PutFile, Remove, git_oid, pointer_oid
from submissions.store.hub_snapshot import Snapshot

T = TypeVar("T")

_LARGE_BYTES = 10 << 20
_COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A file that a change writes."""

    blob: Blob
    """What the hub will most likely say of it."""
    oids: tuple[str, str]
    """Its name in git as a small and as a large file: the hub decides which it is."""
    source: Path | None
    """Copy on the disk; None: in memory."""
    data: bytes
    """The bytes, if they are in memory."""


class Draft:
    """The published layout as it will be; see `submissions.store.base.PublishedFiles`. For one thread."""

    def __init__(self, base: Snapshot, health: Callable[[], StoreHealth], staging: Path, repo: str | None) -> None:
        """Write on top of `base`, the layout at the root of `repo`; copies of files go to the folder `staging`."""
        self._base, self._health, self._staging, self._repo = base, health, staging, repo
        self._staged: dict[str, Staged | None] = {}
        self._n_copies = 0

    def repo(self) -> str | None:
        """Return the repo that has the layout at its root, "org/name"; None for any other place."""
        return self._repo

    def commit(self) -> None:
        """Return None: what lies here is no commit yet."""

    def paths(self, prefix: str = "") -> tuple[str, ...]:
        """Return the paths of all files that begin with `prefix`, sorted."""
        here = {path for path in self._base.paths(prefix) if path not in self._staged}
        new = {path for path, staged in self._staged.items() if staged is not None and path.startswith(prefix)}
        return tuple(sorted(here | new))

    def read(self, path: str) -> bytes:
        """Return a file's bytes; raises FileNotFoundError, StoreUnavailable."""
        if path not in self._staged:
            return self._base.read(path)
        staged = self._one(path)
        return staged.source.read_bytes() if staged.source is not None else staged.data

    def open(self, path: str) -> io.BufferedReader:
        """Return a file for reading; raises FileNotFoundError, StoreUnavailable."""
        if path not in self._staged:
            return self._base.open(path)
        staged = self._one(path)
        if staged.source is not None:
            return staged.source.open("rb")
        return io.BufferedReader(io.BytesIO(staged.data))  # type: ignore[arg-type]

    def size(self, path: str) -> int:
        """Return a file's size in bytes; raises FileNotFoundError if there is none."""
        return self._base.size(path) if path not in self._staged else self._one(path).blob.size

    def version(self, path: str) -> str:
        """Return what changes whenever the file or folder at `path` does; "none" if there is nothing."""
        return self.listing(self._base.listing.revision).version(path)

    def write(self, path: str, data: bytes) -> None:
        """Replace a file when the change is made."""
        see_path(path)
        self._staged[path] = _staged(
            path, sha256=hashlib.sha256(data).hexdigest(), oid=git_oid(data), size=len(data), data=data
        )

    def write_file(self, path: str, source: Path) -> None:
        """Replace a file with what `source` holds now."""
        see_path(path)
        self._n_copies += 1
        copy = self._staging / f"{self._n_copies}"
        sha256, size = hashlib.sha256(), 0
        with source.open("rb") as original, copy.open("xb") as file:
            while block := original.read(_COPY_BYTES):
                sha256.update(block)
                size += file.write(block)
        sha1 = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        with copy.open("rb") as file:
            while block := file.read(_COPY_BYTES):
                sha1.update(block)
        self._staged[path] = _staged(path, sha256=sha256.hexdigest(), oid=sha1.hexdigest(), size=size, source=copy)

    def remove(self, path: str) -> None:
        """Remove a file when the change is made; nothing happens if there is none."""
        see_path(path)
        self._staged[path] = None

    def change(self, why: str, make: Callable[[PublishedFiles], T]) -> T:  # noqa: ARG002 - the outer change says why
        """Let `make` write into this change."""
        return make(self)

    def refresh(self) -> None:
        """Do nothing: a change is decided from one commit."""

    def health(self) -> StoreHealth:
        """Return how the store was last reached."""
        return self._health()

    def sweep(self) -> None:
        """Do nothing: copies go with the change."""

    def listing(self, revision: str) -> Listing:
        """Return the listing once the change is made as the commit `revision`."""
        changed = {path: None if staged is None else staged.blob for path, staged in self._differing().items()}
        return self._base.listing.with_changes(revision, changed)

    def changes(self, prefix: str) -> tuple[Change, ...]:
        """Return what differs from the base, with paths of the repo."""
        return tuple(_change(prefix + path, staged) for path, staged in sorted(self._differing().items()))

    def in_memory(self) -> Mapping[str, Staged]:
        """Return what was written from memory, by path."""
        found = self._differing().items()
        return {path: staged for path, staged in found if staged is not None and staged.source is None}

    def _differing(self) -> dict[str, Staged | None]:
        here = self._base.listing.files
        return {
            path: staged
            for path, staged in self._staged.items()
            if (path in here if staged is None else path not in here or here[path].oid not in staged.oids)
        }

    def _one(self, path: str) -> Staged:
        staged = self._staged[path]
        if staged is None:
            raise FileNotFoundError(f"{path} is removed in this change")
        return staged


def _change(path: str, staged: Staged | None) -> Change:
    if staged is None:
        return Remove(path=path)
    if staged.source is not None:
        return PutFile(path=path, source=staged.source)
    return Put(path=path, data=staged.data)


def _staged(path: str, *, sha256: str, oid: str, size: int, source: Path | None = None, data: bytes = b"") -> Staged:
    large = pointer_oid(sha256, size)
    # As the hub's own list of large files for data sets has it; if it decides otherwise, a copy is fetched once more.
    is_large = size > 0 and (path.endswith(".parquet") or size > _LARGE_BYTES)
    blob = Blob(oid=large if is_large else oid, size=size, sha256=sha256 if is_large else None)
    return Staged(blob=blob, oids=(oid, large), source=source, data=data)
