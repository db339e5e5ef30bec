"""The queue: who may evaluate what, decided from events alone.

Nothing here holds a lock. Every decision is an event with the next number; if another writer was
first, the events are read again and the decision is taken anew. Clock and liveness are handed in.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.errors import CastboardError
from submissions.records import (
    Claimed,
    Event,
    Failed,
    Held,
    Payload,
    ProcessIdentity,
    Published,
    Queued,
    Rejected,
    Released,
    Renewed,
    Requeued,
    Resumed,
    SubmissionId,
    TakeOver,
    Withdrawn,
    moment,
    timestamp,
)
from submissions.state import REEVALUATED_FROM, IllegalEvent, Lease, State, SubmissionState, fold, step
from submissions.store.base import EventExists, StoreUnavailable, WorkStore

LEASE_S = 300
"""Seconds that a lease lasts; a holder renews it long before."""
MAX_ATTEMPTS = 3
"""Runs that may fail through our fault before a submission is given up."""
PAUSES_S = (30, 300)
"""Seconds to wait before the second and the third run: what ails us may pass."""
HOLD_S = 300
"""Seconds that a held submission waits if its holder names no time."""
MAX_LOST = 20
"""Workers that may vanish over one submission before it is given up; a restart of the host is such a loss."""


class LeaseLost(CastboardError):
    """The submission is no longer ours: taken over, or withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """Who claims."""

    name: str
    """Name of the worker: lower-case letters, digits, dashes."""
    process: ProcessIdentity
    """Its process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A submission that is ours to evaluate."""

    submission: SubmissionId
    """The submission."""
    number: int
    """Number of the `claimed` event."""
    state: SubmissionState
    """What it was right after the claim."""


def load(store: WorkStore, submission: SubmissionId) -> SubmissionState:
    """Return what a submission is now.

    Raises:
        IllegalEvent: if it is unknown.
        StoreUnavailable: if it is unknown here, and the store that may know it cannot be reached.
    """
    events = store.events(submission)
    if not events and not store.health().is_reachable:
        raise StoreUnavailable(f"{submission} is not known here, and {store.health().message}")
    return fold(submission, events)


def load_all(store: WorkStore) -> tuple[SubmissionState, ...]:
    """Return every submission, first received first."""
    states = [load(store, submission) for submission in store.submissions()]
    return tuple(sorted(states, key=_order))


def waiting(states: tuple[SubmissionState, ...]) -> tuple[SubmissionState, ...]:
    """Return those that wait for a worker, next one first; a pause or a hold does not change the order.

    Hidden ones are not among them: no worker takes one up.
    """
    waits = (s for s in states if s.state in (State.RECEIVED, State.QUEUED) and s.hidden is None)
    return tuple(sorted(waits, key=_turn))


def append(
    store: WorkStore, submission: SubmissionId, now: datetime, payload: Callable[[SubmissionState], Payload | None]
) -> SubmissionState:
    """Append what `payload` makes of the present state, trying anew whenever another writer was first.

    Args:
        store: the work state.
        submission: a known submission.
        now: aware.
        payload: gives the event to append, or None to append nothing.

    Returns:
        The state after it.

    Raises:
        IllegalEvent: if the event cannot follow.
    """
    while True:
        state = load(store, submission)
        wanted = payload(state)
        if wanted is None:
            return state
        event = Event(n=state.n_events + 1, at=timestamp(now), payload=wanted)
        after = step(state, event)
        try:
            store.create_event(submission, event)
        except EventExists:
            continue
        return after


