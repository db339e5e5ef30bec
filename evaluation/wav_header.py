"""Whether a WAV header tells the truth about its length; pure look at the chunks, no sample is decoded.

Programs that stream a WAV cannot know its length when they write the header: they leave 0 or a huge number there.
Players read such a file to its end, so the decoder does too. `Overlay` shows the decoder a mended length without
changing the file.
"""

import io
import struct
from dataclasses import dataclass
from typing import BinaryIO

from typing_extensions import Buffer

_STREAMED_FROM = 0x7FFF_0000  # lengths from here on are placeholders: a real clip is far smaller
_MAX_CHUNKS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DataChunk:
    """The audio chunk of a WAV file, as declared and as found."""

    length_at: int
    """Byte offset of the 4-byte length field."""
    declared_bytes: int
    """Length that the header claims, bytes."""
    available_bytes: int
    """Bytes from the start of the audio to the end of the file."""
    has_chunk_after: bool
    """A well-formed chunk follows the declared audio (tags, for example)."""
    is_little_endian: bool
    """RIFF; False is RIFX."""

    @property
    def is_streamed(self) -> bool:
        """The length is a placeholder: the audio lasts to the end of the file."""
        if self.declared_bytes == 0:
            return self.available_bytes > 0 and not self.has_chunk_after
        return self.declared_bytes >= _STREAMED_FROM and self.declared_bytes > self.available_bytes

    @property
    def missing_bytes(self) -> int:
        """Declared bytes that the file does not hold; 0 if the length is a placeholder."""
        return 0 if self.is_streamed else max(0, self.declared_bytes - self.available_bytes)

    @property
    def surplus_bytes(self) -> int:
        """Bytes after the declared audio that are no chunk; 0 if the length is a placeholder."""
        if self.is_streamed or self.has_chunk_after:
            return 0
        surplus = self.available_bytes - self.declared_bytes - self.declared_bytes % 2
        return max(0, surplus)


def find_data_chunk(file: BinaryIO) -> DataChunk | None:
    """Return the audio chunk of a RIFF or RIFX WAV file; None if the file is something else or has none."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(12)
    if head[:4] not in (b"RIFF", b"RIFX") or head[8:12] != b"WAVE":
        return None
    order = "<" if head[:4] == b"RIFF" else ">"
    at = 12
    for _ in range(_MAX_CHUNKS):
        name, length = _chunk_at(file, at, order)
        if name is None:
            return None
        if name == b"data":
            after = at + 8 + length + length % 2
            return DataChunk(
                length_at=at + 4,
                declared_bytes=length,
                available_bytes=size - at - 8,
                has_chunk_after=_is_chunk(file, after, size, order),
                is_little_endian=order == "<",
            )
        at += 8 + length + length % 2
    return None


def _chunk_at(file: BinaryIO, at: int, order: str) -> tuple[bytes | None, int]:
    file.seek(at)
    head = file.read(8)
    if len(head) < 8:
        return None, 0
    return head[:4], struct.unpack(order + "I", head[4:])[0]


def _is_chunk(file: BinaryIO, at: int, size: int, order: str) -> bool:
    if at >= size:
        return False
    name, length = _chunk_at(file, at, order)
    return name is not None and all(32 <= byte < 127 for byte in name) and at + 8 + length <= size


class Overlay(io.RawIOBase):
    """A readable file in which four bytes look different; the file itself stays as it is."""

    def __init__(self, file: BinaryIO, at: int, patch: bytes) -> None:
        """Show `file` with `patch` in place of the bytes from offset `at`."""
        super().__init__()
        self._file = file
        self._at = at
        self._patch = patch

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move as the file would."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the file."""
        return self._file.tell()

    def readinto(self, buffer: Buffer) -> int:
        """Fill `buffer` from the file and lay the patch over it; return the number of bytes."""
        view = memoryview(buffer).cast("B")
        start = self._file.tell()
        data = bytearray(self._file.read(len(view)))
        for i, byte in enumerate(self._patch):
            if 0 <= self._at + i - start < len(data):
                data[self._at + i - start] = byte
        view[: len(data)] = data
        return len(data)


def mended(file: BinaryIO, chunk: DataChunk) -> Overlay:
    """Return `file` as it would be had its writer known the length of its audio."""
    order = "<" if chunk.is_little_endian else ">"
    return Overlay(file, chunk.length_at, struct.pack(order + "I", min(chunk.available_bytes, 0xFFFF_FFFE)))
