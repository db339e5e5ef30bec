"""What an operator should look at, gathered from the work state."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.context import Context
from submissions import bans, queue
from submissions.bans import BanEntry
from submissions.flag_decisions import unseen
from submissions.operator_events import Flagged
from submissions.state import State, SubmissionState
from submissions.store.base import StoreHealth
from submissions.worker_status import WorkerStatus, read_statuses

N_FAILED = 50
"""Failed submissions that are listed, the last ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """Something about a submission, and perhaps another one, to look at."""

    state: SubmissionState
    """The submission."""
    flag: Flagged
    """What was found."""
    other: SubmissionState | None
    """The other one; None if there is none, or it is unknown here."""
    can_be_heard: bool
    """Whether both are on a board, so that they can be heard side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorView:
    """Everything on the operator's page."""

    suspicions: tuple[Suspicion, ...]
    """Flags that nobody has looked at, the newest submission first."""
    wishes: tuple[SubmissionState, ...]
    """Submissions whose makers ask for other names."""
    failed: tuple[SubmissionState, ...]
    """Failed submissions, the last ones first."""
    held: tuple[SubmissionState, ...]
    """Submissions that wait for something outside."""
    under_way: tuple[SubmissionState, ...]
    """Submissions that wait or run, in turn."""
    hidden: tuple[SubmissionState, ...]
    """Hidden submissions."""
    bans: tuple[BanEntry, ...]
    """Bans that hold now."""
    workers: tuple[WorkerStatus, ...]
    """The last word of every worker of this machine."""
    work: StoreHealth
    """How the work state is reached."""
    board: StoreHealth
    """How the board is reached."""


def view_of(context: Context) -> OperatorView:
    """Return what there is to look at now.

    Raises:
        CastboardError: if the work state is damaged or cannot be read now.
    """
    states = queue.load_all(context.store)
    ended = [state for state in states if state.state is State.FAILED]
    waiting = queue.waiting(states)
    return OperatorView(
        suspicions=_suspicions(context, states),
        wishes=tuple(
            state for state in states if state.rename_asked is not None and state.state is not State.WITHDRAWN
        ),
        failed=tuple(sorted(ended, key=lambda state: state.since, reverse=True)[:N_FAILED]),
        held=tuple(state for state in states if state.is_held),
        under_way=(
            *(state for state in states if state.state is State.RUNNING),
            *(state for state in waiting if not state.is_held),
        ),
        hidden=tuple(state for state in states if state.hidden is not None and state.state is not State.WITHDRAWN),
        bans=tuple(bans.banned(context.store).values()),
        workers=read_statuses(context.store),
        work=context.store.health(),
        board=context.files.health(),
    )


def _suspicions(context: Context, states: Sequence[SubmissionState]) -> tuple[Suspicion, ...]:
    by_id = {str(state.submission): state for state in states}
    on_board = {row.submission for board in context.published.boards() for row in board.rows}
    found = [
        Suspicion(
            state=state,
            flag=flag,
            other=by_id.get(flag.other),
            can_be_heard=bool(flag.other) and {str(state.submission), flag.other} <= on_board,
        )
        for state, flag in unseen(context.store, tuple(states))
        if state.state is not State.WITHDRAWN
    ]
    return tuple(reversed(found))
