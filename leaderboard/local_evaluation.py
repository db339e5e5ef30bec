"""Evaluations on this machine without a server: where they lie, what they work with, and what refuses them."""

import os
import sys
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.engine.local import EngineDied
from evaluation.errors import CastboardError
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.protocol import Protocol
from leaderboard.corpora import corpus_of
from leaderboard.downloads import to_csv
from leaderboard.progress import ProgressBar
from leaderboard.settings import Settings
from leaderboard.stations import station
from leaderboard.terminal import say
from submissions import local_result
from submissions.local_result import Evaluation
from submissions.local_run import Job, is_free_for, run
from submissions.problems import shown
from submissions.store.base import PublishedFiles

_ENDING = ".castboard"
_N_DIGITS = 6


class Unreadable(CastboardError):
    """What is to be evaluated cannot be opened."""


def default_out(source: Path) -> Path:
    """Return the folder below the working folder in which an evaluation of `source` lies.

    It is called after the source; if another source of that name has the folder, the whole path tells them apart.
    """
    whole = source.resolve()
    stem = whole.name[:-4] if whole.name.lower().endswith(".zip") else whole.name
    plain = Path(stem + _ENDING)
    if is_free_for(plain, source):
        return plain
    return Path(f"{stem}-{sha256_of(os.fsencode(whole))[:_N_DIGITS]}{_ENDING}")


def default_name(source: Path) -> str:
    """Return what the system of `source` is called if nobody says."""
    name = source.resolve().name
    return shown(name[:-4] if name.lower().endswith(".zip") else name)


def evaluate_source(
    settings: Settings,
    protocol: Protocol,
    source: Path,
    *,
    board: PublishedFiles,
    out: Path | None = None,
    name: str = "",
    may_be_partial: bool = False,
    is_dry: bool = False,
) -> Evaluation:
    """Return the evaluation of a zip or a folder of clips; one that was stopped goes on. Shows how it goes.

    Args:
        settings: instruments, judge and caches of this machine.
        protocol: what it is evaluated under.
        source: the zip or the folder.
        board: the published folder that has the anchor of a protocol with a judge.
        out: where it is kept; None for `default_out`.
        name: what the system is called; empty for the name of the file.
        may_be_partial: whether items may be missing.
        is_dry: whether to stop once it is told what the judge would take; what was measured is kept.

    Raises:
        Unreadable: if the source cannot be opened.
        OnlyEstimated: if `is_dry`.
        CastboardError: as `submissions.local_run.run`, or if the protocol cannot be followed here.
    """
    require_readable(source)
    if is_dry and protocol.judge is None:
        raise CastboardError(
            f"protocol {protocol.name} has no judge, so an evaluation costs nothing; leave --dry-run out"
        )
    kept = out or default_out(source)
    if source.is_dir() and kept.resolve().is_relative_to(source.resolve()):
        raise CastboardError(f"{shown(str(kept), 200)} lies in the folder of clips; name another folder with --out")
    corpus = corpus_of(settings, protocol)
    bench = station(settings, protocol, corpus, "evaluate")
    bench.preflight(protocol)
    called = shown(name) if name else default_name(source)
    job = Job(
        source=source,
        out=kept,
        station=bench,
        anchors=board,
        name=called,
        to_csv=to_csv,
        may_be_partial=may_be_partial,
    )
    try:
        with ProgressBar(called, is_dry=is_dry) as bar:
            return run(job, bar.watch())
    except (KeyboardInterrupt, JudgeUnavailable, BudgetSpent, EngineDied):
        say("\nstopped; what is finished is kept: the same command goes on from there", sys.stderr)
        raise


def require_readable(source: Path) -> None:
    """Return if `source` is a file or a folder that can be opened.

    Raises:
        Unreadable: saying why it cannot.
    """
    try:
        if source.is_dir():
            next(source.iterdir(), None)
            return
        if source.exists() and not source.is_file():
            raise Unreadable(f"{shown(str(source), 200)} is a pipe or a device; name a zip or a folder of clips")
        with source.open("rb"):
            return
    except OSError as error:
        raise Unreadable(f"{shown(str(source), 200)} cannot be opened: {error.strerror}") from error


def finished(path: Path) -> Evaluation | None:
    """Return the finished evaluation that a folder holds; None if `path` is something else.

    Raises:
        SchemaError, ProtocolError: if it is damaged.
    """
    return local_result.read(path) if path.is_dir() and local_result.is_finished(path) else None
