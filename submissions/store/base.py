"""What the queue, the worker and the publisher need of a store; a folder and a dataset repo both give it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from evaluation.errors import CastboardError
from submissions.records import Event, SubmissionId


class EventExists(CastboardError):
    """Another writer was first with this number; read the events again and decide anew."""


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

    def keep_upload(self, submission: SubmissionId, upload: Path) -> None:
        """Copy an uploaded zip here; when this returns, a power cut cannot lose it."""
        ...

    def upload_path(self, submission: SubmissionId) -> Path:
        """Return where the kept zip is on this machine."""
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

    def write_worker(self, worker: str, data: bytes) -> None:
        """Replace what is known of a worker."""
        ...

    def workers(self) -> Sequence[bytes]:
        """Return the last word of every worker, sorted by the worker's name."""
        ...

    def publishing(self) -> AbstractContextManager[None]:
        """Wait until no other worker publishes, and keep others waiting inside the block."""
        ...

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        ...


class PublishedFiles(Protocol):
    """The published layout; paths are relative, with "/" between parts."""

    def paths(self, prefix: str = "") -> Sequence[str]:
        """Return the paths of all files that begin with `prefix`, sorted."""
        ...

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            FileNotFoundError: if there is none.
        """
        ...

    def local_path(self, path: str) -> Path:
        """Return where the file is, or would be, on this machine."""
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

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        ...
