"""The local engine with large models: tiny real ones, one pass and one set of processes each."""

import dataclasses
import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import soundfile

from evaluation import audio
from evaluation.codec import to_json
from evaluation.engine import memory
from evaluation.engine.local import LocalEngine
from evaluation.errors import ProtocolError
from evaluation.instruments import Instruments
from evaluation.passes import SHARED
from evaluation.protocol import Instrument, Protocol, load_shipped
from evaluation.records import Acoustics, ClassScores, Clip, ClipReadings, Estimate, ItemId
from evaluation.run import InstrumentRefused, Memory, Shard, ShardReadings, evaluate, plan_of
from evaluation.traits import trait
from tests.evaluation.probes.classifiers.tiny_models import (
    RATE_HZ,
    build_canary,
    build_transformers,
    instrument_for,
    tone_of,
)

LITE = load_shipped("lite")
EMOTION, AGE = trait("emotion"), trait("age")
HEARD = ("happy", "sad", "neutral", "fearful")
GIB = 1 << 30


@dataclasses.dataclass(frozen=True)
class Bench:
    """A protocol with two tiny models beside the acoustic pass, and clips for it."""

    protocol: Protocol
    models: Path
    clips: tuple[Clip, ...]
    clips_dir: Path


def installed(instrument: Instrument) -> Instrument:
    """Return a tiny model's instrument with the library's version as it is here."""
    return dataclasses.replace(instrument, version=importlib.metadata.version(instrument.package).partition("+")[0])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Build the models and the clips."""
    models, clips_dir = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("clips")
    emotion = build_transformers(models, EMOTION, canary=build_canary(models, EMOTION))
    age = build_transformers(models, AGE, canary=build_canary(models, AGE), repo="tiny/age")
    large = {"emotion": installed(instrument_for(emotion)), "age": installed(instrument_for(age))}
    light = {role: LITE.instruments[role] for role in ("vad", "f0", "level")}
    protocol = dataclasses.replace(LITE, instruments={**light, **large}, dimensions=("emotion", "age", "pitch"))
    clips = tuple(_clip(clips_dir, number, value) for number, value in enumerate(HEARD))
    return Bench(protocol=protocol, models=models, clips=clips, clips_dir=clips_dir)


def _clip(folder: Path, number: int, value: str) -> Clip:
    source, item_id = folder / "source.wav", ItemId(f"it-{number}")
    soundfile.write(source, tone_of(EMOTION, value, seed=number, seconds=0.8 + 0.3 * number), RATE_HZ)
    facts = audio.canonicalise(source, folder / f"{item_id}.flac")
    return Clip(
        item_id=item_id,
        sha256=facts.sha256,
        duration_s=facts.duration_s,
        rate_hz=facts.rate_hz,
        bit_depth=facts.bit_depth,
        source_format=facts.source_format,
        source_channels=facts.source_channels,
    )


def _engine(bench: Bench, n_processes: int) -> LocalEngine:
    return LocalEngine(bench.protocol, n_processes=n_processes, niceness=0, models=bench.models)


class Watching:
    """An engine that tells, as every shard comes, of the process that read it."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self.seen: list[tuple[str, bool]] = []
        """Pass of every shard, and whether a process of an earlier shard was still there."""
        self._held: list[tuple[Any, Any]] = []  # so that only the engine can end them

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Read as the engine does."""
        for result in self._engine.read(shards, clips_dir):
            pool, pass_name = self._engine._pool, self._engine._pass_name
            assert pool is not None
            assert pass_name is not None
            (process,) = pool._processes.values()
            self.seen.append((pass_name, any(earlier.is_alive() for earlier, _ in self._held)))
            self._held.append((process, pool))
            yield result


@pytest.fixture(scope="module")
def alone(bench: Bench) -> tuple[Mapping[ItemId, ClipReadings], Watching]:
    """Read all clips in one process a pass; return the readings and what was seen meanwhile."""
    with _engine(bench, 1) as engine:
        watching = Watching(engine)
        readings = evaluate(
            protocol=bench.protocol, clips=bench.clips, clips_dir=bench.clips_dir, store=Memory(), engine=watching
        )
    return readings, watching


@pytest.mark.models
def test_readings_do_not_depend_on_processes_or_shards(
    bench: Bench, alone: tuple[Mapping[ItemId, ClipReadings], Watching]
) -> None:
    """One process with all clips and two with one each read the same to the last digit, every model once."""
    readings, _ = alone
    with _engine(bench, 2) as engine:
        spread = evaluate(
            protocol=bench.protocol,
            clips=bench.clips,
            clips_dir=bench.clips_dir,
            store=Memory(),
            engine=engine,
            shard_size=1,
        )
    assert [to_json(reading) for reading in readings.values()] == [to_json(reading) for reading in spread.values()]
    for reading, value in zip(readings.values(), HEARD, strict=True):
        emotion = reading.probes["emotion"]
        assert isinstance(emotion, ClassScores)
        assert emotion.best() == value
        assert isinstance(reading.probes["age"], Estimate)
        assert reading.acoustics is not None


@pytest.mark.models
def test_processes_of_one_pass_end_before_those_of_the_next_begin(
    alone: tuple[Mapping[ItemId, ClipReadings], Watching],
) -> None:
    """No two large models are in memory together; one shard a pass holds all clips."""
    _, watching = alone
    assert watching.seen == [(SHARED, False), ("age", False), ("emotion", False)]


@pytest.mark.models
def test_model_that_cannot_be_loaded_says_why(bench: Bench, tmp_path: Path) -> None:
    """The reason comes out of the process that could not load it; it is no death of unknown cause."""
    with LocalEngine(bench.protocol, n_processes=1, niceness=0, models=tmp_path) as engine:
        shards = [s for s in plan_of(bench.protocol, bench.clips) if s.pass_name == "emotion"]
        with pytest.raises(InstrumentRefused, match="model file"):
            list(engine.read(shards, bench.clips_dir))


@pytest.mark.models
def test_some_roles_can_be_loaded_alone(bench: Bench) -> None:
    """Loading one role reads that one thing."""
    loaded = Instruments.load(bench.protocol, roles=("emotion",), models=bench.models)
    (first, *_) = loaded.read(bench.clips, bench.clips_dir, {})
    assert (first.acoustics, first.transcript, set(first.probes)) == (None, None, {"emotion"})
    acoustic = Instruments.load(bench.protocol, roles=("vad", "f0", "level"))
    (first, *_) = acoustic.read(bench.clips[:1], bench.clips_dir, {})
    assert not isinstance(first.acoustics, type(None))
    assert isinstance(first.acoustics, Acoustics) or first.acoustics.fault == "clip"


def test_unknown_roles_and_absent_folders_are_said(bench: Bench) -> None:
    """Nothing is loaded for a role that the protocol does not have, or from nowhere."""
    with pytest.raises(ProtocolError, match="no instrument for smell"):
        Instruments.load(bench.protocol, roles=("smell",))
    with pytest.raises(ProtocolError, match="where the folder of models is"):
        Instruments.load(bench.protocol, roles=("emotion",))


@pytest.mark.parametrize(
    ("n_wanted", "weights_bytes", "free_bytes", "expected"),
    [
        (2, 1 * GIB, 16 * GIB, 2),
        (8, 1 * GIB, 16 * GIB, 4),
        (2, 3 * GIB, 16 * GIB, 1),
        (2, 30 * GIB, 16 * GIB, 1),
        (2, 1 * GIB, None, 2),
    ],
)
def test_as_many_processes_as_memory_takes(
    n_wanted: int, weights_bytes: int, free_bytes: int | None, expected: int
) -> None:
    """Never more than asked for, never none."""
    assert memory.n_that_fit(n_wanted, weights_bytes, free_bytes) == expected


def test_a_graphics_card_is_seen_by_its_device_file(tmp_path: Path) -> None:
    """One of several is enough, none is none."""
    card = tmp_path / "card"
    assert not memory.has_card((card, tmp_path / "other"))
    card.touch()
    assert memory.has_card((card, tmp_path / "other"))
