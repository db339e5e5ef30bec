"""A demo system's zip is a function of its clips and card, and a stopped run goes on."""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from evaluation.errors import MissingDependency
from submissions.demo.records import DemoSystem, EngineFailed, Prompt, Speech
from submissions.demo.synthesise import synthesise
from submissions.demo.systems import DEMO_SYSTEMS

RATE_HZ = 16_000
PROMPTS = tuple(Prompt(id=f"vb-{n:05}", instruction="", script="tone") for n in range(4))


@dataclass
class Tones:
    """An engine that whistles and may give up."""

    fail_at: int | None = None
    n_samples: int = RATE_HZ
    gain: float = 0.5
    spoken: list[str] = field(default_factory=list)

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        for number, prompt in enumerate(prompts):
            if number == self.fail_at:
                raise EngineFailed("out of breath")
            self.spoken.append(prompt.id)
            wave = self.gain * np.sin(np.arange(self.n_samples) * (0.1 + int(prompt.id[3:]) / 50))
            yield Speech(prompt_id=prompt.id, samples=wave.astype(np.float32), rate_hz=RATE_HZ)


def system(engine: Tones, suffix: str = "flac") -> DemoSystem:
    """A demo system that whistles."""
    return replace(DEMO_SYSTEMS[0], key="tones", suffix=suffix, load=lambda _folder: engine)


def run(engine: Tones, folder: Path, prompts: Sequence[Prompt] = PROMPTS, suffix: str = "flac") -> Path:
    """The zip of a whistling system."""
    return synthesise(system(engine, suffix), prompts, folder, on_progress=lambda *_: None)


def test_zip_holds_every_clip_and_the_card(tmp_path: Path) -> None:
    """One clip a prompt by its id, and a system.json with the card's fields."""
    with zipfile.ZipFile(run(Tones(), tmp_path)) as archive:
        names = archive.namelist()
        card = json.loads(archive.read("system.json"))
        samples, rate_hz = soundfile.read(io.BytesIO(archive.read("vb-00003.flac")))
    assert sorted(names) == sorted(["system.json", *(f"{prompt.id}.flac" for prompt in PROMPTS)])
    assert card["system"] == DEMO_SYSTEMS[0].card.system
    assert (samples.size, rate_hz) == (RATE_HZ, RATE_HZ)


def test_zip_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    """Two runs in two folders, and a second run in one, give the same bytes."""
    first = run(Tones(), tmp_path / "a").read_bytes()
    assert run(Tones(), tmp_path / "b").read_bytes() == first
    assert run(Tones(), tmp_path / "a").read_bytes() == first


def test_stopped_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Clips that exist are kept, only the missing are spoken, and the zip is as if nothing had happened."""
    with pytest.raises(EngineFailed, match="out of breath"):
        run(Tones(fail_at=2), tmp_path / "a")
    assert not (tmp_path / "a" / "tones.zip").exists()
    again = Tones()
    resumed = run(again, tmp_path / "a").read_bytes()
    assert again.spoken == ["vb-00002", "vb-00003"]
    assert resumed == run(Tones(), tmp_path / "b").read_bytes()


def test_complete_cache_needs_no_engine(tmp_path: Path) -> None:
    """With every clip cached the engine is not even loaded."""
    run(Tones(), tmp_path)

    def refuse(_folder: Path) -> Tones:
        raise MissingDependency("tones", "apt-get install tones")

    cached = replace(system(Tones()), load=refuse)
    assert synthesise(cached, PROMPTS, tmp_path, on_progress=lambda *_: None).exists()


def test_other_prompts_or_version_discard_the_cache(tmp_path: Path) -> None:
    """Clips of another version or of other prompts are not passed off as these."""
    run(Tones(), tmp_path)
    changed = Tones()
    run(changed, tmp_path, [replace(prompt, instruction="loud") for prompt in PROMPTS])
    assert len(changed.spoken) == len(PROMPTS)
    newer = Tones()
    card = replace(DEMO_SYSTEMS[0].card, version="next")
    synthesise(replace(system(newer), card=card), PROMPTS, tmp_path, on_progress=lambda *_: None)
    assert len(newer.spoken) == len(PROMPTS)


def test_progress_counts_up_to_all(tmp_path: Path) -> None:
    """Progress starts with what is cached and ends with everything."""
    seen: list[tuple[int, int]] = []
    synthesise(system(Tones()), PROMPTS, tmp_path, on_progress=lambda *counts: seen.append(counts))
    assert seen == [(n, 4) for n in range(5)]


@pytest.mark.parametrize("suffix", ["flac", "wav", "mp3", "ogg"])
def test_every_format_is_readable(tmp_path: Path, suffix: str) -> None:
    """Each format that a system may choose decodes to the same length, to within a codec's padding."""
    run(Tones(), tmp_path, suffix=suffix)
    info = soundfile.info(tmp_path / "tones" / "clips" / f"vb-00000.{suffix}")
    assert info.duration == pytest.approx(1.0, abs=0.15)


def test_short_speech_is_padded_and_silence_refused(tmp_path: Path) -> None:
    """A clip is never too short for a submission, and never silent."""
    run(Tones(n_samples=100), tmp_path / "a")
    assert soundfile.info(tmp_path / "a" / "tones" / "clips" / "vb-00000.flac").duration >= 0.2
    with pytest.raises(EngineFailed, match="only silence"):
        run(Tones(gain=0.0), tmp_path / "b")


def test_systems_are_many_and_fast_ones_come_first() -> None:
    """Keys and names are unique, at least five systems are fast, and no slow one precedes a fast one."""
    slow = [demo.is_slow for demo in DEMO_SYSTEMS]
    assert slow == sorted(slow)
    assert slow.count(False) >= 5
    assert len({demo.key for demo in DEMO_SYSTEMS}) == len({demo.card.system for demo in DEMO_SYSTEMS}) == len(slow)
