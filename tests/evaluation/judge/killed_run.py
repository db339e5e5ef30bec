"""A run in a process of its own, so that a test can kill it: ten votes on one pair, one after the other."""

import sys
from pathlib import Path

from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.open_backend import open_backend
from evaluation.judge.spend import load_prices
from evaluation.judge.spend_ledger import Ledger
from tests.evaluation.judge.asking import KEY, ask

MODEL = "gemini-3.1-pro-preview"
N_VOTES = 10


def main(url: str, folder: Path) -> None:
    """Ask all votes."""
    backend = open_backend("gemini", MODEL, url=url, key=KEY, timeout_s=10.0)
    with Caller(
        backend,
        cache=FolderCache(folder=folder / "replies"),
        run="run-1",
        prices=load_prices(),
        ledger=Ledger(folder / "books"),
    ) as judge:
        for vote in range(N_VOTES):
            ask(judge, vote=vote)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
