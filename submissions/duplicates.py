"""The same audio in two submissions: found by clips and by prints, and told to the operator; nothing follows by itself.

A clip counts as *the same* if its canonical bytes are, or its likeness is SAME or more: the same recording, perhaps
louder, resampled or shifted. It counts as *alike* from ALIKE on: the same recording through a codec or a little noise,
or the same voice with settings that nobody hears apart. Silence and very short sounds never count.

A pair is flagged if a few clips are the same (LEAST_CLIPS, and LEAST_SHARE of what both have), or if most are alike.
Both bounds come from `tests/bench/duplicates.py`: of 40 copied sets (quieter, resampled, shifted, noise at -30 dB, MP3,
Opus, Vorbis) none was missed, of 91 pairs of other voices, engines and paces one was flagged, and that one is an engine
beside itself with its pitch set a hair higher. Copies that are played 3 % faster, or under loud noise, are not found.

What gets published never depends on it.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from evaluation.errors import CastboardError
from evaluation.records import Clip
from submissions import queue
from submissions.fingerprint import likeness
from submissions.operator_events import Flagged
from submissions.ownership import owner_of
from submissions.prints import FILE, Prints, decode, encode, prints_of
from submissions.records import SubmissionId
from submissions.state import SubmissionState
from submissions.store.base import WorkStore

log = logging.getLogger(__name__)

KIND = "duplicate_audio"
"""Kind of the flag."""
SAME = 0.95
"""Likeness from which on two clips are the same recording."""
ALIKE = 0.72
"""Likeness from which on two clips are the same recording or nearly the same voice."""
LEAST_CLIPS = 5
"""Clips below which no pair is flagged."""
LEAST_SHARE = 0.02
"""Share of the clips that both have which must be the same ..."""
MOST = 0.5
"""... or which must be alike."""
MOST_FLAGS = 5
"""Flags that one evaluation adds: each is an event, and on a hub a commit. The rest is found by a search."""
LONGEST_S = 300.0
"""Longest that an evaluation is held up: a new machine fetches every other submission's prints from a hub once."""
_BATCH = 64  # submissions that are held in memory at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Resemblance:
    """How much of the audio of two submissions is the same."""

    n_both: int
    """Items of which both have a clip with enough sound."""
    n_exact: int
    """Of those, clips whose canonical bytes are equal."""
    n_same: int
    """Clips that are the same recording, the equal ones included."""
    n_alike: int
    """Clips that are at least alike, those included."""

    @property
    def is_duplicate(self) -> bool:
        """Whether an operator should look at the pair."""
        few, most = max(LEAST_CLIPS, LEAST_SHARE * self.n_both), max(LEAST_CLIPS, MOST * self.n_both)
        return self.n_same >= few or self.n_alike >= most

    def sentence(self, name: str) -> str:
        """Return the figures in one sentence about the other system `name`, which is hostile text."""
        return (
            f"Of {self.n_both:,} clips that both have, {self.n_exact:,} are equal to those of {name} byte for byte, "
            f"{self.n_same:,} are the same recording and {self.n_alike:,} sound alike."
        )


