"""A small published folder: invented items, tones as clips, readings that a test makes up."""

import dataclasses
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile as sf

from evaluation.codec import sha256_of
from evaluation.corpus import CorpusPin
from evaluation.judge.replies import JudgeReply
from evaluation.protocol import Protocol, load_shipped
from evaluation.records import (
    Acoustics,
    ClassScores,
    Clip,
    ClipReadings,
    Item,
    ItemId,
    PredictedMos,
    Transcript,
    Unread,
)
from evaluation.traits import TRAITS
from submissions.publish import publish
from submissions.result import CardValue, Provenance
from submissions.store.base import PublishedFiles

N_ITEMS = 8
SUBMISSIONS = ("first-system", "second-system", "third-system")
_SCRIPTS = ("The river runs past the old mill", "Seven boats came home at noon", "Bring 3 lamps, please")
_RATE_HZ = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """All that publish takes of one submission."""

    id: str
    card: dict[str, CardValue]
    provenance: Provenance
    clips_dir: Path
    clips: tuple[Clip, ...]
    readings: dict[ItemId, ClipReadings]
    declined: frozenset[ItemId]
    replies: tuple[JudgeReply, ...] = ()


def protocol(*, n_items: int = N_ITEMS, name: str = "lite") -> Protocol:
    """The shipped recipe with a small corpus."""
    shipped = load_shipped("lite")
    corpus = CorpusPin(name="invented", file_sha256="0" * 64, canonical_sha256="1" * 64, n_items=n_items)
    return dataclasses.replace(shipped, name=name, corpus=corpus)


def items(n_items: int = N_ITEMS) -> tuple[Item, ...]:
    """Items that request every value in turn, not in order of their ids."""
    return tuple(_item(index) for index in reversed(range(n_items)))


def submission(folder: Path, name: str, *, n_items: int = N_ITEMS) -> Submission:
    """One submission: clips on disk, one item declined, one silent, one unvoiced, one without words."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    corpus = items(n_items)
    declined = frozenset({corpus[2].id})
    clips = tuple(_clip(folder, item.id, rng) for item in corpus if item.id not in declined)
    by_id = {item.id: item for item in corpus}
    readings = {clip.item_id: _readings(by_id[clip.item_id], clip, index, rng) for index, clip in enumerate(clips)}
    card: dict[str, CardValue] = {
        "system": f"=CMD()<b>{name}</b>",
        "version": "1.2",
        "organisation": "Órgão 7",
        "licence": "MIT",
        "open_weights": True if name == SUBMISSIONS[0] else None,
        "parameters": "82 M",
        "link": "https://example.org/4",
        "notes": "",
    }
    provenance = Provenance(
        zip_sha256=sha256_of(name.encode()),
        zip_size_bytes=123_456,
        received_at="2026-03-01T12:00:00.000Z",
        code_version="0.1.0",
        warnings=("Clip 7 is clipped.",),
    )
    return Submission(
        id=name,
        card=card,
        provenance=provenance,
        clips_dir=folder,
        clips=clips,
        readings=readings,
        declined=declined,
    )


def send(files: PublishedFiles, one: Submission, under: Protocol, corpus: Sequence[Item] = ()) -> None:
    """Publish a submission under a protocol, of the invented items or others."""
    publish(
        files=files,
        protocol=under,
        items=corpus or items(under.corpus.n_items),
        submission_id=one.id,
        card=one.card,
        provenance=one.provenance,
        clips_dir=one.clips_dir,
        clips=one.clips,
        readings=one.readings,
        declined=one.declined,
        replies=one.replies,
    )


def _item(index: int) -> Item:
    return Item(
        id=ItemId(f"it-{index:03d}"),
        instruction=f"A voice of kind {index}",
        script=_SCRIPTS[index % len(_SCRIPTS)],
        requested={trait.name: trait.values[index % len(trait.values)] for trait in TRAITS},
        tier=index % 3,
        split="held_out" if index % 5 == 0 else "public",
    )


def _clip(folder: Path, item_id: ItemId, rng: np.random.Generator) -> Clip:
    n_samples = int(rng.integers(1_600, 3_200))
    wave = 0.3 * np.sin(2 * np.pi * rng.uniform(90, 300) * np.arange(n_samples) / _RATE_HZ)
    sink = io.BytesIO()
    sf.write(sink, wave, _RATE_HZ, format="FLAC", subtype="PCM_16")
    (folder / f"{item_id}.flac").write_bytes(sink.getvalue())
    return Clip(
        item_id=item_id,
        sha256=sha256_of(sink.getvalue()),
        duration_s=round(n_samples / _RATE_HZ, 6),
        rate_hz=_RATE_HZ,
        bit_depth=16,
        source_format="WAV/PCM_16",
        source_channels=1,
    )


def _readings(item: Item, clip: Clip, index: int, rng: np.random.Generator) -> ClipReadings:
    female = round(float(rng.uniform(0, 1)), 6)
    said = item.script if rng.uniform() < 0.8 else "Something else"
    acoustics: Acoustics | Unread = Acoustics(
        duration_s=clip.duration_s,
        speech_start_s=0.05,
        speech_end_s=round(float(rng.uniform(1.0, 4.0)), 6),
        pause_s=0.1,
        level_dbfs=round(float(rng.uniform(-30, -15)), 6),
        peak_dbfs=-10.25,
        f0_hz=None if index == 4 else round(float(rng.uniform(80, 260)), 6),
        voiced_share=0.75,
    )
    silent = Unread(reason="silent", fault="clip", detail="No sound above -60 dBFS.")
    return ClipReadings(
        item_id=item.id,
        clip_sha256=clip.sha256,
        acoustics=silent if index == 3 else acoustics,
        transcript=Unread(reason="silent", fault="clip") if index == 3 else Transcript(text=said, setting="greedy-1"),
        probes={"gender": ClassScores(labels=("female", "male"), probabilities=(female, round(1 - female, 6)))},
        naturalness=PredictedMos(mos=round(float(rng.uniform(1, 5)), 6)),
    )
