"""When each row came onto its board, and when a maker took one back, as far as the work state knows."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.errors import CastboardError
from leaderboard.views import Board, Row
from submissions import queue
from submissions.records import Published, SubmissionId
from submissions.state import State
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One submission's going: its maker took it back, and it had a row."""

    submission: str
    """Its id; its name went with the row."""
    at: str
    """When, ISO 8601."""
    reason: str
    """Why, as the queue tells it; hostile text."""


def departures(store: WorkStore, boards: Sequence[Board]) -> tuple[Departure, ...]:
    """Return every submission that had a row on one of the boards and was taken back; none that is hidden too."""
    try:
        states = queue.load_all(store)
    except CastboardError as error:
        log.warning("departures.unknown", extra={"why": str(error)})
        return ()
    ids = {board.protocol_id for board in boards}
    gone = [state for state in states if state.state is State.WITHDRAWN and state.hidden is None]
    return tuple(
        Departure(submission=state.submission, at=state.since, reason=state.reason.message if state.reason else "")
        for state in gone
        if any(
            isinstance(event.payload, Published) and event.payload.protocol in ids
            for event in store.events(state.submission)
        )
    )


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
