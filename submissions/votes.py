"""Votes of people in blind listening tests: one line of JSON each, published beside a board and never part of a score.

    votes/<protocol>.jsonl       published, sorted by id
    <home>/votes/journal.jsonl   what this machine took in, and which raters took theirs back; only ever appended to

A vote names no person: `rater` is a hash of a random number that a browser keeps, by which its owner can delete them.
"""

import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.codec import read_record, sha256_of, write_record
from evaluation.errors import CastboardError, SchemaError
from submissions import layout
from submissions.store import atomic
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
JOURNAL = "journal.jsonl"
MOST_VOTES = 50_000
"""Of one board, and of one journal; beyond it none is taken."""
MOST_LINE_BYTES = 2_000
_RATER_DIGITS = 16
_ID = re.compile(r"[0-9a-f]{32}")
_RATER = re.compile(r"[0-9a-f]{16}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

Side = Literal["a", "b"]
Answer = Literal["a", "b", "none"]
Kind = Literal["abx", "preference"]
Question = Literal["apart", "instruction", "naturalness"]
Catch = Literal["", "identical", "vetoed"]


class VotesFull(CastboardError):
    """No further vote is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One answer of one listener."""

    id: str
    """32 hex digits, from the ticket that was answered."""
    day: str
    """Day on which it was given, UTC, ISO 8601."""
    protocol: str
    """Id of the protocol on whose board both systems are."""
    kind: Kind
    """abx: which of two clips a third one is; preference: which of two clips is better."""
    question: Question
    """What was asked; "apart" in an abx test."""
    catch: Catch
    """How a trial with a known answer was made; empty for a real one."""
    item: str
    """Item that the clips read."""
    a: str
    """Submission of one clip; the smaller id of the two, or both are the same in an identical pair."""
    b: str
    """Submission of the other."""
    first: Side
    """Whose clip stood first on the page."""
    expected: Literal["", "a", "b", "none"]
    """The right answer: whose clip the third one was, or that of a catch trial; empty where there is none."""
    answer: Answer
    """Whose clip was chosen; none: no difference."""
    seconds: float
    """From the page's making to the answer, s."""
    n_plays: int | None
    """How often a clip was started; None if the browser did not count."""
    listened_s: float | None
    """How long clips played in all, s; None if the browser did not count."""
    rater: str
    """16 hex digits: a hash of the random number that the listener's browser keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a journal: a vote, or that a rater took all of theirs back."""

    vote: Vote | None = None
    """The vote."""
    forget: str | None = None
    """The rater."""


def rater_of(secret: str) -> str:
    """Return the published name of whoever keeps a random number."""
    return sha256_of(f"castboard rater {secret}".encode())[:_RATER_DIGITS]


def encode_votes(votes: Iterable[Vote]) -> bytes:
    """Return the bytes of a published file of votes."""
    ordered = sorted(votes, key=lambda vote: vote.id)
    return b"".join(write_record(vote, version=SCHEMA_VERSION) + b"\n" for vote in ordered)


def decode_votes(data: bytes, where: str) -> tuple[Vote, ...]:
    """Return the votes of a published file.

    Raises:
        SchemaError: naming the line that is malformed, of another version, out of order, or of another board.
    """
    found: list[Vote] = []
    lines = data.splitlines()
    if len(lines) > MOST_VOTES:
        raise SchemaError(f"{where}: at most {MOST_VOTES:,} votes are read, got {len(lines):,}")
    for number, line in enumerate(lines, start=1):
        place = f"{where}, line {number}"
        vote = _read(line, place)
        if found and vote.id <= found[-1].id:
            raise SchemaError(f"{place}: votes must be sorted by id, each once")
        if layout.votes_path(vote.protocol) != where:
            raise SchemaError(f"{place}: a vote on the board of {vote.protocol}")
        found.append(vote)
    return tuple(found)


def read_votes(files: PublishedFiles, protocol_id: str) -> tuple[Vote, ...]:
    """Return the published votes on a board; none if nobody voted; raises SchemaError as `decode_votes`."""
    path = layout.votes_path(protocol_id)
    try:
        return decode_votes(files.read(path), path)
    except FileNotFoundError:
        return ()


class VoteJournal:
    """The votes that a machine took in. Safe to use from several threads; other processes may read along."""

    def __init__(self, folder: Path) -> None:
        """Keep the journal in `folder`, which need not exist."""
        self._path = folder / JOURNAL
        self._lock = threading.Lock()
        self._n_read = 0
        self._votes: dict[str, Vote] = {}
        self._forgotten: set[str] = set()

    def revision(self) -> str:
        """Return what changes whenever a line is added."""
        return str(self._path.stat().st_size) if self._path.is_file() else "0"

    def votes(self) -> Mapping[str, Vote]:
        """Return every vote that nobody took back, by id."""
        with self._lock:
            self._catch_up()
            return {key: vote for key, vote in self._votes.items() if vote.rater not in self._forgotten}

    def forgotten(self) -> frozenset[str]:
        """Return the raters who took their votes back."""
        with self._lock:
            self._catch_up()
            return frozenset(self._forgotten)

    def add(self, vote: Vote) -> bool:
        """Keep a vote, down to the disk; return whether it was new.

        Raises:
            VotesFull: if there are too many.
            SchemaError: if it is none that could be published.
        """
        line = write_record(Entry(vote=vote), version=SCHEMA_VERSION)
        _see(vote, "vote")
        with self._lock:
            self._catch_up()
            if vote.id in self._votes:
                return False
            if len(self._votes) >= MOST_VOTES:
                raise VotesFull("This site has taken as many votes as it keeps.")
            self._append(line)
            return True

    def forget(self, rater: str) -> int:
        """Take all votes of a rater back; return how many of this journal those are."""
        with self._lock:
            self._catch_up()
            n_here = sum(vote.rater == rater for vote in self._votes.values())
            if rater not in self._forgotten:
                self._append(write_record(Entry(forget=rater), version=SCHEMA_VERSION))
            return n_here

    def _append(self, line: bytes) -> None:
        atomic.make_folder(self._path.parent)
        with self._path.open("ab") as file:
            torn = self._n_read < file.tell()  # a killed writer's half line ends here
            file.write((b"\n" if torn else b"") + line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._catch_up()

    def _catch_up(self) -> None:
        """Read what was added since, whole lines alone; what cannot be read is told and left out."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._n_read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            try:
                entry = read_record(Entry, line, str(JOURNAL), version=SCHEMA_VERSION)
            except SchemaError as error:
                log.warning("votes.line_left_out", extra={"why": str(error)})
                continue
            if entry.vote is not None:
                self._votes.setdefault(entry.vote.id, entry.vote)
            if entry.forget is not None:
                self._forgotten.add(entry.forget)
        self._n_read += len(whole)


def _read(line: bytes, place: str) -> Vote:
    if len(line) > MOST_LINE_BYTES:
        raise SchemaError(f"{place}: a vote has at most {MOST_LINE_BYTES:,} bytes, got {len(line):,}")
    vote = read_record(Vote, line, place, version=SCHEMA_VERSION)
    _see(vote, place)
    return vote


def _see(vote: Vote, place: str) -> None:
    """Raise SchemaError if a vote says what none can."""
    is_abx = vote.kind == "abx"
    faults = (
        (not _ID.fullmatch(vote.id), "id must be 32 hex digits"),
        (not _RATER.fullmatch(vote.rater), "rater must be 16 hex digits"),
        (not _DAY.fullmatch(vote.day), "day must be a date"),
        (not all(map(layout.is_name, (vote.a, vote.b, vote.protocol))), "a, b and protocol must be ids"),
        (not 0 < len(vote.item) <= 64, "item must be an id"),
        ((vote.a == vote.b) != (vote.catch == "identical") or vote.a > vote.b, "a must be the smaller id of the pair"),
        (is_abx != (vote.question == "apart"), "an abx test asks whether clips can be told apart, and no other does"),
        (is_abx and (vote.expected not in ("a", "b") or vote.answer == "none"), "an abx answer is one of two"),
        (not is_abx and bool(vote.expected) != bool(vote.catch), "a preference has a right answer in a catch trial"),
        (not 0 <= vote.seconds <= 86_400, "seconds must be within a day"),
        (vote.n_plays is not None and not 0 <= vote.n_plays <= 10_000, "n_plays must be 0 to 10,000"),
        (vote.listened_s is not None and not 0 <= vote.listened_s <= 86_400, "listened_s must be within a day"),
    )
    for is_wrong, what in faults:
        if is_wrong:
            raise SchemaError(f"{place}: {what}")
