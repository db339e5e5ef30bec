"""One claimed submission, from its zip to its row. The worker decides what to do with what goes wrong.

What gets published depends on the upload and its `received` event alone, never on when, how often or
by whom it was evaluated.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluation.codec import canonical, sha256_of
from evaluation.corpus import Corpus
from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId, Unread
from evaluation.run import SHARD_SIZE, Engine, Shard, evaluate, plan_of
from evaluation.run_progress import Progress
from submissions import layout, queue
from submissions.board import rebuild_board
from submissions.intake import CheckResult, check
from submissions.lease_keeper import LeaseKeeper
from submissions.liveness import is_dead
from submissions.problems import SubmissionError
from submissions.publish import publish
from submissions.queue import Claim
from submissions.records import ProcessIdentity
from submissions.result import Provenance
from submissions.state import SubmissionState
from submissions.store.base import PublishedFiles, Shards, WorkStore
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)

_RUN_DIGITS = 12
_N_SHOWN = 3


class InstrumentFault(CastboardError):
    """An instrument of ours could not read clips; they must be read again."""


class UploadDamaged(CastboardError):
    """The zip that we kept is not the one that came."""


class Stopped(CastboardError):
    """The worker was asked to stop while it worked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """All that a worker works with."""

    name: str
    """Name of the worker: lower-case letters, digits, dashes; no other worker of the store has it."""
    store: WorkStore
    """Where submissions wait."""
    published: PublishedFiles
    """Where rows go."""
    corpus: Corpus
    """The protocol's corpus."""
    protocol: Protocol
    """What submissions are evaluated under."""
    open_engine: Callable[[], AbstractContextManager[Engine]]
    """Opens an engine for one submission."""
    preflight: Callable[[], None]
    """Returns if every instrument can be loaded; else raises MissingDependency or WeightsMismatch."""
    clock: Callable[[], datetime]
    """The time, aware."""
    decoder_processes: int = 2
    """Decoders at work at once, >= 1."""
    shard_size: int = SHARD_SIZE
    """Most clips of a shard."""
    lease_s: float = queue.LEASE_S
    """Length of a lease, s."""
    is_dead: Callable[[ProcessIdentity], bool] = is_dead
    """Tells whether the holder of a lease is certainly gone."""


