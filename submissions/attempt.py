"""One claimed submission, from its zip to its row. The worker decides what to do with what goes wrong.

What gets published depends on the upload, its `received` event, the protocol and the judge's first usable answer to
each call, never on when, how often or by whom it was evaluated. While the store is away the step that needs it waits:
clips are read on meanwhile, and a finished evaluation is published once the store answers.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from evaluation.codec import canonical, sha256_of
from evaluation.errors import CastboardError
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge_stage import AnchorClips, Desk, JudgeProgress
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Clip
from evaluation.run import Shard, ShardStore, plan_of
from evaluation.run_progress import Progress
from evaluation.stages import Evaluated, evaluate_clips
from submissions import layout, queue
from submissions.anchor import anchor_clips
from submissions.board import rebuild_board
from submissions.duplicates import note_duplicates
from submissions.hiding import where_clips_are, where_rows_go
from submissions.intake import CheckResult, check
from submissions.judge_watch import watched
from submissions.lease_keeper import LeaseKeeper
from submissions.patience import Patience
from submissions.problems import SubmissionError
from submissions.publish import publish
from submissions.queue import Claim
from submissions.records import SubmissionId, moment, submission_id
from submissions.result import Provenance
from submissions.state import SubmissionState
from submissions.station import Station
from submissions.store.base import PublishedFiles, StoreUnavailable
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)

_RUN_DIGITS = 12
_SHARE_TO_PUBLISH = 0.5
"""Share of a lease in which a row is published: after it somebody else might begin to."""


class UploadDamaged(CastboardError):
    """The zip that we kept is not the one that came."""


class Stopped(CastboardError):
    """The worker was asked to stop while it worked."""


class Attempt:
    """One run of one claim."""

    def __init__(
        self,
        station: Station,
        protocol: Protocol,
        claim: Claim,
        *,
        keeper: LeaseKeeper,
        reporter: Reporter,
        stop: threading.Event,
        patience: Patience,
    ) -> None:
        """Prepare to evaluate under `protocol`; `keeper` holds the claim, and `stop` asks for an early end.

        `patience` waits while the store is away, for as long as the claim is ours.
        """
        self._station = station
        self._protocol = protocol
        self._claim = claim
        self._keeper = keeper
        self._reporter = reporter
        self._stop = stop
        self._patience = patience
        self._is_at_anchor = False

    def run(self) -> None:
        """Evaluate and publish; returns once the submission's row and its last event are there.

        Raises:
            SubmissionError: if the zip breaks the rules.
            LeaseLost: if the submission was taken over or withdrawn meanwhile.
            Stopped: if the worker was asked to stop.
            CastboardError: if something of ours failed.
        """
        station, claim = self._station, self._claim
        if not self._patience.until_done(self._finds_row):
            try:
                self._evaluate(station.store.clips_dir(claim.submission, claim.number))
            finally:
                station.store.remove_clips(claim.submission, claim.number)
        self._patience.until_done(lambda: queue.finish(station.store, claim, station.clock(), self._protocol.id))
        log.info("submission.published", extra={"submission": claim.submission})

    def _finds_row(self) -> bool:
        """Return whether the row is there: the last worker died between it and its event. The board is mended then."""
        station, protocol_id = self._station, self._protocol.id
        station.published.refresh()
        files = where_rows_go(station.store, station.published, queue.load(station.store, self._claim.submission))
        if self._claim.submission not in layout.committed(files, protocol_id):
            return False
        with station.store.publishing():
            self._mend_board(files)
        return True

    def _mend_board(self, files: PublishedFiles) -> None:
        files.change(f"Board of {self._protocol.id}", lambda draft: rebuild_board(draft, self._protocol.id))

    def _evaluate(self, folder: Path) -> None:
        self._reporter.enter("checking", self._claim.submission)
        upload = self._patience.until_done(lambda: self._station.store.fetch_upload(self._claim.submission))
        checked = self._check(upload, folder)
        own, now = self._claim.submission, self._station.clock()
        note_duplicates(self._station.store, own, checked.clips, folder / "clips", now, is_over=self._is_over)
        evaluated = self._patience.until_done(lambda: self._read_and_judge(checked, folder))
        self._reporter.enter("publishing", self._claim.submission)
        self._patience.until_done(lambda: self._publish(checked, evaluated, folder / "clips"))

    def _check(self, upload: Path, folder: Path) -> CheckResult:
        station, claim = self._station, self._claim
        for name in ("clips", "passing"):
            (folder / name).mkdir()

        def on_progress(done: int, n_clips: int) -> None:
            self._pause_point()
            self._reporter.count(done, n_clips)

        checked = check(
            upload,
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

    def _read_and_judge(self, checked: CheckResult, folder: Path) -> Evaluated:
        station, protocol = self._station, self._protocol
        self._reporter.enter("reading", self._claim.submission)
        try:
            return evaluate_clips(
                protocol=protocol,
                items=station.corpus.items,
                clips=checked.clips,
                clips_dir=folder / "clips",
                store=self._shards(protocol, checked.clips),
                open_engine=station.open_engine,
                desk=self._desk(checked, folder),
                on_reading=self._on_reading,
                on_anchor=self._on_anchor,
                on_judging=self._on_judging,
                shard_size=station.shard_size,
            )
        except JudgeUnavailable:
            self._pause_point()  # its waits end too when the worker is asked to stop
            raise

    def _shards(self, protocol: Protocol, clips: Sequence[Clip], submission: SubmissionId | None = None) -> ShardStore:
        run = run_name(protocol, plan_of(protocol, clips, self._station.shard_size))
        return self._station.store.shards(submission or self._claim.submission, run)

    def _on_reading(self, progress: Progress) -> None:
        self._reporter.progress(progress)
        if progress.shards_done < progress.n_shards:
            self._pause_point()

    def _on_anchor(self, progress: Progress) -> None:
        if progress.shards_done < progress.n_shards:  # else all of it was read for an earlier submission
            if not self._is_at_anchor:
                self._is_at_anchor = True
                self._reporter.enter("reading_anchor", self._claim.submission)
            self._on_reading(progress)

    def _on_judging(self, progress: JudgeProgress) -> None:
        self._reporter.judging(self._claim.submission, progress)
        self._pause_point()

    def _desk(self, checked: CheckResult, folder: Path) -> Desk | None:
        """Return what the judge's stage works with; None if no judge can be reached from here."""
        station, open_judge = self._station, self._station.open_judge
        if open_judge is None:
            return None
        asked = self._claim.state.resumed_at
        resumed = moment(asked) if asked else None
        run = f"{self._claim.submission}.{self._protocol.id}"  # a new protocol is a new budget
        return Desk(
            open_caller=lambda recipe: watched(open_judge(recipe, run), self._reporter, self._is_over, resumed),
            open_anchor=lambda recipe: self._anchor(recipe, checked, folder),
            prices=station.judge_prices,
            n_parallel=station.judge_n_parallel,
        )

    def _anchor(self, recipe: JudgeRecipe, checked: CheckResult, folder: Path) -> AnchorClips:
        submission = submission_id(recipe.anchor.submission)

        def open_store(acoustic: Protocol) -> ShardStore:
            return self._shards(acoustic, found.clips, submission)

        if submission == self._claim.submission:  # its own clips are on no board yet
            clips = tuple(clip for clip in checked.clips if clip.item_id in recipe.anchor.clips)
            found = AnchorClips(clips=clips, clips_dir=folder / "clips", open_store=open_store)
        else:
            files = where_clips_are(self._station.store, self._station.published, submission)
            found = anchor_clips(files, recipe, folder / "anchor", open_store)
        return found

    def _publish(self, checked: CheckResult, evaluated: Evaluated, clips_dir: Path) -> None:
        station, claim = self._station, self._claim

        def write(files: PublishedFiles, see_claim: Callable[[], None]) -> None:
            publish(
                files=files,
                protocol=self._protocol,
                items=station.corpus.items,
                submission_id=claim.submission,
                card=claim.state.received.card.public(),
                provenance=provenance(claim.state),
                clips_dir=clips_dir,
                clips=checked.clips,
                readings=evaluated.readings,
                replies=evaluated.replies,
                declined=checked.declined,
                before=see_claim,
            )

        self._commit(write)

    def _commit(self, write: Callable[[PublishedFiles, Callable[[], None]], None]) -> None:
        """Let `write` publish while the claim is ours; what it is handed second says so, and is called at every try."""
        station, claim = self._station, self._claim
        with station.store.publishing():
            self._keeper.check()
            began = station.clock()
            queue.renew(station.store, claim, began, station.lease_s)  # ours still, and for long enough
            until = began + timedelta(seconds=station.lease_s * _SHARE_TO_PUBLISH)

            def see_claim() -> None:
                self._keeper.check()
                if station.clock() > until:
                    raise StoreUnavailable(
                        "publishing takes as long as a lease lasts; whose it is must be looked at again"
                    )

            state = queue.load(station.store, claim.submission)
            write(where_rows_go(station.store, station.published, state), see_claim)

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._keeper.is_lost

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
        source=received.source,
        supersedes=received.supersedes,
    )
