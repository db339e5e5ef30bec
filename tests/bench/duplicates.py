"""How well prints of clips tell copies from other readings, and what they cost; Chromaprint beside them where it is.

Voices: espeak-ng at several settings, flite and festival, all reading the same scripts. For Chromaprint install
Debian's libchromaprint-tools; without it, it is skipped.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import soundfile

from evaluation.corpus import load_benchmark_v1
from evaluation.records import ItemId
from submissions.demo.engines import festival, pico
from submissions.demo.engines.espeak import EspeakSettings, require_espeak, speak_script
from submissions.demo.engines.programs import decode, one_line, run
from submissions.demo.records import Prompt
from submissions.duplicates import ALIKE, LEAST_SHARE, MOST, SAME, compare
from submissions.fingerprint import fingerprint, likeness
from submissions.prints import ClipPrint, encode
from submissions.records import submission_id
from tests.submissions.copies import COPIES, Sound

STEP = 16
PEER_STEP = 4
ESPEAK = {
    "espeak": {},
    "espeak +m1": {"voice": "en-us+m1"},
    "espeak +f2": {"voice": "en-us+f2"},
    "espeak gb": {"voice": "gmw/en"},
    "espeak 178 wpm": {"rate_wpm": 178},
    "espeak 190 wpm": {"rate_wpm": 190},
    "espeak pitch 52": {"pitch": 52},
    "espeak pitch 60": {"pitch": 60},
}
FLITE = ("slt", "awb", "rms", "kal16")
COPIED = ("espeak", "flite slt", "festival", "pico")
N_SYSTEMS = 500


def main() -> None:
    """Print false and missed pairs at the bounds, and times."""
    prompts = [
        Prompt(id=item.id, instruction=item.instruction, script=item.script)
        for item in load_benchmark_v1().items[::STEP]
    ]
    voices = _voices(prompts)
    copies = {
        (voice, name): [copy(sound) for sound in voices[voice]] for voice in COPIED for name, copy in COPIES.items()
    }
    _tell("castboard", voices, copies, fingerprint, lambda one, other: float(likeness(one, [other])[0]), SAME, ALIKE)
    _times(voices)
    if shutil.which("fpcalc"):  # one process a clip: a part is enough
        some = {name: sounds[::PEER_STEP] for name, sounds in voices.items()}
        few = {key: sounds[::PEER_STEP] for key, sounds in copies.items()}
        _tell("chromaprint", some, few, _chromaprint, _chroma_likeness, 0.95, 0.8)


def _voices(prompts: Sequence[Prompt]) -> dict[str, list[Sound]]:
    program = require_espeak()
    voices: dict[str, list[Sound]] = {}
    for name, settings in ESPEAK.items():
        clips = [speak_script(program, prompt, EspeakSettings(**settings)) for prompt in prompts]
        voices[name] = [(clip.samples, clip.rate_hz) for clip in clips]
    for voice in FLITE:
        voices[f"flite {voice}"] = [_flite(voice, prompt) for prompt in prompts]
    for name, engine in (("festival", festival.load(Path())), ("pico", pico.load(Path()))):
        clips = {clip.prompt_id: clip for clip in engine.speak(prompts)}
        voices[name] = [(clips[prompt.id].samples, clips[prompt.id].rate_hz) for prompt in prompts]
    return voices


def _flite(voice: str, prompt: Prompt) -> Sound:
    with tempfile.TemporaryDirectory() as folder:
        script, wav = Path(folder, "script.txt"), Path(folder, "speech.wav")
        script.write_text(one_line(prompt.script), encoding="utf-8")
        run(["flite", "-voice", voice, "-f", str(script), "-o", str(wav)], "")
        clip = decode(wav.read_bytes(), prompt.id)
    return clip.samples, clip.rate_hz


def _tell(
    title: str,
    voices: dict[str, list[Sound]],
    copies: dict[tuple[str, str], list[Sound]],
    take: Callable[[np.ndarray, int], np.ndarray],
    liken: Callable[[np.ndarray, np.ndarray], float],
    same: float,
    alike: float,
) -> None:
    began = time.process_time()
    prints = {name: [take(*sound) for sound in sounds] for name, sounds in voices.items()}
    n_clips = sum(map(len, voices.values()))
    own_ms = (time.process_time() - began) / n_clips * 1e3
    n_without = sum(not len(one) for found in prints.values() for one in found)
    print(f"{title}: {own_ms:.1f} ms a clip in this process; {n_without} of {n_clips} clips without a print")
    missed = 0
    for name in COPIES:
        found = np.array(
            [
                [liken(one, take(*sound)) for one, sound in zip(prints[voice], copies[voice, name], strict=True)]
                for voice in COPIED
            ]
        )
        n_missed = sum(not _is_flagged(row, same, alike) for row in found)
        missed += n_missed
        print(
            f"  {name:28} median {np.median(found):.2f}, least 5 % {np.quantile(found, 0.05):.2f},"
            f" {n_missed} of {len(COPIED)} missed"
        )
    rows = []
    for one, other in combinations(prints, 2):
        found = np.array([liken(a, b) for a, b in zip(prints[one], prints[other], strict=True)])
        rows.append((float(np.median(found)), float(found.max()), _is_flagged(found, same, alike), one, other))
    n_false = sum(row[2] for row in rows)
    print(f"  missed {missed} of {len(COPIES) * len(COPIED)} copies, flagged {n_false} of {len(rows)} other pairs")
    for median, most, is_flagged, one, other in sorted(rows, reverse=True)[:6]:
        print(f"  {one} / {other}: median {median:.2f}, most {most:.2f}{', flagged' if is_flagged else ''}")


def _is_flagged(found: np.ndarray, same: float, alike: float) -> bool:
    """Whether a pair of whole submissions with this share of clips would be flagged."""
    return bool(np.mean(found >= same) >= LEAST_SHARE or np.mean(found >= alike) >= MOST)


def _chromaprint(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        soundfile.write(file.name, np.clip(samples, -1, 1), rate_hz)
        told = subprocess.run(["fpcalc", "-raw", "-json", file.name], capture_output=True, check=False).stdout
    return np.array(json.loads(told)["fingerprint"] if told else [], dtype=np.uint32)


def _chroma_likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Return one minus twice the share of bits that differ at the best of nine shifts."""
    best = 0.0
    for shift in range(-4, 5):
        a, b = one[max(0, shift) :], other[max(0, -shift) :]
        n = min(len(a), len(b))
        if n >= 0.7 * max(len(one), len(other), 1):
            best = max(best, 1 - 2 * np.bitwise_count(a[:n] ^ b[:n]).sum() / (32 * n))
    return best


def _times(voices: dict[str, list[Sound]]) -> None:
    """One new submission of 496 clips against many others, most of them of other voices."""
    frames = {name: [fingerprint(*sound) for sound in sounds] for name, sounds in voices.items()}
    ids = [ItemId(f"vb-{n:05}") for n in range(496)]
    n = len(next(iter(frames.values())))
    whole = {
        name: {item: ClipPrint(sha256=name + item, frames=found[k % n]) for k, item in enumerate(ids)}
        for name, found in frames.items()
    }
    names = list(whole)
    others = {submission_id(f"system-{k:04}"): whole[names[k % len(names)]] for k in range(N_SYSTEMS - 1)}
    began = time.perf_counter()
    compare(whole[names[0]], others)
    spent_s = time.perf_counter() - began
    print(f"one submission of 496 clips against {len(others)} others: {spent_s:.1f} s")
    print(f"its file of prints: {max(len(encode(one)) for one in whole.values()) / 1024:,.0f} KiB")


if __name__ == "__main__":
    main()
