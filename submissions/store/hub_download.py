"""A file of a public repo onto this disk: in pieces, taken up where it broke off, and only if it is what was listed."""

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from submissions.store import atomic
from submissions.store.base import StoreUnavailable
from submissions.store.hub_records import HubEntry
from submissions.store.hub_repo import HubRepo

PIECE_BYTES = 8 << 20
"""Most that one request fetches, and that is held in memory."""
_CHUNK_BYTES = 1 << 20
N_AT_ONCE = 4
"""Files that are fetched side by side."""
OnBytes = Callable[[int], None]
"""Told of bytes that have arrived since it was last told."""
OnProgress = Callable[[int, int], None]
"""Told of bytes here and of bytes in all."""


class TooSlow(StoreUnavailable):
    """A hub took longer to send something than it may."""


class _Stopped(StoreUnavailable):
    """Another file could not be fetched."""


class Progress:
    """Adds up what several downloads report, and ends them all when one failed or time is over."""

    def __init__(self, n_all: int, tell: OnProgress, *, until: float | None = None) -> None:
        """Begin at none of `n_all` bytes; `until` is a time of `time.monotonic`, None for no end."""
        self._n_all, self._tell, self._until = n_all, tell, until
        self._n_here = 0
        self._is_over = False
        self._lock = threading.Lock()

    def add(self, n_bytes: int) -> None:
        """Count bytes and tell; raises to end a download that is wanted no more."""
        with self._lock:
            if self._is_over:
                raise _Stopped("another file could not be fetched")
            if self._until is not None and time.monotonic() > self._until:
                raise TooSlow("the hub took too long to send this; try it again later, or upload the zip")
            self._n_here += n_bytes
            self._tell(self._n_here, self._n_all)

    def stop(self) -> None:
        """Let every download end at its next piece."""
        self._is_over = True


def download_all(repo: HubRepo, commit: str, wanted: Sequence[tuple[HubEntry, Path]], progress: Progress) -> int:
    """Fetch listed files, some side by side, each to its own place; return how many were not there already.

    Raises:
        StoreUnavailable: as `download` does, once the others have ended; what came over is kept.
    """
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        jobs = [pool.submit(download, repo, entry, commit, place, on_bytes=progress.add) for entry, place in wanted]
        try:
            return sum(job.result() for job in jobs)
        except BaseException:
            progress.stop()
            pool.shutdown(cancel_futures=True)
            raise


class FileChanged(StoreUnavailable):
    """What a repo sent is not the file that it lists."""


def download(repo: HubRepo, entry: HubEntry, commit: str, target: Path, *, on_bytes: OnBytes = lambda _: None) -> bool:
    """Fetch one listed file, unless `target` is that file already; return whether it was fetched.

    A broken download leaves `.<name>.part` beside the target, and the next one goes on from there.

    Args:
        repo: where it lies.
        entry: the file as it is listed; no more than its size is fetched.
        commit: the commit that it was listed at.
        target: where it goes; only the caller chooses this name.
        on_bytes: told of progress; may raise to stop.

    Raises:
        FileChanged: if what came is not what is listed.
        FileNotFoundError: if the commit has no such file.
        StoreUnavailable: if it cannot be fetched now.
    """
    if target.is_file() and target.stat().st_size == entry.size and _is(target, entry):
        on_bytes(entry.size)
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    for is_last in (False, True):
        was_there = _fetch_rest(repo, entry, commit, part, on_bytes)
        if _is(part, entry):
            part.replace(target)
            atomic.sync_folder(target.parent)
            return True
        part.unlink()
        if is_last or not was_there:  # an older part may have been of another commit
            break
        on_bytes(-entry.size)
    raise FileChanged(f"{repo.repo_id} sent something else than it lists as {entry.path!r:.120} at {commit[:12]}")


def _fetch_rest(repo: HubRepo, entry: HubEntry, commit: str, part: Path, on_bytes: OnBytes) -> bool:
    """Bring `part` to the listed size; return whether some of it was there."""
    with part.open("ab") as file:
        if file.tell() > entry.size:
            file.truncate(0)
            file.seek(0)
        n_there = at = file.tell()
        on_bytes(at)
        while at < entry.size:
            last = min(at + PIECE_BYTES, entry.size) - 1
            data = repo.read_range(entry.path, commit, at, last)
            file.write(data)
            file.flush()
            at = last + 1
            on_bytes(len(data))
    return n_there > 0


def _is(path: Path, entry: HubEntry) -> bool:
    """Return whether a file has the listed content: a large one its sha256, another the hash that git gives it."""
    digest = hashlib.sha256() if entry.sha256 is not None else hashlib.sha1(usedforsecurity=False)
    if entry.sha256 is None:
        digest.update(b"blob %d\0" % entry.size)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest() == (entry.sha256 if entry.sha256 is not None else entry.oid)
