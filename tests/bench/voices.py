"""Synthesise short labelled clips with the engines that are installed, for benches."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import soundfile

from evaluation import corpus

N_SCRIPTS = 6
ESPEAK = {
    "f": ("f1", "f2", "f3", "f4", "f5", "Annie", "anika", "steph", "linda", "belinda", "Alicia", "Andrea", "aunty"),
    "m": ("", "m1", "m2", "m3", "m5", "m6", "m7", "klatt", "max", "Michael", "Denis", "Mike", "robert", "m4", "Diogo"),
}
ESPEAK_PITCHES = (25, 50, 75)
FLITE = {"kal16": "m", "awb": "m", "rms": "m", "slt": "f"}
FESTIVAL = {"kal_diphone": "m", "ked_diphone": "m", "cmu_us_slt_arctic_hts": "f"}
PICO = ("en-US", "en-GB")
KOKORO_RATE_HZ = 24_000


def scripts() -> list[str]:
    """Return six easy scripts of 9 to 12 words."""
    texts = [item.script for item in corpus.load_benchmark_v1().items if item.tier == 0]
    return [text for text in texts if 9 <= len(text.split()) <= 12][:40:5][:N_SCRIPTS]


def synthesise(folder: Path, kokoro_model: Path | None = None, kokoro_voices: Path | None = None) -> None:
    """Write `<engine>-<voice>_<f|m>_<n>.wav` for all installed engines; files that exist are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, text in enumerate(scripts()):
        for gender, variants in ESPEAK.items():
            for variant in variants:
                for pitch in ESPEAK_PITCHES:
                    voice = f"en-us+{variant}" if variant else "en-us"
                    target = folder / f"espeak-{voice}-p{pitch}_{gender}_{index}.wav"
                    _run(target, ["espeak-ng", "-v", voice, "-p", str(pitch), "-w", str(target), text])
        for voice, gender in FLITE.items():
            target = folder / f"flite-{voice}_{gender}_{index}.wav"
            _run(target, ["flite", "-voice", voice, "-t", text, "-o", str(target)])
        for voice, gender in FESTIVAL.items():
            target = folder / f"festival-{voice.replace('_', '')}_{gender}_{index}.wav"
            _run(target, ["text2wave", "-eval", f"(voice_{voice})", "-o", str(target)], text)
        _pico(folder, index, text)
        _hibari(folder, index, text)
    if kokoro_model and kokoro_voices:
        _kokoro(folder, kokoro_model, kokoro_voices)


def _run(target: Path, command: list[str], text: str | None = None) -> None:
    if not target.exists() and shutil.which(command[0]):
        subprocess.run(command, input=text, text=True, check=True, capture_output=True)


def _pico(folder: Path, index: int, text: str) -> None:
    import py_nanotts

    for voice in PICO:
        target = folder / f"pico-{voice}_f_{index}.wav"
        if not target.exists():
            soundfile.write(target, np.frombuffer(py_nanotts.NanoTTS().speak(text, voice=voice), np.int16), 16_000)


def _hibari(folder: Path, index: int, text: str) -> None:
    import hibari

    target = folder / f"hibari-heart_f_{index}.wav"
    if not target.exists():
        soundfile.write(target, hibari.Hibari()(text, seed=0), hibari.SAMPLE_RATE, subtype="PCM_16")


def _kokoro(folder: Path, model: Path, voices: Path) -> None:
    """Six scripts for each English voice, four for the others (they read English, too)."""
    import onnxruntime
    from hibari.g2p import G2P

    vocabulary = json.loads((model.parent / "vocab.json").read_text())["vocab"]
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    speak = {is_british: G2P(british=is_british) for is_british in (False, True)}
    for path in sorted(voices.glob("*.bin")):
        voice = path.stem
        styles = np.fromfile(path, np.float32).reshape(-1, 256)
        for index, text in enumerate(scripts()[: 6 if voice[0] in "ab" else 4]):
            target = folder / f"kokoro-{voice}_{voice[1]}_{index}.wav"
            if target.exists():
                continue
            tokens = [vocabulary[sign] for sign in speak[voice[0] == "b"](text) if sign in vocabulary]
            feed = {
                "tokens": np.array([[0, *tokens, 0]]),
                "style": styles[len(tokens) - 1][None],
                "speed": np.ones(1, np.float32),
            }
            soundfile.write(target, session.run(None, feed)[0].ravel(), KOKORO_RATE_HZ, subtype="PCM_16")
