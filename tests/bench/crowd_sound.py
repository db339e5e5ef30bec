"""What a crowd says: clips of two kinds, and what instruments would report of them.

A few systems really speak, where espeak-ng is there: formant voices of the asked speed, height and level. The clips of
all others are the shortest honest ones: a chirp and then silence, as long as their item would take, the same for all
systems; the readings that stand beside those are invented.
"""

import io
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile as sf

from evaluation.codec import sha256_of
from evaluation.gate.normalisers import normaliser
from evaluation.probes.pitch import reference_hz
from evaluation.protocol import Protocol
from evaluation.records import (
    Acoustics,
    ClassScores,
    Clip,
    ClipReadings,
    Estimate,
    Hearing,
    Item,
    ItemId,
    PredictedMos,
    ProbeReading,
    Transcript,
    Unread,
)
from evaluation.traits import NATURALNESS, Kind, trait
from tests.bench.crowd_cast import Voice

_RATE_HZ = 8_000
_PACES = {"slow": 1.8, "moderate": 2.7, "fast": 3.8}
_SEMITONES = {"low": -4.5, "medium": 0.0, "high": 4.5}
_LEVELS_DB = {"quiet": -8.0, "normal": 0.0, "loud": 8.0}
_PROBED = ("age", "emotion", "accent")
_OTHER_WORDS = "something else that nobody asked for"


class Sounds:
    """Clips by item; those that all systems share are made once."""

    def __init__(self, items: Sequence[Item], protocol: Protocol, folder: Path) -> None:
        """Keep the shared clips below `folder`, as `<item id>.flac`."""
        self._items = tuple(items)
        self.folder = folder
        spoken = normaliser(protocol.normaliser)
        self.n_words = {item.id: spoken.n_spoken_words(item.script) for item in items}
        self._shared = {item.id: _chirp(item, self.n_words[item.id], folder) for item in items}

    def clips(self, voice: Voice, folder: Path, n_spoken: int) -> list[Clip]:
        """Write the clips of a system into `folder` and return them.

        Args:
            voice: the system.
            folder: takes `<item id>.flac`.
            n_spoken: how many of its items it really speaks.
        """
        found = []
        for at, item in enumerate(self._items):
            if at in voice.declined:
                continue
            clip = _spoken(item, voice, folder) if at < n_spoken and shutil.which("espeak-ng") else None
            if clip is None:
                clip = self._shared[item.id]
                (folder / f"{item.id}.flac").hardlink_to(self.folder / f"{item.id}.flac")
            found.append(clip)
        return found

    def read(self, voice: Voice, clips: Sequence[Clip], seed: int) -> dict[ItemId, ClipReadings]:
        """Return what all instruments say of a system's clips; the same of the same system, for every protocol."""
        by_id = {item.id: item for item in self._items}
        hard = np.random.default_rng([seed, 999_999]).random(len(self._items))
        ease = {item.id: float(share) for item, share in zip(self._items, hard, strict=True)}
        rng = np.random.default_rng([seed, voice.number, 1])
        return {
            clip.item_id: _read(by_id[clip.item_id], clip, voice, self.n_words[clip.item_id], ease[clip.item_id], rng)
            for clip in clips
        }


def of_protocol(readings: dict[ItemId, ClipReadings], protocol: Protocol) -> dict[ItemId, ClipReadings]:
    """Return those of the readings that the instruments of a protocol take."""
    named = set(protocol.instruments)
    return {
        item: ClipReadings(
            item_id=one.item_id,
            clip_sha256=one.clip_sha256,
            acoustics=one.acoustics,
            transcript=one.transcript,
            naturalness=one.naturalness if NATURALNESS in named else None,
            probes={name: reading for name, reading in one.probes.items() if name in named},
        )
        for item, one in readings.items()
    }


def _read(item: Item, clip: Clip, voice: Voice, n_words: int, ease: float, rng: np.random.Generator) -> ClipReadings:
    def heard(name: str) -> str:
        # Systems share what makes an item hard, so their clips fail together more often than by chance.
        luck = 0.55 * ease + 0.45 * float(rng.random())
        if luck < voice.obeys(name, item):
            return item.requested[name]
        return str(rng.choice(trait(name).values))

    is_unvoiced = rng.random() < 0.004
    female = float(rng.uniform(0.7, 0.99)) if heard("gender") == "female" else float(rng.uniform(0.01, 0.3))
    female = round(female, 6)
    gender: ProbeReading = ClassScores(labels=("female", "male"), probabilities=(female, round(1 - female, 6)))
    if rng.random() < 0.005:
        gender = Unread(reason="too_short", fault="clip", detail="Shorter than 1 s.")
    hz = reference_hz(item.requested["gender"], float(item.requested["age"]))
    speech_s = n_words / (_PACES[heard("pace")] * rng.uniform(0.93, 1.07))
    mos = voice.mos + 1.5 * voice.gifts[NATURALNESS] - 0.5 * (ease - 0.5) + rng.normal(0, 0.25)
    return ClipReadings(
        item_id=item.id,
        clip_sha256=clip.sha256,
        acoustics=Acoustics(
            duration_s=clip.duration_s,
            speech_start_s=0.1,
            speech_end_s=round(0.1 + speech_s, 6),
            pause_s=round(0.08 * speech_s, 6),
            level_dbfs=round(-24 + _LEVELS_DB[heard("loudness")] + float(rng.uniform(-2, 2)), 6),
            peak_dbfs=round(float(rng.uniform(-9, -1)), 6),
            f0_hz=None
            if is_unvoiced
            else round(hz * 2 ** ((_SEMITONES[heard("pitch")] + rng.uniform(-1.4, 1.4)) / 12), 6),
            voiced_share=0.0 if is_unvoiced else round(float(rng.uniform(0.5, 0.8)), 6),
        ),
        transcript=_transcript(item, voice.slips * (0.5 + ease), rng),
        probes={"gender": gender, **{name: _probed(name, item, heard(name), rng) for name in _PROBED}},
        naturalness=PredictedMos(mos=round(float(np.clip(mos, 1, 5)), 6)),
    )


