"""Where submissions wait on this disk while the hub is away: whole zips and their first events, in a folder store.

Every process of one home may take in, append and push; one lock keeps them apart while a submission leaves the spool.
"""

import contextlib
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from submissions.records import Event, SubmissionId
from submissions.state import IllegalEvent, fold, step
from submissions.store import atomic
from submissions.store.base import EventExists, StoreUnavailable
from submissions.store.folder import FolderStore

log = logging.getLogger(__name__)

ROOM_LEFT_BYTES = 512 << 20
"""What must stay free on the disk: a full disk would take the rest of the site down."""
_GONE = "gone"
_N_FIRST = 2
"""Events that every submission begins with."""


class Spool:
    """Submissions that are kept here and not on the hub yet."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which need not exist."""
        self._folder = folder

    def receive(self, submission: SubmissionId, upload: Path, zip_sha256: str, events: Sequence[Event]) -> None:
        """Keep a zip and its first events; when this returns, neither is lost with the process.

        Raises:
            EventExists: if it is here already.
            UploadChanged: if the zip is not the one that was checked.
            StoreUnavailable: if the disk has no room; nothing is kept then.
        """
        atomic.make_folder(self._folder)
        n_bytes = upload.stat().st_size
        if shutil.disk_usage(self._folder).free - n_bytes < ROOM_LEFT_BYTES:
            raise StoreUnavailable("this machine's disk has no room to keep it until then")
        try:
            self._store.receive(submission, upload, zip_sha256, events)
        except OSError as error:
            with self.leaving():
                if not self.events(submission):
                    self._remove(submission)
            raise StoreUnavailable(f"this machine's disk could not keep it until then: {error.strerror}") from error

    def submissions(self) -> tuple[SubmissionId, ...]:
        """Return what waits here, sorted by id."""
        while True:
            with contextlib.suppress(FileNotFoundError):  # one left while it was looked at
                return self._store.submissions()

    def events(self, submission: SubmissionId) -> tuple[Event, ...]:
        """Return the events of a submission that waits here; none for any other."""
        try:
            return self._store.events(submission)
        except FileNotFoundError:  # it left while it was looked at
            return ()

    def upload(self, submission: SubmissionId) -> Path:
        """Return where its zip is; raises UploadLost if it does not wait here."""
        return self._store.fetch_upload(submission)

    @contextlib.contextmanager
    def leaving(self) -> Iterator[None]:
        """Keep other processes from appending and pushing inside the block."""
        atomic.make_folder(self._folder)
        with atomic.locked(self._folder, exclusive=True):
            yield

    def append(self, submission: SubmissionId, event: Event) -> bool:
        """Append an event if the submission still waits here, and say so; call it inside `leaving`.

        Raises:
            EventExists: if an event of this number exists.
        """
        if not self.events(submission):
            return False
        self._store.create_event(submission, event)
        return True

    def push(
        self,
        receive: Callable[[SubmissionId, Path, Sequence[Event]], None],
        events_there: Callable[[SubmissionId], tuple[Event, ...]],
        create_event: Callable[[SubmissionId, Event], None],
    ) -> None:
        """Bring everything that waits here to where it belongs; safe in several processes, and to repeat.

        If the very same upload is there already, what was written here since is added to its history and the rest of
        this one is dropped.

        Args:
            receive: takes in a submission with its zip and all its events; raises EventExists.
            events_there: returns a submission's events there, after `receive`.
            create_event: appends one there; raises EventExists.

        Raises:
            StoreUnavailable: from those; what is left waits on.
        """
        for submission in self.submissions():
            with self.leaving():
                events = self.events(submission)
                if not events:
                    continue  # another process was first
                with contextlib.suppress(EventExists):
                    receive(submission, self.upload(submission), events)
                if events_there(submission)[: len(events)] != events:
                    for event in events[_N_FIRST:]:
                        _carry_over(submission, event, events_there, create_event)
                self._remove(submission)
                log.info("spool.pushed", extra={"submission": submission})

    def _remove(self, submission: SubmissionId) -> None:
        gone = self._folder / _GONE / submission
        shutil.rmtree(gone, ignore_errors=True)
        atomic.make_folder(gone.parent)
        with contextlib.suppress(FileNotFoundError):
            (self._folder / "work" / submission).rename(gone)
            atomic.sync_folder(self._folder / "work")
        shutil.rmtree(gone, ignore_errors=True)

    @property
    def _store(self) -> FolderStore:
        # A new one each time: it takes an event that it read for one that stays.
        return FolderStore(self._folder)

    def sweep(self) -> None:
        """Remove what killed writers left."""
        shutil.rmtree(self._folder / _GONE, ignore_errors=True)
        self._store.sweep()


def _carry_over(
    submission: SubmissionId,
    event: Event,
    events_there: Callable[[SubmissionId], tuple[Event, ...]],
    create_event: Callable[[SubmissionId, Event], None],
) -> None:
    """Append what was written here to the history there, if it can follow that."""
    while True:
        there = events_there(submission)
        late = replace(event, n=len(there) + 1)
        try:
            step(fold(submission, there), late)
            create_event(submission, late)
        except EventExists:
            continue
        except IllegalEvent as error:
            log.info("spool.dropped", extra={"submission": submission, "why": str(error)})
        return
