"""A name for a file that cannot be read as audio, from its first bytes, so that the maker knows what was sent."""

from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """What a file looks like."""

    name: str
    """In words, with its article."""
    is_audio: bool
    """It starts like a format that is read, so it is damaged rather than something else."""


_SIGNATURES: tuple[tuple[int, bytes, str, bool], ...] = (
    (0, b"version https://git-lfs", "a Git LFS pointer, not the file that it points to", False),
    (0, b"RIFF", "a WAV file", True),
    (0, b"RIFX", "a WAV file", True),
    (0, b"RF64", "a WAV file", True),
    (0, b"fLaC", "a FLAC file", True),
    (0, b"OggS", "an Ogg file", True),
    (0, b"ID3", "an MP3 file", True),
    (0, b"\xff\xfb", "an MP3 file", True),
    (0, b"\xff\xf3", "an MP3 file", True),
    (0, b"\xff\xf1", "an AAC file", False),
    (4, b"ftyp", "an MP4 or M4A file", False),
    (0, b"\x1aE\xdf\xa3", "a WebM or Matroska file", False),
    (0, b"FORM", "an AIFF file", False),
    (0, b"PK", "a zip file", False),
    (0, b"\x1f\x8b", "a gzip file", False),
    (0, b"\x89PNG", "a PNG picture", False),
    (0, b"\xff\xd8\xff", "a JPEG picture", False),
    (0, b"%PDF", "a PDF file", False),
    (0, b"\x7fELF", "a program", False),
    (0, b"MZ", "a program", False),
    (0, b"\x93NUMPY", "a NumPy array", False),
)


def kind_of(file: BinaryIO) -> FileKind:
    """Return what `file` looks like by its first bytes; reads at most 512 of them."""
    file.seek(0)
    head = file.read(512)
    if not head:
        return FileKind(name="an empty file", is_audio=False)
    for at, signature, name, is_audio in _SIGNATURES:
        if head[at : at + len(signature)] == signature:
            return FileKind(name=name, is_audio=is_audio)
    return FileKind(name=_unsigned_kind(head), is_audio=False)


def _unsigned_kind(head: bytes) -> str:
    if not any(head):
        return "a file of zero bytes"
    if head.lstrip()[:1] == b"<":
        return "an HTML or XML text"
    if all(byte >= 32 or byte in b"\t\n\r" for byte in head):
        return "a text file"
    return "bytes of no known audio format"
