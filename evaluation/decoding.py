"""A pool of decoder processes. A file that crashes, starves or hangs a decoder costs that file alone.

Each process runs with limits on memory, processor time, file size and open files; it writes no core dump, is silenced,
and runs at lower priority. A process that dies or runs late is replaced and the pool goes on.
"""

import ctypes
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool

from evaluation.audio import LIMITS, canonicalise
from evaluation.audio_facts import CanonicalFacts, ClipRefused, Limits, Remark

MEMORY_BYTES = 512 << 20
"""Address space that one decoder may take on top of what its start takes."""
FILE_BYTES = 128 << 20
"""Largest file that one decoder may write: 120 s at 192 kHz and 24 bit need about 70 MB."""
OPEN_FILES = 64
_NICENESS = 5
_PR_SET_PDEATHSIG = 1

_ATTEMPTS = 2  # a decoder may be killed for reasons that are not the clip's; a second death is
_POOLS = 3  # a pool breaks when a process dies between two clips; more than this is the machine's fault

Task = Callable[[Path, Path, Limits], CanonicalFacts]


@dataclass(slots=True, kw_only=True)
class _Job:
    source: Path
    target: Path
    answer: Future[CanonicalFacts]
    n_deaths: int = 0
    n_broken_pools: int = 0


class Decoder:
    """Decodes files in processes of their own; a context manager, whose end stops them."""

    def __init__(
        self,
        n_processes: int = 2,
        timeout_s: float = 60.0,
        *,
        limits: Limits = LIMITS,
        task: Task = canonicalise,
    ) -> None:
        """Set up a pool; processes start at the first use, and live no longer than the thread that made it.

        Args:
            n_processes: decoders at work at once, >= 1.
            timeout_s: wall and processor time that one file may take, s.
            limits: what a clip may be.
            task: what a process does with a source, a target and the limits; it must be a module's function.
        """
        self._n_processes = n_processes
        self._timeout_s = timeout_s
        self._limits = limits
        self._task = task
        self._lock = threading.Lock()
        self._is_open = True
        self._pools = [self._new_pool()]

    def __enter__(self) -> Self:
        """Return the decoder."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop every process, whatever it is doing."""
        with self._lock:
            self._is_open = False
        for pool in self._pools:
            pool.stop()
            pool.join()

    def decode(self, source: Path, target: Path) -> Future[CanonicalFacts]:
        """Start to make `source` canonical at `target`.

        Returns:
            A future of the facts, or of ClipRefused: the faults of `evaluation.audio`, "too_big", "too_slow" or
            "decoder_died" (twice, in fresh processes).
        """
        job = _Job(source=source, target=target, answer=Future())
        self._schedule(job)
        return job.answer

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._n_processes,
            initializer=_confine,
            initargs=(os.getpid(),),
            context=multiprocessing.get_context("spawn"),
        )

    def _schedule(self, job: _Job) -> None:
        arguments = [self._task, job.source, job.target, self._limits, self._timeout_s]
        with self._lock:
            if not self._is_open:
                job.answer.set_exception(_died("decoder_died", "the decoder was stopped"))
                return
            try:
                inner = self._pools[-1].schedule(_attempt, args=arguments, timeout=self._timeout_s)
            except RuntimeError:  # the pool broke: a process died between two clips
                self._pools.append(self._new_pool())
                inner = self._pools[-1].schedule(_attempt, args=arguments, timeout=self._timeout_s)
        inner.add_done_callback(lambda done: self._settle(job, done))

    def _settle(self, job: _Job, done: Any) -> None:
        error = BrokenProcessPool("stopped") if done.cancelled() else done.exception()
        if isinstance(error, BrokenProcessPool):
            job.n_broken_pools += 1
            if job.n_broken_pools < _POOLS:
                return self._schedule(job)
        elif isinstance(error, ProcessExpired) and error.exitcode != -signal.SIGXCPU:
            job.n_deaths += 1
            if job.n_deaths < _ATTEMPTS:
                return self._schedule(job)
            error = _died("decoder_died", f"the decoder ended with code {error.exitcode}")
        elif isinstance(error, FutureTimeout | ProcessExpired):
            error = _died("too_slow", f"more than {self._timeout_s:g} s")
        elif error is None and not isinstance(done.result(), CanonicalFacts):
            error = ClipRefused(done.result())
        if error is None:
            job.answer.set_result(done.result())
        else:
            job.answer.set_exception(error)
        return None


def _died(code: str, detail: str) -> ClipRefused:
    return ClipRefused((Remark(code=code, detail=detail),))


def _attempt(
    task: Task, source: Path, target: Path, limits: Limits, timeout_s: float
) -> CanonicalFacts | tuple[Remark, ...]:
    """Run in the child. Faults come back as values, because an exception with arguments does not travel well."""
    _limit_processor_time(timeout_s)
    try:
        return task(source, target, limits)
    except ClipRefused as refused:
        return refused.faults
    except MemoryError:
        return (Remark(code="too_big", detail=f"more than {MEMORY_BYTES >> 20} MiB of memory"),)


def _limit_processor_time(timeout_s: float) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime + timeout_s) + 2)


def _confine(parent_pid: int) -> None:
    """Run in the child before its first file."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY_BYTES)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICENESS)
    # libsndfile's decoders write warnings about odd files to the process's own streams.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _lower(kind: int, limit: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
