"""The work state in a private dataset repo on the hub; see `submissions.store.base.WorkStore`.

Every event is one commit on top of the commit that it was decided from: a writer that was not first finds the branch
moved, reads again, and learns whether its number is taken. Histories are read from a mirror (`hub_work_mirror`); shards
and kept files ride along with events (`hub_work_files`); what is of this machine alone stays on its disk.
"""

import contextlib
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from evaluation.codec import sha256_of_file
from evaluation.errors import SchemaError
from submissions.records import Event, SubmissionId, decode_event, encode_event, submission_id
from submissions.store import atomic
from submissions.store.base import (
    EventExists,
    PublishedFiles,
    StoreHealth,
    StoreUnavailable,
    UploadChanged,
    UploadLost,
)
from submissions.store.folder import FolderStore
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_records import PutFile
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work_book import HubBook, Waits
from submissions.store.hub_work_files import HubShards, RidingFiles
from submissions.store.hub_work_ledger import Ledger
from submissions.store.hub_work_mirror import RECORDS, WORK, Mirror
from submissions.store.hub_work_upload import fetched
from submissions.store.spool import Spool

_AHEAD_BYTES = 8 << 20
"""Smaller zips go with their commit: they keep nobody waiting."""
_ENDED = frozenset({"published", "rejected", "failed", "withdrawn", "stopped"})


