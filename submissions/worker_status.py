"""What a worker says of itself while it works: one small file, replaced again and again.

It is for people only; nothing is decided from it.
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from evaluation.codec import OPTIONAL, canonical, from_json, to_json
from evaluation.errors import SchemaError
from evaluation.judge.calls import Tally
from evaluation.judge.spend import RunEstimate
from evaluation.judge_stage import JudgeProgress
from evaluation.passes import SHARED
from evaluation.run_progress import Progress
from submissions.records import ProcessIdentity, SubmissionId, Timestamp, timestamp
from submissions.store.base import WorkStore

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
_NEVER = timestamp(datetime(1970, 1, 1, tzinfo=UTC))  # until it is written
_PAUSE_S = 0.5  # between two writes that only move a number

Stage = Literal["starting", "idle", "checking", "reading", "reading_anchor", "judging", "publishing", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWork:
    """What a run asks of its judge."""

    expected: RunEstimate
    """What the whole stage takes if nothing was answered before; replies that must be asked for again come on top."""
    tally: Tally
    """What was done so far in this run: calls, cache hits, tries again, spend."""
    unavailable_since: Timestamp | None
    """Since when the judge gives no answer; None while it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStatus:
    """A worker's last word."""

    worker: str
    """Name of the worker."""
    process: ProcessIdentity
    """Its process."""
    stage: Stage
    """What it does."""
    submission: SubmissionId | None
    """What it works on; None while it works on nothing."""
    clips_done: int
    """Clips that the stage has finished."""
    n_clips: int
    """Clips of the submission; 0 while unknown."""
    shards_done: int
    """Finished shards, those of an earlier run included."""
    n_shards: int
    """All shards; 0 while unknown."""
    seconds_per_clip: float | None
    """Wall seconds a clip in this stage; None before the first shard."""
    eta_s: float | None
    """Expected seconds to the end of the stage; None before the first shard or judged item."""
    message: str
    """Why it stopped, for the operator; else empty."""
    updated_at: Timestamp
    """When it said so: its heartbeat."""
    pass_name: str = field(default=SHARED, metadata=OPTIONAL)
    """Pass of the instruments that reads; "shared" for the light ones, else the trait of the one large model."""
    passes_done: int = field(default=0, metadata=OPTIONAL)
    """Finished passes; clips count within a pass, shards over all passes."""
    n_passes: int = field(default=1, metadata=OPTIONAL)
    """All passes."""
    judge: JudgeWork | None = field(default=None, metadata=OPTIONAL)
    """What is asked of the judge; None outside the stage of the judge."""


def encode_status(status: WorkerStatus) -> bytes:
    """Return the canonical JSON of a status."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(status)})


def decode_status(data: bytes) -> WorkerStatus:
    """Read a status back.

    Raises:
        SchemaError: if it is of another version or malformed.
    """
    try:
        fields = json.loads(data)
    except ValueError as error:
        raise SchemaError(f"a worker's status is no JSON: {error}") from error
    if not isinstance(fields, dict) or fields.pop("schema_version", None) != SCHEMA_VERSION:
        raise SchemaError(f"a worker's status must have schema_version {SCHEMA_VERSION}")
    return from_json(WorkerStatus, fields)


def read_statuses(store: WorkStore) -> tuple[WorkerStatus, ...]:
    """Return the last word of every worker, sorted by name; words of another version are left out."""
    found = []
    for data in store.workers():
        try:
            found.append(decode_status(data))
        except SchemaError:  # an earlier version's worker that has not run since is no news
            log.info("worker.status_unreadable", exc_info=True)
    return tuple(found)


class Reporter:
    """Keeps one worker's status up to date; safe to call from several threads."""

    def __init__(self, store: WorkStore, worker: str, process: ProcessIdentity, clock: Callable[[], datetime]) -> None:
        """Speak for `worker`, whose times come from `clock` (aware)."""
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._written_s = 0.0
        self._judging_since_s = 0.0
        self._status = _status(worker, process, "starting")

    def enter(self, stage: Stage, submission: SubmissionId | None = None, message: str = "") -> None:
        """Begin a stage; numbers of the one before are forgotten."""
        with self._lock:
            self._status = _status(self._status.worker, self._status.process, stage, submission, message)
            self._write()

    def count(self, clips_done: int, n_clips: int) -> None:
        """Say how many clips are done."""
        with self._lock:
            self._status = replace(self._status, clips_done=clips_done, n_clips=n_clips)
            self._write_sometimes()

    def progress(self, progress: Progress) -> None:
        """Say how far a run is."""
        with self._lock:
            self._status = replace(
                self._status,
                clips_done=progress.clips_done,
                n_clips=progress.n_clips,
                shards_done=progress.shards_done,
                n_shards=progress.n_shards,
                seconds_per_clip=progress.seconds_per_clip,
                eta_s=progress.eta_s,
                pass_name=progress.pass_name,
                passes_done=progress.passes_done,
                n_passes=progress.n_passes,
            )
            self._write()

    def judging(self, submission: SubmissionId, progress: JudgeProgress) -> None:
        """Say how far the judging is; the first word of it begins the stage."""
        with self._lock:
            begins = self._status.judge is None
            if begins:
                self._status = _status(self._status.worker, self._status.process, "judging", submission)
                self._judging_since_s = time.monotonic()
            done, n_left = progress.items_done, progress.n_items - progress.items_done
            each = (time.monotonic() - self._judging_since_s) / done if done else None
            self._status = replace(
                self._status,
                clips_done=done,
                n_clips=progress.n_items,
                seconds_per_clip=each,
                eta_s=None if each is None else each * n_left,
                judge=JudgeWork(expected=progress.expected, tally=progress.tally, unavailable_since=None),
            )
            if begins or n_left == 0:
                self._write()
            else:
                self._write_sometimes()

    def waiting_for_judge(self, tally: Tally, unavailable_since: datetime | None) -> None:
        """Say that the judge does not answer, or does again; nothing happens outside its stage."""
        since = None if unavailable_since is None else timestamp(unavailable_since)
        with self._lock:
            work = self._status.judge
            if work is not None and (since, tally.n_retries) != (work.unavailable_since, work.tally.n_retries):
                message = f"waiting: judge unavailable since {since}" if since else ""
                judge = replace(work, tally=tally, unavailable_since=since)
                self._status = replace(self._status, message=message, judge=judge)
                self._write()

    def remark(self, message: str) -> None:
        """Say why the stage does not go on, in one sentence; empty once it does."""
        with self._lock:
            self._status = replace(self._status, message=message)
            self._write()

    def beat(self) -> None:
        """Say the same again, with the time."""
        with self._lock:
            self._write()

    def _write_sometimes(self) -> None:
        if time.monotonic() - self._written_s >= _PAUSE_S:
            self._write()

    def _write(self) -> None:
        self._written_s = time.monotonic()
        self._status = replace(self._status, updated_at=timestamp(self._clock()))
        self._store.write_worker(self._status.worker, encode_status(self._status))


def _status(
    worker: str, process: ProcessIdentity, stage: Stage, submission: SubmissionId | None = None, message: str = ""
) -> WorkerStatus:
    return WorkerStatus(
        worker=worker,
        process=process,
        stage=stage,
        submission=submission,
        clips_done=0,
        n_clips=0,
        shards_done=0,
        n_shards=0,
        seconds_per_clip=None,
        eta_s=None,
        message=message,
        updated_at=_NEVER,
    )
