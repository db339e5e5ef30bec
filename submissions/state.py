"""What a submission is: a fold of its events. Pure; an order of events that cannot happen is refused."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from evaluation.errors import CastboardError
from submissions.operator_events import Flagged, Hidden, RenameAsked, Renamed, Stopped, Unhidden
from submissions.problems import Problem
from submissions.records import (
    Blame,
    Claimed,
    Event,
    Failed,
    Held,
    ProcessIdentity,
    Published,
    Queued,
    Received,
    Rejected,
    Released,
    Renewed,
    Requeued,
    Resumed,
    SubmissionId,
    Timestamp,
    Withdrawn,
)


class State(StrEnum):
    """Where a submission stands."""

    RECEIVED = "received"
    """Stored; about to be queued."""
    QUEUED = "queued"
    """Waits for a worker."""
    RUNNING = "running"
    """A worker holds its lease."""
    PUBLISHED = "published"
    """Its row is on the board."""
    REJECTED = "rejected"
    """Its maker must mend it."""
    FAILED = "failed"
    """We could not evaluate it."""
    WITHDRAWN = "withdrawn"
    """Taken back."""


class IllegalEvent(CastboardError):
    """An event cannot follow the ones before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One worker's hold on a running submission."""

    claim: int
    """Number of the `claimed` event; names the lease."""
    worker: str
    """Name of the worker."""
    process: ProcessIdentity
    """The process that holds it."""
    until: Timestamp
    """When it ends."""
    since: Timestamp
    """When it was claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a submission ended as it did, or had to be tried again."""

    code: str
    """Short code: "published", "problems", "bug", "worker_lost", "withdrawn", ..."""
    fault: Blame
    """Whose fault it was; only a maker's fault may ever cost quota."""
    message: str
    """One sentence for a person; may be empty."""
    problems: tuple[Problem, ...] = ()
    """All problems of a rejected zip; else empty."""
    trace_id: str | None = None
    """Finds the traceback in the worker's log; None if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionState:
    """Everything that the events say of one submission."""

    submission: SubmissionId
    """Its id."""
    state: State
    """Where it stands."""
    since: Timestamp
    """Since when it stands there; a renewed or taken-over lease changes nothing."""
    n_events: int
    """Events so far; the next one has the number after."""
    received: Received
    """What came."""
    received_at: Timestamp
    """When it came."""
    lease: Lease | None = None
    """The hold on it while it runs; else None."""
    attempts: int = 0
    """Runs that failed through our fault since it was last sent."""
    n_lost: int = 0
    """Leases whose holder vanished since it was last sent."""
    reason: Reason | None = None
    """Why it ended or was last tried again; None if neither happened."""
    not_before: Timestamp | None = None
    """When it may be claimed again after a failure of ours or while it is held; None for at once."""
    held_since: Timestamp | None = None
    """Since when what it waits for is missing; kept from the first hold until its run gets past that. `reason` then
    says what it waits for. None if it was not held, or got past it."""
    resumed_at: Timestamp | None = None
    """When an operator last let it be claimed at once; None if none did."""
    wanted: str | None = None
    """Id of the protocol that it was queued for, and that it last failed under; None: the worker's own."""
    protocols: tuple[str, ...] = ()
    """Ids of the protocols under which it got a row, the newest row last; a later failure takes none away."""

    hidden: Hidden | None = None
    """Why its rows are off the board; None while they are not."""
    flags: tuple[Flagged, ...] = ()
    """What an operator should look at, oldest first."""
    rename_asked: RenameAsked | None = None
    """Names that its maker asks for and no operator has decided on; None without such a wish."""
    renamed: Renamed | None = None
    """Names that the board shows instead of the card's; None for those of the card."""

    @property
    def protocol(self) -> str | None:
        """Id of the protocol of its newest row; None without a row."""
        return self.protocols[-1] if self.protocols else None

    @property
    def is_held(self) -> bool:
        """Whether it waits for something outside, as its reason says."""
        return self.state is State.QUEUED and self.held_since is not None

    @property
    def can_be_withdrawn(self) -> bool:
        """Whether there is anything to take back: it is under way, or has a row."""
        return self.state in _UNDER_WAY or (self.state is not State.WITHDRAWN and bool(self.protocols))


SENT_AGAIN_FROM = frozenset({State.REJECTED, State.FAILED, State.WITHDRAWN})
"""States that end when the same upload comes again."""
REEVALUATED_FROM = frozenset({State.PUBLISHED, State.FAILED})
"""States that end when a row under a protocol more is asked for."""
_UNDER_WAY = frozenset({State.RECEIVED, State.QUEUED, State.RUNNING})


def fold(submission: SubmissionId, events: Iterable[Event]) -> SubmissionState:
    """Return what `submission` is after `events`, which are in order and without a gap.

    Raises:
        IllegalEvent: if there is no event, or one cannot follow those before it.
    """
    state: SubmissionState | None = None
    for event in events:
        state = _first(submission, event) if state is None else step(state, event)
    if state is None:
        raise IllegalEvent(f"{submission} has no event; the first one is 1-received")
    return state


