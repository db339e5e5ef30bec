"""A zip or a folder of clips evaluated without a server: the worker's own steps, into a folder of one's own.

What was read is kept there shard by shard, so a run that was stopped goes on from where it was. Nothing is published.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import CastboardError
from evaluation.judge_stage import AnchorClips, Desk, JudgeProgress
from evaluation.pins import JudgeRecipe
from evaluation.probes.loudness import NORMAL
from evaluation.protocol import Protocol
from evaluation.records import Clip, Item
from evaluation.run import ShardStore, plan_of
from evaluation.run_progress import Progress
from evaluation.scoring import score_submission
from evaluation.stages import evaluate_clips
from submissions import local_result
from submissions.anchor import anchor_clips
from submissions.attempt import run_name
from submissions.evidence import Evidence
from submissions.folder_check import check_folder
from submissions.intake import CheckResult, check
from submissions.local_result import Evaluation, ToCsv
from submissions.station import Station
from submissions.store import atomic
from submissions.store.base import PublishedFiles
from submissions.store.folder import FolderShards

log = logging.getLogger(__name__)

_MARK = ".castboard-source"
_LOCK = ".at-work"  # a folder of its own: who writes a file holds a lock on the file's folder
_RUN_DIGITS = 12


class Refused(CastboardError):
    """The clips break the rules of a submission.

    Attributes:
        checked: everything that is wrong with them.
    """

    def __init__(self, checked: CheckResult) -> None:
        """Carry what a check found."""
        super().__init__(f"{len(checked.problems)} problems must be mended first")
        self.checked = checked


class Busy(CastboardError):
    """Another process evaluates into the same folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told how a run goes; each may raise to stop it."""

    on_check: Callable[[int, int], None] = lambda _done, _n: None
    """Told clips done and all clips while they are decoded."""
    on_checked: Callable[[CheckResult], None] = lambda _: None
    """Told once that the clips are fit."""
    on_reading: Callable[[Progress], None] = lambda _: None
    """Told at the start of every pass and after every shard."""
    on_judging: Callable[[JudgeProgress], None] = lambda _: None
    """Told before the first call, with the estimate, and after every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is evaluated, with what, and into which folder."""

    source: Path
    """The zip, or the folder of clips."""
    out: Path
    """Folder of this evaluation alone; made if absent."""
    station: Station
    """Instruments, corpus, protocol and judge; its store and its board are not touched."""
    anchors: PublishedFiles
    """The published board that has the anchor's clips, for a protocol with a judge."""
    name: str
    """What the system is called."""
    to_csv: ToCsv
    """Writes a CSV file."""
    may_be_partial: bool = False
    """Whether items may be without a clip."""


def run(job: Job, watch: Watch) -> Evaluation:
    """Evaluate a zip or a folder of clips and return what is now in the job's folder; a stopped run goes on there.

    Raises:
        Refused: with everything that is wrong with the clips.
        Busy: if another process is at work in the folder.
        CastboardError: if the folder holds something else; otherwise as `evaluation.stages.evaluate_clips`.
    """
    _take(job.out, job.source)
    (job.out / _LOCK).mkdir(exist_ok=True)
    try:
        with atomic.locked(job.out / _LOCK, exclusive=True, wait=False):
            return _run(job, watch)
    except BlockingIOError as error:
        raise Busy(f"another process evaluates into {job.out}; wait for it, or name another folder") from error


