"""All pairs of a store looked through for the same audio, for an operator: also what came before there were prints."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluation import audio
from evaluation.records import ItemId
from submissions import layout, queue
from submissions.duplicates import KIND, flag, kept_prints
from submissions.fingerprint import fingerprint
from submissions.hiding import where_clips_are
from submissions.operator_events import Flagged
from submissions.prints import FILE, ClipPrint, encode
from submissions.state import SubmissionState
from submissions.store.base import PublishedFiles, WorkStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One flagged pair."""

    newer: SubmissionState
    """The submission that carries the flag."""
    older: SubmissionState | None
    """The other one; None if the store no longer knows it."""
    flag: Flagged
    """The flag."""


def flagged_pairs(store: WorkStore) -> tuple[Pair, ...]:
    """Return all flagged pairs, the newest submission first."""
    states = {state.submission: state for state in queue.load_all(store)}
    by_id = {str(name): state for name, state in states.items()}
    return tuple(
        Pair(newer=state, older=by_id.get(one.other), flag=one)
        for state in reversed(states.values())
        for one in state.flags
        if one.kind == KIND
    )


def search(store: WorkStore, published: PublishedFiles, now: datetime, on_progress: Callable[[int, int], None]) -> int:
    """Flag every pair of the store that shares audio and was not flagged before; return how many were.

    Args:
        store: the work state; it gets the prints that it lacks of submissions whose clips are published or hidden.
        published: the board.
        now: aware.
        on_progress: called with the number of submissions that are done and of all.

    Raises:
        CastboardError: if prints or published clips are damaged, or the store cannot be reached now.
    """
    states = queue.load_all(store)
    n_added = 0
    for n_done, state in enumerate(states, 1):
        if not kept_prints(store, state.submission):
            _make_up(store, published, state)
        n_added += flag(store, state.submission, now, only_older=True)
        on_progress(n_done, len(states))
    return n_added


def _make_up(store: WorkStore, published: PublishedFiles, state: SubmissionState) -> None:
    files, path = where_clips_are(store, published, state.submission), layout.clips_path(state.submission)
    try:
        data = files.read(path)
    except FileNotFoundError:
        return
    prints = {}
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.flac"
        for row in layout.clip_rows(data, path):
            clip.write_bytes(row["flac"])
            prints[ItemId(row["item_id"])] = ClipPrint(sha256=row["sha256"], frames=fingerprint(*audio.read(clip)))
    store.keep_file(state.submission, FILE, encode(prints))