def step(state: SubmissionState, event: Event) -> SubmissionState:
    """Return what a submission is after one more event.

    Raises:
        IllegalEvent: if the event cannot follow.
    """
    if event.n != state.n_events + 1:
        raise _illegal(state, event, f"number {state.n_events + 1} is due")
    after = replace(state, n_events=event.n)
    match event.payload:
        case Queued() if state.state is State.RECEIVED:
            return _enter(after, State.QUEUED, event)
        case Claimed() as claimed:
            return _claim(after, event, claimed)
        case Withdrawn(reason=why) if state.can_be_withdrawn:
            gone = replace(after, wanted=None, protocols=())
            return _end(gone, State.WITHDRAWN, event, Reason(code="withdrawn", fault="nobody", message=why))
        case Resumed() if state.state is State.QUEUED:
            return replace(after, not_before=None, resumed_at=event.at)
        case Requeued(claim=None, protocol=wanted) as again if state.state in _again_from(again):
            fresh = replace(after, attempts=0, n_lost=0, wanted=wanted)
            reason = Reason(code=again.reason, fault="nobody", message=again.message)
            return replace(_end(fresh, State.QUEUED, event, reason), not_before=again.not_before)
        case Renewed() | Released() | Held() | Requeued() | Rejected() | Failed() | Published():
            return _by_holder(after, event)
        case _:
            return _beside_the_run(after, event)


def _first(submission: SubmissionId, event: Event) -> SubmissionState:
    if event.n != 1 or not isinstance(event.payload, Received):
        raise IllegalEvent(f"{submission}: the first event is 1-received, got {event.n}-{event.kind}")
    return SubmissionState(
        submission=submission,
        state=State.RECEIVED,
        since=event.at,
        n_events=1,
        received=event.payload,
        received_at=event.at,
    )


def _claim(state: SubmissionState, event: Event, claimed: Claimed) -> SubmissionState:
    lease = Lease(
        claim=event.n,
        worker=claimed.worker,
        process=claimed.process,
        until=claimed.lease_until,
        since=event.at,
    )
    if state.state is State.QUEUED and claimed.takes_over is None:
        return replace(_enter(state, State.RUNNING, event), lease=lease)
    if state.state is not State.RUNNING or state.lease is None or claimed.takes_over is None:
        raise _illegal(state, event, "a waiting submission is claimed, a running one is taken over")
    if claimed.takes_over == "expired" and event.at < state.lease.until:
        raise _illegal(state, event, f"the lease lasts until {state.lease.until}")
    return replace(state, lease=lease, n_lost=state.n_lost + 1)


def _beside_the_run(state: SubmissionState, event: Event) -> SubmissionState:
    """Return what follows from an event that is written without holding the lease and is about more than the run."""
    match event.payload:
        case Stopped(reason=why) if state.state in _UNDER_WAY:
            return _end(state, State.FAILED, event, Reason(code="stopped", fault="ours", message=why))
        case Flagged() as flag if flag not in state.flags:
            return replace(state, flags=(*state.flags, flag))
        case Unhidden() if state.hidden is not None:
            return replace(state, hidden=None)
        case Hidden() as hidden if state.hidden is None and state.state is not State.WITHDRAWN:
            return replace(state, hidden=hidden)
        case RenameAsked() as wish if state.state is not State.WITHDRAWN:
            return replace(state, rename_asked=wish)
        case Renamed() as renamed if state.state is not State.WITHDRAWN:
            return replace(state, renamed=renamed, rename_asked=None)
        case _:
            raise _illegal(state, event, "no rule allows it")


def _by_holder(state: SubmissionState, event: Event) -> SubmissionState:
    payload = event.payload
    claim = getattr(payload, "claim", None)
    if state.state is not State.RUNNING or state.lease is None or claim != state.lease.claim:
        raise _illegal(state, event, f"only the holder of the lease may write it, and claim {claim} does not hold it")
    match payload:
        case Renewed(lease_until=until):
            return replace(state, lease=replace(state.lease, until=until))
        case Released():
            return _enter(state, State.QUEUED, event)
        case Held() as held:
            return _hold(state, event, held)
        case Requeued(reason=code, message=message, trace_id=trace, not_before=later):
            reason = Reason(code=code, fault="ours", message=message, trace_id=trace)
            again = _end(replace(state, attempts=state.attempts + 1), State.QUEUED, event, reason)
            return replace(again, not_before=later)
        case Rejected(problems=problems):
            message = f"{len(problems)} problems, all for the maker to mend"
            reason = Reason(code="problems", fault="maker", message=message, problems=problems)
            return _end(state, State.REJECTED, event, reason)
        case Failed(reason=code, message=message, trace_id=trace):
            reason = Reason(code=code, fault="ours", message=message, trace_id=trace)
            return _end(state, State.FAILED, event, reason)
        case Published(protocol=protocol):
            others = tuple(known for known in state.protocols if known != protocol)
            row = replace(state, wanted=None, protocols=(*others, protocol))
            return _end(row, State.PUBLISHED, event, Reason(code="published", fault="nobody", message=""))
        case _:
            raise _illegal(state, event, "no rule allows it")


def _enter(state: SubmissionState, where: State, event: Event) -> SubmissionState:
    return replace(state, state=where, since=event.at, lease=None, not_before=None)


def _end(state: SubmissionState, where: State, event: Event, reason: Reason) -> SubmissionState:
    return replace(_enter(state, where, event), reason=reason, held_since=None)


def _hold(state: SubmissionState, event: Event, held: Held) -> SubmissionState:
    reason = Reason(code=held.reason, fault="nobody", message=held.message)
    goes_on = state.held_since is not None and state.reason is not None and state.reason.code == held.reason
    first = state.held_since if goes_on else held.since
    return replace(_end(state, State.QUEUED, event, reason), held_since=first, not_before=held.not_before)


def _again_from(again: Requeued) -> frozenset[State]:
    return SENT_AGAIN_FROM if again.protocol is None else REEVALUATED_FROM


def _illegal(state: SubmissionState, event: Event, why: str) -> IllegalEvent:
    return IllegalEvent(f"{state.submission}: {event.n}-{event.kind} cannot follow {state.state}: {why}")
