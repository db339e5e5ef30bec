"""The public log of what operators did to what is published: one line of JSON an act, only ever appended to.

It tells what, when and why, of which submission; never who sent it, who the operator was, or whom a ban is about. A
system stands in it by its id alone: its name is hostile text that may be the very reason for the act, and a log that is
never shortened would show it for ever. Each line names the private record that it follows from, so
that it is written exactly once however often it is tried.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.codec import read_record, write_record
from evaluation.errors import SchemaError
from submissions import bans, layout
from submissions.operator_events import Hidden, Renamed, Stopped, Unhidden
from submissions.records import Event, SubmissionId, Timestamp
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
Act = Literal["hidden", "unhidden", "stopped", "renamed", "banned", "unbanned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the log."""

    n: int
    """Place in the log, from 1."""
    at: Timestamp
    """When it was decided."""
    act: Act
    """What was done."""
    submission: str | None
    """To which submission; None for a ban, which names nobody."""
    reason: str
    """Why, in the operator's words."""
    source: str
    """The private record that it follows from: a submission and the number of its event, or "bans" and a number."""


def of_submission(submission: SubmissionId, events: Iterable[Event]) -> Iterator[Entry]:
    """Yield the lines that a submission's events ask for, not yet numbered."""
    for event in events:
        act: Act
        match event.payload:
            case Hidden(reason=why):
                act = "hidden"
            case Unhidden(reason=why):
                act = "unhidden"
            case Stopped(reason=why):
                act = "stopped"
            case Renamed(reason=why):
                act = "renamed"
            case _:
                continue
        source = f"{submission}.{event.n}"
        yield Entry(n=0, at=event.at, act=act, submission=submission, reason=why, source=source)


def of_bans(store: WorkStore) -> Iterator[Entry]:
    """Yield the lines that bans ask for, not yet numbered."""
    for ban in bans.entries(store):
        yield Entry(n=0, at=ban.at, act=ban.act, submission=None, reason=ban.reason, source=f"{bans.LOG}.{ban.n}")


def append(files: PublishedFiles, wanted: Iterable[Entry]) -> None:
    """Append those lines that the log does not have; nothing is written if it has all, or is damaged."""
    try:
        known = read(files)
    except SchemaError:  # no reason to leave on the board what must go; `verify` names the damage
        log.exception("moderation.damaged")
        return
    lacking = _lacking(known, wanted)
    if lacking:
        numbered = [replace(entry, n=len(known) + at) for at, entry in enumerate(lacking, start=1)]
        files.write(layout.MODERATION, encode([*known, *numbered]))


def is_complete(files: PublishedFiles, wanted: Iterable[Entry]) -> bool:
    """Return whether the log has all these lines; so does a damaged one, to which nothing can be added."""
    try:
        return not _lacking(read(files), wanted)
    except SchemaError:
        log.exception("moderation.damaged")
        return True


def read(files: PublishedFiles) -> tuple[Entry, ...]:
    """Return the published log; nothing if no operator ever did anything.

    Raises:
        SchemaError: if it is damaged or of another version.
    """
    try:
        return decode(files.read(layout.MODERATION))
    except FileNotFoundError:
        return ()


def encode(entries: Iterable[Entry]) -> bytes:
    """Return the bytes of a log."""
    return b"".join(_line(entry) for entry in entries)


def decode(data: bytes) -> tuple[Entry, ...]:
    """Return the entries of a log.

    Raises:
        SchemaError: naming the line that is malformed, of another version, or out of its place.
    """
    found = []
    for number, line in enumerate(data.splitlines(), start=1):
        where = f"{layout.MODERATION}, line {number}"
        entry = read_record(Entry, line, where, version=SCHEMA_VERSION)
        if entry.n != number:
            raise SchemaError(f"{where}: n must be {number}, got {entry.n}")
        found.append(entry)
    return tuple(found)


def hidden_now(entries: Iterable[Entry]) -> Mapping[str, Entry]:
    """Return why each submission that is hidden is so, by submission."""
    last = {one.submission: one for one in entries if one.submission and one.act in ("hidden", "unhidden")}
    return {submission: entry for submission, entry in last.items() if entry.act == "hidden"}


def _lacking(known: Sequence[Entry], wanted: Iterable[Entry]) -> list[Entry]:
    sources = {entry.source for entry in known}
    return sorted((entry for entry in wanted if entry.source not in sources), key=lambda one: (one.at, one.source))


def _line(entry: Entry) -> bytes:
    return write_record(entry, version=SCHEMA_VERSION) + b"\n"
