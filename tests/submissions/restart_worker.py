"""A real worker process for the restart tests: evaluates what waits, then ends.

`python -m tests.submissions.restart_worker FOLDER HOME DIE_AT`: with DIE_AT > 0 it kills itself (SIGKILL)
just before the so-manieth step on the disk; the number of steps of a whole run is left in FOLDER/steps.
"""

import dataclasses
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from evaluation.corpus import load, pin_of
from evaluation.engine.local import LocalEngine
from evaluation.preflight import preflight
from evaluation.protocol import Protocol
from evaluation.records import Transcript
from evaluation.run import Engine, Shard, ShardReadings
from submissions.station import Station
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker import Worker
from tests.submissions.small_evaluation import NAME, acoustic_protocol, scripts_of

STEPS = ((os, "link"), (os, "fsync"), (Path, "rename"), (Path, "unlink"), (Path, "mkdir"))


class FrugalEngine:
    """The local engine, which hears what is written, and must never be asked for a shard that is kept."""

    def __init__(self, inner: Engine, scripts: Mapping[str, str], home: Path) -> None:
        """Read with `inner`."""
        self._inner = inner
        self._scripts = scripts
        self._home = home

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield each shard's readings."""
        kept = {int(path.stem) for path in self._home.glob("work/*/shards/*/[0-9]*.json")}
        asked = {shard.index for shard in shards}
        if kept & asked:
            raise AssertionError(f"shards {sorted(kept & asked)} are kept and would be read again")
        for shard in self._inner.read(shards, clips_dir):
            readings = (
                dataclasses.replace(r, transcript=Transcript(text=self._scripts[r.item_id], setting="as written"))
                for r in shard.readings
            )
            yield dataclasses.replace(shard, readings=tuple(readings))


def count_steps(die_at: int) -> list[int]:
    """Count every step on the disk from now on, and end this process just before the given one."""
    n_steps = [0]

    def counted(original):
        def step(*args, **kwargs):
            n_steps[0] += 1
            if n_steps[0] == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **kwargs)

        return step

    for owner, name in STEPS:
        setattr(owner, name, counted(getattr(owner, name)))
    return n_steps


def main(folder: Path, home: Path, die_at: int) -> None:
    """Run one worker until nothing waits."""
    corpus = load(folder / "corpus.jsonl", pin_of(folder / "corpus.jsonl", NAME))
    protocol = acoustic_protocol(corpus.pin)

    @contextmanager
    def open_engine(wanted: Protocol) -> Iterator[Engine]:
        with LocalEngine(wanted, n_processes=1, niceness=0) as engine:
            yield FrugalEngine(engine, scripts_of(corpus), home)

    station = Station(
        name="w1",
        store=FolderStore(home),
        published=PublishedFolder(home / "published"),
        corpus=corpus,
        protocol=protocol,
        open_engine=open_engine,
        preflight=preflight,
        clock=lambda: datetime.now(UTC),
        decoder_processes=1,
        shard_size=1,
    )
    n_steps = count_steps(die_at)
    while Worker(station).run_once() is not None:
        pass
    (folder / "steps").write_text(str(n_steps[0]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