def _transcript(item: Item, slips: float, rng: np.random.Generator) -> Transcript:
    words = item.script.split()
    luck = rng.random()
    if luck < 0.06 and len(words) > 10:
        del words[int(rng.integers(len(words)))]  # one word is too few for the gate
    if luck > 1 - slips:
        wrong = " ".join([*words[: len(words) // 2], _OTHER_WORDS])
        if luck > 1 - slips / 5:
            again = Hearing(text=" ".join(words[: len(words) // 3]), setting="beam")
            return Transcript(text="", setting="greedy", doubt="empty", again=again)
        return Transcript(text=wrong, setting="greedy")
    return Transcript(text=" ".join(words), setting="greedy")


def _probed(name: str, item: Item, heard: str, rng: np.random.Generator) -> ProbeReading:
    if rng.random() < 0.01:
        return Unread(reason="too_short", fault="clip", detail="Shorter than 1 s.")
    if trait(name).kind is Kind.NUMERIC:
        spread = 5.0 if heard == item.requested[name] else 2.0
        return Estimate(value=round(float(np.clip(rng.normal(float(heard), spread), 4, 90)), 6))
    values = trait(name).values
    raw = rng.random(len(values)) * 0.3
    raw[values.index(heard)] += rng.uniform(0.8, 6)
    return ClassScores(labels=values, probabilities=tuple(round(float(one), 6) for one in raw / raw.sum()))


def _chirp(item: Item, n_words: int, folder: Path) -> Clip:
    n_samples = round(_RATE_HZ * (n_words / 1.6 + 0.4))
    wave = np.zeros(n_samples)
    at_s = np.arange(_RATE_HZ // 5) / _RATE_HZ
    pitch_hz = 140 + sum(map(ord, item.id)) % 160
    wave[: at_s.size] = 0.3 * np.sin(2 * np.pi * pitch_hz * at_s) * np.hanning(at_s.size)
    return _kept(item, wave, _RATE_HZ, folder)


def _spoken(item: Item, voice: Voice, folder: Path) -> Clip | None:
    """Let a formant voice speak an item, as the instruction asks as far as the system's skill goes."""
    rng = np.random.default_rng([voice.number, sum(map(ord, item.id))])
    asked = {
        name: value if rng.random() < voice.obeys(name, item) else str(rng.choice(trait(name).values))
        for name, value in item.requested.items()
        if name in ("gender", "pace", "pitch", "loudness")
    }
    speed = {"slow": 110, "moderate": 165, "fast": 240}[asked["pace"]]
    height = {"low": 25, "medium": 50, "high": 80}[asked["pitch"]]
    variant = f"en-us+{'f' if asked['gender'] == 'female' else 'm'}{1 + voice.number % 4}"
    command = ["espeak-ng", "-v", variant, "-s", str(speed), "-p", str(height), "--stdin", "--stdout"]
    made = subprocess.run(command, input=item.script.encode(), capture_output=True, check=False)
    # The length that a stream's header gives is made up, so the samples are taken as they are.
    wave = np.frombuffer(made.stdout[44:][: len(made.stdout[44:]) // 2 * 2], dtype="<i2") / 32_768
    if made.returncode or wave.size < _RATE_HZ:
        return None
    gain = 10 ** ({"quiet": -10.0, "normal": -3.0, "loud": 2.0}[asked["loudness"]] / 20)
    return _kept(item, np.clip(wave * gain, -1, 1), 22_050, folder)


def _kept(item: Item, wave: np.ndarray, rate_hz: int, folder: Path) -> Clip:
    sink = io.BytesIO()
    sf.write(sink, wave, rate_hz, format="FLAC", subtype="PCM_16")
    (folder / f"{item.id}.flac").write_bytes(sink.getvalue())
    return Clip(
        item_id=item.id,
        sha256=sha256_of(sink.getvalue()),
        duration_s=round(wave.size / rate_hz, 6),
        rate_hz=rate_hz,
        bit_depth=16,
        source_format="WAV/PCM_16",
        source_channels=1,
    )