def claim_next(
    store: WorkStore,
    worker: Worker,
    now: datetime,
    *,
    corpus: str,
    is_dead: Callable[[ProcessIdentity], bool],
    lease_s: float = LEASE_S,
    can_run: Callable[[SubmissionState], bool] = lambda _: True,
    began: datetime | None = None,
) -> Claim | None:
    """Claim the submission of `corpus` that was received first among those waiting or abandoned.

    One that `can_run` denies is passed over and stays as it is, for another worker.

    One that has a row already, under another protocol, comes after all that wait for their first.
    An abandoned one has a lease that ended, or whose process is certainly dead. One that too many
    workers died over is given up on the way.

    Args:
        store: the work state.
        worker: who claims.
        now: aware.
        corpus: name of the corpus.
        is_dead: tells whether a process is certainly gone.
        lease_s: length of the lease, s.
        can_run: tells whether the claimer can evaluate a submission.
        began: when this worker began, if one worker alone bears its name at a time: what the name held before is
            abandoned too. Should an earlier life not be over, it finds its lease lost, and never takes it back.

    Returns:
        The claim, or None if there is nothing to do.
    """

    def is_void(lease: Lease) -> bool:
        return is_dead(lease.process) or (began is not None and _is_of_before(lease, worker, began))

    for state, takes_over in _candidates(store, now, corpus, is_void):
        if not can_run(state):
            continue
        payload = Claimed(
            worker=worker.name,
            process=worker.process,
            lease_until=timestamp(now + timedelta(seconds=lease_s)),
            takes_over=takes_over,
        )
        event = Event(n=state.n_events + 1, at=timestamp(now), payload=payload)
        after = step(state, event)
        try:
            store.create_event(state.submission, event)
        except EventExists:
            continue  # another worker has it, or it was withdrawn
        claim = Claim(submission=state.submission, number=event.n, state=after)
        if after.n_lost <= MAX_LOST:
            return claim
        message = f"{after.n_lost} workers vanished while they evaluated it"
        _write(store, claim, now, Failed(claim=claim.number, reason="worker_lost", message=message, trace_id=None))
    return None


def renew(store: WorkStore, claim: Claim, now: datetime, lease_s: float = LEASE_S) -> None:
    """Make the lease last `lease_s` from `now`; raises LeaseLost if it is not ours any more."""
    _write(store, claim, now, Renewed(claim=claim.number, lease_until=timestamp(now + timedelta(seconds=lease_s))))


def left_over(store: WorkStore, worker: Worker, corpus: str) -> Claim | None:
    """Return a claim that this very worker holds and does not know of: the store was cut off while it claimed."""
    for state in load_all(store):
        lease = state.lease
        if lease is None or state.received.corpus != corpus:
            continue
        if (lease.worker, lease.process) == (worker.name, worker.process):
            return Claim(submission=state.submission, number=lease.claim, state=state)
    return None


def holds(store: WorkStore, claim: Claim) -> bool:
    """Return whether the claim is still ours, as far as the store is known here; nothing is written."""
    lease = load(store, claim.submission).lease
    return lease is not None and lease.claim == claim.number


def release(store: WorkStore, claim: Claim, now: datetime, reason: str) -> None:
    """Give the submission back, through nobody's fault; raises LeaseLost if it is not ours any more."""
    _write(store, claim, now, Released(claim=claim.number, reason=reason))


def hold(
    store: WorkStore,
    claim: Claim,
    now: datetime,
    *,
    reason: str,
    message: str,
    since: datetime | None,
    not_before: datetime | None,
) -> SubmissionState:
    """Give the submission back until what it needs is there again; no try is lost, however often it happens.

    Args:
        store: the work state.
        claim: what we hold.
        now: aware.
        reason: short code, for example "judge_unavailable"; the same code again means the same outage goes on.
        message: one sentence for a person.
        since: when the outage began, as far as the holder knows; None for `now`. The first hold's time stays.
        not_before: when it may be claimed again; None for HOLD_S after `now`.

    Raises:
        LeaseLost: if it is not ours any more.
    """
    held = Held(
        claim=claim.number,
        reason=reason,
        message=message,
        since=timestamp(since or now),
        not_before=timestamp(not_before or now + timedelta(seconds=HOLD_S)),
    )
    return _write(store, claim, now, held)


def resume(store: WorkStore, submission: SubmissionId, now: datetime) -> SubmissionState:
    """Let a held or pausing submission be claimed at once; nothing happens to any other.

    Raises:
        IllegalEvent: if it is unknown.
    """
    return append(store, submission, now, lambda state: Resumed() if _pauses(state, now) else None)


def resume_all(store: WorkStore, now: datetime) -> tuple[SubmissionId, ...]:
    """Do the same for every held submission, and return those."""
    held = [state.submission for state in load_all(store) if state.is_held and _pauses(state, now)]
    for submission in held:
        resume(store, submission, now)
    return tuple(held)


