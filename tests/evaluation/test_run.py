"""A run reads what is missing, keeps what is finished, and trusts no shard that is not its own."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from evaluation import run
from evaluation.errors import SchemaError
from evaluation.passes import SHARED
from evaluation.protocol import load_shipped
from evaluation.records import Clip, ClipReadings, Estimate, ItemId, Transcript
from evaluation.run import Shard, ShardReadings
from evaluation.run_progress import Progress
from tests.evaluation.test_passes import with_models

LITE = load_shipped("lite")


class Memory:
    """Keeps shards in a dict."""

    def __init__(self) -> None:
        self.kept: dict[int, bytes] = {}

    def load(self, index: int) -> bytes | None:
        return self.kept.get(index)

    def save(self, index: int, data: bytes) -> None:
        self.kept[index] = data

    def remove(self, index: int) -> None:
        self.kept.pop(index, None)


class Backwards:
    """Reads shards from the last to the first, and can break after some."""

    def __init__(self, n_before_it_breaks: int = 1_000) -> None:
        self.asked: list[int] = []
        self._n = n_before_it_breaks

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        for shard in reversed(shards):
            if len(self.asked) == self._n:
                raise OSError("the machine stops")
            self.asked.append(shard.index)
            readings = tuple(
                ClipReadings(
                    item_id=clip.item_id,
                    clip_sha256=clip.sha256,
                    acoustics=None,
                    transcript=Transcript(text=clip.item_id, setting="echo"),
                    naturalness=None,
                )
                for clip in shard.clips
            )
            yield ShardReadings(index=shard.index, readings=readings, seconds={})


def _clips(n: int) -> list[Clip]:
    return [
        Clip(
            item_id=ItemId(f"it-{i}"),
            sha256=f"{i:064x}",
            duration_s=1.0,
            rate_hz=16_000,
            bit_depth=16,
            source_format="WAV",
            source_channels=1,
        )
        for i in range(n)
    ]


def _evaluate(store: Memory, engine: Backwards, n: int = 7, **options: object) -> dict[ItemId, ClipReadings]:
    return run.evaluate(
        protocol=LITE, clips=_clips(n), clips_dir=Path(), store=store, engine=engine, shard_size=3, **options
    )


def test_plan_keeps_order_and_size() -> None:
    """Shards are cut in corpus order and none is larger than asked."""
    shards = run.plan(_clips(7), 3)
    assert [len(shard.clips) for shard in shards] == [3, 3, 1]
    assert [clip.item_id for shard in shards for clip in shard.clips] == [f"it-{i}" for i in range(7)]


def test_result_is_in_corpus_order_whatever_the_engine_does() -> None:
    """An engine that finishes shards backwards gives the same result."""
    assert list(_evaluate(Memory(), Backwards())) == [f"it-{i}" for i in range(7)]


def test_finished_shards_are_not_read_again() -> None:
    """After a break the next run asks for the missing shards only, and the bytes that were kept stay."""
    store = Memory()
    with pytest.raises(OSError, match="stops"):
        _evaluate(store, Backwards(n_before_it_breaks=2))
    before = dict(store.kept)
    second = Backwards()
    readings = _evaluate(store, second)
    assert second.asked == [0]
    assert before.items() <= store.kept.items()
    assert readings == _evaluate(Memory(), Backwards())


def test_complete_run_asks_nothing() -> None:
    """A run whose shards are all there does not touch the engine."""
    store = Memory()
    _evaluate(store, Backwards())
    idle = Backwards(n_before_it_breaks=0)
    assert len(_evaluate(store, idle)) == 7


def test_shard_of_other_clips_is_refused() -> None:
    """Readings of clips with other hashes are not taken for ours."""
    store = Memory()
    _evaluate(store, Backwards(), n=7)
    with pytest.raises(SchemaError, match="other clips"):
        _evaluate(store, Backwards(), n=5)


def test_shard_of_another_protocol_is_refused() -> None:
    """Readings under another recipe are not taken for ours."""
    store = Memory()
    _evaluate(store, Backwards())
    other = dataclasses.replace(LITE, normaliser="lite-0")
    with pytest.raises(SchemaError, match="another version or protocol"):
        run.evaluate(protocol=other, clips=_clips(7), clips_dir=Path(), store=store, engine=Backwards(), shard_size=3)


def test_progress_counts_what_was_there_before() -> None:
    """Progress begins with the kept shards, ends complete, and gives no pace before the first new shard."""
    store = Memory()
    with pytest.raises(OSError, match="stops"):
        _evaluate(store, Backwards(n_before_it_breaks=1))
    seen: list[Progress] = []
    _evaluate(store, Backwards(), on_progress=seen.append)
    assert [(p.shards_done, p.clips_done) for p in seen] == [(1, 1), (2, 4), (3, 7)]
    assert seen[0].seconds_per_clip is None
    assert seen[0].eta_s is None
    assert seen[-1].eta_s == 0.0


class InParts:
    """Reads of each clip what a shard's own pass would, and can break after some shards."""

    def __init__(self, n_before_it_breaks: int = 1_000) -> None:
        self.asked: list[tuple[str, int]] = []
        self._n = n_before_it_breaks

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        assert len({shard.pass_name for shard in shards}) == 1
        for shard in shards:
            if len(self.asked) == self._n:
                raise OSError("the machine stops")
            self.asked.append((shard.pass_name, shard.index))
            yield ShardReadings(index=shard.index, readings=tuple(map(self._part(shard), shard.clips)), seconds={})

    def _part(self, shard: Shard) -> Callable[[Clip], ClipReadings]:
        is_shared = shard.pass_name == SHARED

        def read(clip: Clip) -> ClipReadings:
            return ClipReadings(
                item_id=clip.item_id,
                clip_sha256=clip.sha256,
                acoustics=None,
                transcript=Transcript(text=clip.item_id, setting="echo") if is_shared else None,
                naturalness=None,
                probes={} if is_shared else {shard.pass_name: Estimate(value=float(clip.item_id[3:]))},
            )

        return read


