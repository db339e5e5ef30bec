"""The processes beside the web server: the worker that evaluates, the demo that fills an empty board.

They run on their own, at lower priority, so that a page never waits for a model. A child that dies is
started again, more slowly each time; what it says goes to a log of its own, the one before kept beside it.
So a worker that stopped because something of its protocol is amiss finds out by itself that it was mended
outside, an account or a model's folder, within `LONGEST_PAUSE_S`; new settings take a restart of the server.
"""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0
SETTLED_S = 600.0
"""A child that lived for so long failed for a new reason, and is started again at once."""
_GRACE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One process to keep running."""

    name: str
    """For the log, for example "worker"."""
    arguments: tuple[str, ...]
    """Verb and options, after `app.py`."""
    is_restarted: bool
    """Start it again whenever it ends; else only after a failure."""


class Children:
    """Keeps children alive until `stop`."""

    def __init__(self, children: Sequence[Child], *, program: Path, environ: Mapping[str, str], logs: Path) -> None:
        """Prepare to run `python program <arguments>` for every child, logging into `logs`."""
        self._children = tuple(children)
        self._program = program
        self._environ = dict(environ)
        self._logs = logs
        self._stopping = threading.Event()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start every child and a thread that watches it."""
        self._logs.mkdir(parents=True, exist_ok=True)
        for child in self._children:
            log_file = self._logs / f"{child.name}.log"
            if log_file.exists():
                log_file.replace(log_file.with_suffix(".old.log"))
            thread = threading.Thread(target=self._keep, args=(child,), name=f"keep-{child.name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End every child: politely first, then firmly."""
        self._stopping.set()
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for thread in self._threads:
            thread.join(_GRACE_S)

    def _keep(self, child: Child) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            began_s = time.monotonic()
            code = self._run(child)
            if self._stopping.is_set() or (code == 0 and not child.is_restarted):
                return
            if time.monotonic() - began_s >= SETTLED_S:
                pause_s = FIRST_PAUSE_S
            log.warning("child.ended", extra={"child": child.name, "code": code, "again_in_s": pause_s})
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _run(self, child: Child) -> int:
        command = [sys.executable, str(self._program), *child.arguments]
        with (self._logs / f"{child.name}.log").open("ab") as output:
            process = subprocess.Popen(command, env=self._environ, stdout=output, stderr=output)
            self._running[child.name] = process
            return process.wait()
