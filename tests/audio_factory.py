"""Audio files and zips for tests, made in code: short, deterministic, and hostile on request."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from evaluation.records import Item, ItemId

RATE_HZ = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyCorpus:
    """A corpus with the one thing that intake asks for."""

    items: tuple[Item, ...]
    """Every item, in order."""


def corpus_of(n_items: int) -> TinyCorpus:
    """Return a corpus of `n_items` items vb-00000, vb-00001, ..., each with a script of its own."""
    return TinyCorpus(
        items=tuple(
            Item(
                id=ItemId(f"vb-{number:05}"),
                instruction="A calm voice.",
                script=f"Sentence number {number}.",
                requested={},
                tier=0,
                split="public",
            )
            for number in range(n_items)
        )
    )


def tone(
    *, duration_s: float = 0.5, rate_hz: int = RATE_HZ, frequency_hz: float = 220.0, level: float = 0.3
) -> np.ndarray:
    """Return a sine of shape (n,), float64."""
    n_samples = round(duration_s * rate_hz)
    return level * np.sin(2 * np.pi * frequency_hz * np.arange(n_samples) / rate_hz)


def noise(*, duration_s: float = 0.5, rate_hz: int = RATE_HZ, level: float = 0.3, seed: int = 0) -> np.ndarray:
    """Return uniform noise within +-level, shape (n,), float64."""
    return np.random.default_rng(seed).uniform(-level, level, round(duration_s * rate_hz))


def encoded(samples: np.ndarray, *, container: str = "WAV", coding: str = "PCM_16", rate_hz: int = RATE_HZ) -> bytes:
    """Return `samples` of shape (n,) or (n, channels) as the bytes of a file."""
    file = io.BytesIO()
    soundfile.write(file, samples, rate_hz, format=container, subtype=coding)
    return file.getvalue()


def clip_bytes(number: int = 0) -> bytes:
    """Return a clean short WAV that differs for each `number`."""
    return encoded(tone(frequency_hz=200.0 + number))


def with_data_length(wav: bytes, n_bytes: int) -> bytes:
    """Return a plain 44-byte-header WAV whose header claims `n_bytes` of audio."""
    return wav[:40] + struct.pack("<I", n_bytes) + wav[44:]


def with_id3_art(mp3: bytes, art_bytes: int = 300_000) -> bytes:
    """Return `mp3` behind an ID3v2.3 tag with a picture of `art_bytes`."""
    picture = b"\x00image/png\x00\x03\x00" + bytes(index % 251 for index in range(art_bytes))
    frame = b"APIC" + struct.pack(">I", len(picture)) + b"\x00\x00" + picture
    size = len(frame)
    return b"ID3\x03\x00\x00" + bytes((size >> shift) & 127 for shift in (21, 14, 7, 0)) + frame + mp3


def zip_bytes(files: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an ordinary zip of `files`; pairs may repeat a name."""
    pairs = files.items() if isinstance(files, Mapping) else files
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in pairs:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return out.getvalue()


def raw_zip(entries: Iterable["RawEntry"], *, before: bytes = b"", after: bytes = b"") -> bytes:
    """Return a zip written field by field, so that each entry may lie as it likes."""
    body = bytearray()
    table = bytearray()
    n_entries = 0
    for entry in entries:
        at = len(body) if entry.header_at is None else entry.header_at
        body += entry.local()
        table += entry.central(at)
        n_entries += 1
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, n_entries, n_entries, len(table), len(body), 0)
    return before + bytes(body) + bytes(table) + end + after


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEntry:
    """One entry of a hand-made zip; what is None is told truly."""

    name: bytes
    """Name in the table of contents."""
    data: bytes = b"data"
    """Packed bytes."""
    method: int = 0
    """0 stored, 8 deflated."""
    flags: int = 0
    """General purpose bits."""
    size_bytes: int | None = None
    """Unpacked size."""
    crc: int | None = None
    """CRC-32."""
    local_name: bytes | None = None
    """Name in the local header."""
    header_at: int | None = None
    """Offset that the table names."""
    unix_mode: int = 0o100644
    """Unix mode bits."""

    def _sums(self) -> tuple[int, int, int]:
        size = len(self.data) if self.size_bytes is None else self.size_bytes
        return (zlib.crc32(self.data) if self.crc is None else self.crc), len(self.data), size

    def local(self) -> bytes:
        """Return the local header and the packed bytes."""
        name = self.name if self.local_name is None else self.local_name
        head = struct.pack(
            "<4sHHHHHIIIHH", b"PK\x03\x04", 20, self.flags, self.method, 0, 0x21, *self._sums(), len(name), 0
        )
        return head + name + self.data

    def central(self, header_at: int) -> bytes:
        """Return the entry of the table of contents."""
        head = struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            b"PK\x01\x02",
            (3 << 8) | 20,
            20,
            self.flags,
            self.method,
            0,
            0x21,
            *self._sums(),
            len(self.name),
            0,
            0,
            0,
            0,
            self.unix_mode << 16,
            header_at,
        )
        return head + self.name


def write_zip(path: Path, n_items: int, *, extra: Mapping[str, bytes] | None = None) -> Path:
    """Write a clean submission of the corpus `corpus_of(n_items)` to `path` and return it."""
    files = {f"vb-{number:05}.wav": clip_bytes(number) for number in range(n_items)}
    path.write_bytes(zip_bytes({**files, **(extra or {})}))
    return path
