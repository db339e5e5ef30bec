"""The verbs of `app.py`: what each one takes, does and answers with."""

import argparse
import json
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from evaluation.protocol import load as load_protocol
from evaluation.records import Clip, ClipReadings, ItemId
from leaderboard import gate_verbs, rescore_verb, trial_verb
from leaderboard import settings as environment
from leaderboard.corpora import corpus_of
from leaderboard.settings import Settings
from submissions.check_report import as_json, as_text

log = logging.getLogger(__name__)

CLEAN, PROBLEMS, UNREADABLE = 0, 1, 2
"""Exit codes of `check`; other verbs use the first two for success and failure."""

_POLL_S = 1.0


def main(arguments: Sequence[str]) -> int:
    """Run one verb and return the exit code; errors written for people are shown without a traceback."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO if options.verb in ("worker", "demo") else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        stream=sys.stderr,
    )
    run: Callable[[argparse.Namespace, Settings], int] = options.run
    try:
        return run(options, environment.from_env())
    except CastboardError as error:
        _say(f"castboard: {error}", sys.stderr)
        return PROBLEMS
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="app.py", description="Castboard; without a verb it serves the pages.")
    parser.set_defaults(run=_serve, verb="serve")
    verbs = parser.add_subparsers(title="verbs")
    _add(verbs, "serve", _serve, "serve the pages, with a worker in the background (the default)")
    check = _add(verbs, "check", _check, "check a zip: exit 0 clean, 1 problems, 2 unreadable")
    check.add_argument("file", type=Path, help="the zip")
    check.add_argument("--json", action="store_true", help="the whole result as JSON")
    submit = _add(verbs, "submit", _submit, "check a zip and put it into this machine's queue")
    submit.add_argument("file", type=Path, help="the zip; its system.json is the form")
    worker = _add(verbs, "worker", _work, "evaluate what is queued, until stopped")
    worker.add_argument("--once", action="store_true", help="stop when nothing is queued")
    worker.add_argument("--name", default="local", help="name of this worker (default: local)")
    _add(verbs, "demo", _demo, "synthesise the demo systems and submit them")
    verify = _add(verbs, "verify", _verify, "recompute a published board from its own files")
    verify.add_argument("folder", type=Path, nargs="?", help="published folder (default: the home's)")
    verify.add_argument("--deep", type=int, default=0, metavar="N", help="measure N random clips again")
    verify.add_argument("--seed", type=int, default=0, help="draws the clips of --deep")
    verify.add_argument("--all", action="store_true", help="list every difference, not only the first")
    gate_verbs.add(verbs, _add)
    rescore_verb.add(verbs, _add)
    trial_verb.add(verbs, _add)
    return parser


def _add(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace, Settings], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run, verb=name)
    return parser


def _serve(_: argparse.Namespace, settings: Settings) -> int:
    _say(f"Castboard is starting at http://{_shown(settings.host)}:{settings.port} (the first page takes some seconds)")
    from leaderboard.server import serve  # Gradio takes seconds to import; the address is shown before

    serve(settings, say=_say)
    return CLEAN


def _check(options: argparse.Namespace, settings: Settings) -> int:
    from submissions.intake import check

    protocol = load_protocol(settings.protocol)
    corpus = corpus_of(settings, protocol)
    if not _is_readable(options.file):
        return UNREADABLE
    with tempfile.TemporaryDirectory(prefix="castboard-check-") as work_dir:
        result = check(options.file, corpus, Path(work_dir))
    _say(json.dumps(as_json(result), indent=2, ensure_ascii=False) if options.json else as_text(result))
    if result.is_unreadable:
        return UNREADABLE
    return CLEAN if result.is_clean else PROBLEMS


def _is_readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError as error:
        _say(f"castboard: {path} cannot be opened: {error.strerror}", sys.stderr)
        return False


def _submit(options: argparse.Namespace, settings: Settings) -> int:
    from submissions.problems import SubmissionError
    from submissions.reception import Upload, receive
    from submissions.store.folder import FolderStore
    from submissions.version import VERSION

    corpus = corpus_of(settings, load_protocol(settings.protocol))
    if not _is_readable(options.file):
        return UNREADABLE
    with tempfile.TemporaryDirectory(prefix="castboard-check-") as work_dir:
        try:
            receipt = receive(
                Upload(zip_path=options.file, card_fields={}, submitter=None),
                corpus=corpus,
                store=FolderStore(settings.home),
                work_dir=Path(work_dir),
                now=_now(),
                code_version=VERSION,
            )
        except SubmissionError as error:
            for number, problem in enumerate(error.problems, start=1):
                _say(f"{number}. {problem.sentence()}")
            return PROBLEMS
    place = f", place {receipt.place_in_queue} in the queue" if receipt.place_in_queue else ""
    _say(f"received as {receipt.submission}{place}; sha256 of the zip {receipt.zip_sha256}")
    return CLEAN


def _work(options: argparse.Namespace, settings: Settings) -> int:
    from leaderboard.stations import station
    from submissions.worker import Worker

    protocol = load_protocol(settings.protocol)
    worker = Worker(station(settings, protocol, corpus_of(settings, protocol), options.name))
    if options.once:
        while worker.run_once() is not None:
            pass
        return CLEAN
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=_stop_with, args=(os.getppid(), stop), daemon=True).start()
    worker.run_forever(stop, _POLL_S)
    return CLEAN


def _demo(_: argparse.Namespace, settings: Settings) -> int:
    from submissions.demo.send import send_demo
    from submissions.demo.systems import DEMO_SYSTEMS
    from submissions.store.folder import FolderStore

    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    receipts = send_demo(
        [system for system in DEMO_SYSTEMS if settings.demo == "all" or not system.is_slow],
        corpus=corpus_of(settings, load_protocol(settings.protocol)),
        store=FolderStore(settings.home),
        folder=settings.home / "demo",
        clock=_now,
    )
    for receipt in receipts:
        _say(f"received {receipt.submission}")
    return CLEAN if receipts else PROBLEMS


def _verify(options: argparse.Namespace, settings: Settings) -> int:
    from submissions.verify import render, verify

    folder = options.folder or settings.home / "published"
    if not folder.is_dir():
        raise CastboardError(f"there is no published folder at {folder}; name one: app.py verify DIR")
    report = verify(folder, deep=options.deep, seed=options.seed, open_reader=lambda: _reader(settings))
    _say(render(report, n_shown=None if options.all else 1))
    return CLEAN if report.is_identical else PROBLEMS


def _reader(settings: Settings) -> Callable[[Protocol, Path, Sequence[Clip]], Mapping[ItemId, ClipReadings]]:
    from evaluation.engine.local import LocalEngine
    from evaluation.run import plan

    def read(protocol: Protocol, clips_dir: Path, clips: Sequence[Clip]) -> Mapping[ItemId, ClipReadings]:
        with LocalEngine(protocol, n_processes=settings.n_processes) as engine:
            shards = list(engine.read(plan(clips, size=max(1, len(clips) // settings.n_processes)), clips_dir))
        return {reading.item_id: reading for shard in shards for reading in shard.readings}

    return read


def _stop_with(parent: int, stop: threading.Event) -> None:
    """Ask for an early end once the process that started this one is gone."""
    while os.getppid() == parent and not stop.wait(_POLL_S):
        pass
    stop.set()


def _end_with(parent: int) -> None:
    """End this process once its parent is gone; everything it does can be taken up again."""
    _stop_with(parent, threading.Event())
    os._exit(1)


def _now() -> datetime:
    return datetime.now(UTC)


def _shown(host: str) -> str:
    return "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - only shown


def _say(text: str, stream: TextIO | None = None) -> None:
    out = stream or sys.stdout
    out.write(text.rstrip("\n") + "\n")
    out.flush()
