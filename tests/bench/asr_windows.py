"""Ways to run Whisper tiny.en, each against plain one-clip-a-window transcription.

Prints for each way: CPU seconds a clip on one thread, that as a share of the plain way's, how many texts equal the
plain way's, and the word-error rate by engine (after Whisper's English normaliser, pooled). Clips are corpus scripts of
all three tiers, spoken by espeak-ng, flite, hibari and pico at several rates; clips over 30 s are left out.

    python -m tests.bench.asr_windows [--items N] [WAY ...]
"""

import argparse
import functools
import io
import resource
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import jiwer
import numpy as np
import soundfile
import soxr
from ctranslate2 import StorageView
from whisper_normalizer.english import EnglishTextNormalizer

from evaluation import corpus, heap, weights
from evaluation.gate.transcribe import INSTALL, RATE_HZ, WEIGHTS_PACKAGE, Samples, Transcriber
from evaluation.records import Item

ENGINES = ("espeak", "flite", "hibari", "pico")
N_WINDOW_SAMPLES = 30 * RATE_HZ


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One clip to hear."""

    engine: str
    """Who speaks."""
    script: str
    """What was to be said."""
    samples: Samples
    """The clip at 16 kHz."""


def espeak(text: str, n: int) -> tuple[Samples, int]:
    """A formant synthesiser: four voices, three rates."""
    voice = ("en-us", "en-gb+f3", "en-gb-scotland", "en-us+f2")[n % 4]
    rate = (150, 175, 210)[n % 3]
    return _stdout_of("espeak-ng", "-v", voice, "-s", str(rate), "--stdout", text)


def flite(text: str, n: int) -> tuple[Samples, int]:
    """Four small concatenative voices."""
    return _stdout_of("flite", "-voice", ("kal16", "awb", "rms", "slt")[n % 4], "-t", text, "-o", "/dev/stdout")


def hibari(text: str, n: int) -> tuple[Samples, int]:
    """A neural voice at three rates."""
    return np.asarray(_hibari()(text, speed=(1.0, 0.85, 1.25)[n % 3]), dtype=np.float32), 24_000


def pico(text: str, n: int) -> tuple[Samples, int]:
    """Two small statistical voices at three rates."""
    import py_nanotts

    pcm = py_nanotts.NanoTTS().speak(text, voice=("en-US", "en-GB")[n % 2], speed=(1.0, 0.8, 1.3)[n % 3])
    return np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / 32_768, 16_000


@functools.cache
def _hibari() -> Callable[..., Samples]:
    from hibari import Hibari

    return Hibari()


def _stdout_of(*command: str) -> tuple[Samples, int]:
    wav = subprocess.run(command, check=True, capture_output=True).stdout
    samples, rate_hz = soundfile.read(io.BytesIO(wav), dtype="float32")
    return samples, rate_hz


def spoken(items: list[Item]) -> list[Spoken]:
    """Every item in every engine's voice."""
    speakers = {"espeak": espeak, "flite": flite, "hibari": hibari, "pico": pico}
    clips = []
    for engine, speak in speakers.items():
        for n, item in enumerate(items):
            samples, rate_hz = speak(item.script, n)
            at_16k = soxr.resample(samples, rate_hz, RATE_HZ).astype(np.float32)
            if at_16k.size <= N_WINDOW_SAMPLES:
                clips.append(Spoken(engine=engine, script=item.script, samples=at_16k))
    return clips


