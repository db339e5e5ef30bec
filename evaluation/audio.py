"""The only decoder. It turns one uploaded file into a canonical clip: mono FLAC at its native rate.

The content decides the format, never the name. A file is read and written in blocks, so memory does not grow with its
length. The canonical form is fixed, so that the same file gives the same bytes:

- two channels are averaged sample by sample in double precision;
- 16 bit, or 24 bit if the source is deeper (24 and 32 bit integers, float and double);
- samples are rounded to the nearest step, halves to even, without dither; what lies beyond full scale is held at full
  scale, and noted.

Everything here may meet hostile bytes: run `canonicalise` in a process of its own (`evaluation.decoding`).
"""

import contextlib
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile
from numpy.typing import NDArray

from evaluation.audio_facts import CanonicalFacts, ClipRefused, Limits, Meter, Remark, signal_notes
from evaluation.errors import DecodeError
from evaluation.file_kinds import kind_of
from evaluation.wav_header import DataChunk, find_data_chunk, mended

BLOCK_FRAMES = 65_536
LIMITS = Limits()
"""The limits of a clip that Castboard uses."""
FORMATS = "WAV (8, 16, 24, 32 bit, float, A-law, u-law), FLAC, MP3, Ogg Vorbis or Ogg Opus"
"""What is read, in words."""

_WAV_CODINGS = ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW")
_CODINGS = {
    "WAV": _WAV_CODINGS,
    "WAVEX": _WAV_CODINGS,
    "RF64": _WAV_CODINGS,
    "FLAC": ("PCM_S8", "PCM_16", "PCM_24"),
    "OGG": ("VORBIS", "OPUS"),
    "MP3": ("MPEG_LAYER_I", "MPEG_LAYER_II", "MPEG_LAYER_III"),
}
_DEEP = ("PCM_24", "PCM_32", "FLOAT", "DOUBLE")
_FLOATS = ("FLOAT", "DOUBLE")
_LENGTH_UNKNOWN = 1 << 40  # frames; libsndfile reports a huge number where a file does not say


def canonicalise(source: Path, target: Path, limits: Limits = LIMITS) -> CanonicalFacts:
    """Write the canonical clip of `source` to `target` and return what was learnt on the way.

    Args:
        source: an uploaded file of any name; it is only read.
        target: where the FLAC goes; it appears whole or not at all.
        limits: what a clip may be.

    Returns:
        Facts of the clip; the same bytes give the same facts.

    Raises:
        ClipRefused: the file is not audio, is damaged, or lies outside `limits`; `target` is then not written.
    """
    part = target.with_name(f".{target.name}.part")
    try:
        facts = _transcode(source, part, limits)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return facts


def read(path: Path) -> tuple[NDArray[np.float32], int]:
    """Return the samples and the rate of a canonical clip.

    Args:
        path: a FLAC file that `canonicalise` wrote.

    Returns:
        Samples of shape (n,), float32 in [-1, 1), and the sampling rate in Hz.

    Raises:
        DecodeError: the file is not a mono FLAC that can be read ("damaged").
    """
    return _read(path, path.name, -1)


def read_published(flac: bytes, name: str) -> tuple[NDArray[np.float32], int]:
    """Return the samples and the rate of a canonical clip that lies in memory, and may be anybody's.

    Args:
        flac: the FLAC file.
        name: what it is called, for messages.

    Returns:
        Samples of shape (n,), float32 in [-1, 1), and the sampling rate in Hz.

    Raises:
        DecodeError: it is not a mono FLAC that can be read, has no sample, or more than any clip may have ("damaged").
    """
    n_most = int(LIMITS.max_s * LIMITS.max_hz)
    samples, rate_hz = _read(io.BytesIO(flac), name, n_most + 1)
    if not 0 < samples.size <= n_most or not LIMITS.min_hz <= rate_hz <= LIMITS.max_hz:
        detail = (
            f"The canonical clip {name} has {samples.size:,} samples or more at {rate_hz:,} Hz, which no clip may have"
        )
        raise DecodeError("damaged", detail)
    return samples, rate_hz


