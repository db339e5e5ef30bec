"""Bench (c): the lite evaluation of a whole submission on this machine.

Prints clips per second, the share of each instrument, peak memory and the pipeline's efficiency:
the sum of the instruments' own times over cores x wall. Clips are those of the directed demo system,
synthesised once into `bench-data/`. `python -m tests.bench.lite 128` takes only so many items.
"""

import dataclasses
import os
import resource
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from evaluation.corpus import load_benchmark_v1
from evaluation.engine.local import LocalEngine
from evaluation.protocol import load_shipped
from evaluation.run import plan
from submissions.demo.records import Prompt
from submissions.demo.synthesise import synthesise
from submissions.demo.systems import DEMO_SYSTEMS
from submissions.intake import check

DATA = Path("bench-data")
MIB = 2**20


def main(n_items: int | None = None) -> None:
    """Synthesise, check and evaluate the first `n_items` clips (None: all 496); print the figures."""
    whole, protocol = load_benchmark_v1(), load_shipped("lite")
    corpus = dataclasses.replace(whole, items=whole.items[:n_items])
    prompts = [Prompt(id=item.id, instruction=item.instruction, script=item.script) for item in corpus.items]
    zip_path = synthesise(DEMO_SYSTEMS[0], prompts, DATA, on_progress=lambda *_: None)
    n_processes = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        clips_dir, work_dir = Path(folder) / "clips", Path(folder) / "work"
        clips_dir.mkdir()
        work_dir.mkdir()
        began = time.perf_counter()
        checked = check(zip_path, corpus, work_dir, decoder_processes=n_processes, keep_clips=clips_dir)
        check_s = time.perf_counter() - began
        seconds: Counter[str] = Counter()
        peak = PeakMemory()
        began = time.perf_counter()
        with peak, LocalEngine(protocol, n_processes=n_processes, niceness=0) as engine:
            for shard in engine.read(plan(checked.clips), clips_dir):
                seconds.update(shard.seconds)
        wall_s = time.perf_counter() - began
    n_clips, total = len(checked.clips), sum(seconds.values())
    print(f"lite evaluation of {n_clips} clips in {n_processes} processes")
    print(f"  check and canonical clips   {check_s:6.1f} s")
    print(f"  evaluation                  {wall_s:6.1f} s   {n_clips / wall_s:.2f} clips/s")
    for name, spent in seconds.most_common():
        print(f"    {name:22s}    {1000 * spent / n_clips:6.1f} ms a clip   {spent / total:5.1%}")
    print(f"  efficiency                  {total / (n_processes * wall_s):6.3f}   (instruments' time / cores x wall)")
    print(f"  peak memory of all          {peak.peak_bytes / MIB:6.0f} MiB")
    print(f"  largest child process       {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:6.0f} MiB")


class PeakMemory:
    """Largest resident memory of this process and its descendants while the block runs."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(1.0):
            self.peak_bytes = max(self.peak_bytes, sum(_resident(pid) for pid in _family(os.getpid())))


def _family(root: int) -> list[int]:
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