def chosen(n_items: int) -> list[Item]:
    """About `n_items` items, as many of each tier, spread over the corpus."""
    items = corpus.load_benchmark_v1().items
    a_tier = n_items // 3
    tiers = [[item for item in items if item.tier == tier] for tier in (0, 1, 2)]
    return [tier[n * len(tier) // a_tier] for tier in tiers for n in range(a_tier)]


def plain(
    clips: list[Spoken], *, beam: int = 1, compute_type: str = "int8", no_speech: float | None = None
) -> list[str]:
    """faster-whisper's own transcription, a clip a call."""
    from faster_whisper import WhisperModel

    folder = weights.package_folder(WEIGHTS_PACKAGE, INSTALL) / "model"
    model = WhisperModel(str(folder), device="cpu", compute_type=compute_type, cpu_threads=1)
    texts = []
    for clip in clips:
        segments, _ = model.transcribe(
            clip.samples,
            language="en",
            beam_size=beam,
            temperature=0,
            without_timestamps=True,
            condition_on_previous_text=False,
            no_speech_threshold=no_speech,
        )
        texts.append("".join(segment.text for segment in segments).strip())
    return texts


def shipped_one(clips: list[Spoken]) -> list[str]:
    """The transcriber, a clip a call."""
    transcriber = Transcriber.load()
    return [transcriber.transcribe(clip.samples, RATE_HZ).text for clip in clips]


def shipped_many(clips: list[Spoken]) -> list[str]:
    """The transcriber, all clips in one call."""
    heard = Transcriber.load().transcribe_many([clip.samples for clip in clips], RATE_HZ)
    return [transcript.text for transcript in heard]


def short_context(clips: list[Spoken], *, extra_s: float) -> list[str]:
    """An encoder that hears the clip and `extra_s` of silence, not 30 s."""
    transcriber = Transcriber.load()
    texts = []
    for clip in clips:
        n_frames = min(3_000, int((clip.samples.size / RATE_HZ + extra_s) * 100))
        frames = np.pad(transcriber.mel(clip.samples)[:, :-1], ((0, 0), (0, 3_000)))[:, :n_frames]
        texts += _decoded(transcriber, [np.ascontiguousarray(frames, dtype=np.float32)])
    return texts


def packed(clips: list[Spoken], *, gap_s: float) -> list[str]:
    """Neighbours that fit share a window, `gap_s` of silence between; texts are parted by timestamps."""
    transcriber = Transcriber.load()
    texts: list[str] = []
    gap = np.zeros(int(gap_s * RATE_HZ), dtype=np.float32)
    waiting = list(clips)
    while waiting:
        group = [waiting.pop(0)]
        while waiting and sum(c.samples.size + gap.size for c in (*group, waiting[0])) <= N_WINDOW_SAMPLES:
            group.append(waiting.pop(0))
        joined = np.concatenate([part for clip in group for part in (clip.samples, gap)])[:N_WINDOW_SAMPLES]
        ends_s = np.cumsum([(clip.samples.size + gap.size) / RATE_HZ for clip in group])
        texts += _parted(transcriber, joined, ends_s)
    return texts


def _parted(transcriber: Transcriber, joined: Samples, ends_s: np.ndarray) -> list[str]:
    """Decode one window with timestamps and give each segment to the clip that its middle lies in."""
    first = transcriber.tokenizer.timestamp_begin
    frames = np.pad(transcriber.mel(joined)[:, :-1], ((0, 0), (0, 3_000)))[:, :3_000].astype(np.float32)
    ids = _generate(transcriber, [frames], prompt=list(transcriber.prompt[:-1]))[0]
    texts = ["" for _ in ends_s]
    start_s, tokens = 0.0, []
    for token in [*ids, first + 1_500]:
        if token < first:
            tokens.append(token)
            continue
        now_s = (token - first) * 0.02
        if tokens:
            n = min(int(np.searchsorted(ends_s, (start_s + now_s) / 2)), len(texts) - 1)
            texts[n] = f"{texts[n]} {transcriber.tokenizer.decode(tokens).strip()}".strip()
        start_s, tokens = now_s, []
    return texts


def _decoded(transcriber: Transcriber, windows: list[np.ndarray]) -> list[str]:
    ids = _generate(transcriber, windows, prompt=list(transcriber.prompt))
    return [transcriber.tokenizer.decode(tokens).strip() for tokens in ids]


def _generate(transcriber: Transcriber, windows: list[np.ndarray], *, prompt: list[int]) -> list[list[int]]:
    encoded = transcriber.model.encode(StorageView.from_array(np.ascontiguousarray(np.stack(windows))))
    results = transcriber.model.generate(
        encoded, [prompt] * len(windows), beam_size=1, suppress_tokens=list(transcriber.suppressed)
    )
    return [result.sequences_ids[0] for result in results]


WAYS: dict[str, Callable[[list[Spoken]], list[str]]] = {
    "plain": plain,
    "plain, skips no-speech": functools.partial(plain, no_speech=0.6),
    "shipped, one by one": shipped_one,
    "shipped, batches": shipped_many,
    "beam 5": functools.partial(plain, beam=5),
    "float32": functools.partial(plain, compute_type="float32"),
    "packed, 1 s gaps": functools.partial(packed, gap_s=1.0),
    "context + 2 s": functools.partial(short_context, extra_s=2.0),
    "context + 10 s": functools.partial(short_context, extra_s=10.0),
}


def cpu_s() -> float:
    """CPU time of this process so far, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def wer(clips: list[Spoken], texts: list[str], engine: str) -> float:
    """Pooled word-error rate of one engine's clips."""
    normal = EnglishTextNormalizer()
    pairs = [(normal(c.script), normal(t)) for c, t in zip(clips, texts, strict=True) if c.engine == engine]
    return float(jiwer.wer([script for script, _ in pairs], [text for _, text in pairs]))


def main() -> None:
    """Run the ways that the command line names, the plain one always and first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=39, help="corpus items, each spoken by four engines")
    parser.add_argument("--keep-memory", action="store_true", help="tell malloc to keep large blocks for every way")
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"of: {'; '.join(WAYS)}")
    chosen_args = parser.parse_args()
    clips = spoken(chosen(chosen_args.items))
    print(f"{len(clips)} clips, {np.mean([c.samples.size for c in clips]) / RATE_HZ:.1f} s on average", flush=True)
    if chosen_args.keep_memory:
        heap.keep_freed_memory()
    base: list[str] = []
    base_s = 0.0
    for name in ("plain", *(way for way in chosen_args.ways or WAYS if way != "plain")):
        began_s = cpu_s()
        texts = WAYS[name](clips)
        took_s = (cpu_s() - began_s) / len(clips)
        base, base_s = (base, base_s) if base else (texts, took_s)
        same = sum(a == b for a, b in zip(texts, base, strict=True))
        rates = "  ".join(f"{engine} {wer(clips, texts, engine):.3f}" for engine in ENGINES)
        print(f"{name:24s} {took_s:.3f} s  x{took_s / base_s:.2f}  same {same}/{len(clips)}  {rates}", flush=True)


if __name__ == "__main__":
    main()
