"""Accounts that may send nothing: a log of bans and their ends, keyed by the account that the provider vouches for.

Nothing of it is published but that there was a ban, when and why (`submissions.moderation`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from evaluation.codec import read_record, write_record
from evaluation.errors import CastboardError
from submissions import queue
from submissions.records import Timestamp, submission_id, timestamp
from submissions.state import IllegalEvent
from submissions.store.base import EventExists, WorkStore

LOG = "bans"
"""Name of the store's log."""
SCHEMA_VERSION = 1


class UnknownAccount(CastboardError):
    """A text names no account that could be banned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BanEntry:
    """One ban, or its end."""

    n: int
    """Place in the log, from 1."""
    at: Timestamp
    """When it was decided."""
    act: Literal["banned", "unbanned"]
    """Which of the two."""
    account: str
    """The provider's lasting id of the account; never public."""
    name: str
    """User name when it was decided, for the operator; may be empty; never public."""
    reason: str
    """Why, in one sentence; it is public."""
    operator: str
    """Account name of the operator; never public."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whom a text means."""

    account: str
    """The provider's lasting id."""
    name: str
    """User name as it was last seen; empty if it never was."""


def entries(store: WorkStore) -> tuple[BanEntry, ...]:
    """Return every ban and every end of one, in order.

    Raises:
        SchemaError: if an entry is malformed or of another version.
    """
    found = enumerate(store.log(LOG), start=1)
    return tuple(read_record(BanEntry, data, f"{LOG} {n}", version=SCHEMA_VERSION) for n, data in found)


def banned(store: WorkStore) -> Mapping[str, BanEntry]:
    """Return the ban of every account that is banned now, by account."""
    last = {entry.account: entry for entry in entries(store)}
    return {account: entry for account, entry in last.items() if entry.act == "banned"}


def refusal(store: WorkStore, account: str) -> str | None:
    """Return what to tell a person who is banned and sends something, or None for anybody else."""
    entry = banned(store).get(account)
    if entry is None:
        return None
    stop = "" if entry.reason.endswith((".", "!", "?")) else "."
    return (
        f"This account may send nothing here since {entry.at[:10]}, by the operator's decision: {entry.reason}{stop} "
        "Rows that it has stay; write to the operator if you think that this is wrong."
    )


def ban(store: WorkStore, account: Account, *, at: datetime, reason: str, operator: str) -> bool:
    """Ban an account, and say whether it was not banned before."""
    return _decide(store, account, "banned", at=at, reason=reason, operator=operator)


def unban(store: WorkStore, account: Account, *, at: datetime, reason: str, operator: str) -> bool:
    """Let an account send again, and say whether it was banned before."""
    return _decide(store, account, "unbanned", at=at, reason=reason, operator=operator)


def account_meant(store: WorkStore, text: str) -> Account:
    """Return the account that an operator means.

    Args:
        store: the work state.
        text: a submission's id, a user name that sent something, or an account's own id.

    Raises:
        UnknownAccount: if a submission has no sender who was signed in, a name means several accounts, or nothing
            known is called so and it cannot be an account's id either.
    """
    wanted = text.strip()
    people = {state.submission: state.received.person for state in queue.load_all(store)}
    if _is_known(store, wanted):
        person = people[submission_id(wanted)]
        if person is None:
            raise UnknownAccount(f"nobody was signed in when {wanted} was sent, so there is no account to ban")
        return Account(account=person.account, name=person.name)
    seen = {one.account: one.name for one in people.values() if one is not None}
    if wanted in seen:
        return Account(account=wanted, name=seen[wanted])
    called = sorted(account for account, name in seen.items() if name == wanted)
    if len(called) > 1:
        raise UnknownAccount(f"{len(called)} accounts were called {wanted!r:.80}; give an account's id or a submission")
    if called:
        return Account(account=called[0], name=wanted)
    if any(entry.account == wanted for entry in entries(store)):
        return Account(account=wanted, name="")
    raise UnknownAccount(
        f"{text!r:.80} is no submission, and no account or user name that ever sent one; give one of these"
    )


def _decide(
    store: WorkStore, account: Account, act: Literal["banned", "unbanned"], *, at: datetime, reason: str, operator: str
) -> bool:
    while True:
        known = entries(store)
        last = next((entry.act for entry in reversed(known) if entry.account == account.account), "unbanned")
        if last == act:
            return False
        entry = BanEntry(
            n=len(known) + 1,
            at=timestamp(at),
            act=act,
            account=account.account,
            name=account.name,
            reason=reason,
            operator=operator,
        )
        try:
            store.append_log(LOG, entry.n, write_record(entry, version=SCHEMA_VERSION))
        except EventExists:
            continue
        return True


def _is_known(store: WorkStore, text: str) -> bool:
    try:
        queue.load(store, submission_id(text))
    except (ValueError, IllegalEvent):
        return False
    return True