def _in_parts(store: Memory, engine: InParts, **options: object) -> dict[ItemId, ClipReadings]:
    protocol = with_models(LITE, "age", "accent")
    return run.evaluate(
        protocol=protocol, clips=_clips(4), clips_dir=Path(), store=store, engine=engine, shard_size=3, **options
    )


def test_one_pass_ends_before_the_next_begins() -> None:
    """Every pass reads every clip once, and the parts of a clip come together."""
    engine = InParts()
    readings = _in_parts(Memory(), engine)
    assert engine.asked == [(SHARED, 0), (SHARED, 1), ("age", 2), ("age", 3), ("accent", 4), ("accent", 5)]
    assert list(readings) == [f"it-{i}" for i in range(4)]
    assert readings[ItemId("it-3")].probes == {"age": Estimate(value=3.0), "accent": Estimate(value=3.0)}
    assert readings[ItemId("it-3")].transcript == Transcript(text="it-3", setting="echo")


@pytest.mark.parametrize("n_before", range(6))
def test_a_break_in_any_pass_costs_no_finished_shard(n_before: int) -> None:
    """Wherever it stops, the next run reads the rest alone and keeps the same bytes."""
    store, undisturbed = Memory(), Memory()
    whole = _in_parts(undisturbed, InParts())
    with pytest.raises(OSError, match="stops"):
        _in_parts(store, InParts(n_before))
    second = InParts()
    assert _in_parts(store, second) == whole
    assert len(second.asked) == 6 - n_before
    assert store.kept == undisturbed.kept


def test_shard_of_another_pass_is_refused() -> None:
    """What one model read is not taken for what another would."""
    store = Memory()
    _in_parts(store, InParts())
    store.kept[4] = store.kept[2]
    with pytest.raises(SchemaError, match="another pass"):
        _in_parts(store, InParts())


def test_progress_tells_the_pass() -> None:
    """A watcher sees each pass begin."""
    seen: list[Progress] = []
    _in_parts(Memory(), InParts(), on_progress=seen.append)
    expected = [(SHARED, 0), (SHARED, 1), (SHARED, 2), ("age", 2), ("age", 3), ("age", 4)]
    assert [(p.pass_name, p.shards_done) for p in seen] == [*expected, ("accent", 4), ("accent", 5), ("accent", 6)]


def test_kept_shards_of_lite_are_the_bytes_that_they_always_were() -> None:
    """A run that an earlier version began is taken up: nothing of a shard's form has changed."""
    store = Memory()
    _evaluate(store, Backwards(), n=1)
    assert store.kept[0] == (
        b'{"protocol":"00343e71819c","readings":[{"acoustics":null,"clip_sha256":"'
        + b"0" * 64
        + b'","is":"ClipReadings",'
        b'"item_id":"it-0","naturalness":null,"probes":{},"transcript":{"again":null,"doubt":null,"is":"Transcript",'
        b'"second":null,"setting":"echo","text":"it-0"},"verdicts":{}}],"schema_version":2}'
    )
