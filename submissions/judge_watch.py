"""Watches a judge's caller from beside the work: its waits end with the run, and its outages reach the status."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime

from evaluation.judge.calls import Caller
from submissions.worker_status import Reporter

_LOOK_S = 0.5


@contextmanager
def watched(
    opened: AbstractContextManager[Caller],
    reporter: Reporter,
    is_over: Callable[[], bool],
    resumed: datetime | None = None,
) -> Iterator[Caller]:
    """Open a caller and watch it as long as it is open.

    Args:
        opened: opens the caller.
        reporter: is told when the judge does not answer, and when it does again.
        is_over: whether the run must end early; a caller that waits for its judge is then stopped at once.
        resumed: when an operator said that the judge is back; one call may then try it before its pause is over.
    """
    has_ended = threading.Event()
    with opened as caller:
        if resumed is not None:
            caller.allow_trial(resumed)
        watcher = threading.Thread(
            target=_watch, args=(caller, reporter, is_over, has_ended), name="judge-watch", daemon=True
        )
        watcher.start()
        try:
            yield caller
        finally:
            has_ended.set()
            watcher.join()


def _watch(caller: Caller, reporter: Reporter, is_over: Callable[[], bool], has_ended: threading.Event) -> None:
    while not has_ended.wait(_LOOK_S):
        if is_over():
            caller.stop()
            return
        reporter.waiting_for_judge(caller.tally, caller.unavailable_since)
