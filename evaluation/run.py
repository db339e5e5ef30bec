"""The readings of one evaluation: cut the clips into shards, read the missing ones, keep each as it is finished.

Every pass of instruments reads every clip, one pass after the other, and has shards of its own. A run knows no zip,
queue or store: it is given canonical clips, a place that keeps shards, and an engine that reads them. Killed at any
instant, it goes on from the last finished shard, and the readings are the same bytes whoever read them and in
whatever order.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as TypingProtocol

from evaluation.codec import canonical, from_json, to_json
from evaluation.errors import CastboardError, SchemaError
from evaluation.passes import SHARED, merge, passes_of
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId
from evaluation.run_progress import Meter, Progress

SHARD_SIZE = 32
"""Most clips of one shard: what a killed run can lose at worst, for each process."""
SCHEMA_VERSION = 2


class InstrumentRefused(CastboardError):
    """An instrument cannot be loaded where shards are read; nothing is read until somebody mends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Some clips that are read together and kept together."""

    index: int
    """Place in the plan, from 0."""
    clips: tuple[Clip, ...]
    """1 to SHARD_SIZE clips, in corpus order."""
    pass_name: str = SHARED
    """Pass of the protocol's instruments that reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardReadings:
    """What an engine gives back for one shard."""

    index: int
    """The shard's place in the plan."""
    readings: tuple[ClipReadings, ...]
    """One for each clip, in the shard's order."""
    seconds: Mapping[str, float]
    """Time spent inside each instrument, s of wall time in the reading process; never stored."""


class ShardStore(TypingProtocol):
    """Where a run keeps finished shards; writing one is atomic."""

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None."""

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard."""

    def remove(self, index: int) -> None:
        """Forget a shard, so that it is read again; nothing happens if it is not kept."""


class Engine(TypingProtocol):
    """Something that can read shards, in any order, perhaps several at once."""

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield the readings of each shard as it is finished; clips are `clips_dir/<item id>.flac`.

        Only what the shard's own pass reads is given; everything else of a clip is None.

        Raises:
            InstrumentRefused: if an instrument cannot be loaded.
        """


class Memory:
    """Keeps shards as long as it lives: for a run that nobody means to take up again."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: dict[int, bytes] = {}

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None."""
        return self._kept.get(index)

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard."""
        self._kept[index] = data

    def remove(self, index: int) -> None:
        """Forget a shard."""
        self._kept.pop(index, None)


def plan(clips: Iterable[Clip], size: int = SHARD_SIZE, pass_names: Sequence[str] = (SHARED,)) -> tuple[Shard, ...]:
    """Cut `clips` into shards of at most `size`, keeping their order: all for the first pass, then for the next."""
    ordered = tuple(clips)
    cuts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    each = ((name, cut) for name in pass_names for cut in cuts)
    return tuple(Shard(index=i, clips=cut, pass_name=name) for i, (name, cut) in enumerate(each))


def plan_of(protocol: Protocol, clips: Iterable[Clip], size: int = SHARD_SIZE) -> tuple[Shard, ...]:
    """Return the whole plan of an evaluation of `clips` under `protocol`."""
    return plan(clips, size, [one.name for one in passes_of(protocol)])


def evaluate(
    *,
    protocol: Protocol,
    clips: Sequence[Clip],
    clips_dir: Path,
    store: ShardStore,
    engine: Engine,
    on_progress: Callable[[Progress], None] = lambda _: None,
    shard_size: int = SHARD_SIZE,
) -> dict[ItemId, ClipReadings]:
    """Read every clip that is not read yet and return all readings by item, in the order of `clips`.

    Args:
        protocol: whose instruments read.
        clips: canonical clips.
        clips_dir: holds each as `<item id>.flac`.
        store: keeps the shards of these clips under this protocol, and no others.
        engine: reads.
        on_progress: told at the start of every pass and after every shard.
        shard_size: most clips of a shard; the same for every run of one store.

    Raises:
        SchemaError: if a kept shard belongs to other clips, another protocol, pass or version.
        PartsDisagree: if two passes report the same thing of a clip, and not alike.
    """
    shards = plan_of(protocol, clips, shard_size)
    done: dict[int, tuple[ClipReadings, ...]] = {}
    for shard in shards:
        kept = store.load(shard.index)
        if kept is not None:
            done[shard.index] = decode_shard(kept, protocol, shard)
    meter = Meter(shards, done.keys())
    missing: dict[str, list[Shard]] = {}
    for shard in shards:
        if shard.index not in done:
            missing.setdefault(shard.pass_name, []).append(shard)
    if not missing:
        on_progress(meter.enter(passes_of(protocol)[-1].name))
    for pass_name, waiting in missing.items():
        on_progress(meter.enter(pass_name))
        for result in engine.read(waiting, clips_dir):
            store.save(result.index, encode_shard(protocol, result, pass_name))
            done[result.index] = result.readings
            on_progress(meter.finish(shards[result.index]))
    return _whole(clips, shards, done)


def _whole(
    clips: Sequence[Clip], shards: Sequence[Shard], done: Mapping[int, tuple[ClipReadings, ...]]
) -> dict[ItemId, ClipReadings]:
    parts: dict[ItemId, list[ClipReadings]] = {clip.item_id: [] for clip in clips}
    for shard in shards:
        for reading in done[shard.index]:
            parts[reading.item_id].append(reading)
    return {item_id: merge(found) for item_id, found in parts.items()}


def encode_shard(protocol: Protocol, shard: ShardReadings, pass_name: str = SHARED) -> bytes:
    """Return the canonical JSON of one shard's readings."""
    named = {} if pass_name == SHARED else {"pass": pass_name}
    return canonical(
        {
            "schema_version": SCHEMA_VERSION,
            "protocol": protocol.id,
            "readings": [to_json(reading) for reading in shard.readings],
            **named,
        }
    )


def decode_shard(data: bytes, protocol: Protocol, shard: Shard) -> tuple[ClipReadings, ...]:
    """Read a kept shard back and check that it is the planned one.

    Raises:
        SchemaError: if it is of another version, protocol, pass or set of clips.
    """
    fields = json.loads(data)
    if fields.get("pass", SHARED) != shard.pass_name:
        raise SchemaError(f"shard {shard.index} was read by another pass than {shard.pass_name}; read it again")
    if fields.get("schema_version") != SCHEMA_VERSION or fields.get("protocol") != protocol.id:
        raise SchemaError(f"shard {shard.index} was read under another version or protocol; it must be read again")
    readings = tuple(from_json(ClipReadings, member) for member in fields["readings"])
    expected = [(clip.item_id, clip.sha256) for clip in shard.clips]
    if [(reading.item_id, reading.clip_sha256) for reading in readings] != expected:
        raise SchemaError(f"shard {shard.index} holds readings of other clips")
    return readings
