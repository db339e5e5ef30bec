"""The instruments on trial: a baseline that follows instructions must beat its twin that ignores them, trait by trait.

Real voices, real probes, real decisions; only the words are taken as said, since the gate is not on trial here.
"""

import dataclasses
from pathlib import Path

import pytest

from evaluation import audio
from evaluation.corpus import load_benchmark_v1
from evaluation.decision import Contender, decide
from evaluation.instruments import Instruments
from evaluation.protocol import load_shipped
from evaluation.records import Clip, Item, SampleScore, Transcript
from evaluation.scoring import score_submission
from submissions.demo.records import Prompt
from submissions.demo.synthesise import synthesise
from submissions.demo.systems import DEMO_SYSTEMS

TRAITS = ("gender", "pace", "pitch", "loudness")
N_ITEMS = 48
LITE = load_shipped("lite")
TRIAL = dataclasses.replace(
    LITE, dimensions=TRAITS, instruments={role: LITE.instruments[role] for role in ("vad", "f0", "level", "gender")}
)


def _canonical(folder: Path, item: Item, source: Path) -> Clip:
    facts = audio.canonicalise(source, folder / f"{item.id}.flac")
    return Clip(
        item_id=item.id,
        sha256=facts.sha256,
        duration_s=facts.duration_s,
        rate_hz=facts.rate_hz,
        bit_depth=facts.bit_depth,
        source_format=facts.source_format,
        source_channels=facts.source_channels,
    )


def _scores(key: str, items: tuple[Item, ...], instruments: Instruments, folder: Path) -> tuple[SampleScore, ...]:
    system = next(system for system in DEMO_SYSTEMS if system.key == key)
    prompts = [Prompt(id=item.id, instruction=item.instruction, script=item.script) for item in items]
    synthesise(system, prompts, folder, on_progress=lambda *_: None)
    canonical = folder / f"{key}-canonical"
    canonical.mkdir()
    clips = [_canonical(canonical, item, folder / key / "clips" / f"{item.id}.{system.suffix}") for item in items]
    scripts = {item.id: item.script for item in items}
    readings = {
        reading.item_id: dataclasses.replace(
            reading, transcript=Transcript(text=scripts[reading.item_id], setting="taken as said")
        )
        for reading in instruments.read(clips, canonical, {})
    }
    return score_submission(TRIAL, items, readings, ()).samples


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[SampleScore, ...]]:
    """Return the scores of the directed baseline and of its plain twin on the same items."""
    folder = tmp_path_factory.mktemp("twins")
    items = load_benchmark_v1().items[:N_ITEMS]
    instruments = Instruments.load(TRIAL)
    return {key: _scores(key, items, instruments, folder) for key in ("espeak-directed", "espeak-plain")}


def _contender(key: str, samples: tuple[SampleScore, ...], trait: str) -> Contender:
    desirabilities = [
        next(score.desirability for score in sample.dimensions if score.dimension == trait) for sample in samples
    ]
    return Contender(key=key, composites_micro=tuple(round(1_000_000 * value) for value in desirabilities))


@pytest.mark.models
@pytest.mark.parametrize("trait", TRAITS)
def test_following_beats_ignoring(twins: dict[str, tuple[SampleScore, ...]], trait: str) -> None:
    """On each measured trait the follower wins by the very decision that ranks systems."""
    directed, plain = (_contender(key, samples, trait) for key, samples in twins.items())
    decision = decide(directed, plain, constants=LITE.constants)
    assert decision.is_win, decision
    assert decision.challenger == "espeak-directed"
