"""The published layout in a dataset repo on the hub; see `submissions.store.base.PublishedFiles`.

Everything is read at one commit, whose listing is known: from the disk at a start, from the hub once its branch has
moved. A refresh asks for the head alone. Bytes come from the cache, else from the hub, whole or in the blocks that are
wanted. While the hub is away, the last commit that was seen is served, and `health` says how old it is. A change is
written to a draft and committed on top of the commit that it was decided from, or decided again.
"""

import contextlib
import logging
import random
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from submissions.store import atomic, hub_listing
from submissions.store.base import PublishedFiles, StoreHealth, StoreUnavailable
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_calls import HubRefused
from submissions.store.hub_draft import Draft
from submissions.store.hub_listing import Listing
from submissions.store.hub_reader import Reader
from submissions.store.hub_records import Moved
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_snapshot import Snapshot, kind_of

log = logging.getLogger(__name__)

T = TypeVar("T")

_N_TRIES = 12


class HubPublished:
    """The published layout in a repo, or in a folder of one; safe between threads, and between processes of a home."""

    def __init__(
        self,
        repo: HubRepo,
        cache: BlobCache,
        folder: Path,
        *,
        prefix: str = "",
        is_first: Callable[[str], bool] = lambda _: False,
        refresh_s: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Read and write the repo, without asking anything yet.

        Args:
            repo: the dataset repo.
            cache: copies of files, shared by whatever has the same home.
            folder: where the listing is kept; nobody else's of another repo or prefix.
            prefix: folder of the repo that holds the layout, with a slash at the end; empty for the root.
            is_first: tells the small files that must be on this disk before a commit is shown, so that they are there
                whatever becomes of the hub.
            refresh_s: shortest time between two looks at the hub, s.
            clock: seconds that only grow.
            now: the time of day, aware.
        """
        self._repo, self._prefix = repo, prefix
        self._reader = Reader(repo, cache)
        self._cache = cache
        self._folder = folder
        self._is_first = is_first
        self._refresh_s, self._clock, self._now = refresh_s, clock, now
        self._listing: Listing | None = None
        self._as_of: datetime | None = None
        self._asked_at = float("-inf")
        self._changing = threading.Lock()
        self._looking = threading.Lock()
        self._state = threading.Lock()

    def repo(self) -> str | None:
        """Return the repo, "org/name"; None if the layout lies in a folder of it."""
        return None if self._prefix else self._repo.repo_id

    def commit(self) -> str | None:
        """Return the commit that is shown; None if none is known yet, or the layout lies in a folder of the repo."""
        known = self._recall()
        return None if self._prefix or known is None else known.revision

    def paths(self, prefix: str = "") -> tuple[str, ...]:
        """Return the paths of all files that begin with `prefix`, sorted; raises StoreUnavailable if none are known."""
        return self.snapshot().paths(prefix)

    def read(self, path: str) -> bytes:
        """Return a file's bytes; raises FileNotFoundError, StoreUnavailable."""
        return self.snapshot().read(path)

    def open(self, path: str) -> BufferedReader:
        """Return a file for reading at any place; raises FileNotFoundError, StoreUnavailable."""
        return self.snapshot().open(path)

    def size(self, path: str) -> int:
        """Return a file's size in bytes; raises FileNotFoundError if there is none."""
        return self.snapshot().size(path)

    def version(self, path: str) -> str:
        """Return what changes whenever the file or folder at `path` does; "none" if there is nothing."""
        return self.snapshot().version(path)

    def write(self, path: str, data: bytes) -> None:
        """Replace a file, in a commit of its own."""
        self.change(f"write {path}", lambda files: files.write(path, data))

    def write_file(self, path: str, source: Path) -> None:
        """Replace a file with a copy of `source`, in a commit of its own."""
        self.change(f"write {path}", lambda files: files.write_file(path, source))

    def remove(self, path: str) -> None:
        """Remove a file, in a commit of its own; nothing happens if there is none."""
        self.change(f"remove {path}", lambda files: files.remove(path))

    def change(self, why: str, make: Callable[[PublishedFiles], T]) -> T:
        """Let `make` read and write, and publish all it wrote as one commit; see `PublishedFiles.change`.

        Raises:
            StoreUnavailable: if it cannot be published now.
        """
        with self._changing:
            for n in range(1, _N_TRIES + 1):
                base = self._look()
                with self._staging() as staging:
                    draft = Draft(self._at(base), self.health, staging, self.repo())
                    result = make(draft)
                    try:
                        self._commit(draft, why, base)
                    except Moved:
                        log.info("published.moved", extra={"repo": self._repo.repo_id, "n": n})
                    else:
                        return result
                self._repo.pause(self._repo.limits.first_wait_s * min(n, 5) * random.random())  # noqa: S311
        raise StoreUnavailable(f"others publish to {self._repo.repo_id} all the time; this is tried again later")

    def refresh(self) -> None:
        """Learn what others published, if the last look is some time ago and the hub can be reached."""
        known = self._recall()
        if known is not None and self._clock() - self._asked_at < self._refresh_s:
            return
        # Whoever comes while another looks has what is known; only without that it has to wait.
        if not self._looking.acquire(blocking=known is None):
            return
        try:
            self._look_alone()
        except StoreUnavailable as error:
            log.info("published.unseen", extra={"repo": self._repo.repo_id, "why": str(error)})
        finally:
            self._looking.release()

    def health(self) -> StoreHealth:
        """Return how the hub was last reached, and when what is shown was last known to be the newest."""
        self._recall()
        found = self._repo.health()
        with self._state:
            as_of = self._as_of
        return StoreHealth(
            kind="hub", is_reachable=found.is_reachable, as_of=as_of, message=found.message, n_unpushed=0
        )

    def snapshot(self) -> Snapshot:
        """Return what is shown now, which stays as it is whatever is published later; raises StoreUnavailable."""
        known = self._recall()
        return self._at(known if known is not None else self._look())

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        self._cache.sweep()
        for left in (self._folder / "drafts").glob("*"):
            with contextlib.suppress(OSError), atomic.locked(left, exclusive=True, wait=False):
                shutil.rmtree(left, ignore_errors=True)
        if self._folder.is_dir():
            atomic.sweep(self._folder)

    def _at(self, listing: Listing) -> Snapshot:
        return Snapshot(reader=self._reader, listing=listing, prefix=self._prefix)

    def _recall(self) -> Listing | None:
        """Return the listing that is shown, or the one that an earlier process kept."""
        with self._state:
            if self._listing is None:
                self._listing = hub_listing.load(self._kept, self._repo.repo_id, self._prefix)
                if self._listing is not None:
                    self._as_of = hub_listing.seen_at(self._seen, self._listing.revision)
            return self._listing

    def _look(self) -> Listing:
        """Return the newest listing; raises StoreUnavailable."""
        with self._looking:
            return self._look_alone()

    def _look_alone(self) -> Listing:
        self._asked_at = self._clock()
        found = self._recall()
        head = self._repo.head()
        if found is None or found.revision != head:
            entries = self._repo.listing(head, self._prefix.rstrip("/"), is_recursive=True)
            found = hub_listing.listing_of(head, entries, self._prefix)
            self._fetch_first(found)
        self._show(found)
        return found

    def _fetch_first(self, listing: Listing) -> None:
        """Bring here what is to be here before a commit is shown; raises StoreUnavailable if the hub went away."""
        new = self._at(listing)
        try:
            for path in filter(self._is_first, listing.files):
                new.read(path)
        except HubRefused:
            raise
        except StoreUnavailable as error:
            if not self._repo.health().is_reachable:
                raise
            # One damaged file keeps nobody from the others, nor from mending it.
            log.warning("published.unfetched", extra={"repo": self._repo.repo_id, "why": str(error)})

    def _show(self, listing: Listing) -> None:
        """Show a listing from now on, and keep it for the next start."""
        now = self._now()
        with self._state:
            is_new = self._listing is None or self._listing.revision != listing.revision
            self._listing, self._as_of = listing, now
        try:
            if is_new:
                hub_listing.save(self._kept, self._repo.repo_id, self._prefix, listing)
            hub_listing.see_at(self._seen, listing.revision, now)
        except OSError as error:  # a full disk: what is shown is right all the same
            log.warning("published.unkept", extra={"repo": self._repo.repo_id, "why": error.strerror})

    def _commit(self, draft: Draft, why: str, base: Listing) -> None:
        changes = draft.changes(self._prefix)
        if not changes:
            return
        made = self._repo.commit(changes, why, base.revision)
        for path, staged in draft.in_memory().items():
            self._reader.keep(staged.blob, kind_of(path), staged.data)
        with self._looking:
            known = self._recall()
            # Another look may have seen this commit and later ones already.
            if known is None or known.revision == base.revision:
                self._show(draft.listing(made))
        log.info("published.committed", extra={"repo": self._repo.repo_id, "commit": made, "n_files": len(changes)})

    @contextlib.contextmanager
    def _staging(self) -> Iterator[Path]:
        folder = self._folder / "drafts" / secrets.token_hex(8)
        folder.mkdir(parents=True)
        try:
            with atomic.locked(folder, exclusive=False):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def _kept(self) -> Path:
        return self._folder / "listing.json"

    @property
    def _seen(self) -> Path:
        return self._folder / "seen"
