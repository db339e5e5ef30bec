"""Taking a submission back: first the event, then the published files, the result before all others."""

from datetime import datetime

from submissions import queue
from submissions.records import SubmissionId
from submissions.settling import settle
from submissions.store.base import PublishedFiles, WorkStore


def withdraw(
    store: WorkStore, published: PublishedFiles, submission: SubmissionId, *, now: datetime, reason: str
) -> None:
    """Take a submission back; its upload and its events are kept, its row, clips, replies and duels are not.

    A withdrawal that is killed between event and files is finished by whoever settles next.

    Raises:
        IllegalEvent: if it is unknown, or ended without a row.
    """
    queue.withdraw(store, submission, now, reason)
    settle(store, published, submission)
