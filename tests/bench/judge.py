"""What the judge's side costs in time: calls a second with threads and without, a rerun from the cache, preparation.

Both real client libraries ask a provider on this machine, which answers at once or, as real ones do, after a while.
Client and provider share one process, so the figures without delay are those of both. Run: python -m tests.bench.judge
"""

import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.judging import HeardClip, judge_clips
from evaluation.judge.open_backend import open_backend
from evaluation.judge.preparation import prepare_file
from evaluation.records import Item, ItemId
from tests.evaluation.judge import judges
from tests.evaluation.judge.loopback import Judge, Loopback, ReplyPlan, RequestSeen

N_ITEMS = 24
CALLS_EACH = 2
CLIP_S = 4.0
N_THREADS = 8
SLOW_S = 0.15
BACKENDS = ("gemini", "openai")

Board = tuple[Sequence[Item], Mapping[ItemId, HeardClip], Mapping[ItemId, HeardClip]]


def main() -> None:
    """Print a line a figure."""
    with tempfile.TemporaryDirectory(prefix="castboard-bench-") as name:
        folder = Path(name)
        board = _board(folder)
        _print_preparation(board)
        for backend in BACKENDS:
            for delay_s in (0.0, SLOW_S):
                _print_calls(backend, delay_s, board, folder / f"{backend}-{delay_s:g}")


def _board(folder: Path) -> Board:
    items = [judges.item(number) for number in range(N_ITEMS)]
    clips, anchors = (
        {one.id: judges.clip(folder, f"{kind}-{one.id}", duration_s=CLIP_S) for one in items} for kind in ("clip", "an")
    )
    return items, clips, anchors


def _print_preparation(board: Board) -> None:
    taken = [_taken(lambda clip=clip: prepare_file(clip.path, None)) for clip in board[1].values()]
    print(f"preparation of a clip of {CLIP_S:g} s: median {statistics.median(taken[1:]) * 1000:.1f} ms")


def _print_calls(backend: str, delay_s: float, board: Board, folder: Path) -> None:
    with Loopback(_answering_after(delay_s)) as server:

        def judge(cache: str, n_parallel: int) -> float:
            items, clips, anchors = board
            url = server.gemini_url if backend == "gemini" else server.openai_url
            asked = open_backend(backend, judges.MODEL, url=url, key="k", timeout_s=30)
            with Caller(asked, cache=FolderCache(folder=folder / cache), run="bench") as caller:
                return _taken(
                    lambda: judge_clips(
                        recipe=judges.pinned(anchors, backend=backend),
                        items=items,
                        clips=clips,
                        anchors=anchors,
                        skipped={},
                        caller=caller,
                        n_parallel=n_parallel,
                    )
                )

        judge("warm", N_THREADS)
        alone, together, again = judge("alone", 1), judge("together", N_THREADS), judge("together", N_THREADS)
    n_calls = N_ITEMS * CALLS_EACH
    print(
        f"{backend:7} provider answers after {delay_s * 1000:3.0f} ms: one thread {n_calls / alone:6.1f} calls/s, "
        f"{N_THREADS} threads {n_calls / together:6.1f} calls/s, ratio {alone / together:4.1f}; "
        f"from the cache {again / n_calls * 1000:5.1f} ms a call, ratio {together / again:5.1f}"
    )


def _answering_after(delay_s: float) -> Judge:
    never = threading.Event()
    text = json.dumps(judges.said())

    def judge(_: RequestSeen) -> ReplyPlan:
        never.wait(delay_s)
        return ReplyPlan(text=text)

    return judge


def _taken(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
