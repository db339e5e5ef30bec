"""The judge's part of an evaluation: every clip against the anchor's, both orders, all votes.

Calls are paid once: each is answered from the caller's cache if it was ever answered. A run that stops because the
judge is away or the budget is spent therefore goes on later where it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.records import Acoustics, Item, ItemId, Unread, Verdict

if TYPE_CHECKING:
    from evaluation.judge.calls import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardClip:
    """One canonical clip that a judge may hear."""

    sha256: str
    """sha256 (hex) of the canonical FLAC."""
    path: Path
    """Where that file is; read when the clip's first call is made, not before."""
    acoustics: Acoustics | Unread | None
    """What the acoustic pass read of it; None if the protocol has none (the clip is then trimmed by level)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingProgress:
    """How far the judging of one submission is."""

    items_done: int
    """Items with all their calls answered."""
    n_items: int
    """Items to be judged; those that are not sent do not count."""
    n_calls: int
    """Calls answered so far, from the cache or by the judge."""
    n_cached: int
    """Those of them that cost nothing, for they had been answered before."""
    cost_micro_usd: int | None
    """What the others cost, millionths of a US dollar; None if a price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge said of one submission."""

    verdicts: Mapping[ItemId, Mapping[str, Verdict | Unread]]
    """By item and dimension, in corpus order; an item that was not sent holds its reason in every dimension."""
    replies: tuple[JudgeReply, ...]
    """Every raw reply, by item, dimensions, order, vote and ask; the same whatever the number of threads."""
    progress: JudgingProgress
    """Calls, cache hits and cost of this run."""


def judge_clips(
    *,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips: Mapping[ItemId, HeardClip],
    anchors: Mapping[ItemId, HeardClip],
    skipped: Mapping[ItemId, Unread],
    caller: "Caller",
    n_parallel: int = 4,
    on_progress: Callable[[JudgingProgress], None] = lambda _: None,
) -> Judged:
    """Judge every item of `items` that has a clip and is not skipped.

    Args:
        recipe: what to ask; refused unless its texts and its preparation are those of this version.
        items: items in corpus order; one without a clip (declined) is left out of the verdicts.
        clips: the submission's clips.
        anchors: the anchor's clips; their hashes must be those that the recipe pins.
        skipped: items that are not sent, each with the reason (`judging_skips.why_not_sent`).
        caller: cache, limits, budget and backend.
        n_parallel: calls at once, >= 1.
        on_progress: told after each item.

    Raises:
        ProtocolError: the recipe is not of this version, or an anchor's clip is missing or another one.
        JudgeUnavailable: the judge cannot answer now; call again later, nothing is paid twice.
        BudgetSpent: the budget is used up; the same holds.
        JudgeMisconfigured: the judge refuses such calls for good.
    """
    raise NotImplementedError


def duel_clips(
    *,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips_a: Mapping[ItemId, HeardClip],
    clips_b: Mapping[ItemId, HeardClip],
    skipped: Mapping[ItemId, Unread],
    caller: "Caller",
    n_parallel: int = 4,
    on_progress: Callable[[JudgingProgress], None] = lambda _: None,
) -> Judged:
    """Judge two systems directly: A's clips stand where the submission's, B's where the anchor's would.

    A verdict's `score` and winner "clip" are A's, `anchor_score` and "anchor" are B's. Arguments and errors are those
    of `judge_clips`; the recipe's own anchor plays no part. Items that either lacks are left out.
    """
    raise NotImplementedError