def _read(source: Path | io.BytesIO, name: str, n_frames: int) -> tuple[NDArray[np.float32], int]:
    try:
        samples, rate_hz = soundfile.read(source, frames=n_frames, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise DecodeError("damaged", f"The canonical clip {name} cannot be read: {error}") from error
    if samples.shape[1] != 1:
        raise DecodeError("damaged", f"The canonical clip {name} must be mono, got {samples.shape[1]} channels")
    return samples[:, 0], int(rate_hz)


def quantise(mono: NDArray[np.float64], bit_depth: int) -> NDArray[np.int32]:
    """Return `mono` in steps of `bit_depth`: nearest, halves to even, held at full scale; not-a-number becomes 0."""
    full = 1 << (bit_depth - 1)
    held = np.clip(np.nan_to_num(mono, nan=0.0), -1.0, 1.0)
    return np.minimum(np.rint(held * full), full - 1).astype(np.int32)


def _transcode(source: Path, part: Path, limits: Limits) -> CanonicalFacts:
    with source.open("rb", buffering=0) as file:  # libsndfile reads the descriptor
        chunk = find_data_chunk(file)
        with _opened(file, chunk) as sound:
            _refuse_if(_header_faults(sound, limits))
            bit_depth = 24 if sound.subtype in _DEEP else 16
            meter = _copy(sound, part, bit_depth, limits)
            source_format = f"{sound.format}/{sound.subtype}"
            length_notes = _length_notes(sound, chunk, meter.n_frames)
            is_float, rate_hz, n_channels = sound.subtype in _FLOATS, sound.samplerate, sound.channels
    _refuse_if(_stream_faults(meter, rate_hz, limits))
    with part.open("rb") as written:
        sha256 = hashlib.file_digest(written, "sha256").hexdigest()
    return CanonicalFacts(
        sha256=sha256,
        n_bytes=part.stat().st_size,
        duration_s=round(meter.n_frames / rate_hz, 6),
        rate_hz=rate_hz,
        bit_depth=bit_depth,
        source_format=source_format,
        source_channels=n_channels,
        peak=round(meter.peak, 6),
        clipped_share=meter.clipped_share,
        over_share=meter.over_share,
        dc_offset=meter.dc_offset,
        is_silent=meter.is_silent,
        is_constant=meter.is_constant,
        has_dead_channel=meter.dead_channel is not None,
        notes=length_notes + signal_notes(meter, rate_hz, is_float),
    )


def _copy(sound: soundfile.SoundFile, part: Path, bit_depth: int, limits: Limits) -> Meter:
    full_scale = (1 << (bit_depth - 1)) - 1
    meter = Meter(sound.channels, full_scale)
    with soundfile.SoundFile(
        str(part), "w", sound.samplerate, 1, f"PCM_{bit_depth}", format="FLAC", compression_level=0.5
    ) as out:
        for block in _blocks(sound, int(limits.max_s * sound.samplerate) + 1):
            with np.errstate(over="ignore", invalid="ignore"):  # infinite samples are counted by the meter
                mono = block.mean(axis=1)
            samples = quantise(mono, bit_depth)
            meter.add(block, mono, samples)
            out.write(samples << (32 - bit_depth))
    return meter


def _blocks(sound: soundfile.SoundFile, max_frames: int) -> Iterator[NDArray[np.float64]]:
    n_left = max_frames
    while n_left > 0:
        try:
            block = sound.read(min(BLOCK_FRAMES, n_left), dtype="float64", always_2d=True)
        except soundfile.LibsndfileError as error:
            at_s = (max_frames - n_left) / sound.samplerate
            raise _refused("damaged", f"after {at_s:.2f} s: {_reason(error)}") from error
        if len(block) == 0:
            return
        n_left -= len(block)
        yield block


@contextlib.contextmanager
def _opened(file: BinaryIO, chunk: DataChunk | None) -> Iterator[soundfile.SoundFile]:
    file.seek(0)
    needs_mending = chunk is not None and chunk.is_streamed and chunk.declared_bytes == 0
    try:
        if chunk is not None and needs_mending:
            sound = soundfile.SoundFile(mended(file, chunk))
        else:
            sound = soundfile.SoundFile(file.fileno(), closefd=False)
    except soundfile.LibsndfileError as error:
        kind = kind_of(file)
        if kind.is_audio:
            raise _refused("damaged", f"{kind.name} that cannot be opened: {_reason(error)}") from error
        raise _refused("not_audio", kind.name) from error
    with sound:
        yield sound


def _header_faults(sound: soundfile.SoundFile, limits: Limits) -> list[Remark]:
    faults = []
    rate_hz = sound.samplerate
    if sound.subtype not in _CODINGS.get(sound.format, ()):
        faults.append(Remark(code="format_not_allowed", detail=f"{sound.format} with {sound.subtype}"))
    if sound.channels > limits.max_channels:
        faults.append(Remark(code="too_many_channels", detail=f"{sound.channels} channels"))
    # A FLAC frame can name a rate above 65,535 Hz in steps of 10 Hz only.
    if not limits.min_hz <= rate_hz <= limits.max_hz or (rate_hz > 65_535 and rate_hz % 10):
        faults.append(Remark(code="rate_not_allowed", detail=f"{rate_hz} Hz"))
    return faults


def _stream_faults(meter: Meter, rate_hz: int, limits: Limits) -> list[Remark]:
    duration_s = meter.n_frames / rate_hz
    faults = []
    if meter.n_frames == 0:
        faults.append(Remark(code="empty", detail="0 samples"))
    elif duration_s < limits.min_s:
        faults.append(Remark(code="too_short", detail=f"{duration_s:.3f} s"))
    elif duration_s > limits.max_s:
        faults.append(Remark(code="too_long", detail=f"more than {limits.max_s:g} s"))
    if meter.n_nonfinite:
        first_s = meter.first_nonfinite_frame / rate_hz
        faults.append(Remark(code="nonfinite", detail=f"{meter.n_nonfinite} samples, the first at {first_s:.3f} s"))
    return faults


def _length_notes(sound: soundfile.SoundFile, chunk: DataChunk | None, n_frames: int) -> tuple[Remark, ...]:
    if chunk is not None:
        if chunk.is_streamed:
            return (Remark(code="streamed_header", detail=f"length {chunk.declared_bytes} in the header"),)
        if chunk.missing_bytes:
            found = f"{chunk.available_bytes} of {chunk.declared_bytes} bytes of audio"
            return (Remark(code="cut_short", detail=found),)
        if chunk.surplus_bytes:
            return (Remark(code="surplus_bytes", detail=f"{chunk.surplus_bytes} bytes"),)
    elif n_frames < 0.95 * sound.frames < _LENGTH_UNKNOWN:
        found = f"{n_frames / sound.samplerate:.2f} of {sound.frames / sound.samplerate:.2f} s"
        return (Remark(code="cut_short", detail=found),)
    return ()


def _refuse_if(faults: list[Remark]) -> None:
    if faults:
        raise ClipRefused(tuple(faults))


def _refused(code: str, detail: str) -> ClipRefused:
    return ClipRefused((Remark(code=code, detail=detail),))


def _reason(error: soundfile.LibsndfileError) -> str:
    return str(error.error_string).strip().rstrip(".")
