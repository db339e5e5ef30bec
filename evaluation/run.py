"""One evaluation: cut the clips into shards, read the missing ones, keep each as it is finished.

A run knows no zip, queue or store: it is given canonical clips, a place that keeps shards, and an
engine that reads them. Killed at any instant, it goes on from the last finished shard, and the
readings are the same bytes whoever read them and in whatever order.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as TypingProtocol

from evaluation.codec import canonical, from_json, to_json
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId

SHARD_SIZE = 32
"""Most clips of one shard: what a killed run can lose at worst, for each process."""
SCHEMA_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Some clips that are read together and kept together."""

    index: int
    """Place in the plan, from 0."""
    clips: tuple[Clip, ...]
    """1 to SHARD_SIZE clips, in corpus order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardReadings:
    """What an engine gives back for one shard."""

    index: int
    """The shard's place in the plan."""
    readings: tuple[ClipReadings, ...]
    """One for each clip, in the shard's order."""
    seconds: Mapping[str, float]
    """Time spent inside each instrument, s of wall time in the reading process; never stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    shards_done: int
    """Finished shards."""
    n_shards: int
    """All shards."""
    clips_done: int
    """Clips in the finished shards."""
    n_clips: int
    """All clips."""
    seconds_per_clip: float | None
    """Wall seconds a clip since this run began; None before the first shard."""
    eta_s: float | None
    """Expected seconds to the end; None before the first shard."""


class ShardStore(TypingProtocol):
    """Where a run keeps finished shards; writing one is atomic."""

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None."""

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard."""


class Engine(TypingProtocol):
    """Something that can read shards, in any order, perhaps several at once."""

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield each shard's readings as it is finished; clips are `clips_dir/<item id>.flac`."""


def plan(clips: Iterable[Clip], size: int = SHARD_SIZE) -> tuple[Shard, ...]:
    """Cut `clips` into shards of at most `size`, keeping their order."""
    ordered = tuple(clips)
    cuts = range(0, len(ordered), size)
    return tuple(Shard(index=i, clips=ordered[start : start + size]) for i, start in enumerate(cuts))


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
    """Read every clip that is not read yet and return all readings by item.

    Raises:
        SchemaError: if a kept shard belongs to other clips, another protocol or another version.
    """
    shards = plan(clips, shard_size)
    done: dict[int, tuple[ClipReadings, ...]] = {}
    for shard in shards:
        kept = store.load(shard.index)
        if kept is not None:
            done[shard.index] = decode_shard(kept, protocol, shard)
    missing = [shard for shard in shards if shard.index not in done]
    began, n_missing = time.monotonic(), sum(len(shard.clips) for shard in missing)
    n_fresh = 0
    on_progress(_progress(shards, len(done), n_missing, n_fresh, 0.0))
    for result in engine.read(missing, clips_dir) if missing else ():
        store.save(result.index, encode_shard(protocol, result))
        done[result.index] = result.readings
        n_fresh += len(result.readings)
        on_progress(_progress(shards, len(done), n_missing, n_fresh, time.monotonic() - began))
    return {reading.item_id: reading for shard in shards for reading in done[shard.index]}


def encode_shard(protocol: Protocol, shard: ShardReadings) -> bytes:
    """Return the canonical JSON of one shard's readings."""
    return canonical(
        {
            "schema_version": SCHEMA_VERSION,
            "protocol": protocol.id,
            "readings": [to_json(reading) for reading in shard.readings],
        }
    )


def decode_shard(data: bytes, protocol: Protocol, shard: Shard) -> tuple[ClipReadings, ...]:
    """Read a kept shard back and check that it is the planned one.

    Raises:
        SchemaError: if it is of another version, protocol or set of clips.
    """
    fields = json.loads(data)
    if fields.get("schema_version") != SCHEMA_VERSION or fields.get("protocol") != protocol.id:
        raise SchemaError(f"shard {shard.index} was read under another version or protocol; it must be read again")
    readings = tuple(from_json(ClipReadings, member) for member in fields["readings"])
    expected = [(clip.item_id, clip.sha256) for clip in shard.clips]
    if [(reading.item_id, reading.clip_sha256) for reading in readings] != expected:
        raise SchemaError(f"shard {shard.index} holds readings of other clips")
    return readings


def _progress(shards: Sequence[Shard], n_done: int, n_missing: int, n_fresh: int, elapsed_s: float) -> Progress:
    n_clips = sum(len(shard.clips) for shard in shards)
    each = elapsed_s / n_fresh if n_fresh else None
    return Progress(
        shards_done=n_done,
        n_shards=len(shards),
        clips_done=n_clips - n_missing + n_fresh,
        n_clips=n_clips,
        seconds_per_clip=each,
        eta_s=None if each is None else each * (n_missing - n_fresh),
    )
