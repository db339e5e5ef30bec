"""Verbs of an operator: serve the pages, work on the queue, make the demo systems."""

import argparse
import hashlib
import os
import secrets
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from leaderboard import settings as environment
from leaderboard.corpora import corpus_of
from leaderboard.protocols import find
from leaderboard.settings import Settings, SettingsError
from leaderboard.stores import work_store
from leaderboard.terminal import say

POLL_S = 1.0
HUB_POLL_S = 5.0
"""Where the queue is on a hub, which is asked for news less often than that."""
WORKER_NICENESS = 10
DEMO_NICENESS = 15
"""Children yield to the pages, and the demo's voices to the evaluation of those that are sent."""


@contextmanager
def settings_of(options: argparse.Namespace) -> Iterator[Settings]:
    """Give the settings of a verb: the environment's, with repos and a passing home for a worker beside no site.

    Raises:
        SettingsError: as `settings.from_env`, or if one repo is named without the other.
    """
    work, board = (getattr(options, name, None) for name in ("repo", "board")) if options.verb == "worker" else ("", "")
    if not work and not board:
        yield environment.from_env()
        return
    if not work or not board:
        raise SettingsError("--repo ORG/WORK, the private repo, and --board ORG/BOARD, the public one, go together")
    with tempfile.TemporaryDirectory(prefix="castboard-worker-") as home:
        yield environment.from_env_elsewhere(work, board, Path(home))


def run_serve(_: argparse.Namespace, settings: Settings) -> int:
    """Serve until interrupted; the address is shown before the slow imports."""
    host = "127.0.0.1" if settings.host == "0.0.0.0" else settings.host  # noqa: S104 - only shown
    say(f"Castboard is starting at http://{host}:{settings.port} (the first page takes some seconds)")
    from leaderboard.judges import unbounded
    from leaderboard.server import serve

    warning = unbounded(settings, find(settings, settings.protocol))
    if warning is not None:
        say(warning)
    serve(settings, say=say)
    return 0


def run_worker(options: argparse.Namespace, settings: Settings) -> int:
    """Evaluate what is queued, until stopped or, with --once, until nothing is."""
    from leaderboard.stations import station
    from submissions.worker import Worker

    if settings.hub is not None and settings.hub.work is None:
        raise SettingsError("this site only shows a board: without CASTBOARD_HUB_WORK there is nothing to work on")
    if options.child:
        os.nice(WORKER_NICENESS)
    protocol = find(settings, settings.protocol)
    name, is_sole = name_of_worker(options, settings)
    worker = Worker(station(settings, protocol, corpus_of(settings, protocol), name, is_sole=is_sole))
    if options.once:
        while worker.run_once() is not None or worker.run_duel():
            pass
        return 0
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if options.child:
        threading.Thread(target=_stop_with, args=(os.getppid(), stop), daemon=True).start()
    worker.run_forever(stop, POLL_S if settings.hub is None else HUB_POLL_S)
    return 0


def name_of_worker(options: argparse.Namespace, settings: Settings) -> tuple[str, bool]:
    """Return what a worker is called, and whether nobody else ever is: as the one that a Space's site starts."""
    if options.child and settings.space:
        return f"space-{hashlib.sha256(settings.space.encode()).hexdigest()[:8]}", True
    return options.name or (f"w-{secrets.token_hex(3)}" if options.repo else "local"), False


def run_demo(options: argparse.Namespace, settings: Settings) -> int:
    """Synthesise the demo systems and submit each one's zip."""
    from submissions.demo.send import send_demo
    from submissions.demo.systems import DEMO_SYSTEMS

    if options.child:
        os.nice(DEMO_NICENESS)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    receipts = send_demo(
        [system for system in DEMO_SYSTEMS if settings.demo == "all" or not system.is_slow],
        corpus=corpus_of(settings, find(settings, settings.protocol)),
        store=work_store(settings),
        folder=settings.home / "demo",
        clock=lambda: datetime.now(UTC),
    )
    for receipt in receipts:
        say(f"received {receipt.submission}")
    return 0 if receipts else 1


def _stop_with(parent: int, stop: threading.Event) -> None:
    """Ask for an early end once the process that started this one is gone."""
    while os.getppid() == parent and not stop.wait(POLL_S):
        pass
    stop.set()


def _end_with(parent: int) -> None:
    """End this process once its parent is gone; everything it does can be taken up again."""
    _stop_with(parent, threading.Event())
    os._exit(1)
