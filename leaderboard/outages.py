"""How long the submissions of a board waited for their judge, from their own histories. Pure but for `waits_of`."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluation.errors import CastboardError
from submissions.records import Claimed, Event, Held, SubmissionId, moment
from submissions.store.base import WorkStore

log = logging.getLogger(__name__)

JUDGE_AWAY = "judge_unavailable"

Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Times in which submissions waited for a judge that did not answer."""

    total_s: float
    """Length of all of them together, where two at once count once, s."""
    n_holds: int
    """How many there were, those at once counted once."""


def waits_of(store: WorkStore, submissions: Iterable[str]) -> Waits | None:
    """Return how long the judge was waited for by some submissions; None if their histories are not known.

    Args:
        store: the work state.
        submissions: ids; one that this store does not know did not wait here.
    """
    try:
        histories = [store.events(SubmissionId(submission)) for submission in submissions]
    except CastboardError as error:
        log.warning("outages.unreadable", extra={"why": str(error)})
        return None
    if histories and not any(histories):  # this site shows a board that another one measured
        return None
    merged = _merged(span for history in histories for span in spans_in(history))
    return Waits(total_s=sum((end - start).total_seconds() for start, end in merged), n_holds=len(merged))


def spans_in(events: Sequence[Event]) -> list[Span]:
    """Return when one submission waited for its judge: from a hold's begin to the next try that was not held again."""
    found: list[Span] = []
    for at, event in enumerate(events):
        held = event.payload
        if not isinstance(held, Held) or held.reason != JUDGE_AWAY:
            continue
        later = (one.at for one in events[at + 1 :] if isinstance(one.payload, Claimed))
        found.append((moment(held.since), moment(next(later, event.at))))
    return [(start, end) for start, end in found if end > start]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
