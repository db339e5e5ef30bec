"""A real worker process with a judge, for the tests that kill it: evaluates what waits, then ends.

`python -m tests.submissions.judged_worker_process FOLDER HOME URL`: FOLDER holds the corpus and `judged.json`.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from evaluation import protocol as recipe
from evaluation.corpus import load, pin_of
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.open_backend import open_backend
from evaluation.pins import JudgeRecipe
from submissions.station import Station
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker import Worker
from tests.submissions.small_evaluation import NAME, SteadyEngine, scripts_of


def main(folder: Path, home: Path, url: str) -> None:
    """Run one worker until nothing waits."""
    corpus = load(folder / "corpus.jsonl", pin_of(folder / "corpus.jsonl", NAME))
    engine = SteadyEngine(scripts_of(corpus))

    def open_judge(wanted: JudgeRecipe, run: str) -> Caller:
        backend = open_backend(wanted.backend, wanted.model, url=url, key="k", timeout_s=20)
        return Caller(backend, cache=FolderCache(folder=home / "judge" / "replies"), run=run)

    station = Station(
        name="w1",
        store=FolderStore(home),
        published=PublishedFolder(home / "published"),
        corpus=corpus,
        protocol=recipe.load(str(folder / "judged.json")),
        open_engine=lambda _: engine.opened(),
        preflight=lambda _: None,
        clock=lambda: datetime.now(UTC),
        open_judge=open_judge,
        judge_n_parallel=1,
        decoder_processes=1,
        shard_size=1,
    )
    while Worker(station).run_once() is not None:
        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
