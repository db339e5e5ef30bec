"""Read shards on this machine: some processes of one thread each, every one with its own instruments.

Two processes of one thread beat one process of two threads, and one thread each is what makes a
reading independent of who takes it. A process notices when its parent dies and ends.
"""

import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from evaluation.errors import CastboardError
from evaluation.instruments import Instruments
from evaluation.protocol import Protocol
from evaluation.run import Shard, ShardReadings


class EngineDied(CastboardError):
    """An evaluator process ended before its shard was read; reading it again may well succeed."""


log = logging.getLogger(__name__)

NICENESS = 5
"""How much evaluator processes yield to the pages."""
_PARENT_CHECK_S = 1.0

_instruments: Instruments | None = None  # one set a process, loaded by its initialiser


class LocalEngine:
    """An engine of `n_processes` evaluator processes that live as long as the `with` block."""

    def __init__(self, protocol: Protocol, *, n_processes: int, niceness: int = NICENESS) -> None:
        """Prepare; processes start with the first shard."""
        self._pool = ProcessPoolExecutor(
            max_workers=n_processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(protocol, niceness, os.getpid()),
        )

    def __enter__(self) -> "LocalEngine":
        """Return the engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes; unread shards are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield each shard's readings as a process finishes it.

        Raises:
            EngineDied: if a process was ended from outside; shards already yielded are good.
        """
        try:
            waiting: list[Future[ShardReadings]] = [self._pool.submit(_read, shard, clips_dir) for shard in shards]
            for finished in as_completed(waiting):
                yield finished.result()
        except BrokenProcessPool as error:
            raise EngineDied(
                "an evaluator process was ended from outside, perhaps for want of memory; finished shards are kept"
            ) from error


def _start(protocol: Protocol, niceness: int, parent: int) -> None:
    global _instruments  # noqa: PLW0603 - a pool's initialiser has no other way to hand over
    os.nice(niceness)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _instruments = Instruments.load(protocol)


def _end_with(parent: int) -> None:
    """End this process once `parent` is gone: a killed worker must not leave readers behind."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(1)


def _read(shard: Shard, clips_dir: Path) -> ShardReadings:
    if _instruments is None:
        raise RuntimeError("the process read a shard before its instruments were loaded")
    seconds: dict[str, float] = {}
    readings = _instruments.read(shard.clips, clips_dir, seconds)
    log.info("shard.read", extra={"shard": shard.index, "n_clips": len(readings)})
    return ShardReadings(index=shard.index, readings=readings, seconds=seconds)
