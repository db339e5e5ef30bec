"""The judge's part of an evaluation: every clip against the anchor's, both orders, all votes.

Calls are paid once: each is answered from the caller's cache if it was ever answered. A run that stops because the
judge is away or the budget is spent therefore goes on later where it stopped. Only a call of which no reply could be
used is asked anew by the next run: at the end of a run its replies are set aside.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from evaluation.errors import ProtocolError
from evaluation.judge.calls import Caller
from evaluation.judge.judging_calls import HeardClip, Pair, PairAsker, PairReplies, Stopped, added
from evaluation.judge.judging_check import check_recipe
from evaluation.judge.panel import verdicts_of
from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.records import Item, ItemId, Unread, Verdict

log = logging.getLogger(__name__)

__all__ = ["HeardClip", "Judged", "JudgingProgress", "duel_clips", "judge_clips"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingProgress:
    """How far the judging of one submission is."""

    items_done: int
    """Items with all their calls answered."""
    n_items: int
    """Items to be judged; those that are not sent do not count."""
    n_calls: int
    """Replies to the calls of these items, from the cache or from the judge."""
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
    """Every raw reply, by item, question, order, vote and ask; the same whatever the number of threads."""
    progress: JudgingProgress
    """Calls, cache hits and cost of this run."""


OnProgress = Callable[[JudgingProgress], None]


def judge_clips(
    *,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips: Mapping[ItemId, HeardClip],
    anchors: Mapping[ItemId, HeardClip],
    skipped: Mapping[ItemId, Unread],
    caller: Caller,
    n_parallel: int = 4,
    on_progress: OnProgress = lambda _: None,
) -> Judged:
    """Judge every item of `items` that has a clip and is not skipped.

    Args:
        recipe: what to ask; refused unless its texts and its preparation are those of this version.
        items: items in corpus order; one without a clip (declined) is left out of the verdicts.
        clips: the submission's clips.
        anchors: the anchor's clips; their hashes must be those that the recipe pins.
        skipped: items that are not sent, each with the reason (`judging_skips.why_not_sent`).
        caller: cache, limits, budget and backend.
        n_parallel: pairs that are asked about at once, >= 1.
        on_progress: told at the start and after each item, in the calling thread.

    Raises:
        ProtocolError: the recipe is not of this version or the caller not of this recipe, an item cannot be judged, or
            a clip is missing or another one.
        DecodeError: a canonical clip cannot be read.
        JudgeUnavailable: the judge cannot answer now; call again later, nothing is paid twice.
        BudgetSpent: the budget is used up; the same holds.
        JudgeMisconfigured: the judge refuses such calls for good.
    """
    for item in items:
        pinned = recipe.anchor.clips.get(item.id)
        if item.id in clips and item.id in anchors and anchors[item.id].sha256 != pinned:
            raise ProtocolError(
                f"the anchor's clip of {item.id} is not the one that the protocol pins: expected sha256 {pinned}, "
                f"got {anchors[item.id].sha256}"
            )
    return _judged(
        recipe=recipe,
        items=items,
        clips=clips,
        anchors=anchors,
        skipped=skipped,
        caller=caller,
        n_parallel=n_parallel,
        on_progress=on_progress,
    )


def duel_clips(
    *,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips_a: Mapping[ItemId, HeardClip],
    clips_b: Mapping[ItemId, HeardClip],
    skipped: Mapping[ItemId, Unread],
    caller: Caller,
    n_parallel: int = 4,
    on_progress: OnProgress = lambda _: None,
) -> Judged:
    """Judge two systems directly: A's clips stand where the submission's, B's where the anchor's would.

    A verdict's `score` and winner "clip" are A's, `anchor_score` and "anchor" are B's. Arguments and errors are those
    of `judge_clips`; the recipe's own anchor plays no part. Items that either lacks are left out.
    """
    both = [item for item in items if item.id in clips_a and item.id in clips_b]
    return _judged(
        recipe=recipe,
        items=both,
        clips=clips_a,
        anchors=clips_b,
        skipped=skipped,
        caller=caller,
        n_parallel=n_parallel,
        on_progress=on_progress,
    )


def _judged(
    *,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips: Mapping[ItemId, HeardClip],
    anchors: Mapping[ItemId, HeardClip],
    skipped: Mapping[ItemId, Unread],
    caller: Caller,
    n_parallel: int,
    on_progress: OnProgress,
) -> Judged:
    _check_caller(recipe, caller)
    texts = check_recipe(recipe, items)
    pairs = _pairs(items, clips, anchors, skipped)
    asker = PairAsker(recipe=recipe, texts=texts, caller=caller, stopping=threading.Event())
    found = _ask_all(asker, pairs, n_parallel, on_progress)
    for key, reply in (call for answers in found for call in answers.unusable):
        caller.set_aside(key, reply)
    replies = tuple(reply for answers in found for reply in answers.replies)
    said = verdicts_of(recipe, [pair.item.id for pair in pairs], replies)
    verdicts: dict[ItemId, Mapping[str, Verdict | Unread]] = {}
    for item in items:
        if item.id in clips:
            verdicts[item.id] = said[item.id] if item.id in said else dict.fromkeys(recipe.dimensions, skipped[item.id])
    return Judged(verdicts=verdicts, replies=replies, progress=_progress(found, len(pairs)))


def _check_caller(recipe: JudgeRecipe, caller: Caller) -> None:
    backend = caller.backend
    if (backend.name, backend.model) != (recipe.backend, recipe.model):
        raise ProtocolError(
            f"the protocol's judge is {recipe.model} at {recipe.backend}, but {backend.model} at {backend.name} is set "
            "up. Set up the protocol's judge, or choose the protocol of the one that you have."
        )


def _pairs(
    items: Sequence[Item],
    clips: Mapping[ItemId, HeardClip],
    anchors: Mapping[ItemId, HeardClip],
    skipped: Collection[ItemId],
) -> list[Pair]:
    sent = [item for item in items if item.id in clips and item.id not in skipped]
    missing = [item.id for item in sent if item.id not in anchors]
    if missing:
        raise ProtocolError(f"the anchor has no clip of {', '.join(missing[:5])} ({len(missing)} in all)")
    return [Pair(item=item, clip=clips[item.id], anchor=anchors[item.id]) for item in sent]


def _ask_all(
    asker: PairAsker, pairs: Sequence[Pair], n_parallel: int, on_progress: OnProgress
) -> tuple[PairReplies, ...]:
    """Return what came back for every pair, in order; at the first error let running calls end, and raise it."""
    done: list[PairReplies] = []
    on_progress(_progress(done, len(pairs)))
    with ThreadPoolExecutor(max_workers=n_parallel, thread_name_prefix="judge") as pool:
        futures = [pool.submit(asker.ask, pair) for pair in pairs]
        try:
            for future in as_completed(futures):
                with contextlib.suppress(Stopped):  # what stopped it comes as another pair's error
                    done.append(future.result())
                    on_progress(_progress(done, len(pairs)))
        finally:  # before the pool waits for its threads
            asker.stopping.set()
            for future in futures:
                future.cancel()
            log.info("judge.asked", extra={"items_done": len(done), "n_items": len(pairs)})
    return tuple(future.result() for future in futures)


def _progress(done: Sequence[PairReplies], n_items: int) -> JudgingProgress:
    return JudgingProgress(
        items_done=len(done),
        n_items=n_items,
        n_calls=sum(len(answers.replies) for answers in done),
        n_cached=sum(answers.n_cached for answers in done),
        cost_micro_usd=added([answers.cost_micro_usd for answers in done]),
    )
