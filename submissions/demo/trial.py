"""The gate on trial: real voices read the scripts, the transcribers hear them, and every clip's words are compared.

Clips and transcripts are kept, so that a new gate is tried on the same hearings in seconds.
"""

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation import audio
from evaluation.codec import canonical, from_json, sha256_of, to_json
from evaluation.corpus import Corpus
from evaluation.engine.local import LocalEngine
from evaluation.gate.second_model import DECODING, load_second
from evaluation.gate.transcribe import GREEDY, RATE_HZ
from evaluation.packaged import check_packaged
from evaluation.probes.acoustic import to_16k
from evaluation.protocol import Protocol
from evaluation.records import Clip, Item, ItemId, Transcript
from evaluation.run import plan
from submissions.demo.records import DemoSystem, Prompt
from submissions.demo.synthesise import synthesise

log = logging.getLogger(__name__)

N_OF_OTHER_TIERS = 20
"""Items of each tier below the hard one that join the whole hard tier."""
LITE, LARGER = "lite", "base"
"""Names of the two transcribers: the lite protocol's, hearing again included, and Whisper base."""
LARGER_DECODING = replace(DECODING, whole_s=GREEDY.whole_s, part_s=GREEDY.part_s, setting="base int8 beam 5")
_ROLES = ("vad", "f0", "level", "transcriber", "transcriber_again")
_SHARD = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What one transcriber made of one clip."""

    engine: str
    """Key of the voice."""
    item_id: ItemId
    """The item that was read."""
    transcriber: str
    """LITE or LARGER."""
    texts: tuple[str, ...]
    """Every hearing, the first one first; at least one."""


def sample_of(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items of a trial: the whole hard tier and N_OF_OTHER_TIERS of each other, spread evenly."""
    found: list[Item] = []
    for tier in sorted({item.tier for item in items}, reverse=True):
        members = [item for item in items if item.tier == tier]
        step = 1 if tier == max(item.tier for item in items) else max(1, len(members) // N_OF_OTHER_TIERS)
        found += members[::step] if step == 1 else members[::step][:N_OF_OTHER_TIERS]
    return tuple(found)


def hear_lite(
    system: DemoSystem, corpus: Corpus, protocol: Protocol, folder: Path, *, n_processes: int
) -> tuple[Heard, ...]:
    """Return what the protocol's transcriber hears of one voice, from `folder` if it was heard before.

    Args:
        system: the voice.
        corpus: its scripts are read.
        protocol: whose transcriber it is.
        folder: keeps clips and transcripts.
        n_processes: processes that hear, >= 1.

    Raises:
        MissingDependency: if the voice or the transcriber is not installed.
    """
    items = sample_of(corpus.items)
    ears = {role: one for role, one in protocol.instruments.items() if role in _ROLES}
    mark = sha256_of(canonical([to_json(one) for one in ears.values()]))

    def hear() -> dict[ItemId, tuple[str, ...]]:
        for role in ears:
            check_packaged(protocol, role)
        clips_dir = folder / "trial" / system.key
        clips = _canonical_clips(system, corpus, items, folder, clips_dir)
        with LocalEngine(replace(protocol, instruments=ears), n_processes=n_processes, niceness=0) as engine:
            shards = list(engine.read(plan(clips, _SHARD), clips_dir))
        readings = [reading for shard in shards for reading in shard.readings]
        return {reading.item_id: _texts(reading.transcript) for reading in readings}

    return _kept(folder=folder, system=system, transcriber=LITE, mark=mark, items=items, hear=hear)


def hear_larger(system: DemoSystem, corpus: Corpus, folder: Path, *, n_threads: int) -> tuple[Heard, ...]:
    """Return what Whisper base hears of one voice's hard tier; arguments, result and errors as `hear_lite`."""
    hardest = max(item.tier for item in corpus.items)
    items = tuple(item for item in corpus.items if item.tier == hardest)

    def hear() -> dict[ItemId, tuple[str, ...]]:
        clips_dir = folder / "trial" / f"{system.key}-{LARGER}"
        clips = _canonical_clips(system, corpus, items, folder, clips_dir)
        ears = load_second(n_threads=n_threads).with_decoding(LARGER_DECODING)
        found: dict[ItemId, tuple[str, ...]] = {}
        for clip in clips:
            samples, rate_hz = audio.read(clips_dir / f"{clip.item_id}.flac")
            found[clip.item_id] = (ears.transcribe(to_16k(samples, rate_hz), RATE_HZ).text,)
        return found

    return _kept(folder=folder, system=system, transcriber=LARGER, mark=LARGER_DECODING.setting, items=items, hear=hear)


def _texts(transcript: object) -> tuple[str, ...]:
    return tuple(hearing.text for hearing in transcript.hearings()) if isinstance(transcript, Transcript) else ("",)


def _kept(
    *,
    folder: Path,
    system: DemoSystem,
    transcriber: str,
    mark: str,
    items: Iterable[Item],
    hear: Callable[[], dict[ItemId, tuple[str, ...]]],
) -> tuple[Heard, ...]:
    path = folder / "trial" / f"{system.key}-{transcriber}.json"
    key = [system.card.version, mark, sorted(item.id for item in items)]
    if path.exists():
        kept = json.loads(path.read_bytes())
        if kept["of"] == key:
            return tuple(from_json(Heard, one) for one in kept["heard"])
    texts = hear()
    heard = tuple(
        Heard(engine=system.key, item_id=item_id, transcriber=transcriber, texts=found)
        for item_id, found in sorted(texts.items())
    )
    part = path.with_suffix(".part")
    part.write_bytes(canonical({"of": key, "heard": [to_json(one) for one in heard]}))
    part.replace(path)
    return heard


def _canonical_clips(
    system: DemoSystem, corpus: Corpus, items: Iterable[Item], folder: Path, clips_dir: Path
) -> tuple[Clip, ...]:
    prompts = [Prompt(id=item.id, instruction=item.instruction, script=item.script) for item in corpus.items]
    synthesise(system, prompts, folder, on_progress=lambda *_: None)
    clips_dir.mkdir(parents=True, exist_ok=True)
    clips = []
    for item in items:
        source = folder / system.key / "clips" / f"{item.id}.{system.suffix}"
        facts = audio.canonicalise(source, clips_dir / f"{item.id}.flac")
        clips.append(
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
    return tuple(clips)
