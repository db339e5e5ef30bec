"""A run that must wait for something outside: for how long, and under which reason. No try is lost by it.

What is kept (shards, the judge's replies) makes the next try cheap, so a wait may end early for nothing. A submission
waits longer the longer the outage lasts; an operator can end any wait at once (`queue.resume`), and a judge that is
left alone is then tried once, whatever its breaker says.
"""

from datetime import datetime, timedelta

from evaluation.errors import CastboardError
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.breaker import JudgeDown
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.judge_stage import AnchorMissing
from submissions import queue
from submissions.queue import Claim
from submissions.records import moment
from submissions.state import SubmissionState
from submissions.station import ProtocolUnknown
from submissions.store.base import WorkStore

SHORTEST_S = 300.0
"""Shortest wait, s."""
LONGEST_S = 3600.0
"""Longest wait for something that may come back by itself, s."""
BUDGET_S = 86_400.0
"""Wait for an operator to raise a submission's own budget, s: it is looked at again once a day."""
_SHARE = 0.5  # of an outage's length so far


class NotReady(CastboardError):
    """What a submission's own protocol names is not here; others can be evaluated meanwhile."""


def hold(store: WorkStore, claim: Claim, now: datetime, error: CastboardError) -> SubmissionState:
    """Give a claim back until what it needs may be there again.

    Args:
        store: the work state.
        claim: what we hold.
        now: aware.
        error: why it cannot go on: JudgeUnavailable, BudgetSpent, AnchorMissing, ProtocolUnknown or NotReady.

    Raises:
        LeaseLost: if it is not ours any more.
    """
    since = error.since if isinstance(error, JudgeDown) else now
    code = reason_of(error)
    is_same = claim.state.reason is not None and claim.state.reason.code == code
    first = moment(claim.state.held_since) if is_same and claim.state.held_since else since
    message = _message(error, first)
    return queue.hold(
        store, claim, now, reason=code, message=message, since=since, not_before=not_before(error, now, first)
    )


def _message(error: CastboardError, since: datetime) -> str:
    """Return what a person is told of a wait."""
    if isinstance(error, JudgeUnavailable):
        return f"waiting: judge unavailable since {since:%Y-%m-%d %H:%M} UTC"
    if isinstance(error, BudgetSpent) and error.until is not None:
        return f"waiting: the judge's budget of the day is spent; goes on at {error.until:%Y-%m-%d %H:%M} UTC"
    if isinstance(error, BudgetSpent):
        return "waiting: what one submission may spend on the judge is spent; goes on when the operator raises it"
    return str(error)


def reason_of(error: CastboardError) -> str:
    """Return the short code of what a run waits for."""
    if isinstance(error, JudgeUnavailable):
        return "judge_unavailable"
    if isinstance(error, BudgetSpent):
        return "judge_budget"
    if isinstance(error, AnchorMissing):
        return "anchor_missing"
    return "protocol_unknown" if isinstance(error, ProtocolUnknown) else "protocol_not_ready"


def not_before(error: CastboardError, now: datetime, since: datetime) -> datetime:
    """Return when a run may try again: soon at first, then after half as long as it has waited, at most an hour.

    A provider that asks for more gets it. A day's budget is there again at its end; a submission's own only once
    its operator raises it, so that is looked at once a day.
    """
    if isinstance(error, BudgetSpent):
        return error.until or now + timedelta(seconds=BUDGET_S)
    asked_s = error.retry_after_s if isinstance(error, JudgeUnavailable) else None
    pause_s = min(LONGEST_S, max(SHORTEST_S, _SHARE * (now - since).total_seconds()))
    return now + timedelta(seconds=max(pause_s, asked_s or 0.0))
