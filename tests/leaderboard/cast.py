"""A published site at the size of a test: a corpus, systems that follow instructions more or less, their clips."""

import dataclasses
import io
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import soundfile as sf

from evaluation.codec import sha256_of
from evaluation.corpus import Corpus, load, pin_of
from evaluation.protocol import Protocol, load_shipped
from evaluation.records import Acoustics, ClassScores, Clip, ClipReadings, Item, PredictedMos, Transcript
from evaluation.traits import TRAITS
from leaderboard.context import Context, make_context
from submissions.publish import publish
from submissions.result import CardValue, Provenance
from submissions.store.folder import FolderStore, PublishedFolder

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
N_ITEMS = 12
_SCRIPTS = (
    "The ferry leaves at noon and the harbour is quiet.",
    "Please put the blue kettle back on its shelf.",
    "Nobody expected snow on the first day of May.",
    "Seven geese crossed the road behind the bakery.",
)
_RATE_HZ = 8_000
_SEMITONES = {"low": -5.0, "medium": 0.0, "high": 5.0}
_DB = {"quiet": -9.0, "normal": 0.0, "loud": 8.0}
_WORDS_PER_S = {"slow": 1.8, "moderate": 2.7, "fast": 3.8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One system of the cast."""

    id: str
    """Submission id."""
    system: str
    """Name."""
    version: str = "1.0"
    """Version."""
    organisation: str = "Ohm Lab"
    """Maker."""
    licence: str = "MIT"
    """Licence."""
    is_open: bool | None = True
    """Open weights."""
    link: str = "https://example.org/voice"
    """Home."""
    notes: str = ""
    """Notes."""
    obeys: float = 0.8
    """How often it does what an instruction asks, 0..1."""
    slips: float = 0.1
    """How often it says other words, 0..1."""
    mos: float = 3.5
    """Predicted score."""
    n_declined: int = 0
    """Items it refuses."""
    supersedes: str | None = None
    """Submission that it is a new version of."""


SIX = (
    Part(id="s00000000001", system="Larkspur", version="2.1", organisation="Ohm Lab", obeys=0.92, slips=0.02, mos=4.1),
    Part(id="s00000000002", system="Larkspur", version="2.0", organisation="Ohm Lab", obeys=0.9, slips=0.03, mos=4.0),
    Part(id="s00000000003", system="Halyard TTS", organisation="Nørrebro Speech", licence="Apache-2.0", obeys=0.7),
    Part(
        id="s00000000004", system="Gantry", version="0.9-rc2", licence="proprietary", is_open=None, obeys=0.6, mos=4.4
    ),
    Part(id="s00000000005", system="Formant baseline", organisation="", obeys=0.85, slips=0.3, mos=2.1, n_declined=1),
    Part(id="s00000000006", system="Formant baseline, deaf to instructions", obeys=0.33, slips=0.3, mos=2.1),
)
EVIL = "<img src=x onerror=alert(1)>{{7*7}}${7*7}<script>alert(2)</script>\"'`</td>"
HOSTILE = Part(
    id="s0000000evil",
    system="=HYPERLINK(1)" + EVIL,
    version="@SUM(A1)" + EVIL,
    organisation="+1-1" + EVIL,
    licence="-2+3" + EVIL,
    link="javascript:alert(1)",
    notes=EVIL,
)


def make_corpus(folder: Path, n_items: int = N_ITEMS) -> Corpus:
    """Return a verified corpus of invented items."""
    records = [
        {
            "id": f"it-{number:03d}",
            "instruction": f"A {('calm', 'bright')[number % 2]} voice, number {number}, as the writer hears it.",
            "text": _SCRIPTS[number % len(_SCRIPTS)],
            "difficulty": number % 3,
            "traits": {
                trait.name: trait.values[(number + shift) % len(trait.values)] for shift, trait in enumerate(TRAITS)
            },
        }
        for number in range(n_items)
    ]
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return load(path, pin_of(path, "invented"))


def make_protocol(corpus: Corpus) -> Protocol:
    """Return the shipped recipe on this corpus."""
    return dataclasses.replace(load_shipped("lite"), corpus=corpus.pin)


def make_site(home: Path, parts: Sequence[Part], corpus: Corpus | None = None) -> Context:
    """Publish the parts below `home` through the real publisher, and return the site's context."""
    home.mkdir(parents=True, exist_ok=True)
    corpus = corpus or make_corpus(home)
    protocol = make_protocol(corpus)
    files = PublishedFolder(home / "published")
    for part in parts:
        play(files, corpus, protocol, part)
    return make_context(
        home=home, files=files, store=FolderStore(home), corpus=corpus, protocols=(protocol,), clock=lambda: NOW
    )


def play(files: PublishedFolder, corpus: Corpus, protocol: Protocol, part: Part) -> None:
    """Publish one part."""
    rng = random.Random(part.id)
    declined = frozenset(item.id for item in corpus.items[3 : 3 + part.n_declined])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips = [make_clip(folder, item, rng) for item in corpus.items if item.id not in declined]
        items = {item.id: item for item in corpus.items}
        publish(
            files=files,
            protocol=protocol,
            items=corpus.items,
            submission_id=part.id,
            card=card_of(part),
            provenance=provenance_of(part),
            clips_dir=folder,
            clips=clips,
            readings={clip.item_id: make_readings(items[clip.item_id], clip, part, rng) for clip in clips},
            declined=declined,
        )


def card_of(part: Part) -> dict[str, CardValue]:
    """Return the card of a part as its maker wrote it."""
    return {
        "system": part.system,
        "version": part.version,
        "organisation": part.organisation,
        "licence": part.licence,
        "open_weights": part.is_open,
        "parameters": "82 M",
        "link": part.link,
        "how_instructions": "As a text prompt.\n" + part.notes,
        "notes": part.notes,
    }


def provenance_of(part: Part) -> Provenance:
    """Return where the zip of a part came from."""
    return Provenance(
        zip_sha256=sha256_of(part.id.encode()),
        zip_size_bytes=1_000,
        received_at="2026-03-01T12:00:00.000Z",
        code_version="0.1.0",
        warnings=(),
        supersedes=part.supersedes,
    )


def make_clip(folder: Path, item: Item, rng: random.Random) -> Clip:
    """Write the clip of an item, a tone, and return it."""
    n_samples = rng.randrange(8_000, 16_000)
    wave = 0.3 * np.sin(2 * np.pi * rng.uniform(90, 300) * np.arange(n_samples) / _RATE_HZ)
    sink = io.BytesIO()
    sf.write(sink, wave, _RATE_HZ, format="FLAC", subtype="PCM_16")
    (folder / f"{item.id}.flac").write_bytes(sink.getvalue())
    return Clip(
        item_id=item.id,
        sha256=sha256_of(sink.getvalue()),
        duration_s=round(n_samples / _RATE_HZ, 6),
        rate_hz=_RATE_HZ,
        bit_depth=16,
        source_format="WAV/PCM_16",
        source_channels=1,
    )


def make_readings(item: Item, clip: Clip, part: Part, rng: random.Random) -> ClipReadings:
    """Return what the instruments of `lite` say of a part's clip."""

    def heard(trait: str) -> str:
        if rng.random() < part.obeys:
            return item.requested[trait]
        return rng.choice(["slow", "moderate", "fast"] if trait == "pace" else _VALUES[trait])

    n_words = len(item.script.split())
    base_hz = 205.0 if item.requested["gender"] == "female" else 115.0
    is_unvoiced = rng.random() < 0.02
    female = 0.97 if heard("gender") == "female" else 0.04
    words = item.script.split()
    if rng.random() < part.slips:
        words[len(words) // 2 :] = ["something", "else", "entirely"]
    return ClipReadings(
        item_id=item.id,
        clip_sha256=clip.sha256,
        acoustics=Acoustics(
            duration_s=clip.duration_s,
            speech_start_s=0.1,
            speech_end_s=round(0.1 + n_words / _WORDS_PER_S[heard("pace")], 6),
            pause_s=0.0,
            level_dbfs=round(-23 + _DB[heard("loudness")] + rng.uniform(-2, 2), 6),
            peak_dbfs=-6.0,
            f0_hz=None if is_unvoiced else round(base_hz * 2 ** (_SEMITONES[heard("pitch")] / 12), 6),
            voiced_share=0.0 if is_unvoiced else 0.7,
        ),
        transcript=Transcript(text=" ".join(words), setting="greedy"),
        probes={"gender": ClassScores(labels=("female", "male"), probabilities=(female, round(1 - female, 6)))},
        naturalness=PredictedMos(mos=round(min(5.0, max(1.0, rng.gauss(part.mos, 0.3))), 6)),
    )


_VALUES = {trait.name: list(trait.values) for trait in TRAITS}
