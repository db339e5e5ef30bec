"""Make the demo systems and send each one's zip through the same door as a stranger's.

Killed and started again it goes on: clips are cached, and a zip that was sent before gets its old
receipt. A system whose engine is not installed is skipped with the line that installs it.
"""

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, MissingDependency
from submissions.demo.records import DemoSystem, EngineFailed, Prompt
from submissions.demo.status import DemoStatus, SystemStatus, write_status
from submissions.demo.synthesise import synthesise
from submissions.problems import SubmissionError
from submissions.reception import Receipt, Upload, receive
from submissions.store.base import WorkStore
from submissions.version import code_version

log = logging.getLogger(__name__)

_PAUSE_S = 0.5  # between two writes that only move a number


class _Board:
    """The status of all systems, written as it changes."""

    def __init__(self, folder: Path, systems: Sequence[DemoSystem]) -> None:
        self._folder = folder
        self._systems = {
            system.key: SystemStatus(
                key=system.key,
                name=system.card.system,
                stage="waiting",
                done=0,
                total=0,
                submission=None,
                message="",
            )
            for system in systems
        }
        self._written = 0.0
        self._write()

    def enter(self, key: str, stage: str, *, submission: str | None = None, message: str = "") -> None:
        changed = replace(self._systems[key], stage=stage, done=0, total=0, submission=submission, message=message)
        self._systems[key] = changed
        self._write()

    def count(self, key: str, done: int, total: int) -> None:
        self._systems[key] = replace(self._systems[key], done=done, total=total)
        if time.monotonic() - self._written >= _PAUSE_S:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        write_status(self._folder, DemoStatus(systems=tuple(self._systems.values())))


def send_demo(
    systems: Sequence[DemoSystem],
    *,
    corpus: Corpus,
    store: WorkStore,
    folder: Path,
    clock: Callable[[], datetime],
) -> tuple[Receipt, ...]:
    """Synthesise and submit every system that can be made here; return the receipts.

    Args:
        systems: in the order in which they are made.
        corpus: what they read.
        store: where submissions are kept.
        folder: cache of clips and zips, and home of the status file.
        clock: the time, aware.
    """
    board = _Board(folder, systems)
    prompts = [Prompt(id=item.id, instruction=item.instruction, script=item.script) for item in corpus.items]
    receipts = []
    for system in systems:
        try:
            receipt = _send(system, prompts, board, corpus=corpus, store=store, folder=folder, clock=clock)
        except (MissingDependency, EngineFailed, SubmissionError) as error:
            log.warning("demo.skipped", extra={"system": system.key, "why": str(error)})
            board.enter(system.key, "skipped", message=_reason(error))
            continue
        board.enter(system.key, "sent", submission=receipt.submission)
        receipts.append(receipt)
    return tuple(receipts)


def _send(
    system: DemoSystem,
    prompts: Sequence[Prompt],
    board: _Board,
    *,
    corpus: Corpus,
    store: WorkStore,
    folder: Path,
    clock: Callable[[], datetime],
) -> Receipt:
    def on_progress(done: int, total: int) -> None:
        board.count(system.key, done, total)

    board.enter(system.key, "speaking")
    zip_path = synthesise(system, prompts, folder, on_progress=on_progress)
    board.enter(system.key, "checking")
    with tempfile.TemporaryDirectory(dir=folder, prefix="check-") as work_dir:
        return receive(
            Upload(zip_path=zip_path, card_fields={}, submitter=None),
            corpus=corpus,
            store=store,
            work_dir=Path(work_dir),
            now=clock(),
            code_version=code_version(),
            on_progress=on_progress,
        )


def _reason(error: CastboardError) -> str:
    if isinstance(error, SubmissionError):
        return " ".join(problem.sentence() for problem in error.problems)
    return str(error)
