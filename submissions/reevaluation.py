"""A season: which stored submissions get a row under one protocol more, and which cannot, with the reason."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from evaluation.protocol import Protocol
from submissions import layout, queue
from submissions.records import SubmissionId
from submissions.state import REEVALUATED_FROM, State, SubmissionState
from submissions.store.base import PublishedFiles, WorkStore

Why = Literal["has_row", "asked", "busy", "rejected", "withdrawn", "hidden", "other_corpus", "upload_lost"]

REASONS: Mapping[Why, str] = {
    "has_row": "have that row already",
    "asked": "wait or run for that row already",
    "busy": "wait or run under another protocol; ask again when they are done",
    "rejected": "were rejected, so their makers must mend them first",
    "withdrawn": "were taken back",
    "hidden": "are hidden; show them again first",
    "other_corpus": "read another corpus",
    "upload_lost": "have no kept zip any more",
}
"""Why a submission is left alone, to follow a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """What asking for a row of every submission under one protocol comes to."""

    wanted: tuple[SubmissionId, ...]
    """Submissions to be evaluated, first received first."""
    left: Mapping[SubmissionId, Why]
    """All others, with the reason."""


def plan(
    store: WorkStore, published: PublishedFiles, protocol: Protocol, only: Collection[SubmissionId] | None = None
) -> Season:
    """Return what is to be done; nothing is changed.

    Args:
        store: the work state.
        published: the boards.
        protocol: what the row is wanted under.
        only: submissions to look at, all of them known; None for every one.
    """
    with_row = set(layout.committed(published, protocol.id))
    states = [state for state in queue.load_all(store) if only is None or state.submission in only]
    found = [(state.submission, _why_not(store, state, protocol, with_row)) for state in states]
    return Season(
        wanted=tuple(submission for submission, why in found if why is None),
        left={submission: why for submission, why in found if why is not None},
    )


def begin(store: WorkStore, season: Season, protocol: Protocol, now: datetime) -> tuple[SubmissionId, ...]:
    """Queue what a season wants, and return what was queued; one that changed since is left as it is."""
    states = [queue.reevaluate(store, submission, now, protocol.id) for submission in season.wanted]
    return tuple(state.submission for state in states if state.wanted == protocol.id and state.state is State.QUEUED)


def unknown(store: WorkStore, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of `names` that name no submission of the store."""
    there = set(store.submissions())
    return tuple(name for name in names if name not in there)


def _why_not(store: WorkStore, state: SubmissionState, protocol: Protocol, with_row: set[str]) -> Why | None:
    if state.state is State.WITHDRAWN:
        return "withdrawn"
    if state.hidden is not None:
        return "hidden"
    if state.submission in with_row or protocol.id in state.protocols:
        return "has_row"
    if state.received.corpus != protocol.corpus.name:
        return "other_corpus"
    if state.state is State.REJECTED:
        return "rejected"
    if state.state not in REEVALUATED_FROM:
        return "asked" if state.wanted == protocol.id else "busy"
    return None if store.has_upload(state.submission) else "upload_lost"
