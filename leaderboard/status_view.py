"""How the site is, for the status page and for machines; made every few seconds, and never waited for long."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from evaluation.errors import CastboardError, ProtocolError, SchemaError
from leaderboard.context import Context
from leaderboard.gates.limits import WEB_LIMITS
from leaderboard.turnaround import turnaround
from submissions import queue
from submissions.records import Claimed, Renewed, Timestamp, moment, timestamp
from submissions.state import State, SubmissionState
from submissions.store.base import StoreHealth, StoreUnavailable, WorkStore
from submissions.version import VERSION, code_version
from submissions.worker_status import WorkerStatus, read_statuses

Judge = Literal["none", "ok", "unavailable"]
Problem = Literal[
    "board_unreadable", "hub_unreachable", "unpushed", "work_unreadable", "no_worker", "judge_unavailable", "disk_low"
]

FRESH = timedelta(minutes=2)
"""So long after its last word a worker of this machine counts as alive."""
SHARE_ELSEWHERE = 2 / 3
"""Share of its lease for which one elsewhere counts as alive, which shows in its leases alone: it renews them by the
time a third is over, and this is known here a little later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLine:
    """One worker."""

    name: str
    """Its name; not for machines, since an operator may have named it after a host."""
    stage: str
    """What it does: a stage of `worker_status`."""
    at: Timestamp
    """Its last heartbeat."""
    is_here: bool
    """Whether it runs on this machine."""
    is_alive: bool
    """Whether that was lately, and it has not stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything that can be said of the site at one moment."""

    at: Timestamp
    """The moment."""
    version: str
    """Version of the program."""
    commit: str
    """Its commit, or empty where that is not known."""
    protocols: tuple[tuple[str, str], ...]
    """Id and name of the protocols that it evaluates, the default one first."""
    last_published_at: Timestamp | None
    """When the last row came; None before the first."""
    n_waiting: int
    """Submissions that wait for a worker."""
    n_running: int
    """Submissions that a worker has."""
    oldest_waiting_s: float | None
    """How long the oldest of those that wait has waited, s; None if none waits."""
    expected_s: float | None
    """When the next row is expected, s from now, as far as that can be told; None if it cannot."""
    workers: tuple[WorkerLine, ...]
    """The workers, those of this machine first."""
    judge: Judge
    """How the judge is; "none" if the default protocol has none."""
    judge_away_since: Timestamp | None
    """Since when the judge does not answer; None while it does."""
    work: StoreHealth
    """How the work state is reached."""
    board: StoreHealth
    """How the board is reached."""
    disk_free_bytes: int | None
    """Room on this machine's disk; None if it cannot be told."""
    can_serve: bool
    """Whether pages can be served."""
    problems: tuple[Problem, ...]
    """What is wrong, if anything is."""


def status_of(context: Context) -> Status:
    """Return how the site is now; what cannot be read is a problem, never an error."""
    now = context.clock()
    states, is_readable = _states(context.store)
    statuses = read_statuses(context.store)
    workers = _workers(context.store, states, statuses, now)
    away = _judge_away(states, statuses)
    work, board = context.store.health(), context.files.health()
    can_serve = _can_serve(context)
    free = _free_bytes(context.home)
    waiting = queue.waiting(states)
    has_judge = context.protocols[0].judge is not None
    found: dict[Problem, bool] = {
        "board_unreadable": not can_serve,
        "hub_unreachable": not (work.is_reachable and board.is_reachable),
        "unpushed": work.n_unpushed + board.n_unpushed > 0,
        "work_unreadable": not is_readable,
        "no_worker": bool(waiting) and not any(worker.is_alive for worker in workers),
        "judge_unavailable": away is not None,
        "disk_low": free is not None and free < WEB_LIMITS.must_stay_free(context.archive_limits.zip_bytes),
    }
    oldest = min((moment(state.received_at) for state in waiting), default=None)
    return Status(
        at=timestamp(now),
        version=VERSION,
        commit=code_version().partition("+")[2],
        protocols=tuple((protocol.id, protocol.name) for protocol in context.protocols),
        last_published_at=max((one.since for one in states if _has_row(one)), default=None),
        n_waiting=len(waiting),
        n_running=sum(state.state is State.RUNNING for state in states),
        oldest_waiting_s=None if oldest is None else max(0.0, (now - oldest).total_seconds()),
        expected_s=_expected_s(states, statuses, context.protocols[0].id, now),
        workers=workers,
        judge="unavailable" if away else "ok" if has_judge else "none",
        judge_away_since=away,
        work=work,
        board=board,
        disk_free_bytes=free,
        can_serve=can_serve,
        problems=tuple(problem for problem, is_there in found.items() if is_there),
    )


