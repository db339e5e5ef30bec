"""One sentence each in several voices, and what a copyist does to a clip: for tests and the bench of duplicates."""

import io
from collections.abc import Callable, Mapping

import numpy as np
import soundfile
import soxr

from submissions.demo.engines.espeak import EspeakSettings, require_espeak, speak_script
from submissions.demo.records import Prompt

Sound = tuple[np.ndarray, int]
"""Mono samples, float32, and their rate in Hz."""

SCRIPTS = (
    "The harbour was quiet when the last boat came in.",
    "Please put the blue folder back on the second shelf.",
    "Nobody expected seven letters from the same address.",
    "We walked along the river until the lights went out.",
    "Her brother keeps a small garden behind the station.",
    "It took them forty minutes to find the right key.",
    "The old clock strikes twice as loud as it used to.",
    "Tomorrow we will ask the others what they heard.",
)


def spoken(**settings: object) -> list[Sound]:
    """Return every script as espeak-ng speaks it with these settings."""
    program = require_espeak()
    prompts = [Prompt(id=f"vb-{n:05}", instruction="", script=script) for n, script in enumerate(SCRIPTS)]
    clips = [speak_script(program, prompt, EspeakSettings(**settings)) for prompt in prompts]
    return [(clip.samples, clip.rate_hz) for clip in clips]


def recoded(sound: Sound, container: str, coding: str, rate_hz: int, **options: object) -> Sound:
    """Return `sound` after a way through another format at another rate."""
    file = io.BytesIO()
    samples = soxr.resample(*sound, rate_hz)
    with soundfile.SoundFile(file, "w", rate_hz, 1, coding, format=container, **options) as out:
        out.write(samples)
    file.seek(0)
    return soundfile.read(file, dtype="float32")


def noisy(sound: Sound, below_db: float) -> Sound:
    """Return `sound` with white noise that far below its mean level."""
    samples, rate_hz = sound
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-below_db / 20)
    return samples + np.random.default_rng(7).normal(0, level, len(samples)).astype(np.float32), rate_hz


def later(sound: Sound, silence_s: float) -> Sound:
    """Return `sound` behind digital silence."""
    samples, rate_hz = sound
    return np.pad(samples, (round(silence_s * rate_hz), 0)), rate_hz


COPIES: Mapping[str, Callable[[Sound], Sound]] = {
    "a tenth as loud": lambda sound: (sound[0] * np.float32(0.1), sound[1]),
    "at 8 kHz": lambda sound: (soxr.resample(*sound, 8_000), 8_000),
    "at 44.1 kHz": lambda sound: (soxr.resample(*sound, 44_100), 44_100),
    "0.137 s later": lambda sound: later(sound, 0.137),
    "first 0.05 s cut": lambda sound: (sound[0][round(0.05 * sound[1]) :], sound[1]),
    "noise at -30 dB": lambda sound: noisy(sound, 30.0),
    "MP3 of low rate": lambda sound: recoded(
        sound, "MP3", "MPEG_LAYER_III", 24_000, compression_level=0.9, bitrate_mode="CONSTANT"
    ),
    "Opus of low rate": lambda sound: recoded(sound, "OGG", "OPUS", 48_000, compression_level=0.97),
    "Vorbis": lambda sound: recoded(sound, "OGG", "VORBIS", 22_050),
    "later, quieter, noise, MP3": lambda sound: recoded(
        noisy(later((sound[0] * np.float32(0.4), sound[1]), 0.06), 30.0), "MP3", "MPEG_LAYER_III", 16_000
    ),
}
"""What a copyist may do, by name; sound and intelligibility stay."""
