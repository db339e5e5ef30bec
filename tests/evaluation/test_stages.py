"""The one path from clips to readings and replies, as a researcher's own machine takes it: no server, no queue."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation import audio
from evaluation.corpus import Corpus
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller, Policy
from evaluation.judge.open_backend import open_backend
from evaluation.judge_stage import AnchorClips, AnchorMissing, Desk
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Clip, Verdict
from evaluation.run import Engine, Memory
from evaluation.stages import Evaluated, InstrumentFault, NoJudge, evaluate_clips
from submissions.store.folder import FolderShards
from tests.audio_factory import encoded, tone
from tests.evaluation.judge.loopback import Loopback
from tests.submissions.judged_evaluation import CALLS_EACH, after, down, judged, prefers_first, recipe
from tests.submissions.small_evaluation import SteadyEngine, acoustic_protocol, make_corpus, scripts_of

N_ITEMS = 2
HASTY = Policy(n_tries=1, n_failures=1)


@dataclasses.dataclass
class Machine:
    """A folder of clips, an anchor's, and a judge."""

    corpus: Corpus
    protocol: Protocol
    clips: tuple[Clip, ...]
    clips_dir: Path
    anchor: tuple[Clip, ...]
    anchor_dir: Path
    engine: SteadyEngine
    server: Loopback
    folder: Path
    opened: list[str] = dataclasses.field(default_factory=list)

    def evaluate(self, **changes: object) -> Evaluated:
        """Evaluate with shards in a folder, as a run that can be taken up again."""
        arguments = {
            "protocol": self.protocol,
            "items": self.corpus.items,
            "clips": self.clips,
            "clips_dir": self.clips_dir,
            "store": FolderShards(self.folder / "shards"),
            "open_engine": self.open_engine,
            "desk": self.desk(),
            "shard_size": 1,
        }
        return evaluate_clips(**{**arguments, **changes})

    def desk(self) -> Desk:
        """Return a desk with a new caller for every run."""

        def open_caller(wanted: JudgeRecipe) -> Caller:
            assert self.opened == [], "no model is in memory while the judge is asked"
            backend = open_backend(wanted.backend, wanted.model, url=self.server.openai_url, key="k", timeout_s=20)
            return Caller(backend, cache=FolderCache(folder=self.folder / "replies"), run="mine", policy=HASTY)

        store = FolderShards(self.folder / "anchor-shards")
        anchor = AnchorClips(clips=self.anchor, clips_dir=self.anchor_dir, open_store=lambda _: store)
        return Desk(open_caller=open_caller, open_anchor=lambda _: anchor)

    @contextmanager
    def open_engine(self, protocol: Protocol) -> Iterator[Engine]:
        """Open the engine, and know that it is open."""
        self.opened.append(protocol.name)
        yield self.engine
        self.opened.clear()


def _clips(folder: Path, corpus: Corpus, pitch_hz: float) -> tuple[Clip, ...]:
    folder.mkdir()
    found = []
    for number, item in enumerate(corpus.items):
        source = folder / "source.wav"
        source.write_bytes(encoded(tone(frequency_hz=pitch_hz + number)))
        facts = audio.canonicalise(source, folder / f"{item.id}.flac")
        found.append(
            Clip(
                item_id=item.id,
                sha256=facts.sha256,
                duration_s=facts.duration_s,
                rate_hz=facts.rate_hz,
                bit_depth=facts.bit_depth,
                source_format=facts.source_format,
                source_channels=facts.source_channels,
            )
        )
    return tuple(found)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Lay everything out."""
    corpus = make_corpus(tmp_path, N_ITEMS)
    anchor = _clips(tmp_path / "anchor", corpus, 150.0)
    judge = recipe("anchor", {clip.item_id: clip.sha256 for clip in anchor})
    with Loopback(prefers_first) as server:
        yield Machine(
            corpus=corpus,
            protocol=judged(acoustic_protocol(corpus.pin), judge),
            clips=_clips(tmp_path / "mine", corpus, 300.0),
            clips_dir=tmp_path / "mine",
            anchor=anchor,
            anchor_dir=tmp_path / "anchor",
            engine=SteadyEngine(scripts_of(corpus)),
            server=server,
            folder=tmp_path,
        )


def test_readings_verdicts_and_replies_come_together(machine: Machine) -> None:
    """Every clip has its verdicts, in the order of the clips, and every call its raw reply."""
    found = machine.evaluate()
    assert list(found.readings) == [clip.item_id for clip in machine.clips]
    for reading in found.readings.values():
        assert all(isinstance(verdict, Verdict) for verdict in reading.verdicts.values())
    assert len(found.replies) == len(machine.server.seen) == N_ITEMS * CALLS_EACH


def test_a_run_that_stopped_anywhere_goes_on(machine: Machine) -> None:
    """Nothing that was read or answered is read or asked again, the anchor's own readings included."""
    machine.server.judge = after(1, down)
    with pytest.raises(JudgeUnavailable):
        machine.evaluate()
    machine.engine.read_shards.clear()
    machine.server.seen.clear()
    machine.server.judge = prefers_first
    resumed = machine.evaluate()
    assert machine.engine.read_shards == []
    assert len(machine.server.seen) == N_ITEMS * CALLS_EACH - 1
    machine.server.seen.clear()
    assert machine.evaluate() == resumed
    assert machine.server.seen == []


def test_without_a_judge_nobody_is_asked(machine: Machine) -> None:
    """A protocol of instruments alone needs no desk."""
    plain = acoustic_protocol(machine.corpus.pin)
    found = machine.evaluate(protocol=plain, desk=None, store=Memory())
    assert found.replies == ()
    assert all(not reading.verdicts for reading in found.readings.values())


def test_a_judge_that_cannot_be_reached_is_said_before_any_call(machine: Machine) -> None:
    """A judged protocol without a desk ends in words."""
    with pytest.raises(NoJudge, match="tiny-judge"):
        machine.evaluate(desk=None)


def test_owed_readings_are_found_before_the_judge_is_paid(machine: Machine) -> None:
    """A row that could not be published anyway costs no call; its shard alone is read again."""
    machine.engine.faulty = {machine.clips[1].item_id}
    with pytest.raises(InstrumentFault, match="no_model"):
        machine.evaluate()
    assert machine.server.seen == []
    machine.engine.faulty = set()
    machine.engine.read_shards.clear()
    machine.evaluate()
    assert machine.engine.read_shards == [1, 0, 1], "the faulty shard, then the anchor's"


@pytest.mark.parametrize("spoil", [lambda clips: clips[:1], lambda clips: clips[::-1][:1] + clips[:0]])
def test_another_anchor_is_refused(machine: Machine, spoil: Callable[[tuple[Clip, ...]], tuple[Clip, ...]]) -> None:
    """Clips that the protocol does not pin are never what systems are compared with."""
    machine.anchor = spoil(machine.anchor)
    with pytest.raises(AnchorMissing, match="of 1 items"):
        machine.evaluate()
    assert machine.server.seen == []
