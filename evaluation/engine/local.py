"""Read shards on this machine: some processes of one thread each, every one with its own instruments.

Two processes of one thread beat one process of two threads, and one thread each is what makes a
reading independent of who takes it. The processes hold the instruments of one pass; they end before those of
the next pass start, so no two large models are in memory together. As many run at once as the memory takes; where there
is a graphics card, one for each large model, since every process would hold a copy of it on the card (written without
a card to try it on). A process notices when its parent dies and ends.
"""

import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine import memory
from evaluation.errors import CastboardError
from evaluation.instruments import Instruments
from evaluation.passes import passes_of
from evaluation.protocol import Protocol
from evaluation.run import InstrumentRefused, Shard, ShardReadings


class EngineDied(CastboardError):
    """An evaluator process ended before its shard was read; reading it again may well succeed."""


log = logging.getLogger(__name__)

NICENESS = 5
"""How much evaluator processes yield to the pages."""
_PARENT_CHECK_S = 1.0

_instruments: Instruments | str | None = None  # one set a process, loaded by its initialiser; or why it was not


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loading:
    """What a process loads before it reads."""

    protocol: Protocol
    """The recipe."""
    roles: tuple[str, ...]
    """The roles of the pass."""
    models: Path | None
    """Folder of large models."""
    allows_non_commercial: bool
    """Whether models whose licence forbids commercial use may be loaded."""
    niceness: int
    """How much the process yields."""
    parent: int
    """Process whose end ends it."""


class LocalEngine:
    """An engine of up to `n_processes` evaluator processes that live no longer than the `with` block."""

    def __init__(
        self,
        protocol: Protocol,
        *,
        n_processes: int,
        niceness: int = NICENESS,
        models: Path | None = None,
        allows_non_commercial: bool = False,
    ) -> None:
        """Prepare; processes start with the first shard.

        Args:
            protocol: whose instruments read.
            n_processes: most processes, >= 1; the readings do not depend on it.
            niceness: how much they yield to others.
            models: folder that holds the models which no package carries; None: there is none.
            allows_non_commercial: whether models whose licence forbids commercial use may be used.
        """
        self._protocol = protocol
        self._n_processes = n_processes
        self._niceness = niceness
        self._models = models
        self._allows_non_commercial = allows_non_commercial
        self._pool: ProcessPoolExecutor | None = None
        self._pass_name: str | None = None

    def __enter__(self) -> "LocalEngine":
        """Return the engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes; unread shards are dropped."""
        self._close()

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield each shard's readings as a process finishes it, pass after pass.

        Raises:
            EngineDied: if a process was ended from outside; shards already yielded are good.
            InstrumentRefused: if an instrument of the pass cannot be loaded.
        """
        try:
            for pass_name in dict.fromkeys(shard.pass_name for shard in shards):
                pool = self._open(pass_name)
                waiting: list[Future[ShardReadings]] = [
                    pool.submit(_read, shard, clips_dir) for shard in shards if shard.pass_name == pass_name
                ]
                for finished in as_completed(waiting):
                    yield finished.result()
        except BrokenProcessPool as error:
            raise EngineDied(
                "an evaluator process was ended from outside, perhaps for want of memory; finished shards are kept"
            ) from error

    def _open(self, pass_name: str) -> ProcessPoolExecutor:
        """Return the processes of a pass, once those of any other have ended."""
        if self._pool is not None and self._pass_name == pass_name:
            return self._pool
        self._close()
        roles = next(one.roles for one in passes_of(self._protocol) if one.name == pass_name)
        loading = _Loading(
            protocol=self._protocol,
            roles=roles,
            models=self._models,
            allows_non_commercial=self._allows_non_commercial,
            niceness=self._niceness,
            parent=os.getpid(),
        )
        n_processes = self._n_that_fit(roles)
        log.info("pass.started", extra={"pass": pass_name, "n_processes": n_processes})
        self._pool = ProcessPoolExecutor(
            max_workers=n_processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(loading,),
        )
        self._pass_name = pass_name
        return self._pool

    def _n_that_fit(self, roles: Sequence[str]) -> int:
        files = [file for role in roles for file in self._files(role)]
        if not files:
            return self._n_processes
        if memory.has_card():
            return 1
        n_bytes = sum(file.stat().st_size for file in files if file.is_file())
        return memory.n_that_fit(self._n_processes, n_bytes, memory.free_bytes())

    def _files(self, role: str) -> list[Path]:
        pin = self._protocol.instruments[role].model
        if pin is None or self._models is None:
            return []
        return [self._models / pin.repo.replace("/", "--") / name for name in pin.files]

    def _close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool, self._pass_name = None, None


def _start(loading: _Loading) -> None:
    global _instruments  # noqa: PLW0603 - a pool's initialiser has no other way to hand over
    os.nice(loading.niceness)
    threading.Thread(target=_end_with, args=(loading.parent,), daemon=True).start()
    try:
        _instruments = Instruments.load(
            loading.protocol,
            roles=loading.roles,
            models=loading.models,
            allows_non_commercial=loading.allows_non_commercial,
        )
    except CastboardError as error:
        _instruments = str(error)  # a process that ends here could not say why


def _end_with(parent: int) -> None:
    """End this process once `parent` is gone: a killed worker must not leave readers behind."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(1)


def _read(shard: Shard, clips_dir: Path) -> ShardReadings:
    if _instruments is None:
        raise RuntimeError("the process read a shard before its instruments were loaded")
    if isinstance(_instruments, str):
        raise InstrumentRefused(_instruments)
    seconds: dict[str, float] = {}
    readings = _instruments.read(shard.clips, clips_dir, seconds)
    log.info("shard.read", extra={"shard": shard.index, "pass": shard.pass_name, "n_clips": len(readings)})
    return ShardReadings(index=shard.index, readings=readings, seconds=seconds)
