"""A small corpus, its protocol and a zip for it: everything of an evaluation at the size of a test."""

import io
import json
import wave
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from evaluation.corpus import Corpus, CorpusPin, load, pin_of
from evaluation.protocol import Protocol, load_shipped
from evaluation.records import Acoustics, Clip, ClipReadings, Transcript, Unread
from evaluation.run import Shard, ShardReadings
from evaluation.traits import TRAITS
from tests.audio_factory import clip_bytes

NAME = "small_v1"
SCRIPTS = (
    "The ferry leaves at noon and the harbour is quiet.",
    "Please put the blue kettle back on its shelf.",
    "Nobody expected snow on the first day of May.",
    "Seven geese crossed the road behind the bakery.",
    "Turn left where the old cinema used to stand.",
    "Her letters always smelled of cedar and rain.",
    "The lighthouse keeper counts ships, not hours.",
    "We painted the gate green and the bench white.",
    "A small brown dog guards the empty station.",
    "Tomorrow the choir sings under the stone bridge.",
)


def write_corpus(path: Path, n_items: int) -> CorpusPin:
    """Freeze a corpus of the first `n_items` scripts at `path`; values of the traits go round."""
    records = [
        {
            "id": f"it-{number:02d}",
            "instruction": "Read it as you like.",
            "text": SCRIPTS[number],
            "difficulty": number % 3,
            "traits": {trait.name: trait.values[number % len(trait.values)] for trait in TRAITS},
        }
        for number in range(n_items)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return pin_of(path, NAME)


def make_corpus(folder: Path, n_items: int) -> Corpus:
    """Return a verified corpus of `n_items`."""
    path = folder / "corpus.jsonl"
    return load(path, write_corpus(path, n_items))


def acoustic_protocol(pin: CorpusPin) -> Protocol:
    """Return a protocol of the three acoustic dimensions, with the instruments that read them."""
    lite = load_shipped("lite")
    dimensions = ("pace", "pitch", "loudness")
    return Protocol(
        name="small",
        track="prompted-voice",
        corpus=pin,
        dimensions=dimensions,
        not_measured={trait.name: "Not in a test." for trait in TRAITS if trait.name not in dimensions},
        instruments={role: lite.instruments[role] for role in ("vad", "f0", "level")},
        normaliser=lite.normaliser,
        constants=lite.constants,
    )


def write_zip(path: Path, clips: Mapping[str, bytes], **more: object) -> Path:
    """Write a submission of these clips by item id, and of JSON files by stem, to `path`; the same always alike."""
    with zipfile.ZipFile(path, "w") as archive:
        for item_id, audio in clips.items():
            archive.writestr(zipfile.ZipInfo(f"{item_id}.wav"), audio)
        for stem, content in more.items():
            archive.writestr(zipfile.ZipInfo(f"{stem}.json"), json.dumps(content))
    return path


def tones(corpus: Corpus) -> dict[str, bytes]:
    """Return a short tone for each item, every one different."""
    return {item.id: clip_bytes(number) for number, item in enumerate(corpus.items)}


def rewritten(audio: bytes) -> bytes:
    """Return a WAV file with a header of the plain kind; programs that write to a pipe leave its length open."""
    at = audio.index(b"data") + 8
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(int.from_bytes(audio[24:28], "little"))
        file.writeframes(audio[at:])
    return out.getvalue()


class SteadyEngine:
    """Reads every clip alike, in this process: for tests of what happens around a run."""

    def __init__(self, scripts: Mapping[str, str]) -> None:
        """Hear the scripts; items in `faulty` are read as our own failure until they are taken out."""
        self.scripts = scripts
        self.faulty: set[str] = set()
        self.read_shards: list[int] = []

    def read(self, shards: Sequence[Shard], clips_dir: Path) -> Iterator[ShardReadings]:
        """Yield each shard's readings."""
        for shard in shards:
            for clip in shard.clips:
                assert (clips_dir / f"{clip.item_id}.flac").is_file()
            self.read_shards.append(shard.index)
            yield ShardReadings(index=shard.index, readings=tuple(map(self._reading, shard.clips)), seconds={})

    @contextmanager
    def opened(self) -> Iterator["SteadyEngine"]:
        """Stay as it is for one run."""
        yield self

    def _reading(self, clip: Clip) -> ClipReadings:
        fault = Unread(reason="no_model", fault="instrument", detail="The model is gone.")
        return ClipReadings(
            item_id=clip.item_id,
            clip_sha256=clip.sha256,
            acoustics=fault if clip.item_id in self.faulty else _ACOUSTICS,
            transcript=Transcript(text=self.scripts[clip.item_id], setting="as written"),
            naturalness=None,
        )


_ACOUSTICS = Acoustics(
    duration_s=2.0,
    speech_start_s=0.1,
    speech_end_s=1.9,
    pause_s=0.2,
    level_dbfs=-23.0,
    peak_dbfs=-6.0,
    f0_hz=180.0,
    voiced_share=0.6,
)


def scripts_of(corpus: Corpus) -> dict[str, str]:
    """Return each item's script by its id."""
    return {item.id: item.script for item in corpus.items}


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}


def _files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
