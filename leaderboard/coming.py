"""What an empty board tells of its first row while demo systems are made and measured."""

import math

from leaderboard import display, words
from leaderboard.context import Context
from submissions import queue
from submissions.demo.status import read_status
from submissions.state import State
from submissions.worker_status import read_statuses

_ACTIVE = frozenset({State.RECEIVED, State.QUEUED, State.RUNNING})


def coming(context: Context) -> str:
    """Return a sentence if the site's board has no row and demo systems are on their way; else nothing."""
    if context.published.board("").rows:
        return ""
    demo = read_status(context.home / "demo")
    if demo is None:
        return ""
    active = {state.submission for state in queue.load_all(context.store) if state.state in _ACTIVE}
    if demo.is_finished and not active:
        return ""
    workers = read_statuses(context.store)
    left_s = [one.eta_s for one in workers if one.submission in active and one.eta_s is not None]
    if not left_s:
        return words.COMING
    return words.COMING_SOON.format(minutes=display.count(max(1, math.ceil(min(left_s) / 60)), "minute"))
