"""The events of a submission: one record a kind, and their one form on disk.

Events are append-only and numbered from 1 without a gap; what a submission *is* follows from them
alone (`submissions.state`). No event is ever changed, so an old page and a new one agree about the past.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NewType

from evaluation.codec import OPTIONAL, canonical, from_json, to_json
from evaluation.errors import SchemaError
from submissions.card import Card
from submissions.operator_events import Flagged, Hidden, RenameAsked, Renamed, Stopped, Unhidden
from submissions.problems import Problem

SCHEMA_VERSION = 1

SubmissionId = NewType("SubmissionId", str)
"""Names one submission; safe as a folder's name and in an address."""

Timestamp = NewType("Timestamp", str)
"""ISO 8601 in UTC with milliseconds, for example "2026-03-01T12:00:00.000Z"; sorts as time does."""

Kind = Literal[
    "received",
    "queued",
    "claimed",
    "renewed",
    "released",
    "held",
    "resumed",
    "requeued",
    "rejected",
    "failed",
    "published",
    "withdrawn",
    "stopped",
    "hidden",
    "unhidden",
    "flagged",
    "rename-asked",
    "renamed",
]
Blame = Literal["maker", "ours", "nobody"]
TakeOver = Literal["expired", "dead"]

_ID = re.compile(r"[a-z0-9][a-z0-9-]{5,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """One process, told from every other that ever had its number."""

    host: str
    """Name of the machine or container."""
    boot_id: str
    """The kernel's id of this boot."""
    pid_namespace: str
    """The kernel's name of the space in which `pid` counts."""
    pid: int
    """Process number."""
    started_ticks: int
    """Start time, clock ticks since boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who is signed in, as the identity provider vouches for it; never what a form says."""

    account: str
    """The provider's lasting id of the account; quotas and bans go by it."""
    name: str
    """User name when it was looked at; shown, never compared."""
    organisations: tuple[str, ...]
    """Names of the organisations that the person belongs to, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A clean zip is safely stored."""

    card: Card
    """The form, contact included."""
    zip_sha256: str
    """sha256 (hex) of the uploaded file."""
    zip_bytes: int
    """Size of the uploaded file, bytes."""
    corpus: str
    """Name of the corpus that the zip was checked against."""
    warnings: tuple[Problem, ...]
    """What the check noted without blocking."""
    submitter: str | None
    """Account that sent it; None if nobody was signed in."""
    code_version: str
    """Version of the program that took it in."""
    person: Person | None = field(default=None, metadata=OPTIONAL)
    """Who sent it; None before there was any sign-in."""
    organisation: str | None = field(default=None, metadata=OPTIONAL)
    """Organisation for which the person sent it and to which it belongs; None for the person alone."""
    source: str | None = field(default=None, metadata=OPTIONAL)
    """Public address at a pinned commit that the zip was fetched from; None if it was uploaded."""
    supersedes: str | None = field(default=None, metadata=OPTIONAL)
    """Id of the submission of the same system and owner that this one is a new version of; None for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """It waits for a worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A worker has begun, or goes on where another stopped."""

    worker: str
    """Name of the worker."""
    process: ProcessIdentity
    """The process that holds the lease."""
    lease_until: Timestamp
    """When the lease ends unless it is renewed."""
    takes_over: TakeOver | None
    """Why an earlier lease was void; None if the submission was waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """The holder is still at work."""

    claim: int
    """Number of the `claimed` event."""
    lease_until: Timestamp
    """When the lease ends now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The holder stops early through nobody's fault; finished shards stay."""

    claim: int
    """Number of the `claimed` event."""
    reason: str
    """Short code, for example "worker_stopped"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Its run must wait for something outside, through nobody's fault; finished shards stay and no try is lost."""

    claim: int
    """Number of the `claimed` event."""
    reason: str
    """Short code, for example "judge_unavailable" or "judge_budget"."""
    message: str
    """One sentence for a person; may be empty."""
    since: Timestamp
    """Since when what it waits for is missing."""
    not_before: Timestamp
    """When it may be claimed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The operator lets a held or pausing submission be claimed at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeued:
    """It runs again: after a failure of ours, because its maker sent it again, or for a row under a protocol more."""

    claim: int | None
    """Number of the `claimed` event; None if nobody held it."""
    reason: str
    """Short code, for example "bug", "sent_again" or "reevaluate"."""
    message: str
    """One sentence for a person; may be empty."""
    trace_id: str | None
    """Finds the traceback in the worker's log; None if there is none."""
    not_before: Timestamp | None
    """When it may be claimed again; None for at once."""
    protocol: str | None = field(default=None, metadata=OPTIONAL)
    """Id of the protocol under which it must get a row; None: as before, or the worker's own if it was sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The zip breaks the rules; its maker can mend it."""

    claim: int
    """Number of the `claimed` event."""
    problems: tuple[Problem, ...]
    """Every problem, at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """We could not evaluate it; never counted against its maker."""

    claim: int
    """Number of the `claimed` event."""
    reason: str
    """Short code, as in `Requeued`, or "worker_lost"."""
    message: str
    """One sentence for a person."""
    trace_id: str | None
    """Finds the traceback in the worker's log; None if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Its row is on the board."""

    claim: int
    """Number of the `claimed` event."""
    protocol: str
    """Id of the protocol that it was evaluated under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """Its maker, or the board's keeper, took it back."""

    reason: str
    """Why, in one sentence."""


Payload = (
    Received
    | Queued
    | Claimed
    | Renewed
    | Released
    | Held
    | Resumed
    | Requeued
    | Rejected
    | Failed
    | Published
    | Withdrawn
    | Stopped
    | Hidden
    | Unhidden
    | Flagged
    | RenameAsked
    | Renamed
)

_KINDS: Mapping[Kind, type[Payload]] = {
    "received": Received,
    "queued": Queued,
    "claimed": Claimed,
    "renewed": Renewed,
    "released": Released,
    "held": Held,
    "resumed": Resumed,
    "requeued": Requeued,
    "rejected": Rejected,
    "failed": Failed,
    "published": Published,
    "withdrawn": Withdrawn,
    "stopped": Stopped,
    "hidden": Hidden,
    "unhidden": Unhidden,
    "flagged": Flagged,
    "rename-asked": RenameAsked,
    "renamed": Renamed,
}
_PAYLOADS: Mapping[str, type[Payload]] = {str(kind): payload for kind, payload in _KINDS.items()}
_KIND_OF: Mapping[type[Payload], Kind] = {payload: kind for kind, payload in _KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One step of a submission."""

    n: int
    """Place in the submission's history, from 1."""
    at: Timestamp
    """When it was written, by the writer's clock."""
    payload: Payload
    """What happened."""

    @property
    def kind(self) -> Kind:
        """Name of what happened."""
        return _KIND_OF[type(self.payload)]


def encode_event(event: Event) -> bytes:
    """Return the canonical JSON of an event."""
    payload = {name: value for name, value in to_json(event.payload).items() if name != "is"}
    return canonical(
        {"schema_version": SCHEMA_VERSION, "n": event.n, "at": event.at, "kind": event.kind, "payload": payload}
    )


def decode_event(data: bytes, where: str) -> Event:
    """Read an event back.

    Args:
        data: what `encode_event` gave.
        where: path, for messages.

    Raises:
        SchemaError: if it is no JSON object, of another schema version, of an unknown kind, or malformed.
    """
    try:
        fields = json.loads(data)
    except ValueError as error:
        raise SchemaError(f"{where}: no JSON: {error}") from error
    version = fields.get("schema_version") if isinstance(fields, dict) else None
    if version != SCHEMA_VERSION:
        raise SchemaError(f"{where}: schema_version must be {SCHEMA_VERSION}, got {version!r}; use a newer Castboard")
    try:
        return _event(fields)
    except SchemaError as error:
        raise SchemaError(f"{where}: {error}") from error


def submission_id(text: str) -> SubmissionId:
    """Return `text` as a submission's id.

    Raises:
        ValueError: unless it is 6 to 64 lower-case letters, digits and dashes that do not begin with a dash.
    """
    if not _ID.fullmatch(text):
        raise ValueError(f"a submission's id is 6 to 64 of a-z, 0-9 and -, not beginning with -; got {text!r:.80}")
    return SubmissionId(text)


def timestamp(when: datetime) -> Timestamp:
    """Return an aware `when` in the form that events carry; finer than a millisecond is cut off.

    Raises:
        ValueError: if `when` has no time zone.
    """
    if when.tzinfo is None:
        raise ValueError(f"a time needs its zone, got {when.isoformat()}")
    return Timestamp(when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))


def moment(text: str) -> datetime:
    """Return the time that a timestamp means, in UTC.

    Raises:
        SchemaError: if it is no time with a zone.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise SchemaError(f"{text!r:.80} is no ISO 8601 time") from error
    if when.tzinfo is None:
        raise SchemaError(f"{text!r:.80} names no time zone")
    return when.astimezone(UTC)


def _event(fields: Mapping[str, object]) -> Event:
    kind, n, at = fields.get("kind"), fields.get("n"), fields.get("at")
    if not isinstance(kind, str) or kind not in _PAYLOADS:
        raise SchemaError(f"kind must be one of {', '.join(_PAYLOADS)}, got {kind!r}")
    if not isinstance(n, int) or not isinstance(at, str):
        raise SchemaError(f"n must be a number and at a time, got {n!r} and {at!r}")
    return Event(n=n, at=timestamp(moment(at)), payload=from_json(_PAYLOADS[kind], fields.get("payload")))
