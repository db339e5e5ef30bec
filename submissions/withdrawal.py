"""Taking a submission back: first the event, then the published files, the result before all others."""

import logging
from datetime import datetime

from submissions import layout, queue
from submissions.board import rebuild_board
from submissions.records import SubmissionId
from submissions.state import State
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)


def withdraw(
    store: WorkStore, published: PublishedFiles, submission: SubmissionId, *, now: datetime, reason: str
) -> None:
    """Take a submission back; its upload and its events are kept, its row, clips, replies and duels are not.

    Raises:
        IllegalEvent: if it is unknown, or ended without a row.
    """
    queue.withdraw(store, submission, now, reason)
    settle(store, published, submission)


def settle(store: WorkStore, published: PublishedFiles, submission: SubmissionId) -> None:
    """Remove what is published of a withdrawn submission; nothing happens to any other.

    Safe to repeat: a withdrawal that was killed between event and files is finished by it.
    """
    with store.publishing():
        if queue.load(store, submission).state is State.WITHDRAWN:
            published.change(f"{submission} is withdrawn", lambda draft: _retract(draft, submission))


def settle_all(store: WorkStore, published: PublishedFiles) -> None:
    """Do the same for every submission that is withdrawn."""
    for state in queue.load_all(store):
        if state.state is State.WITHDRAWN:
            settle(store, published, state.submission)


def _retract(published: PublishedFiles, submission: SubmissionId) -> None:
    for protocol_id in layout.committed_protocols(published, submission):
        published.remove(layout.result_path(protocol_id, submission))
        rebuild_board(published, protocol_id)
        log.info("row.withdrawn", extra={"submission": submission, "protocol": protocol_id})
    for folder in ("per_sample/", "replies/"):
        for path in published.paths(folder):
            if path.endswith(f"/{submission}.parquet"):
                published.remove(path)
    for path in layout.duels_of(published, submission):
        published.remove(path)
    published.remove(layout.clips_path(submission))
    published.remove(layout.system_path(submission))
