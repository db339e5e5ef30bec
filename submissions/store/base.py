"""What the queue, the worker and the publisher need of a store; a folder and a dataset repo both give it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from typing import Protocol, TypeVar

from evaluation.errors import CastboardError
from submissions.records import Event, SubmissionId

T = TypeVar("T")


class EventExists(CastboardError):
    """Another writer was first with this number; read the events again and decide anew."""


class StoreUnavailable(CastboardError):
    """The store cannot be reached now, after all tries that were worth it; nothing was written, nothing is lost."""


class UploadLost(CastboardError):
    """The store no longer holds the zip of a submission."""


class UploadChanged(CastboardError):
    """The uploaded file is no longer the one that was checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """How a store is reached, for the status page and for what pages say of their age."""

    kind: str
    """ "folder" or "hub"."""
    is_reachable: bool
    """Whether the last attempt to reach it succeeded; a folder always is."""
    as_of: datetime | None
    """When what is shown was last known to be the newest, aware; None for at once, as in a folder."""
    message: str
    """Why it cannot be reached, in one sentence without any secret; else empty."""
    n_unpushed: int
    """Submissions that are kept here and not there yet."""
    clock_ahead_s: float = 0.0
    """How far this machine's clock is ahead of the store's, s."""


class Shards(Protocol):
    """Finished shards of one run of one submission; writing one is atomic."""

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None."""
        ...

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard."""
        ...

    def remove(self, index: int) -> None:
        """Forget a shard, so that it is read again; nothing happens if it is not kept."""
        ...


class WorkStore(Protocol):
    """The work state: events, uploads, shards, and where each worker is."""

    def create_event(self, submission: SubmissionId, event: Event) -> None:
        """Append an event; readers see all of it or none.

        Raises:
            EventExists: if an event of this number exists, of whatever kind.
        """
        ...

    def events(self, submission: SubmissionId) -> Sequence[Event]:
        """Return all events in order; none for an unknown submission.

        Raises:
            SchemaError: if an event is malformed, of an unknown version, or missing in between.
        """
        ...

    def submissions(self) -> Sequence[SubmissionId]:
        """Return every submission that has an event, sorted by id."""
        ...

    def receive(self, submission: SubmissionId, upload: Path, zip_sha256: str, events: Sequence[Event]) -> None:
        """Keep an uploaded zip and begin the submission's history; when this returns, neither can be lost.

        Args:
            submission: the new submission.
            upload: the zip, on this machine; it is copied.
            zip_sha256: sha256 (hex) that the kept copy must have.
            events: the first events in order, from number 1.

        Raises:
            EventExists: if the submission has a history already.
            UploadChanged: if the zip is not the one that was checked; nothing is kept then.
            StoreUnavailable: if it can be kept nowhere now.
        """
        ...

    def send_ahead(self, submission: SubmissionId, upload: Path) -> None:
        """Bring a large zip's bytes where `receive` keeps them, so that it is short; a fault shows there, not here."""
        ...

    def has_upload(self, submission: SubmissionId) -> bool:
        """Return whether the zip of a submission is kept."""
        ...

    def fetch_upload(self, submission: SubmissionId) -> Path:
        """Return where the kept zip is on this machine, fetching it if need be.

        Raises:
            UploadLost: if it is not kept.
            StoreUnavailable: if it cannot be fetched now.
        """
        ...

    def is_pushed(self, submission: SubmissionId) -> bool:
        """Return whether a submission is kept where others see it; false while only this machine has it."""
        ...

    def shards(self, submission: SubmissionId, run: str) -> Shards:
        """Return the shards of the run named `run` (lower-case letters, digits, dashes)."""
        ...

    def clips_dir(self, submission: SubmissionId, claim: int) -> Path:
        """Return an empty local folder for the clips of one claim; folders of earlier claims are removed."""
        ...

    def remove_clips(self, submission: SubmissionId, claim: int) -> None:
        """Remove the working clips of one claim; those of a later one stay."""
        ...

    def keep_file(self, submission: SubmissionId, name: str, data: bytes) -> None:
        """Keep, or replace, one private file beside a submission's events, for example its clips' fingerprints.

        Args:
            submission: a submission that has an event.
            name: lower-case letters, digits, dashes and one dot.
            data: at most some MiB.
        """
        ...

    def kept_file(self, submission: SubmissionId, name: str) -> bytes | None:
        """Return such a file, or None."""
        ...

    def hidden(self, submission: SubmissionId) -> "PublishedFiles":
        """Return where the published files of a hidden submission wait, private, in the published layout."""
        ...

    def append_log(self, log: str, n: int, data: bytes) -> None:
        """Append entry `n`, from 1, to a log that belongs to no submission, for example "bans".

        Raises:
            EventExists: if the log has that entry.
            StoreUnavailable: if it cannot be reached now.
        """
        ...

    def log(self, log: str) -> Sequence[bytes]:
        """Return all entries of a log in order."""
        ...

    def write_worker(self, worker: str, data: bytes) -> None:
        """Replace what is known of a worker of this machine."""
        ...

    def workers(self) -> Sequence[bytes]:
        """Return the last word of every worker of this machine, sorted by name; others show in their leases."""
        ...

    def publishing(self) -> AbstractContextManager[None]:
        """Wait until no other worker of this machine publishes, and keep others waiting inside the block."""
        ...

    def refresh(self) -> None:
        """Learn what other writers did, if that is not known already and the store can be reached."""
        ...

    def health(self) -> StoreHealth:
        """Return how the store was last reached."""
        ...

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        ...