def reevaluate(store: WorkStore, submission: SubmissionId, now: datetime, protocol: str) -> SubmissionState:
    """Queue a submission for a row under the protocol of that id; its other rows stay where they are.

    Nothing happens to one that waits, runs, was rejected or taken back, or has that row.

    Raises:
        IllegalEvent: if it is unknown.
    """
    again = Requeued(claim=None, reason="reevaluate", message="", trace_id=None, not_before=None, protocol=protocol)

    def wish(state: SubmissionState) -> Payload | None:
        is_free = state.state in REEVALUATED_FROM and protocol not in state.protocols
        return again if is_free else None

    return append(store, submission, now, wish)


def reject(store: WorkStore, claim: Claim, now: datetime, rejected: Rejected) -> None:
    """End it by its maker's fault; raises LeaseLost if it is not ours any more."""
    _write(store, claim, now, rejected)


def finish(store: WorkStore, claim: Claim, now: datetime, protocol: str) -> None:
    """End it well; raises LeaseLost if it is not ours any more."""
    _write(store, claim, now, Published(claim=claim.number, protocol=protocol))


def give_back(
    store: WorkStore, claim: Claim, now: datetime, *, reason: str, message: str, trace_id: str | None
) -> SubmissionState:
    """Record a failure of ours: try again, or give up after MAX_ATTEMPTS; raises LeaseLost if it is not ours."""
    n_failed = claim.state.attempts + 1
    if n_failed < MAX_ATTEMPTS:
        later = timestamp(now + timedelta(seconds=PAUSES_S[n_failed - 1]))
        again = Requeued(claim=claim.number, reason=reason, message=message, trace_id=trace_id, not_before=later)
        return _write(store, claim, now, again)
    failed = Failed(claim=claim.number, reason=reason, message=message, trace_id=trace_id)
    return _write(store, claim, now, failed)


def withdraw(store: WorkStore, submission: SubmissionId, now: datetime, reason: str) -> SubmissionState:
    """Take a submission back; a worker that runs it stops at its next step.

    Raises:
        IllegalEvent: if it is unknown, or ended without a row.
    """
    return append(
        store,
        submission,
        now,
        lambda state: None if state.state is State.WITHDRAWN else Withdrawn(reason=reason),
    )


def enqueue(store: WorkStore, submission: SubmissionId, now: datetime) -> SubmissionState:
    """Queue a submission that is received and not queued; nothing happens to any other."""
    return append(store, submission, now, lambda state: Queued() if state.state is State.RECEIVED else None)


def _candidates(
    store: WorkStore, now: datetime, corpus: str, is_void: Callable[[Lease], bool]
) -> Iterator[tuple[SubmissionState, TakeOver | None]]:
    for state in sorted(load_all(store), key=_turn):
        if state.received.corpus != corpus or state.hidden is not None:
            continue  # what is hidden is not worth a run until it is shown again
        if state.state is State.RECEIVED:  # its receiver died between two events
            queued = enqueue(store, state.submission, now)
            if queued.state is State.QUEUED:
                yield queued, None
        elif state.state is State.QUEUED:
            if state.not_before is None or moment(state.not_before) <= now:
                yield state, None
        elif state.lease is not None and moment(state.lease.until) <= now:
            yield state, "expired"
        elif state.lease is not None and is_void(state.lease):
            yield state, "dead"


def _is_of_before(lease: Lease, worker: Worker, began: datetime) -> bool:
    is_another = lease.worker == worker.name and lease.process != worker.process
    return is_another and moment(lease.since) < began


def _write(store: WorkStore, claim: Claim, now: datetime, payload: Payload) -> SubmissionState:
    try:
        return append(store, claim.submission, now, lambda _: payload)
    except IllegalEvent as error:
        raise LeaseLost(f"{claim.submission} is no longer held by claim {claim.number}: {error}") from error


def _order(state: SubmissionState) -> tuple[str, str]:
    return state.received_at, state.submission


def _turn(state: SubmissionState) -> tuple[bool, str, str]:
    # A season that is evaluated anew must not keep newcomers waiting for days.
    return bool(state.protocols), *_order(state)


def _pauses(state: SubmissionState, now: datetime) -> bool:
    return state.state is State.QUEUED and state.not_before is not None and moment(state.not_before) > now
