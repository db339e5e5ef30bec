"""The work state of a site that only shows a board: there is none, and nothing is taken in."""

from collections.abc import Sequence
from pathlib import Path

from submissions.records import Event, SubmissionId
from submissions.store.base import StoreUnavailable
from submissions.store.folder import FolderStore

WHY = "This site shows a board that lies on the hub; nothing can be submitted or changed here."


class NoWork(FolderStore):
    """An empty folder that refuses to be written; what workers of this machine say of themselves is kept."""

    def create_event(self, submission: SubmissionId, event: Event) -> None:  # noqa: ARG002 - whatever it is
        """Refuse; raises StoreUnavailable."""
        raise StoreUnavailable(WHY)

    def receive(
        self,
        submission: SubmissionId,  # noqa: ARG002 - whatever it is
        upload: Path,  # noqa: ARG002
        zip_sha256: str,  # noqa: ARG002
        events: Sequence[Event],  # noqa: ARG002
    ) -> None:
        """Refuse; raises StoreUnavailable."""
        raise StoreUnavailable(WHY)

    def append_log(self, log: str, n: int, data: bytes) -> None:  # noqa: ARG002 - whatever it is
        """Refuse; raises StoreUnavailable."""
        raise StoreUnavailable(WHY)