class PublishedFiles(Protocol):
    """The published layout; paths are relative, with "/" between parts."""

    def repo(self) -> str | None:
        """Return the dataset repo that has this layout at its root, "org/name"; None for any other place."""
        ...

    def commit(self) -> str | None:
        """Return the commit of that repo that is shown now; None for any other place, or if none is known yet."""
        ...

    def paths(self, prefix: str = "") -> Sequence[str]:
        """Return the paths of all files that begin with `prefix`, sorted."""
        ...

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            FileNotFoundError: if there is none.
            StoreUnavailable: if it cannot be fetched now.
        """
        ...

    def open(self, path: str) -> BufferedReader:
        """Return a file for reading at any place; only what is read is fetched. Its name is not shown to visitors.

        Raises:
            FileNotFoundError: if there is none.
            StoreUnavailable: if it cannot be fetched now.
        """
        ...

    def size(self, path: str) -> int:
        """Return a file's size in bytes; raises FileNotFoundError if there is none."""
        ...

    def version(self, path: str) -> str:
        """Return what changes whenever the file, or any name right below the folder, at `path` does.

        It is short, printable and tells nothing of this machine; "none" if there is nothing.
        """
        ...

    def write(self, path: str, data: bytes) -> None:
        """Replace a file; a reader sees the old one or the new one."""
        ...

    def write_file(self, path: str, source: Path) -> None:
        """Replace a file with a copy of the local file `source`; a reader sees the old one or the new one."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens if there is none."""
        ...

    def change(self, why: str, make: Callable[["PublishedFiles"], T]) -> T:
        """Let `make` read and write files, and publish all it wrote at once.

        In a folder, files appear in the order in which they are written. On a hub they appear together, and only if
        nobody else published meanwhile; else `make` is called again with files that hold what the other one wrote.
        So `make` decides from the files it is given alone, and may be called any number of times.

        Args:
            why: one line for the history, of our own words and ids alone.
            make: what reads and writes.

        Returns:
            What the last call of `make` returned.

        Raises:
            StoreUnavailable: if it cannot be published now; nothing is then.
        """
        ...

    def refresh(self) -> None:
        """Learn what other writers published, if that is not known already and the store can be reached."""
        ...

    def health(self) -> StoreHealth:
        """Return how the store was last reached."""
        ...

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        ...
