"""Acoustic readings of 100 real clips: our one pass against the three acoustic probes of vocencebench, on one core.

    python -m tests.bench.acoustic [--clips 100]

Prints processor milliseconds a clip of both sides (other programs do not disturb them), their ratio (at least 4), and
how far the readings agree.
"""

import argparse
import io
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import soundfile

from evaluation import corpus
from evaluation.probes.acoustic import AcousticPass, to_16k
from evaluation.records import Acoustics, Item

ESPEAK = (
    ("en-us", "35", "100"),
    ("en-us+f2", "50", "160"),
    ("en-us+m3", "20", "220"),
    ("en+f5", "80", "130"),
    ("en-us+Michael", "60", "190"),
)
LEAST_RATIO = 4.0
PITCH_EDGES_HZ = (140.0, 220.0)
OCTAVE_SEMITONES = 6.0  # further apart than half an octave is an octave error of one of the two


def main() -> None:
    """Print the figures; exit 1 if the ratio is too low."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=100)
    n_clips = parser.parse_args().clips
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    items = corpus.load_benchmark_v1().items[: n_clips + 1]
    clips = list(_clips(items))
    ours, ours_s = _timed(_our_reader(), clips)
    theirs, theirs_s = _timed(_their_reader(), clips)
    seconds = np.mean([soundfile.info(io.BytesIO(data)).duration for _, data in clips])
    ratio = theirs_s / ours_s
    print(f"{len(ours)} clips of {seconds:.1f} s on average, one core")
    print(f"ours {ours_s * 1e3:.0f} ms a clip, vocencebench {theirs_s * 1e3:.0f} ms: {ratio:.1f} times as fast")
    _agreement(ours, theirs)
    if ratio < LEAST_RATIO:
        raise SystemExit(f"at least {LEAST_RATIO} was wanted")


def _clips(items: tuple[Item, ...]) -> Iterator[tuple[Item, bytes]]:
    """Speak each item with one of eight voices in turn."""
    import hibari
    import py_nanotts

    neural = hibari.Hibari()
    for index, item in enumerate(items):
        kind = index % 8
        if kind < len(ESPEAK):
            voice, pitch, speed = ESPEAK[kind]
            command = ["espeak-ng", "-v", voice, "-p", pitch, "-s", speed, "--stdout", item.script]
            yield (
                item,
                _as_wav(*soundfile.read(io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout))),
            )
        elif kind == len(ESPEAK):
            yield item, _as_wav(neural(item.script, seed=0), hibari.SAMPLE_RATE)
        else:
            voice = ("en-US", "en-GB")[kind % 2]
            yield item, _as_wav(np.frombuffer(py_nanotts.NanoTTS().speak(item.script, voice=voice), np.int16), 16_000)


def _as_wav(samples: np.ndarray, rate_hz: int) -> bytes:
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate_hz, format="WAV", subtype="PCM_16")
    return stream.getvalue()


def _our_reader() -> Callable[[Item, bytes], tuple[float, float, float]]:
    acoustic = AcousticPass.load()

    def read(_item: Item, data: bytes) -> tuple[float, float, float]:
        samples, rate_hz = soundfile.read(io.BytesIO(data), dtype="float32")
        reading = acoustic.read(samples, rate_hz, to_16k(samples, rate_hz))
        if not isinstance(reading, Acoustics):
            return np.nan, np.nan, np.nan
        span_s = reading.speech_end_s - reading.speech_start_s
        return reading.f0_hz or np.nan, reading.level_dbfs, span_s

    return read


def _their_reader() -> Callable[[Item, bytes], tuple[float, float, float]]:
    from vocencebench.probes.acoustic import LoudnessProbe, PaceProbe, PitchProbe

    probes = PitchProbe(), LoudnessProbe(), PaceProbe()

    def read(item: Item, data: bytes) -> tuple[float, float, float]:
        sample = SimpleNamespace(traits=dict(item.requested), text=item.script)
        pitch, loudness, pace = (probe.score(sample, data).detail for probe in probes)
        return pitch["f0_median"] or np.nan, loudness["dbfs"], pace["duration_s"]

    return read


def _timed(read: Callable, clips: list[tuple[Item, bytes]]) -> tuple[np.ndarray, float]:
    """Return the readings and the processor seconds a clip, the first clip (which warms up) left out."""
    read(*clips[0])
    started = time.process_time()
    found = [read(item, data) for item, data in clips[1:]]
    return np.array(found), (time.process_time() - started) / (len(clips) - 1)


def _agreement(ours: np.ndarray, theirs: np.ndarray) -> None:
    both = np.isfinite(ours) & np.isfinite(theirs)
    print(f"{'quantity':<22}{'both read':>10}{'correlation':>13}{'median |diff|':>15}{'worst':>9}")
    for column, (name, unit) in enumerate((("median F0", "st"), ("level", "dB"), ("speech span", "s"))):
        pair = ours[both[:, column], column], theirs[both[:, column], column]
        apart = np.abs(12 * np.log2(pair[0] / pair[1]) if unit == "st" else pair[0] - pair[1])
        figures = f"{np.corrcoef(*pair)[0, 1]:>13.4f}{np.median(apart):>12.3f} {unit:<2}{apart.max():>9.2f}"
        print(f"{name:<22}{both[:, column].sum():>10}{figures}")
        if unit == "st":
            same = np.digitize(pair[0], PITCH_EDGES_HZ) == np.digitize(pair[1], PITCH_EDGES_HZ)
            print(f"  same absolute bucket {same.mean():.3f}, octave errors {int((apart > OCTAVE_SEMITONES).sum())}")


if __name__ == "__main__":
    main()
