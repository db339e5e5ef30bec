"""Files of a commit as they are read: small ones whole and checked, large ones in blocks as they are wanted."""

import io
import threading
from dataclasses import dataclass

from submissions.store.base import StoreUnavailable
from submissions.store.hub_cache import BlobCache, Kind
from submissions.store.hub_listing import Blob
from submissions.store.hub_repo import HubRepo

BLOCK_BYTES = 64 << 10
"""What is fetched and kept at least; the end of a table, which tells where the rest is, takes one or two."""
_REQUEST_BLOCKS = 128
"""Most blocks of one request."""
_WHOLE_BYTES = 8 << 20
"""Files up to this size are fetched by one request, others in parts, so that what breaks is fetched again in part."""
_MOST_BYTES = 1 << 30
"""Largest file that is read whole."""
_STEP_BYTES = 1 << 20
_N_STRIPES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file of a repo at one commit."""

    path: str
    """From the repo's root."""
    revision: str
    """The commit."""
    blob: Blob
    """What the listing says of it."""
    kind: Kind
    """How soon its copies may go."""


class Reader:
    """Reads files of one repo through the cache; safe between threads."""

    def __init__(self, repo: HubRepo, cache: BlobCache) -> None:
        """Read from `repo`, keeping copies in `cache`."""
        self._repo, self._cache = repo, cache
        # Several pages that want one file at once fetch it once.
        self._stripes = tuple(threading.Lock() for _ in range(_N_STRIPES))

    def read(self, place: Place) -> bytes:
        """Return a file whole.

        Raises:
            StoreUnavailable: if it cannot be fetched now, or is not what the listing says.
        """
        key = place.blob.oid
        with self._stripes[hash(key) % _N_STRIPES]:
            kept = self._cache.get(place.kind, key)
            if kept is not None and len(kept) == place.blob.size:
                return kept
            data = self._fetch(place)
            if place.blob.size <= _WHOLE_BYTES:
                self._cache.put(place.kind, key, data)
            return data

    def open(self, place: Place) -> io.BufferedReader:
        """Return a file for reading at any place; raises as `read` does, also while it is read."""
        if place.blob.size <= BLOCK_BYTES:
            return _in_memory(self.read(place))
        kept = self._cache.get(place.kind, place.blob.oid)
        if kept is not None and len(kept) == place.blob.size:
            return _in_memory(kept)
        return io.BufferedReader(BlockFile(Blocks(self._repo, self._cache, place)), BLOCK_BYTES)

    def keep(self, blob: Blob, kind: Kind, data: bytes) -> None:
        """Keep a copy of what was just written."""
        self._cache.put(kind, blob.oid, data)

    def _fetch(self, place: Place) -> bytes:
        size = place.blob.size
        if size > _MOST_BYTES:
            raise StoreUnavailable(f"{place.path} is too large to be read whole: {size} bytes, allowed {_MOST_BYTES}")
        if size <= _WHOLE_BYTES:
            data = self._repo.read(place.path, place.revision, most_bytes=size)
        else:
            data = Blocks(self._repo, self._cache, place).read(0, size)
        if not place.blob.is_of(data):
            raise StoreUnavailable(f"{place.path} on the hub is not what its listing says; it is not shown")
        return data


class Blocks:
    """One file in aligned blocks; not for several threads at once."""

    def __init__(self, repo: HubRepo, cache: BlobCache, place: Place) -> None:
        """Read the file at `place`."""
        self._repo, self._cache, self._place = repo, cache, place
        self._next = -1
        self._n_ahead = 0

    @property
    def size(self) -> int:
        """Bytes of the file, as the listing says."""
        return self._place.blob.size

    def read(self, first: int, n_bytes: int) -> bytes:
        """Return up to `n_bytes` from `first`: fewer only at the end; raises StoreUnavailable."""
        end = min(first + n_bytes, self.size)
        if end <= first:
            return b""
        low, high = first // BLOCK_BYTES, (end - 1) // BLOCK_BYTES
        parts = bytearray()
        index = low
        while index <= high:
            kept = self._kept(index)
            if kept is not None:
                parts += kept
                index += 1
                continue
            stop = index + 1
            while stop <= high and stop - index < _REQUEST_BLOCKS and self._kept(stop) is None:
                stop += 1
            fetched = self._fetched(index, stop - 1)
            parts += fetched[: (stop - index) * BLOCK_BYTES]
            index = stop
        start = first - low * BLOCK_BYTES
        return bytes(parts[start : start + end - first])

    def _kept(self, index: int) -> bytes | None:
        kept = self._cache.get(self._place.kind, self._key(index))
        is_whole = kept is not None and len(kept) == min(BLOCK_BYTES, self.size - index * BLOCK_BYTES)
        return kept if is_whole else None

    def _fetched(self, low: int, high: int) -> bytes:
        """Fetch and keep some blocks, and more after them for a reader that goes straight on."""
        self._n_ahead = min(_REQUEST_BLOCKS // 2, max(1, self._n_ahead * 2)) if low == self._next else 0
        more = self._n_ahead if self._n_ahead > 1 else 0
        last = min(high + more, (self.size - 1) // BLOCK_BYTES)
        self._next = last + 1
        begin = low * BLOCK_BYTES
        end = min((last + 1) * BLOCK_BYTES, self.size)
        data = self._repo.read_range(self._place.path, self._place.revision, begin, end - 1)
        for index in range(low, last + 1):
            offset = (index - low) * BLOCK_BYTES
            self._cache.put(self._place.kind, self._key(index), data[offset : offset + BLOCK_BYTES])
        return data

    def _key(self, index: int) -> str:
        return f"{self._place.blob.oid}-{index}"


class BlockFile(io.RawIOBase):
    """A file whose bytes come in blocks."""

    def __init__(self, blocks: Blocks) -> None:
        """Read from the first byte on."""
        super().__init__()
        self._blocks = blocks
        self._at = 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go somewhere; return where that is."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._blocks.size}[whence]
        if base + offset < 0:
            raise ValueError(f"a file begins at 0, cannot go to {base + offset}")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        """Return where the next byte comes from."""
        return self._at

    def readinto(self, buffer: object) -> int:
        """Fill as much of `buffer` as there is; return how much."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._blocks.read(self._at, len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def readall(self) -> bytes:
        """Return the rest."""
        parts = []
        while part := self._blocks.read(self._at, _STEP_BYTES):
            parts.append(part)
            self._at += len(part)
        return b"".join(parts)


def _in_memory(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type]
