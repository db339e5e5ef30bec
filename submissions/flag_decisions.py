"""Flags that an operator has looked at: a log of decisions, so that a list of what to look at gets shorter."""

from dataclasses import dataclass

from evaluation.codec import read_record, write_record
from submissions import queue
from submissions.operating import Warrant
from submissions.operator_events import Flagged
from submissions.records import SubmissionId, Timestamp, timestamp
from submissions.state import SubmissionState
from submissions.store.base import EventExists, WorkStore

LOG = "flags"
"""Name of the store's log."""
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An operator looked at the flags of a submission."""

    n: int
    """Place in the log, from 1."""
    at: Timestamp
    """When."""
    submission: str
    """Whose flags."""
    n_flags: int
    """How many it had then; a later one is to be looked at again."""
    reason: str
    """What the operator found."""
    operator: str
    """Account name of the operator."""


def decisions(store: WorkStore) -> tuple[Decision, ...]:
    """Return every decision in order; raises SchemaError if one is malformed."""
    found = enumerate(store.log(LOG), start=1)
    return tuple(read_record(Decision, data, f"{LOG} {n}", version=SCHEMA_VERSION) for n, data in found)


def decide(store: WorkStore, submission: SubmissionId, warrant: Warrant) -> bool:
    """Note that all flags of a submission were looked at, and say whether any was new.

    Raises:
        IllegalEvent: if it is unknown.
    """
    while True:
        state, known = queue.load(store, submission), decisions(store)
        if not _unseen(state, known):
            return False
        entry = Decision(
            n=len(known) + 1,
            at=timestamp(warrant.at),
            submission=submission,
            n_flags=len(state.flags),
            reason=warrant.reason,
            operator=warrant.operator,
        )
        try:
            store.append_log(LOG, entry.n, write_record(entry, version=SCHEMA_VERSION))
        except EventExists:
            continue
        return True


def unseen(store: WorkStore, states: tuple[SubmissionState, ...]) -> tuple[tuple[SubmissionState, Flagged], ...]:
    """Return every flag that nobody has looked at, with its submission."""
    if not any(state.flags for state in states):
        return ()
    known = decisions(store)
    return tuple((state, flag) for state in states for flag in _unseen(state, known))


def _unseen(state: SubmissionState, known: tuple[Decision, ...]) -> tuple[Flagged, ...]:
    n_seen = max((one.n_flags for one in known if one.submission == state.submission), default=0)
    return state.flags[n_seen:]
