"""Whose a submission is: who may take it back, ask for other names for it, and send a new version of its system.

It goes by what a sign-in vouches for, never by a name that somebody typed. Where nobody signs in, the one configured
user may send for any organisation; there the typed organisation keeps that user's systems apart, and gives no right.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from submissions.records import Person, Received, SubmissionId
from submissions.state import State, SubmissionState

_GONE = frozenset({State.REJECTED, State.FAILED, State.WITHDRAWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends a submission, and for whom."""

    person: Person
    """Who is signed in."""
    organisation: str | None
    """Organisation of the person that it is sent for; None for the person alone."""
    named: str | None
    """What the card names as organisation, whatever form and zip say; None: what they say, which nobody vouches for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whom a submission belongs to; two submissions of equal owners belong together."""

    organisation: str | None
    """Organisation, in lower case; None if it belongs to a person alone."""
    account: str | None
    """Account of that person; None if it belongs to an organisation."""
    typed: str
    """Organisation that the person typed, in lower case; empty if its own name stands there."""


def owner_of(received: Received) -> Owner | None:
    """Return whom a submission belongs to; None if nobody was signed in when it came."""
    person = received.person
    if person is None:
        return None
    if received.organisation is not None:
        return Owner(organisation=received.organisation.casefold(), account=None, typed="")
    typed = received.card.organisation
    return Owner(organisation=None, account=person.account, typed="" if typed == person.name else typed.casefold())


def is_owner(person: Person | None, received: Received) -> bool:
    """Tell whether a person sent a submission, or belongs to the organisation that it was sent for."""
    if person is None or received.person is None:
        return False
    if person.account == received.person.account:
        return True
    return received.organisation is not None and received.organisation.casefold() in {
        name.casefold() for name in person.organisations
    }


def superseded_by(
    received: Received, states: Iterable[SubmissionState], *, apart_from: SubmissionId
) -> SubmissionId | None:
    """Return the newest submission of the same system and owner, which a new one is a new version of.

    Args:
        received: the new one.
        states: all submissions.
        apart_from: id of the new one.

    Returns:
        Its id; None if there is none. One that ended without a row, or was taken back, is passed over.
    """
    owner, name = owner_of(received), received.card.system.casefold()
    if owner is None:
        return None
    older = [
        state
        for state in states
        if state.submission != apart_from
        and (state.state not in _GONE or state.protocols)
        and name in _names(state)
        and owner_of(state.received) == owner
    ]
    return max(older, key=lambda state: (state.received_at, state.submission)).submission if older else None


def _names(state: SubmissionState) -> frozenset[str]:
    """Return what a system was called by its maker, and is called since an operator granted another name."""
    granted = state.renamed.system.casefold() if state.renamed else ""
    return frozenset({state.received.card.system.casefold(), granted} - {""})
