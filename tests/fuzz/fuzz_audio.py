"""Target: one file through the decoder to its canonical clip, with the memory that a decoder process has."""

import struct
from pathlib import Path

import numpy as np

from evaluation import audio
from evaluation.audio_facts import ClipRefused, Limits
from tests.audio_factory import encoded, noise, tone, with_data_length, with_id3_art
from tests.fuzz.cursor import Cursor

MAX_BYTES = 16_384
TOKENS = (
    *(b"RIFF", b"RIFX", b"RF64", b"WAVE", b"fmt ", b"data", b"fact", b"ds64", b"LIST", b"fLaC", b"OggS"),
    *(b"OpusHead", b"OpusTags", b"\x01vorbis", b"\x03vorbis", b"\x05vorbis", b"ID3\x03", b"\xff\xfb\x90", b"Xing"),
    *(b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\xf8\x7f", b"FORM", b"caff", b".snd"),
)
SHORT = Limits(max_s=3.0)
_RATE_HZ = 8_000
_OGG_POLYNOMIAL = 0x04C1_1DB7


def seeds() -> list[bytes]:
    """Return inputs to start from: every format that is read, some that are not, and headers that lie."""
    sound = 0.7 * tone(duration_s=0.25, rate_hz=_RATE_HZ) + noise(duration_s=0.25, rate_hz=_RATE_HZ, level=0.05)
    both = np.stack([sound, 0.5 * sound], axis=1)
    kinds = [("WAV", coding) for coding in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW")]
    kinds += [("FLAC", "PCM_S8"), ("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("OGG", "OPUS")]
    kinds += [
        ("MP3", "MPEG_LAYER_III"),
        ("RF64", "PCM_16"),
        ("WAVEX", "PCM_16"),
        ("AIFF", "PCM_16"),
        ("CAF", "ALAC_16"),
    ]
    kinds += [("WAV", "IMA_ADPCM"), ("WAV", "GSM610"), ("AU", "PCM_16"), ("W64", "PCM_16")]
    files = [encoded(sound, container=kind, coding=coding, rate_hz=_RATE_HZ) for kind, coding in kinds]
    files += [encoded(both, container=kind, coding=coding, rate_hz=_RATE_HZ) for kind, coding in kinds[:14:3]]
    wav, mp3 = files[1], files[13]
    files += [with_data_length(wav, n) for n in (0, 0xFFFF_FFFF, 2 * len(wav), 100)]
    files += [with_id3_art(mp3, 300), wav + b"tail", wav[:44], wav[:50], b"RIFX" + wav[4:]]
    return [b"\x00" + one for one in files if len(one) < MAX_BYTES]


def run_one(data: bytes, folder: Path) -> object:
    """Decode one input in `folder`, which is empty and is left empty; return what stands for its outcome."""
    cursor = Cursor(data)
    mode = cursor.number()
    content = cursor.rest()
    source, target = folder / "source", folder / "vb-00000.flac"
    source.write_bytes(content if mode & 1 else with_ogg_sums(content))
    try:
        return _decoded(source, target, SHORT if mode & 2 == 0 else audio.LIMITS)
    finally:
        left = {one.name for one in folder.iterdir()}
        assert left <= {"source", target.name}, f"a file of another name: {left}"
        for name in left:
            (folder / name).unlink()


def _decoded(source: Path, target: Path, limits: Limits) -> object:
    before = source.read_bytes()
    try:
        facts = audio.canonicalise(source, target, limits)
    except ClipRefused as refused:
        assert not target.exists(), "refused, and kept"
        assert refused.faults
        assert all(fault.detail.isprintable() and fault.detail for fault in refused.faults), refused.faults
        return [fault.code for fault in refused.faults]
    except MemoryError:  # the process that decodes for the intake answers "too_big"
        assert not target.exists(), "no memory, and kept"
        return "too_big"
    assert source.read_bytes() == before, "the source was changed"
    samples, rate_hz = audio.read(target)
    assert rate_hz == facts.rate_hz
    assert round(len(samples) / rate_hz, 6) == facts.duration_s
    assert limits.min_s <= facts.duration_s <= limits.max_s
    assert np.isfinite(samples).all()
    assert facts.n_bytes == target.stat().st_size
    assert facts.is_silent == (not samples.any())
    assert all(note.detail.isprintable() for note in facts.notes)
    again = audio.canonicalise(target, target.with_name("source"), limits)
    assert again.sha256 == facts.sha256, "a canonical clip is not its own canonical clip"
    notes = [note.code for note in facts.notes]
    return facts.source_format, facts.source_channels, facts.rate_hz.bit_length(), len(samples).bit_length(), notes


def with_ogg_sums(data: bytes) -> bytes:
    """Return `data` with right checksums in its Ogg pages, so that what lies below them is reached."""
    if not data.startswith(b"OggS"):
        return data
    mended = bytearray(data)
    at = 0
    while mended[at : at + 4] == b"OggS" and at + 27 <= len(mended):
        n_segments = mended[at + 26]
        end = at + 27 + n_segments + sum(mended[at + 27 : at + 27 + n_segments])
        mended[at + 22 : at + 26] = bytes(4)
        mended[at + 22 : at + 26] = struct.pack("<I", _ogg_sum(bytes(mended[at:end])))
        at = end
    return bytes(mended)


def _ogg_sum(page: bytes) -> int:
    register = 0
    for byte in page:
        register = ((register << 8) & 0xFFFF_FFFF) ^ _OGG_TABLE[(register >> 24) ^ byte]
    return register


def _ogg_entry(index: int) -> int:
    register = index << 24
    for _ in range(8):
        register = ((register << 1) ^ (_OGG_POLYNOMIAL if register & 0x8000_0000 else 0)) & 0xFFFF_FFFF
    return register


_OGG_TABLE = tuple(map(_ogg_entry, range(256)))
