"""A real worker process that carries out ordered duels, for the tests that kill it.

`python -m tests.submissions.duel_worker_process HOME URL`: HOME holds a published judged board and orders.
"""

import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.open_backend import open_backend
from evaluation.pins import JudgeRecipe
from submissions import layout
from submissions.duel_desk import DuelDesk
from submissions.duel_orders import DuelOrders
from submissions.duel_worker import work_on_one
from submissions.duels import without_anchor
from submissions.liveness import this_process
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker_status import Reporter


def main(home: Path, url: str) -> None:
    """Carry out orders until none is due."""
    files, store = PublishedFolder(home / "published"), FolderStore(home)
    protocols = layout.read_protocols(files)

    def open_judge(wanted: JudgeRecipe, run: str) -> Caller:
        backend = open_backend(wanted.backend, wanted.model, url=url, key="k", timeout_s=20)
        return Caller(backend, cache=FolderCache(folder=home / "judge" / "replies"), run=run)

    desk = DuelDesk(
        orders=DuelOrders(home / "duels"),
        find_protocol=protocols.__getitem__,
        recipe_of=lambda protocol: without_anchor(protocol.judge),
        open_judge=open_judge,
        n_parallel=1,
    )

    def clock() -> datetime:
        return datetime.now(UTC)

    reporter = Reporter(store, "w1", this_process(), clock)
    while work_on_one(desk, files=files, store=store, reporter=reporter, clock=clock, stop=threading.Event()):
        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
