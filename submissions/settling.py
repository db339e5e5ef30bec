"""Makes what is published agree with the events: of what was taken back, hidden, shown again or stopped.

Every verb writes its event first and then settles, so one that was killed in between is finished by the next who
does; nothing happens where all is as it should be.
"""

import logging
from collections.abc import Collection, Sequence
from functools import partial

from submissions import moderation, queue, renaming
from submissions.belongings import belongings, take_away
from submissions.hiding import bring_back, forget, forget_duels, leftovers, put_away
from submissions.moderation import Entry
from submissions.operator_events import Hidden
from submissions.records import SubmissionId, submission_id
from submissions.state import State, SubmissionState, fold
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)

_N_TRIES = 5
"""Looks at what somebody else changes meanwhile; what is left then is left to whoever settles next."""


def settle(store: WorkStore, published: PublishedFiles, submission: SubmissionId) -> None:
    """Make what is published of a submission what its events say, and tell the public log of operators' acts on it."""
    with store.publishing():
        _settle(store, published, submission)
        if queue.load(store, submission).state is State.WITHDRAWN:
            _forget_duels(store, {submission})


def settle_all(store: WorkStore, published: PublishedFiles) -> None:
    """Do the same for every submission, and for bans."""
    for submission in store.submissions():
        if any(_is_beside(event.kind) for event in store.events(submission)):
            with store.publishing():
                _settle(store, published, submission)
    with store.publishing():
        _forget_duels(store, {one.submission for one in queue.load_all(store) if one.state is State.WITHDRAWN})
    settle_bans(store, published)


def settle_bans(store: WorkStore, published: PublishedFiles) -> None:
    """Tell the public log of every ban and of every end of one."""
    with store.publishing():
        _tell(published, tuple(moderation.of_bans(store)), "Bans")


def _settle(store: WorkStore, published: PublishedFiles, submission: SubmissionId) -> None:
    for _ in range(_N_TRIES):
        try:
            _settle_alone(store, published, submission)
        except FileNotFoundError:  # somebody elsewhere settles it at this very moment; look at what is left
            log.info("settle.raced", exc_info=True, extra={"submission": submission})
        else:
            return


def _settle_alone(store: WorkStore, published: PublishedFiles, submission: SubmissionId) -> None:
    events = store.events(submission)
    state = queue.load(store, submission)
    told = tuple(moderation.of_submission(submission, events))
    was_hidden = any(isinstance(event.payload, Hidden) for event in events)  # else there is no need to look
    if state.state is State.WITHDRAWN:
        _withdraw(published, submission)
        if was_hidden:
            forget(store, submission)
    elif state.hidden is not None:
        if belongings(published, submission):
            put_away(store, published, submission, told)
            log.info("row.hidden", extra={"submission": submission})
    elif was_hidden and store.hidden(submission).paths():
        _stop(store.hidden(submission), state)
        bring_back(store, published, submission, told, partial(_is_hidden, store))
        log.info("row.unhidden", extra={"submission": submission})
    _stop(published, state)
    renaming.settle(store, published, submission)
    _tell(published, told, f"What was done about {submission}")


def _withdraw(published: PublishedFiles, submission: SubmissionId) -> None:
    if belongings(published, submission):
        published.change(f"{submission} is withdrawn", lambda draft: take_away(draft, belongings(draft, submission)))
        log.info("row.withdrawn", extra={"submission": submission})


def _forget_duels(store: WorkStore, gone: Collection[str]) -> None:
    """Remove duels with submissions that were taken back from where those of hidden ones wait."""
    for state in queue.load_all(store) if gone else ():
        if state.hidden is not None and state.state is not State.WITHDRAWN:
            forget_duels(store, state.submission, gone)


def _stop(published: PublishedFiles, state: SubmissionState) -> None:
    if leftovers(published, state):
        name = f"{state.submission} was stopped"
        published.change(name, lambda draft: take_away(draft, leftovers(draft, state)))


def _tell(published: PublishedFiles, told: Sequence[Entry], what: str) -> None:
    if not moderation.is_complete(published, told):
        published.change(what, lambda draft: moderation.append(draft, told))


def _is_hidden(store: WorkStore, name: str) -> bool:
    events = store.events(submission_id(name))
    return bool(events) and fold(submission_id(name), events).hidden is not None


def _is_beside(kind: str) -> bool:
    return kind in ("withdrawn", "hidden", "unhidden", "stopped", "renamed")
