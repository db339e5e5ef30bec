"""What a submission is: a fold of its events. Pure; an order of events that cannot happen is refused."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from evaluation.errors import CastboardError
from submissions.problems import Problem
from submissions.records import (
    Blame,
    Claimed,
    Event,
    Failed,
    ProcessIdentity,
    Published,
    Queued,
    Received,
    Rejected,
    Released,
    Renewed,
    Requeued,
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
    """When it may be claimed again after a failure of ours; None for at once."""
    protocol: str | None = None
    """Id of the protocol of its published row; None without a row."""


SENT_AGAIN_FROM = frozenset({State.REJECTED, State.FAILED, State.WITHDRAWN})
"""States that end when the same upload comes again."""
WITHDRAWN_FROM = frozenset({State.RECEIVED, State.QUEUED, State.RUNNING, State.PUBLISHED})
"""States from which a submission can be taken back."""


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
        case Withdrawn(reason=why) if state.state in WITHDRAWN_FROM:
            return _end(after, State.WITHDRAWN, event, Reason(code="withdrawn", fault="nobody", message=why))
        case Requeued(claim=None) as again if state.state in SENT_AGAIN_FROM:
            fresh = replace(after, attempts=0, n_lost=0)
            reason = Reason(code=again.reason, fault="nobody", message=again.message)
            return _end(fresh, State.QUEUED, event, reason)
        case Renewed() | Released() | Requeued() | Rejected() | Failed() | Published():
            return _by_holder(after, event)
        case _:
            raise _illegal(state, event, "no rule allows it")


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
            row = replace(state, protocol=protocol)
            return _end(row, State.PUBLISHED, event, Reason(code="published", fault="nobody", message=""))
        case _:
            raise _illegal(state, event, "no rule allows it")


def _enter(state: SubmissionState, where: State, event: Event) -> SubmissionState:
    return replace(state, state=where, since=event.at, lease=None, not_before=None)


def _end(state: SubmissionState, where: State, event: Event, reason: Reason) -> SubmissionState:
    row = state.protocol if where is State.PUBLISHED else None
    return replace(_enter(state, where, event), reason=reason, protocol=row)


def _illegal(state: SubmissionState, event: Event, why: str) -> IllegalEvent:
    return IllegalEvent(f"{state.submission}: {event.n}-{event.kind} cannot follow {state.state}: {why}")
