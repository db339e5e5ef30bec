"""Everything between canonical clips and what scoring needs: the passes of instruments, then the judge.

One way for a worker and for a researcher's own machine. It knows no zip, queue or published board: shards are kept
where the caller says, a temporary folder or the work state, and a run that stopped anywhere goes on from there.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.errors import CastboardError
from evaluation.judge.judging_owed import owed
from evaluation.judge.replies import JudgeReply
from evaluation.judge_stage import Desk, JudgeProgress, judge_stage
from evaluation.packaged import ACOUSTIC_ROLES
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Item, ItemId, Unread
from evaluation.run import SHARD_SIZE, Engine, Shard, ShardStore, evaluate, plan_of
from evaluation.run_progress import Progress

log = logging.getLogger(__name__)

OpenEngine = Callable[[Protocol], AbstractContextManager[Engine]]
"""Opens an engine that reads with a protocol's instruments."""
_N_SHOWN = 3


class InstrumentFault(CastboardError):
    """An instrument of ours could not read clips; they must be read again."""


class ClipsNotJudged(InstrumentFault):
    """The judge gave no usable reply about some clips; it is asked about these anew the next time."""


class NoJudge(CastboardError):
    """The protocol has a judge, and nobody said how to reach it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """What came of one evaluation: all that scoring needs, and what stands behind the verdicts."""

    readings: Mapping[ItemId, ClipReadings]
    """Of every clip, in the order of the clips; verdicts included."""
    replies: tuple[JudgeReply, ...]
    """Every raw reply of the judge; empty without a judge."""


def evaluate_clips(
    *,
    protocol: Protocol,
    items: Sequence[Item],
    clips: Sequence[Clip],
    clips_dir: Path,
    store: ShardStore,
    open_engine: OpenEngine,
    desk: Desk | None = None,
    on_reading: Callable[[Progress], None] = lambda _: None,
    on_anchor: Callable[[Progress], None] | None = None,
    on_judging: Callable[[JudgeProgress], None] = lambda _: None,
    shard_size: int = SHARD_SIZE,
) -> Evaluated:
    """Read and judge every clip that is not read and judged yet.

    Args:
        protocol: the recipe; `evaluation.preflight` should have found it fit.
        items: the corpus's items, in its order.
        clips: canonical clips of all items that are not declined.
        clips_dir: holds each as `<item id>.flac`.
        store: keeps the shards of these clips under this protocol, and no others.
        open_engine: opens what reads; it is closed before the judge is asked.
        desk: what the judge's stage works with; needed if the protocol has a judge.
        on_reading: told at the start of every pass and after every shard; may raise to stop the run.
        on_anchor: the same for the anchor's own clips, which are read once for all submissions; None for `on_reading`.
        on_judging: told before the first call and after every item; may raise to stop the run.
        shard_size: most clips of a shard; the same for every run of one store.

    Raises:
        InstrumentFault: if an instrument owes a reading, or the judge (ClipsNotJudged); what is owed is read, or asked
            for, again the next time.
        InstrumentRefused, EngineDied: as the engine raises them.
        NoJudge: if the protocol has a judge and there is no desk.
        AnchorMissing: if the anchor's clips are not those that the protocol pins.
        JudgeUnavailable, BudgetSpent: if the judge cannot be asked now; nothing that was paid for is lost.
        JudgeMisconfigured: if the judge refuses such calls for good.
    """
    readings = read_clips(
        protocol=protocol,
        clips=clips,
        clips_dir=clips_dir,
        store=store,
        open_engine=open_engine,
        on_progress=on_reading,
        shard_size=shard_size,
    )
    if protocol.judge is None:
        return Evaluated(readings=readings, replies=())
    if desk is None:
        raise NoJudge(f"protocol {protocol.name} has a judge, {protocol.judge.model}; say how to reach it")
    acoustic = acoustic_part(protocol)
    anchor = desk.open_anchor(protocol.judge)
    heard = read_clips(
        protocol=acoustic,
        clips=anchor.clips,
        clips_dir=anchor.clips_dir,
        store=anchor.open_store(acoustic),
        open_engine=open_engine,
        on_progress=on_anchor or on_reading,
        shard_size=shard_size,
    )
    judged = judge_stage(
        protocol=protocol,
        recipe=protocol.judge,
        items=items,
        clips=clips,
        clips_dir=clips_dir,
        readings=readings,
        anchor=anchor,
        anchor_readings=heard,
        desk=desk,
        on_progress=on_judging,
    )
    why = owed(protocol.judge, judged.verdicts, judged.replies, protocol.id)
    if why is not None:
        raise ClipsNotJudged(why)
    whole = {
        item_id: replace(reading, verdicts={**reading.verdicts, **judged.verdicts[item_id]})
        for item_id, reading in readings.items()
    }
    return Evaluated(readings=whole, replies=judged.replies)


def read_clips(
    *,
    protocol: Protocol,
    clips: Sequence[Clip],
    clips_dir: Path,
    store: ShardStore,
    open_engine: OpenEngine,
    on_progress: Callable[[Progress], None] = lambda _: None,
    shard_size: int = SHARD_SIZE,
) -> dict[ItemId, ClipReadings]:
    """Return what a protocol's instruments, all passes of them, read of every clip; no judge is asked.

    Arguments are those of `evaluate_clips`.

    Raises:
        InstrumentFault: if an instrument owes a reading; its shard is forgotten, so that the next run reads it again.
        InstrumentRefused, EngineDied: as the engine raises them.
    """
    with open_engine(protocol) as engine:
        readings = evaluate(
            protocol=protocol,
            clips=clips,
            clips_dir=clips_dir,
            store=store,
            engine=engine,
            on_progress=on_progress,
            shard_size=shard_size,
        )
    _forget_faulty(store, plan_of(protocol, clips, shard_size), readings)
    return readings


def acoustic_part(protocol: Protocol) -> Protocol:
    """Return the recipe of a protocol's acoustic pass alone: what is read of an anchor's clips before they are sent."""
    acoustic = {role: one for role, one in protocol.instruments.items() if role in ACOUSTIC_ROLES}
    return replace(protocol, instruments=acoustic, judge=None)


def _forget_faulty(store: ShardStore, shards: Sequence[Shard], readings: Mapping[ItemId, ClipReadings]) -> None:
    """Drop shards with a reading that an instrument owes, so that the next run reads them again."""
    faulty = {}
    for shard in shards:
        faults = [fault for clip in shard.clips if (fault := _fault(readings[clip.item_id])) is not None]
        if faults:
            faulty[shard.index] = faults[0]
            store.remove(shard.index)
    if faulty:
        shown = "; ".join(list(faulty.values())[:_N_SHOWN])
        raise InstrumentFault(f"{len(faulty)} shards hold readings that an instrument of ours could not give: {shown}")


def _fault(reading: ClipReadings) -> str | None:
    """Return what an instrument owes of a clip, or None."""
    one_each = (reading.acoustics, reading.transcript, reading.naturalness)
    for part in (*one_each, *reading.probes.values()):
        if isinstance(part, Unread) and part.fault == "instrument":
            return f"{reading.item_id}: {part.reason} {part.detail}".strip()
    return None
