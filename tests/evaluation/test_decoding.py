"""The pool: a hostile file costs itself alone, and no process outlives its parent."""

import multiprocessing
import os
import select
import signal
import struct
from pathlib import Path

import pytest

from evaluation.audio import canonicalise
from evaluation.audio_facts import ClipRefused
from evaluation.decoding import FILE_BYTES, OPEN_FILES, Decoder
from tests.audio_factory import clip_bytes, encoded, noise
from tests.evaluation import decoder_tasks

PATIENCE_S = 60


def put(folder: Path, name: str, data: bytes) -> Path:
    """Write a source file."""
    (folder / name).write_bytes(data)
    return folder / name


def refusal(decoder: Decoder, source: Path) -> ClipRefused:
    """Return how a source is refused."""
    with pytest.raises(ClipRefused) as caught:
        decoder.decode(source, source.with_suffix(".flac")).result(PATIENCE_S)
    return caught.value


def test_a_pool_decodes_as_one_process_does(tmp_path):
    """Facts and bytes equal those of a direct call; faults come back whole."""
    sources = [put(tmp_path, f"{number}.wav", clip_bytes(number)) for number in range(6)]
    with Decoder(2) as decoder:
        answers = [decoder.decode(source, source.with_suffix(".flac")) for source in sources]
        pooled = [answer.result(PATIENCE_S) for answer in answers]
        error = refusal(decoder, put(tmp_path, "bad", encoded(noise()[:100], rate_hz=4000)))
    for source, facts in zip(sources, pooled, strict=True):
        direct = source.with_suffix(".direct")
        assert canonicalise(source, direct) == facts
        assert direct.read_bytes() == source.with_suffix(".flac").read_bytes()
    assert [fault.code for fault in error.faults] == ["rate_not_allowed"]


def test_a_crash_costs_one_clip(tmp_path):
    """A file that kills its decoder is refused with the exit code; the clips around it are decoded."""
    good = put(tmp_path, "good", clip_bytes())
    bad = put(tmp_path, "bad", b"crash")
    with Decoder(1, task=decoder_tasks.crash_on_bad) as decoder:
        answers = [decoder.decode(good, tmp_path / f"{number}.flac") for number in range(3)]
        assert (refusal(decoder, bad).code, refusal(decoder, bad).faults[0].detail) == (
            "decoder_died",
            f"the decoder ended with code {-signal.SIGSEGV}",
        )
        answers += [decoder.decode(good, tmp_path / f"{number}.flac") for number in range(3, 6)]
        assert len({answer.result(PATIENCE_S).sha256 for answer in answers}) == 1


def test_one_death_is_forgiven(tmp_path):
    """A clip whose decoder was killed once is decoded by the next one."""
    with Decoder(1, task=decoder_tasks.crash_once) as decoder:
        facts = decoder.decode(put(tmp_path, "a", clip_bytes()), tmp_path / "a.flac").result(PATIENCE_S)
    assert facts.duration_s == 0.5


def test_a_hanging_clip_is_given_up(tmp_path):
    """A file that takes longer than allowed is refused, and the pool goes on."""
    with Decoder(1, timeout_s=3, task=decoder_tasks.hang_on_bad) as decoder:
        error = refusal(decoder, put(tmp_path, "bad", b"hang"))
        assert (error.code, error.faults[0].detail) == ("too_slow", "more than 3 s")
        good = decoder.decode(put(tmp_path, "good", clip_bytes()), tmp_path / "good.flac")
        assert good.result(PATIENCE_S).duration_s == 0.5


def test_processor_time_is_bounded(tmp_path):
    """A process at its limit of processor time dies, and the clip is too slow."""
    with Decoder(1, task=decoder_tasks.burn_processor) as decoder:
        assert refusal(decoder, put(tmp_path, "a", b"")).code == "too_slow"


def test_memory_is_bounded(tmp_path):
    """2 GiB are refused to a decoder; the clip is too big, and the process lives."""
    with Decoder(1, task=decoder_tasks.take_memory) as decoder:
        assert refusal(decoder, put(tmp_path, "a", b"")).code == "too_big"


def test_written_files_are_bounded(tmp_path):
    """A decoder cannot fill the disk."""
    with Decoder(1, task=decoder_tasks.write_too_much) as decoder:
        answer = decoder.decode(put(tmp_path, "a", b""), tmp_path / "a.flac")
        with pytest.raises(OSError, match="too large"):
            answer.result(PATIENCE_S)


def test_a_decoder_is_confined(tmp_path):
    """No core dump, few files, a largest file, lower priority."""
    with Decoder(1, task=decoder_tasks.tell_limits) as decoder:
        told = refusal(decoder, put(tmp_path, "a", b"")).faults[0].detail
    assert told == str([0, OPEN_FILES, FILE_BYTES, os.nice(0) + 5])


def test_a_death_between_two_clips_breaks_nothing(tmp_path):
    """If the only process is killed while it is idle, the next clip gets a new one."""
    source = put(tmp_path, "a", b"")
    with Decoder(1, task=decoder_tasks.tell_pid) as decoder:
        pid = int(refusal(decoder, source).faults[0].detail)
        os.kill(pid, signal.SIGKILL)
        assert int(refusal(decoder, source).faults[0].detail) != pid


def test_leaving_stops_a_busy_decoder(tmp_path):
    """The end of the context ends a process that hangs."""
    with Decoder(1, task=decoder_tasks.write_pid_and_wait) as decoder:
        decoder.decode(put(tmp_path, "a", b""), tmp_path / "pid")
        child = _pidfd_from(tmp_path / "pid")
    assert _has_ended(child)


def test_no_decoder_outlives_a_killed_parent(tmp_path):
    """Kill -9 of the parent takes its decoders along."""
    pid_file = tmp_path / "pid"
    parent = multiprocessing.get_context("spawn").Process(target=decoder_tasks.decode_for_ever, args=(str(pid_file),))
    parent.start()
    child = _pidfd_from(pid_file)
    parent.kill()
    parent.join()
    assert _has_ended(child)


def test_memory_does_not_grow_with_length(tmp_path):
    """120 s of 192 kHz stereo float (184 MB) need less than 16 MiB more than one second of it."""
    second = encoded(noise(rate_hz=192_000, duration_s=2.0).reshape(-1, 2), coding="FLOAT", rate_hz=192_000)
    audio = second[second.index(b"data") + 8 :]
    peaks = []
    for length_s in (1, 120):
        head = struct.pack(
            "<4sI4s4sIHHIIHH",
            b"RIFF",
            36 + length_s * len(audio),
            b"WAVE",
            b"fmt ",
            16,
            3,
            2,
            *(192_000, 1_536_000, 8, 32),
        )
        source = tmp_path / "long"
        with source.open("wb") as file:
            file.write(head + struct.pack("<4sI", b"data", length_s * len(audio)))
            for _ in range(length_s):
                file.write(audio)
        with Decoder(1, task=decoder_tasks.tell_peak_memory) as decoder:
            peaks.append(int(refusal(decoder, source).faults[0].detail))
    assert peaks[1] - peaks[0] < 16 << 10


def _pidfd_from(path: Path) -> int:
    """Wait until `path` names a process, and return a descriptor of it."""
    for _ in range(60_000):
        if path.exists():
            return os.pidfd_open(int(path.read_text(encoding="ascii")))
        select.select([], [], [], 0.001)
    raise AssertionError("the decoder did not start")


def _has_ended(descriptor: int) -> bool:
    ready, _, _ = select.select([descriptor], [], [], PATIENCE_S)
    os.close(descriptor)
    return bool(ready)
