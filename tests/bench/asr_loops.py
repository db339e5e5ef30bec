"""Second settings for clips that made the transcriber loop, tried on a published board's own clips.

    python -m tests.bench.asr_loops data/published PROTOCOL SUBMISSION

Prints, for each setting, the mean word-error rate (none above 2) of the clips in doubt, and how many of five spoken
repetitions of a sentence it writes down: a setting that swallows them would pardon a voice that repeats itself.
"""

import dataclasses
import io
import sys
import time
from pathlib import Path

import numpy as np
import py_nanotts
import soundfile as sf

from evaluation.gate.doubt import doubt_of
from evaluation.gate.normalisers import NEWEST, normaliser
from evaluation.gate.transcribe import AGAIN, GREEDY, RATE_HZ, Samples, Transcriber
from evaluation.probes.acoustic import to_16k
from submissions import layout
from submissions.evidence import read_evidence
from submissions.store.folder import PublishedFolder

N_CLIPS = 20
SETTINGS = {
    "greedy": GREEDY,
    "beam 5": dataclasses.replace(GREEDY, beam_size=5),
    "beam 5, 8 s": AGAIN,
    "beam 5, 5 s": dataclasses.replace(AGAIN, whole_s=5.0, part_s=5.0),
}
SENTENCE = "Good morning to all of you. "


def main(root: Path, protocol_id: str, submission: str) -> None:
    """Print one line a setting."""
    files = PublishedFolder(root)
    evidence = read_evidence(layout.read_samples(files, protocol_id, submission))
    clips: list[tuple] = []
    for item in evidence.items:
        reading = evidence.readings.get(item.id)
        if reading and doubt_of(getattr(reading.transcript, "text", ""), reading.acoustics) and len(clips) < N_CLIPS:
            samples, rate_hz = sf.read(io.BytesIO(layout.read_clip(files, submission, item.id)), dtype="float32")
            clips.append((item, to_16k(samples, rate_hz)))
    ears, compare = Transcriber.load(), normaliser(NEWEST).compare
    for name, setting in SETTINGS.items():
        again, began = ears.with_decoding(setting), time.perf_counter()
        errors = [compare(item, again.transcribe(clip, RATE_HZ).text).errors.wer for item, clip in clips]
        each_s = (time.perf_counter() - began) / max(1, len(clips))
        kept = again.transcribe(_said(SENTENCE * 5), RATE_HZ).text.lower().count("good morning")
        rate = np.minimum(errors, 2).mean()
        print(f"{name:<14} WER {rate:.3f} of {len(clips)} clips, {each_s:.2f} s each, kept {kept} of 5")


def _said(text: str) -> Samples:
    pcm = np.frombuffer(py_nanotts.NanoTTS().speak(text, voice="en-GB"), dtype=np.int16)
    return (pcm / 32_768).astype(np.float32)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
