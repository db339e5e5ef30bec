"""When each row came onto its board, as far as the work state knows; else when its zip came."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.errors import CastboardError
from leaderboard.views import Board, Row
from submissions.records import Published, SubmissionId
from submissions.store.base import WorkStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One row's coming."""

    board: Board
    """The board."""
    row: Row
    """The row, as it is now."""
    at: str
    """When it was published last, ISO 8601; when its zip came if that is not known."""
    is_anew: bool
    """Whether it was published before under the same protocol, so that its decisions are made anew."""


def arrivals(store: WorkStore, boards: Sequence[Board]) -> tuple[Arrival, ...]:
    """Return the coming of every row, newest first."""
    found = [_arrival(store, board, row) for board in boards for row in board.rows]
    return tuple(sorted(found, key=lambda one: (one.at, one.board.protocol_id, one.row.submission), reverse=True))


def _arrival(store: WorkStore, board: Board, row: Row) -> Arrival:
    times = _times(store, row.submission, board.protocol_id)
    return Arrival(board=board, row=row, at=times[-1] if times else row.received_at, is_anew=len(times) > 1)


def _times(store: WorkStore, submission: str, protocol_id: str) -> list[str]:
    try:
        events = store.events(SubmissionId(submission))
    except (CastboardError, ValueError) as error:  # away, damaged, or an id that no work state has
        log.warning("arrival.unknown", extra={"submission": submission, "why": str(error)})
        return []
    return [
        str(event.at)
        for event in events
        if isinstance(event.payload, Published) and event.payload.protocol == protocol_id
    ]