class HubWork:
    """The work state in one repo; safe between threads, and beside other processes of the same home."""

    def __init__(
        self, repo: HubRepo, home: Path, cache: BlobCache, *, spool: Spool | None = None, waits: Waits | None = None
    ) -> None:
        """Work on `repo`, nothing is asked yet.

        Args:
            repo: the private repo.
            home: folder for copies and for what belongs to this machine; need not exist.
            cache: copies of hidden files.
            spool: where submissions wait while the hub is away; None: they are refused then, and none is seen there.
            waits: how often to look, and how to wait.
        """
        self._repo = repo
        self._home = home
        self._cache = cache
        self._spool = spool
        self._here = FolderStore(home / "here")
        self._work = home / "here" / WORK
        self._riding = RidingFiles(repo, self._here, self._work, lambda: self._book.head, self._version)
        self._book = HubBook(repo, Mirror(repo, home / "mirror"), self._riding, waits or Waits())
        self._decoded: dict[SubmissionId, tuple[Ledger, tuple[Event, ...]]] = {}

    # Events.

    def create_event(self, submission: SubmissionId, event: Event) -> None:
        """Append an event.

        Raises:
            EventExists: if an event of this number exists, of whatever kind.
            StoreUnavailable: if it cannot be written now; a later try finds out whether it was after all.
        """
        key = _key(submission)
        if self._spool is not None and not self._book.ledger(key).entries and self._spool.events(submission):
            with self._spool.leaving():
                if self._spool.append(submission, event):
                    return
        self._book.append(key, "/events", (_named(event),), f"{submission}: {event.n}-{event.kind}")

    def events(self, submission: SubmissionId) -> tuple[Event, ...]:
        """Return all events in order, those of a submission that is not on the hub yet included.

        Raises:
            SchemaError: if an event is malformed, of an unknown version, or missing in between.
        """
        ledger = self._book.ledger(_key(submission))
        if not ledger.entries and self._spool is not None:
            spooled = self._spool.events(submission)
            # It may have left the spool for the hub between the two looks.
            return spooled or self.events_there(submission)
        return self._decode(submission, ledger)

    def events_there(self, submission: SubmissionId) -> tuple[Event, ...]:
        """Return all events that are on the hub, in order; raises as `events` does."""
        return self._decode(submission, self._book.ledger(_key(submission)))

    def submissions(self) -> tuple[SubmissionId, ...]:
        """Return every submission that has an event, sorted by id."""
        spooled = self._spool.submissions() if self._spool is not None else ()
        known = (key for key, ledger in self._book.ledgers().items() if key.startswith(f"{WORK}/") and ledger.entries)
        return tuple(sorted({*(submission_id(key.removeprefix(f"{WORK}/")) for key in known), *spooled}))

    def is_pushed(self, submission: SubmissionId) -> bool:
        """Return whether a submission is on the hub, so that it outlives this machine."""
        return bool(self._book.ledger(_key(submission)).entries)

    # Uploads.

    def receive(self, submission: SubmissionId, upload: Path, zip_sha256: str, events: Sequence[Event]) -> None:
        """Keep an uploaded zip and begin the submission's history: in one commit, or in the spool if there is one.

        Raises:
            EventExists: if the submission has a history already.
            UploadChanged: if the zip is not the one that was checked.
            StoreUnavailable: if it can be kept nowhere now; nothing is.
        """
        if self.events(submission):
            raise EventExists(f"{submission} has a history already; read its events")
        found = sha256_of_file(upload)
        if found != zip_sha256:
            raise UploadChanged(
                f"the zip changed while it was checked: expected sha256 {zip_sha256}, found {found}. Upload it again."
            )
        try:
            self._receive(submission, upload, events)
        except StoreUnavailable as error:
            if self._spool is None:
                raise StoreUnavailable(
                    f"It was not taken and nothing is kept: {error}. Send it again later."
                ) from error
            try:
                self._spool.receive(submission, upload, zip_sha256, events)
            except StoreUnavailable as full:
                message = f"It was not taken and nothing is kept: {error}, and {full}. Send it again later."
                raise StoreUnavailable(message) from full

    def send_ahead(self, submission: SubmissionId, upload: Path) -> None:
        """Bring a large zip's bytes to the hub, while others write; `receive` then only names them."""
        with contextlib.suppress(StoreUnavailable, OSError):
            if (
                upload.stat().st_size >= _AHEAD_BYTES
                and self._book.is_private
                and not self._book.ledger(_key(submission)).entries
            ):
                self._repo.send_ahead(PutFile(path=f"{_key(submission)}/upload.zip", source=upload))

    def has_upload(self, submission: SubmissionId) -> bool:
        """Return whether the zip of a submission is kept: it came in one commit with the first event."""
        return bool(self.events(submission))

    def fetch_upload(self, submission: SubmissionId) -> Path:
        """Return where the zip is on this machine, fetched if need be.

        Raises:
            UploadLost: if it is not kept.
            StoreUnavailable: if it cannot be fetched now.
        """
        if not self.is_pushed(submission):
            if self._spool is None:
                raise UploadLost(f"the zip of {submission} is not kept")
            return self._spool.upload(submission)
        return fetched(
            self._repo, self._book.head, f"{_key(submission)}/upload.zip", self._here.upload_path(submission)
        )

    # Shards, clips and kept files.

    def shards(self, submission: SubmissionId, run: str) -> HubShards:
        """Return the shards of the run named `run`."""
        return self._riding.shards(submission, run)

    def clips_dir(self, submission: SubmissionId, claim: int) -> Path:
        """Return an empty local folder for the clips of one claim; those of earlier claims are removed."""
        return self._here.clips_dir(submission, claim)

    def remove_clips(self, submission: SubmissionId, claim: int) -> None:
        """Remove the working clips of one claim, and the copy of the zip unless a later claim needs it."""
        self._here.remove_clips(submission, claim)
        upload = self._here.upload_path(submission)
        if not (upload.parent / "clips").exists():
            upload.unlink(missing_ok=True)

    def keep_file(self, submission: SubmissionId, name: str, data: bytes) -> None:
        """Keep, or replace, one private file; it is on the hub with the next commit of this process."""
        self._riding.keep(submission, name, data)

    def kept_file(self, submission: SubmissionId, name: str) -> bytes | None:
        """Return such a file, or None; raises StoreUnavailable."""
        return self._riding.kept(submission, name)

    def hidden(self, submission: SubmissionId) -> PublishedFiles:
        """Return where the published files of a hidden submission wait."""
        prefix = f"{_key(submission)}/hidden/"
        files = HubPublished(self._repo, self._cache, self._home / "hidden" / submission, prefix=prefix)
        files.refresh()  # what this disk knows of it may be old
        return files

    # Logs.

    def append_log(self, log: str, n: int, data: bytes) -> None:
        """Append entry `n` to a log; raises EventExists and StoreUnavailable."""
        self._book.append(f"{RECORDS}/{log}", "", ((f"{n:04d}.json", data),), f"{log}: entry {n}")

    def log(self, log: str) -> tuple[bytes, ...]:
        """Return all entries of a log in order."""
        return tuple(data for _, data in self._book.ledger(f"{RECORDS}/{log}").entries)

    # This machine.

    def write_worker(self, worker: str, data: bytes) -> None:
        """Replace what is known of a worker of this machine; nothing is committed."""
        self._here.write_worker(worker, data)

    def workers(self) -> tuple[bytes, ...]:
        """Return the last word of every worker of this machine, sorted by name."""
        return self._here.workers()

    def publishing(self) -> AbstractContextManager[None]:
        """Wait until no other worker of this machine publishes, and keep others waiting inside the block."""
        return self._here.publishing()

    def sweep(self) -> None:
        """Remove what killed writers left, and what is kept here of submissions that ended."""
        self._here.sweep()
        atomic.sweep(self._home / "mirror")
        for folder in self._work.glob("*/shards"):
            entries = self._book.ledger(f"{WORK}/{folder.parent.name}").entries
            if entries and _kind(entries[-1][0]) in _ENDED:
                shutil.rmtree(folder, ignore_errors=True)
                (folder.parent / "upload.zip").unlink(missing_ok=True)
        if self._spool is not None:
            self._spool.sweep()

    # The hub.

    def recall(self) -> None:
        """Begin with what this disk holds: nobody waits for the hub until the first refresh."""
        self._book.recall()

    def refresh(self) -> None:
        """Learn what other writers did, at most every some seconds; an outage shows in `health`."""
        self._book.refresh()

    def health(self) -> StoreHealth:
        """Return how the hub was last reached."""
        told = self._repo.health()
        return StoreHealth(
            kind="hub",
            is_reachable=told.is_reachable,
            as_of=self._book.as_of,
            message=told.message,
            n_unpushed=len(self._spool.submissions()) if self._spool is not None else 0,
            clock_ahead_s=self._repo.clock_ahead_s(),
        )

    def push(self) -> None:
        """Bring to the hub what waits here; safe in several processes at once.

        Raises:
            StoreUnavailable: if the hub is away; what is left waits on.
        """
        if self._spool is not None:
            waited = self._spool.submissions()
            self._spool.push(self._receive, self.events_there, self.create_event)
            if not all(map(self.is_pushed, waited)):  # another process pushed them
                self._book.pull()
        self._book.send_riding()

    # Inside.

    def _receive(self, submission: SubmissionId, upload: Path, events: Sequence[Event]) -> None:
        zipped = PutFile(path=f"{_key(submission)}/upload.zip", source=upload)
        self._book.append(
            _key(submission), "/events", tuple(map(_named, events)), f"{submission} is received", (zipped,)
        )

    def _version(self, submission: SubmissionId) -> str:
        ledger = self._book.ledger(_key(submission))
        return f"{ledger.tree} {len(ledger.entries)}"

    def _decode(self, submission: SubmissionId, ledger: Ledger) -> tuple[Event, ...]:
        known = self._decoded.get(submission)
        if known is not None and known[0].entries == ledger.entries:
            return known[1]
        events = tuple(decode_event(data, f"{submission}/events/{name}") for name, data in ledger.entries)
        names = [name for name, _ in ledger.entries]
        if names != [_named(event)[0] for event in events] or [e.n for e in events] != list(range(1, len(events) + 1)):
            raise SchemaError(f"{submission}/events: numbers must run from 1 without a gap, got {names}")
        self._decoded[submission] = ledger, events
        return events


def _key(submission: SubmissionId) -> str:
    return f"{WORK}/{submission_id(submission)}"


def _named(event: Event) -> tuple[str, bytes]:
    return f"{event.n:04d}-{event.kind}.json", encode_event(event)


def _kind(name: str) -> str:
    return name.removesuffix(".json").partition("-")[2]
