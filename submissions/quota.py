"""How many submissions a person, and an organisation, may still send in seven days: counted from events alone.

A history is cut into tries. The first one begins when the zip is received, another whenever its maker sends the very
same zip again after it had ended. A try costs one from its beginning on, and is given back if

- it ended by our fault (failed, or stopped by an operator), or was taken back after a failure of ours;
- it was rejected: that costs us a look at the zip, and the check of the page costs nothing either;
- it was taken back before any worker had begun with it.

A row costs, whatever becomes of it later: taken back, hidden, measured again under another protocol. The same zip sent
twice is one submission and costs one. Typed names count for nothing: a person is an account, an organisation one that
the account belongs to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.errors import CastboardError
from submissions.operator_events import Stopped
from submissions.ownership import Sender
from submissions.records import (
    Claimed,
    Event,
    Failed,
    Published,
    Received,
    Rejected,
    Requeued,
    SubmissionId,
    Withdrawn,
    moment,
)
from submissions.state import IllegalEvent
from submissions.store.base import WorkStore

WINDOW = timedelta(days=7)
"""A try that began so long ago is forgotten."""
SENT_AGAIN = "sent_again"
"""Reason of the `requeued` event that begins another try."""


class QuotaSpent(CastboardError):
    """Nothing more may be sent now, by this person or for this organisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many tries there are in seven days."""

    person: int = 0
    """Of one person; 0 for any number."""
    organisation: int = 0
    """For one organisation; 0 for any number."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Try:
    """One try that costs."""

    at: datetime
    """When it began, aware."""
    submission: SubmissionId
    """Of which submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What one person, or one organisation, has left."""

    whose: str
    """User name or organisation, as it was last seen."""
    is_person: bool
    """Whether it is a person's."""
    limit: int
    """Tries in seven days, at least 1."""
    tries: tuple[Try, ...]
    """Those that count now, oldest first."""

    @property
    def n_left(self) -> int:
        """Tries that are left, >= 0."""
        return max(0, self.limit - len(self.tries))

    @property
    def next_at(self) -> datetime | None:
        """When there will be one more than now; None if none is spent."""
        # If the limit was lowered, some must be forgotten before any comes free.
        return self.tries[max(0, len(self.tries) - self.limit)].at + WINDOW if self.tries else None


def tries(submission: SubmissionId, events: Sequence[Event]) -> tuple[Try, ...]:
    """Return the tries of one history that cost, in order."""
    begun: list[list[Event]] = []
    for event in events:
        if event.n == 1 or (isinstance(event.payload, Requeued) and event.payload.reason == SENT_AGAIN):
            begun.append([])
        begun[-1].append(event)
    return tuple(Try(at=moment(part[0].at), submission=submission) for part in begun if _costs(part))


def allowances(store: WorkStore, sender: Sender, limits: Limits, now: datetime) -> tuple[Allowance, ...]:
    """Return what the sender, and the organisation that it sends for, have left.

    Args:
        store: the work state.
        sender: who sends, and for whom.
        limits: how many there are.
        now: aware.

    Returns:
        The person's, then the organisation's; those without a limit are left out.
    """
    if not limits.person and not limits.organisation:
        return ()
    mine: list[Try] = []
    ours: list[Try] = []
    for received, spent in _recent(store, now):
        if received.person is not None and received.person.account == sender.person.account:
            mine += spent
        if sender.organisation is not None and _is_for(received, sender.organisation):
            ours += spent
    found = []
    if limits.person:
        name = sender.person.name
        found.append(Allowance(whose=name, is_person=True, limit=limits.person, tries=tuple(sorted(mine))))
    if limits.organisation and sender.organisation is not None:
        name = sender.organisation
        found.append(Allowance(whose=name, is_person=False, limit=limits.organisation, tries=tuple(sorted(ours))))
    return tuple(found)


def refuse_spent(found: Iterable[Allowance]) -> None:
    """Refuse to take anything if nothing is left.

    Raises:
        QuotaSpent: naming whose tries are spent and when the next one comes free.
    """
    for one in found:
        if not one.n_left:
            raise QuotaSpent(spent_sentence(one))


def is_beyond(found: Iterable[Allowance], submission: SubmissionId) -> bool:
    """Tell whether the newest try of a submission is one too many, all that came meanwhile included."""
    return any(submission in {one.submission for one in allowance.tries[allowance.limit :]} for allowance in found)


def spent_sentence(spent: Allowance) -> str:
    """Return why nothing can be sent now, and from when on it can."""
    whose = f"{spent.whose} has" if spent.is_person else f"{spent.whose} (all its members together) has"
    free = f" The next one comes free on {_told(spent.next_at)}." if spent.next_at else ""
    return f"{whose} used all {spent.limit} submissions of seven days.{free} What fails by our fault is not counted."


def left_sentence(left: Allowance) -> str:
    """Return how many tries are left, and when the next one comes free."""
    if not left.n_left:
        return spent_sentence(left)
    free = f"; the next one comes free on {_told(left.next_at)}" if left.next_at else ""
    return f"{left.whose}: {left.n_left} of {left.limit} submissions left in seven days{free}."


def _told(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%d at %H:%M} UTC"


def _costs(events: Sequence[Event]) -> bool:
    """Tell whether one try, from its beginning to the next one's, is counted."""
    if any(isinstance(event.payload, Published) for event in events):
        return True
    has_run = has_failed = False
    is_free = False
    for event in events:
        match event.payload:
            case Claimed(takes_over=gone):
                has_run, has_failed, is_free = True, has_failed or gone is not None, False
            case Requeued(claim=claim):
                has_failed, is_free = has_failed or claim is not None, False
            case Failed() | Stopped():
                has_failed = is_free = True
            case Rejected():
                is_free = True
            case Withdrawn():
                is_free = has_failed or not has_run
            case _:
                pass
    return is_free is False


def _recent(store: WorkStore, now: datetime) -> Iterable[tuple[Received, list[Try]]]:
    since = now - WINDOW
    for submission in store.submissions():
        events = store.events(submission)
        first = events[0].payload if events else None
        if not isinstance(first, Received):
            raise IllegalEvent(f"{submission}: the first event is 1-received")
        if first.person is not None:
            yield first, [one for one in tries(submission, events) if one.at > since]


def _is_for(received: Received, organisation: str) -> bool:
    return received.organisation is not None and received.organisation.casefold() == organisation.casefold()