def to_json(status: Status) -> dict[str, object]:
    """Return what machines are told: no path, no name of a host, worker or repo, no message of another program."""
    return {
        "status": "ok" if not status.problems else "degraded" if status.can_serve else "down",
        "problems": list(status.problems),
        "checked_at": status.at,
        "version": status.version,
        "commit": status.commit,
        "protocols": [protocol_id for protocol_id, _ in status.protocols],
        "last_published_at": status.last_published_at,
        "queue": {
            "waiting": status.n_waiting,
            "running": status.n_running,
            "oldest_waiting_s": None if status.oldest_waiting_s is None else round(status.oldest_waiting_s),
        },
        "workers": [
            {"stage": one.stage, "last_heartbeat_at": one.at, "is_alive": one.is_alive, "is_here": one.is_here}
            for one in status.workers
        ],
        "judge": {"state": status.judge, "unavailable_since": status.judge_away_since},
        "stores": {"work": _store(status.work), "board": _store(status.board)},
        "disk_free_bytes": status.disk_free_bytes,
    }


def _store(health: StoreHealth) -> dict[str, object]:
    return {
        "kind": health.kind,
        "is_reachable": health.is_reachable,
        "as_of": None if health.as_of is None else timestamp(health.as_of),
        "unpushed": health.n_unpushed,
    }


def _states(store: WorkStore) -> tuple[tuple[SubmissionState, ...], bool]:
    try:
        return queue.load_all(store), True
    except (CastboardError, OSError):
        return (), False


def _has_row(state: SubmissionState) -> bool:
    return state.state is State.PUBLISHED and state.hidden is None


def _workers(
    store: WorkStore, states: Sequence[SubmissionState], statuses: Sequence[WorkerStatus], now: datetime
) -> tuple[WorkerLine, ...]:
    here = [
        WorkerLine(
            name=one.worker,
            stage=one.stage,
            at=one.updated_at,
            is_here=True,
            is_alive=one.stage != "stopped" and now - moment(one.updated_at) < FRESH,
        )
        for one in statuses
    ]
    names = {one.name for one in here}
    elsewhere = [
        _elsewhere(store, state, now) for state in states if state.lease is not None and state.lease.worker not in names
    ]
    return (*here, *elsewhere)


def _elsewhere(store: WorkStore, state: SubmissionState, now: datetime) -> WorkerLine:
    """Return the worker of another machine, which is alive as its lease was last renewed."""
    events = store.events(state.submission)
    at = next((one.at for one in reversed(events) if isinstance(one.payload, Claimed | Renewed)), state.since)
    lease = moment(state.lease.until) - moment(at) if state.lease else timedelta()
    return WorkerLine(
        name=state.lease.worker if state.lease else "",
        stage="reading",
        at=at,
        is_here=False,
        is_alive=now - moment(at) < SHARE_ELSEWHERE * lease,
    )


def _judge_away(states: Sequence[SubmissionState], statuses: Sequence[WorkerStatus]) -> Timestamp | None:
    told = [one.judge.unavailable_since for one in statuses if one.judge and one.judge.unavailable_since]
    held = [
        state.held_since
        for state in states
        if state.is_held and state.held_since and state.reason and state.reason.code == "judge_unavailable"
    ]
    return min((*told, *held), default=None)


def _expected_s(
    states: Sequence[SubmissionState], statuses: Sequence[WorkerStatus], protocol_id: str, now: datetime
) -> float | None:
    coming = [one.eta_s for one in statuses if one.submission and one.eta_s is not None]
    if coming:
        return min(coming)
    usual = turnaround(states, protocol_id)
    sent = min((moment(one.received_at) for one in states if one.state in _COMING and not one.protocols), default=None)
    if sent is None or usual.median_s is None:
        return None
    return max(0.0, usual.median_s - (now - sent).total_seconds()) or None


def _can_serve(context: Context) -> bool:
    try:
        context.published.boards()
    except (SchemaError, ProtocolError, StoreUnavailable, OSError):
        return False
    except CastboardError:  # it is being written at this very moment
        return True
    return True


def _free_bytes(home: Path) -> int | None:
    there = next((folder for folder in (home, *home.parents) if folder.is_dir()), None)
    try:
        return None if there is None else shutil.disk_usage(there).free
    except OSError:
        return None


_COMING = (State.RECEIVED, State.QUEUED, State.RUNNING)