def note_duplicates(
    store: WorkStore,
    submission: SubmissionId,
    clips: Sequence[Clip],
    clips_dir: Path,
    now: datetime,
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Keep the prints of a submission and flag what it shares with others; a fault in here is logged and ends here.

    At most MOST_FLAGS are added, of the pairs that share most, and what takes longer than LONGEST_S is left undone.

    Args:
        store: the work state.
        submission: whose clips they are.
        clips: its clips.
        clips_dir: folder that holds each as `<item id>.flac`.
        now: aware.
        is_over: whether to end at once.
    """
    until_s = time.monotonic() + LONGEST_S
    try:
        prints = kept_prints(store, submission)
        if {i: one.sha256 for i, one in prints.items()} != {clip.item_id: clip.sha256 for clip in clips}:
            prints = prints_of(clips, clips_dir)
            store.keep_file(submission, FILE, encode(prints))
        n_flagged = flag(
            store, submission, now, most=MOST_FLAGS, is_over=lambda: is_over() or time.monotonic() > until_s
        )
    except (CastboardError, OSError, ValueError):
        log.exception("duplicates.failed", extra={"submission": submission})
    else:
        log.info("duplicates.done", extra={"submission": submission, "n_flagged": n_flagged})


def flag(
    store: WorkStore,
    submission: SubmissionId,
    now: datetime,
    *,
    only_older: bool = False,
    most: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> int:
    """Flag each pair of `submission` and another of the store that shares audio, and was not flagged before.

    The newer one of a pair carries the flag. Withdrawn, hidden and rejected submissions count as others do; versions
    of one owner's system are no pair.

    Args:
        store: the work state.
        submission: one that has prints; without them nothing is flagged.
        now: aware.
        only_older: leave out newer ones, whose turn comes when all are gone through.
        most: flag no more pairs than these, those that share most; None for all.
        is_over: whether to look at no further one; what was found until then is flagged.

    Returns:
        How many flags were added.

    Raises:
        IllegalEvent: if the submission is unknown.
        SchemaError: if kept prints are damaged.
        StoreUnavailable: if the store cannot be reached now.
    """
    own = queue.load(store, submission)
    others = [state for state in queue.load_all(store) if not _is_version(own, state)]
    if only_older:
        others = [state for state in others if _age(state) < _age(own)]
    pairs = [pair for pair in _resemblances(store, own, others, is_over) if pair[1].is_duplicate]
    pairs.sort(key=lambda pair: (pair[1].n_same, pair[1].n_alike), reverse=True)
    n_added = 0
    for other, found in pairs[:most]:
        newer, older = (own, other) if _age(own) > _age(other) else (other, own)
        n_added += _append(store, newer.submission, older, found, now)
    return n_added


def kept_prints(store: WorkStore, submission: SubmissionId) -> Prints:
    """Return the prints that are kept of a submission; none if there are none of this version.

    Raises:
        SchemaError: if they are damaged.
        StoreUnavailable: if they cannot be fetched now.
    """
    data = store.kept_file(submission, FILE)
    return {} if data is None else decode(data)


def compare(one: Prints, others: Mapping[SubmissionId, Prints]) -> dict[SubmissionId, Resemblance]:
    """Return what the prints of one submission share with those of each other one."""
    counts = {name: [0, 0, 0, 0] for name in others}
    for item_id, own in one.items():
        if not len(own.frames):
            continue
        beside = {name: prints[item_id] for name, prints in others.items() if item_id in prints}
        beside = {name: clip for name, clip in beside.items() if len(clip.frames)}
        if not beside:
            continue
        alike = likeness(own.frames, [clip.frames for clip in beside.values()])
        is_equal = np.array([clip.sha256 == own.sha256 for clip in beside.values()])
        marks = np.stack([np.ones_like(is_equal), is_equal, is_equal | (alike >= SAME), is_equal | (alike >= ALIKE)])
        for column, name in enumerate(beside):
            counts[name] = [n + int(mark) for n, mark in zip(counts[name], marks[:, column], strict=True)]
    return {
        name: Resemblance(n_both=both, n_exact=exact, n_same=same, n_alike=alike_too)
        for name, (both, exact, same, alike_too) in counts.items()
    }


def _resemblances(
    store: WorkStore, own: SubmissionState, others: Sequence[SubmissionState], is_over: Callable[[], bool]
) -> Iterator[tuple[SubmissionState, Resemblance]]:
    prints = kept_prints(store, own.submission)
    for start in range(0, len(others), _BATCH):
        batch = {state.submission: state for state in others[start : start + _BATCH]}
        kept: dict[SubmissionId, Prints] = {}
        for name in batch:
            if is_over():
                log.warning("duplicates.cut", extra={"submission": own.submission, "n_others": len(others)})
                break
            kept[name] = kept_prints(store, name)
        found = compare(prints, kept)
        yield from ((batch[name], resemblance) for name, resemblance in found.items())
        if len(kept) < len(batch):
            return


def _append(store: WorkStore, newer: SubmissionId, older: SubmissionState, found: Resemblance, now: datetime) -> bool:
    name = f"{older.received.card.system} {older.received.card.version}"
    wanted = Flagged(kind=KIND, other=older.submission, message=found.sentence(name))
    has_added = False

    def payload(state: SubmissionState) -> Flagged | None:
        nonlocal has_added
        has_added = not any(known.kind == KIND and known.other == older.submission for known in state.flags)
        return wanted if has_added else None

    queue.append(store, newer, now, payload)
    return has_added


def _is_version(own: SubmissionState, other: SubmissionState) -> bool:
    """Whether it is the submission itself, or another version of the same system of the same owner."""
    if own.submission == other.submission:
        return True
    mine, theirs = own.received, other.received
    if mine.supersedes == other.submission or theirs.supersedes == own.submission:
        return True
    owner = owner_of(mine)
    is_one_system = mine.card.system.casefold() == theirs.card.system.casefold()
    return owner is not None and owner == owner_of(theirs) and is_one_system


def _age(state: SubmissionState) -> tuple[str, str]:
    return state.received_at, state.submission
