"""How long a submission took from its arrival to its row, from those of late. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from submissions.records import moment
from submissions.state import State, SubmissionState

N_LAST = 10
"""Submissions that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turnaround:
    """What a maker can expect."""

    median_s: float | None
    """Median time from arrival to row, s; None if none has a row yet."""
    n_systems: int
    """Systems that it is the median of."""
    n_before: int
    """Submissions that run or wait already."""


def turnaround(states: Iterable[SubmissionState], protocol_id: str) -> Turnaround:
    """Return what the last submissions under a protocol took; those with rows of several protocols do not count.

    Args:
        states: every submission.
        protocol_id: what new submissions are evaluated under.
    """
    listed = tuple(states)
    done = [one for one in listed if one.state is State.PUBLISHED and one.protocols == (protocol_id,)]
    last = sorted(done, key=lambda one: one.since)[-N_LAST:]
    each = [(moment(one.since) - moment(one.received_at)).total_seconds() for one in last]
    return Turnaround(
        median_s=median(each) if each else None,
        n_systems=len(each),
        n_before=sum(one.state in (State.QUEUED, State.RUNNING) for one in listed),
    )
