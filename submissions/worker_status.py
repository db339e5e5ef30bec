"""What a worker says of itself while it works: one small file, replaced again and again.

It is for people only; nothing is decided from it.
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from evaluation.codec import canonical, from_json, to_json
from evaluation.errors import SchemaError
from evaluation.run_progress import Progress
from submissions.records import ProcessIdentity, SubmissionId, Timestamp, timestamp
from submissions.store.base import WorkStore

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
_NEVER = timestamp(datetime(1970, 1, 1, tzinfo=UTC))  # until it is written
_PAUSE_S = 0.5  # between two writes that only move a number

Stage = Literal["starting", "idle", "checking", "reading", "publishing", "stopped"]


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
    """Expected seconds to the end of the stage; None before the first shard."""
    message: str
    """Why it stopped, for the operator; else empty."""
    updated_at: Timestamp
    """When it said so: its heartbeat."""


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
            )
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