class Attempt:
    """One run of one claim."""

    def __init__(
        self, station: Station, claim: Claim, keeper: LeaseKeeper, reporter: Reporter, stop: threading.Event
    ) -> None:
        """Prepare; `keeper` holds the claim, and `stop` asks for an early end."""
        self._station = station
        self._claim = claim
        self._keeper = keeper
        self._reporter = reporter
        self._stop = stop

    def run(self) -> None:
        """Evaluate and publish; returns once the submission's row and its last event are there.

        Raises:
            SubmissionError: if the zip breaks the rules.
            LeaseLost: if the submission was taken over or withdrawn meanwhile.
            Stopped: if the worker was asked to stop.
            CastboardError: if something of ours failed.
        """
        station, claim = self._station, self._claim
        if claim.submission in layout.committed(station.published, station.protocol.id):
            with station.store.publishing():  # the last worker died between the row and its event
                rebuild_board(station.published, station.protocol.id)
        else:
            try:
                self._evaluate(station.store.clips_dir(claim.submission, claim.number))
            finally:
                station.store.remove_clips(claim.submission, claim.number)
        queue.finish(station.store, claim, station.clock(), station.protocol.id)
        log.info("submission.published", extra={"submission": claim.submission})

    def _evaluate(self, folder: Path) -> None:
        checked = self._check(folder)
        readings = self._read(checked, folder / "clips")
        self._publish(checked, readings, folder / "clips")

    def _check(self, folder: Path) -> CheckResult:
        station, claim = self._station, self._claim
        self._reporter.enter("checking", claim.submission)
        for name in ("clips", "passing"):
            (folder / name).mkdir()

        def on_progress(done: int, n_clips: int) -> None:
            self._pause_point()
            self._reporter.count(done, n_clips)

        checked = check(
            station.store.upload_path(claim.submission),
            station.corpus,
            folder / "passing",
            decoder_processes=station.decoder_processes,
            keep_clips=folder / "clips",
            on_progress=on_progress,
        )
        expected = claim.state.received.zip_sha256
        if checked.zip_sha256 != expected:
            raise UploadDamaged(f"the kept zip has the sha256 {checked.zip_sha256}, it came with {expected}")
        if checked.problems:
            raise SubmissionError(checked.problems)
        return checked

    def _read(self, checked: CheckResult, clips_dir: Path) -> dict[ItemId, ClipReadings]:
        station, claim = self._station, self._claim
        self._reporter.enter("reading", claim.submission)
        shards = plan_of(station.protocol, checked.clips, station.shard_size)
        kept = station.store.shards(claim.submission, run_name(station.protocol, shards))

        def on_progress(progress: Progress) -> None:
            self._reporter.progress(progress)
            if progress.shards_done < progress.n_shards:
                self._pause_point()

        with station.open_engine() as engine:
            readings = evaluate(
                protocol=station.protocol,
                clips=checked.clips,
                clips_dir=clips_dir,
                store=kept,
                engine=engine,
                on_progress=on_progress,
                shard_size=station.shard_size,
            )
        _forget_faulty(kept, shards, readings)
        return readings

    def _publish(self, checked: CheckResult, readings: Mapping[ItemId, ClipReadings], clips_dir: Path) -> None:
        station, claim = self._station, self._claim
        self._reporter.enter("publishing", claim.submission)
        with station.store.publishing():
            self._keeper.check()
            queue.renew(station.store, claim, station.clock(), station.lease_s)  # ours still, and for long enough
            publish(
                files=station.published,
                protocol=station.protocol,
                items=station.corpus.items,
                submission_id=claim.submission,
                card=claim.state.received.card.public(),
                provenance=provenance(claim.state),
                clips_dir=clips_dir,
                clips=checked.clips,
                readings=readings,
                declined=checked.declined,
            )

    def _pause_point(self) -> None:
        self._keeper.check()
        if self._stop.is_set():
            raise Stopped(f"the worker was asked to stop; {self._claim.submission} goes on later")


def run_name(protocol: Protocol, shards: Sequence[Shard]) -> str:
    """Return the name under which a run's shards are kept: other clips or another protocol never meet them."""
    cut = [[clip.sha256 for clip in shard.clips] for shard in shards]
    return f"{protocol.id}-{sha256_of(canonical(cut))[:_RUN_DIGITS]}"


def provenance(state: SubmissionState) -> Provenance:
    """Return where a submission came from, of its `received` event alone."""
    received = state.received
    return Provenance(
        zip_sha256=received.zip_sha256,
        zip_size_bytes=received.zip_bytes,
        received_at=state.received_at,
        code_version=received.code_version,
        warnings=tuple(warning.sentence() for warning in received.warnings),
    )


def _forget_faulty(kept: Shards, shards: Sequence[Shard], readings: Mapping[ItemId, ClipReadings]) -> None:
    """Drop shards with a reading that an instrument owes, so that the next attempt reads them again."""
    faulty = {shard.index: fault for shard in shards if (fault := _fault(shard.clips, readings)) is not None}
    for index in faulty:
        kept.remove(index)
    if faulty:
        shown = "; ".join(list(faulty.values())[:_N_SHOWN])
        raise InstrumentFault(f"{len(faulty)} shards hold readings that an instrument of ours could not give: {shown}")


def _fault(clips: Sequence[Clip], readings: Mapping[ItemId, ClipReadings]) -> str | None:
    for clip in clips:
        reading = readings[clip.item_id]
        for part in (reading.acoustics, reading.transcript, reading.naturalness, *reading.probes.values()):
            if isinstance(part, Unread) and part.fault == "instrument":
                return f"{clip.item_id}: {part.reason} {part.detail}".strip()
    return None
