"""What one zip entry must be before it may be unpacked: its name, its kind, its local header, its own bytes."""

import re
import stat
import struct
import unicodedata
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from submissions.zip_directory import LOCAL_BYTES, Entry

_ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000
_LATER_SIZES_FLAG = 0x8
_FULL32 = 0xFFFF_FFFF
_METHODS = (0, 8)
_DRIVE = re.compile(r"^[A-Za-z]:")


def entry_faults(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield (code, what came) for everything that forbids to unpack `entry`."""
    yield from _name_faults(entry)
    kind = stat.S_IFMT(entry.unix_mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield "not_a_file", "a symbolic link" if kind == stat.S_IFLNK else "a special file"
    if entry.flags & _ENCRYPTED_FLAGS:
        yield "encrypted", "an encrypted file"
    elif entry.method not in _METHODS:
        yield "zip_method", f"method {entry.method}"
    if entry.disk:
        yield "zip_lies", f"bytes on volume {entry.disk + 1}"


def _name_faults(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.is_bad_utf8:
        yield "name_encoding", "bytes that are not UTF-8"
    parts = entry.name.replace("\\", "/").split("/")
    if ".." in parts:
        yield "unsafe_name", "a way out of the folder"
    elif entry.name.startswith(("/", "\\")) or _DRIVE.match(entry.name):
        yield "unsafe_name", "an absolute name"
    elif not entry.name:
        yield "unsafe_name", "an empty name"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in entry.name):
        yield "unsafe_name", "a control character"
    if "\\" in entry.name:
        yield "backslash_name", "a backslash"


def find_data(file: BinaryIO, entry: Entry, directory_at: int) -> int | str:
    """Return where the packed bytes of `entry` start, or in what its local header contradicts the table."""
    if entry.header_at + LOCAL_BYTES > directory_at:
        return "bytes outside the zip"
    file.seek(entry.header_at)
    head = file.read(LOCAL_BYTES)
    if len(head) < LOCAL_BYTES or head[:4] != b"PK\x03\x04":
        return "no file where one is announced"
    flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = struct.unpack("<HHHHIIIHH", head[6:])
    if file.read(name_bytes) != entry.raw_name:
        return "another name"
    if method != entry.method or (flags ^ entry.flags) & 1:
        return "another packing"
    if not flags & _LATER_SIZES_FLAG:
        pairs = ((crc, entry.crc), (packed, entry.packed_bytes), (size, entry.size_bytes))
        if any(here not in (announced, _FULL32) for here, announced in pairs):
            return "another size or checksum"
    if entry.method == 0 and entry.packed_bytes != entry.size_bytes and not entry.flags & 1:
        return "another size or checksum"
    start: int = entry.header_at + LOCAL_BYTES + name_bytes + extra_bytes
    if start + entry.packed_bytes > directory_at:
        return "bytes outside the zip"
    return start


def overlapping(spans: Iterable[tuple[int, int, int]]) -> tuple[int, ...]:
    """Return the indices of entries that share bytes, ascending.

    Args:
        spans: (start, end, index) of each entry, header included, end exclusive.
    """
    shared: set[int] = set()
    holder_end, holder = -1, -1
    for start, end, index in sorted(spans):
        if start < holder_end:
            shared.update((holder, index))
        if end > holder_end:
            holder_end, holder = end, index
    return tuple(sorted(shared))
