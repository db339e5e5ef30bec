"""The judge's stage of an evaluation: which clips are sent, what that would take, and who is told how it goes."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from evaluation.codec import to_json
from evaluation.errors import CastboardError
from evaluation.judge import rubrics
from evaluation.judge.calls import Caller, Tally
from evaluation.judge.judging import Judged, JudgingProgress, judge_clips
from evaluation.judge.judging_calls import HeardClip
from evaluation.judge.judging_skips import why_not_sent
from evaluation.judge.spend import Price, RunEstimate, estimate
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Item, ItemId, Unread
from evaluation.run import ShardStore
from evaluation.scoring import passes_gate

log = logging.getLogger(__name__)

_N_SHOWN = 5


class AnchorMissing(CastboardError):
    """The anchor's clips are not here, or are other ones than the protocol pins; nobody can be judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorClips:
    """The anchor's canonical clips on this machine."""

    clips: tuple[Clip, ...]
    """One for every item that the recipe pins."""
    clips_dir: Path
    """Holds each as `<item id>.flac`."""
    open_store: Callable[[Protocol], ShardStore]
    """Opens what keeps the shards of the anchor's own acoustic readings, for the recipe of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the judge's stage works with."""

    open_caller: Callable[[JudgeRecipe], AbstractContextManager[Caller]]
    """Opens what asks the judge, with cache, limits and budget."""
    open_anchor: Callable[[JudgeRecipe], AnchorClips]
    """Brings the anchor's clips here; raises AnchorMissing."""
    prices: tuple[Price, ...] = ()
    """What judges cost."""
    n_parallel: int = 4
    """Calls at once, >= 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeProgress:
    """How far the judging is, and what it took."""

    expected: RunEstimate
    """What the whole stage would take if nothing had been answered before; told before the first call."""
    items_done: int
    """Items with all their calls answered."""
    n_items: int
    """Items that are sent."""
    tally: Tally
    """Calls, cache hits, tries again and spend of this run."""


def check_anchor(recipe: JudgeRecipe, clips: Sequence[Clip]) -> None:
    """Return if `clips` are the clips that the recipe pins of its anchor.

    Raises:
        AnchorMissing: naming the first items of which that is not so.
    """
    found = {clip.item_id: clip.sha256 for clip in clips}
    wrong = sorted(item for item, sha256 in recipe.anchor.clips.items() if found.get(ItemId(item)) != sha256)
    if wrong:
        shown = ", ".join(wrong[:_N_SHOWN])
        raise AnchorMissing(
            f"the anchor {recipe.anchor.name} ({recipe.anchor.submission}) has other clips here than the protocol "
            f"pins, or none, of {len(wrong)} items: {shown}. Publish or fetch the submission that it names."
        )


def judge_stage(
    *,
    protocol: Protocol,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    clips: Sequence[Clip],
    clips_dir: Path,
    readings: Mapping[ItemId, ClipReadings],
    anchor: AnchorClips,
    anchor_readings: Mapping[ItemId, ClipReadings],
    desk: Desk,
    on_progress: Callable[[JudgeProgress], None],
) -> Judged:
    """Judge every clip that may be sent against the anchor's clip of its item.

    Args:
        protocol: the recipe of the whole evaluation.
        recipe: its judge's.
        items: the corpus's items, in its order.
        clips: canonical clips of all items that are not declined.
        clips_dir: holds each as `<item id>.flac`.
        readings: what the instruments read of the same clips.
        anchor: the anchor's clips.
        anchor_readings: their acoustic readings.
        desk: the judge.
        on_progress: told before the first call and after every item; may raise to stop.

    Raises:
        AnchorMissing, JudgeUnavailable, BudgetSpent, JudgeMisconfigured: as `evaluation.stages.evaluate_clips`.
    """
    check_anchor(recipe, anchor.clips)
    skipped = skipped_items(protocol, items, readings)
    expected = expect(recipe, [clip for clip in clips if clip.item_id not in skipped], anchor.clips, desk.prices)
    log.info("judge.expected", extra={**to_json(expected), "n_skipped": len(skipped)})
    n_sent = len(clips) - len(skipped)
    with desk.open_caller(recipe) as caller:

        def tell(progress: JudgingProgress) -> None:
            done = {"items_done": progress.items_done, "n_items": progress.n_items}
            on_progress(JudgeProgress(expected=expected, tally=caller.tally, **done))

        on_progress(JudgeProgress(expected=expected, items_done=0, n_items=n_sent, tally=caller.tally))
        judged = judge_clips(
            recipe=recipe,
            items=items,
            clips=_heard(clips, clips_dir, readings),
            anchors=_heard(anchor.clips, anchor.clips_dir, anchor_readings),
            skipped=skipped,
            caller=caller,
            n_parallel=desk.n_parallel,
            on_progress=tell,
        )
        spent = caller.tally
    log.info("judge.done", extra=to_json(spent))
    return judged


def skipped_items(
    protocol: Protocol, items: Sequence[Item], readings: Mapping[ItemId, ClipReadings]
) -> dict[ItemId, Unread]:
    """Return the items whose clips are not sent to the judge, each with the reason."""
    found = {}
    for item in items:
        if item.id in readings:
            reading = readings[item.id]
            why = why_not_sent(item, reading, has_passed_gate=passes_gate(protocol, item, reading))
            if why is not None:
                found[item.id] = why
    return found


def expect(
    recipe: JudgeRecipe, clips: Sequence[Clip], anchor_clips: Sequence[Clip], prices: Sequence[Price]
) -> RunEstimate:
    """Return what judging `clips` would take: calls, audio, tokens, money."""
    anchor_s = {clip.item_id: clip.duration_s for clip in anchor_clips}
    texts = rubrics.of_recipe(recipe)
    n_rubrics = len(recipe.dimensions) if recipe.is_combined else 1
    each = sum(map(len, texts.rubrics.values())) // max(1, len(texts.rubrics))
    return estimate(
        recipe,
        clip_s=[clip.duration_s for clip in clips],
        anchor_s=[anchor_s[clip.item_id] for clip in clips],
        prompt_characters=sum(map(len, texts.sections.values())) + n_rubrics * each,
        prices=prices,
    )


def _heard(clips: Sequence[Clip], clips_dir: Path, readings: Mapping[ItemId, ClipReadings]) -> dict[ItemId, HeardClip]:
    return {
        clip.item_id: HeardClip(
            sha256=clip.sha256,
            path=clips_dir / f"{clip.item_id}.flac",
            acoustics=readings[clip.item_id].acoustics,
        )
        for clip in clips
    }