def _run(job: Job, watch: Watch) -> Evaluation:
    out, station = job.out, job.station
    protocol = station.protocol
    (out / local_result.RESULT).unlink(missing_ok=True)  # until this run is finished there is no result
    checked = _checked(job, watch)
    items = _present(station.corpus.items, checked)
    watch.on_checked(checked)
    evaluated = evaluate_clips(
        protocol=protocol,
        items=items,
        clips=checked.clips,
        clips_dir=out / "clips",
        store=_shards(out, protocol, checked.clips, station.shard_size),
        open_engine=station.open_engine,
        desk=_desk(job, checked),
        on_reading=watch.on_reading,
        on_judging=watch.on_judging,
        shard_size=station.shard_size,
    )
    evidence = Evidence(
        items=items,
        clips={clip.item_id: clip for clip in checked.clips},
        readings=evaluated.readings,
        declined=frozenset(checked.declined),
    )
    return local_result.write(
        out,
        name=job.name,
        protocol=protocol,
        evidence=evidence,
        scored=score_submission(protocol, items, evidence.readings, evidence.declined),
        replies=evaluated.replies,
        source_sha256=checked.zip_sha256,
        n_corpus_items=len(station.corpus.items),
        warnings=tuple(warning.sentence() for warning in checked.warnings),
        to_csv=job.to_csv,
    )


def is_free_for(out: Path, source: Path) -> bool:
    """Say whether `out` is absent, empty, or the folder of an evaluation of this very source."""
    mark = out / _MARK
    if mark.is_file():
        return mark.read_bytes() == _identity(source)
    return not out.exists() or (out.is_dir() and not any(out.iterdir()))


def _take(out: Path, source: Path) -> None:
    """Make `out` the folder of this source, unless it is that of something else."""
    if not is_free_for(out, source):
        raise CastboardError(f"{out} holds something else than an evaluation of {source}; name another folder")
    if not (out / _MARK).is_file():
        atomic.replace(out / _MARK, _identity(source))


def _identity(source: Path) -> bytes:
    return os.fsencode(source.resolve())


def _checked(job: Job, watch: Watch) -> CheckResult:
    folders = {name: job.out / name for name in ("clips", "passing")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    look = check_folder if job.source.is_dir() else check
    checked = look(
        job.source,
        job.station.corpus,
        folders["passing"],
        decoder_processes=job.station.decoder_processes,
        keep_clips=folders["clips"],
        on_progress=watch.on_check,
        may_be_partial=job.may_be_partial,
    )
    folders["passing"].rmdir()
    if checked.problems:
        raise Refused(checked)
    return checked


def _present(items: tuple[Item, ...], checked: CheckResult) -> tuple[Item, ...]:
    there = {clip.item_id for clip in checked.clips} | set(checked.declined)
    present = tuple(item for item in items if item.id in there)
    if len(present) < len(items) and not any(item.requested.get("loudness", NORMAL) == NORMAL for item in present):
        raise CastboardError(
            "none of the items that are there requests normal loudness, so loudness cannot be measured against the "
            "system's own normal level; add the clip of such an item"
        )
    return present


def _shards(out: Path, protocol: Protocol, clips: tuple[Clip, ...], size: int) -> ShardStore:
    return FolderShards(out / "shards" / run_name(protocol, plan_of(protocol, clips, size)))


def _desk(job: Job, checked: CheckResult) -> Desk | None:
    """Return what the judge's stage works with; None if no judge can be reached from here."""
    out, station = job.out, job.station
    open_judge = station.open_judge
    if open_judge is None:
        return None
    run_id = f"local-{checked.zip_sha256[:_RUN_DIGITS]}.{station.protocol.id}"  # the budget of one submission

    def open_anchor(recipe: JudgeRecipe) -> AnchorClips:
        def open_store(acoustic: Protocol) -> ShardStore:
            return _shards(out, acoustic, found.clips, station.shard_size)

        own = {str(clip.item_id): clip.sha256 for clip in checked.clips}
        if own == dict(recipe.anchor.clips):  # these clips are the anchor's, which may be on no board yet
            found = AnchorClips(clips=checked.clips, clips_dir=out / "clips", open_store=open_store)
        else:
            found = anchor_clips(job.anchors, recipe, out / "anchor", open_store)
        return found

    return Desk(
        open_caller=lambda recipe: open_judge(recipe, run_id),
        open_anchor=open_anchor,
        prices=station.judge_prices,
        n_parallel=station.judge_n_parallel,
    )
