"""Reads a zip's table of contents without trusting it. Only `submissions.archive` uses it.

Python's own reader takes the whole table into memory, whatever its size, fails altogether on one bad name, and cuts
names at NUL. Here the table is bounded before it is read, and each entry is kept as it stands, with its raw name.

Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
"""

import io
import struct
from dataclasses import dataclass
from typing import BinaryIO

END_BYTES = 22
LOCAL_BYTES = 30
_ENTRY_BYTES = 46
_END64_BYTES = 56
_LOCATOR_BYTES = 20
_MAX_COMMENT = 0xFFFF
_FULL32 = 0xFFFF_FFFF
_FULL16 = 0xFFFF
_UTF8_FLAG = 0x800


class DirectoryError(Exception):
    """The table of contents cannot be used; `code` is a key of the problem rules."""

    def __init__(self, code: str, got: str) -> None:
        """Carry the `code` and what was `got`."""
        super().__init__(got)
        self.code = code
        self.got = got


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the table of contents, as it claims to be."""

    raw_name: bytes
    """Name as stored."""
    name: str
    """Name as text: UTF-8 if it is that, else code page 437; bytes that are not what the zip says become U+FFFD."""
    is_bad_utf8: bool
    """The zip says that the name is UTF-8, and it is not."""
    flags: int
    """General purpose bits."""
    method: int
    """0 stored, 8 deflated, ..."""
    crc: int
    """CRC-32 of the unpacked bytes."""
    packed_bytes: int
    """Packed size."""
    size_bytes: int
    """Unpacked size."""
    header_at: int
    """Offset of the local header in the file."""
    disk: int
    """Volume that holds it; 0 unless the zip is split."""
    unix_mode: int
    """Unix mode bits; 0 if the entry was not made on Unix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A whole table of contents."""

    entries: tuple[Entry, ...]
    """In the order of the table."""
    starts_at: int
    """Offset of the table; every file's bytes lie before it."""
    n_bytes_before: int
    """Bytes before the zip that are no part of it."""
    n_bytes_after: int
    """Bytes after the zip that are no part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    at: int
    comment_bytes: int
    disks: tuple[int, int]
    n_entries: int
    directory_bytes: int
    directory_at: int


def read_directory(file: BinaryIO, *, max_entries: int, max_bytes: int) -> Directory:
    """Return the table of contents of a zip.

    Args:
        file: the zip, seekable.
        max_entries: most entries.
        max_bytes: largest table, bytes; more is never read.

    Raises:
        DirectoryError: "not_a_zip", "zip_damaged", "zip_split" or "too_many_entries".
    """
    size = file.seek(0, io.SEEK_END)
    end = _find_end(file, size)
    n_bytes_after = size - end.at - END_BYTES - end.comment_bytes
    end = _with_zip64(file, end)
    if any(disk not in (0, _FULL16) for disk in end.disks):
        raise DirectoryError("zip_split", f"volume {end.disks[0] + 1}")
    if end.n_entries > max_entries:
        raise DirectoryError("too_many_entries", f"{end.n_entries:,} entries")
    if end.directory_bytes > max_bytes:
        raise DirectoryError("too_many_entries", f"a table of contents of {end.directory_bytes:,} bytes")
    before = end.at - end.directory_bytes - end.directory_at
    if before < 0:
        raise DirectoryError("zip_damaged", "a table of contents that lies outside the file")
    file.seek(end.at - end.directory_bytes)
    entries = _entries(file.read(end.directory_bytes), before)
    if len(entries) > max_entries:
        raise DirectoryError("too_many_entries", f"{len(entries):,} entries")
    if len(entries) != end.n_entries:
        raise DirectoryError("zip_damaged", f"{len(entries):,} entries where {end.n_entries:,} are announced")
    return Directory(
        entries=entries,
        starts_at=end.at - end.directory_bytes,
        n_bytes_before=before,
        n_bytes_after=n_bytes_after,
    )


def _find_end(file: BinaryIO, size: int) -> _End:
    start = max(0, size - END_BYTES - _MAX_COMMENT)
    file.seek(start)
    tail = file.read(END_BYTES + _MAX_COMMENT)
    at = tail.rfind(b"PK\x05\x06")
    while at >= 0:
        if at + END_BYTES <= len(tail):
            fields = struct.unpack("<HHHHIIH", tail[at + 4 : at + END_BYTES])
            if at + END_BYTES + fields[6] <= len(tail):
                return _End(
                    at=start + at,
                    comment_bytes=fields[6],
                    disks=(fields[0], fields[1]),
                    n_entries=fields[3],
                    directory_bytes=fields[4],
                    directory_at=fields[5],
                )
        at = tail.rfind(b"PK\x05\x06", 0, at)
    raise DirectoryError("not_a_zip", "a file without the end record of a zip")


def _with_zip64(file: BinaryIO, end: _End) -> _End:
    """Return `end` with the wide numbers of a zip64 end record, if there is one."""
    if end.at < _LOCATOR_BYTES:
        return end
    file.seek(end.at - _LOCATOR_BYTES)
    locator = file.read(_LOCATOR_BYTES)
    if locator[:4] != b"PK\x06\x07":
        return end
    _, end64_at, n_disks = struct.unpack("<IQI", locator[4:])
    for at in (end64_at, end.at - _LOCATOR_BYTES - _END64_BYTES):
        if not 0 <= at <= end.at - _LOCATOR_BYTES - _END64_BYTES:
            continue
        file.seek(at)
        record = file.read(_END64_BYTES)
        if record[:4] == b"PK\x06\x06":
            disk, directory_disk, _, n_entries, directory_bytes, directory_at = struct.unpack("<IIQQQQ", record[16:])
            return _End(
                at=at,
                comment_bytes=end.comment_bytes,
                disks=(max(disk, n_disks - 1 if n_disks else 0), directory_disk),
                n_entries=n_entries,
                directory_bytes=directory_bytes,
                directory_at=directory_at,
            )
    raise DirectoryError("zip_damaged", "a zip64 end record that is not where it should be")


def _entries(table: bytes, before: int) -> tuple[Entry, ...]:
    entries = []
    at = 0
    while at < len(table):
        head = table[at : at + _ENTRY_BYTES]
        if len(head) < _ENTRY_BYTES or head[:4] != b"PK\x01\x02":
            raise DirectoryError("zip_damaged", f"no entry at byte {at:,} of the table of contents")
        name_bytes, extra_bytes, comment_bytes = struct.unpack("<HHH", head[28:34])
        name_at = at + _ENTRY_BYTES
        at = name_at + name_bytes + extra_bytes + comment_bytes
        if at > len(table):
            raise DirectoryError("zip_damaged", "an entry that runs beyond the table of contents")
        extra = table[name_at + name_bytes : name_at + name_bytes + extra_bytes]
        entries.append(_entry(head, table[name_at : name_at + name_bytes], extra, before))
    return tuple(entries)


def _entry(head: bytes, raw_name: bytes, extra: bytes, before: int) -> Entry:
    made_by, _, flags, method, _, _, crc, packed, size = struct.unpack("<HHHHHHIII", head[4:28])
    disk, _, attributes, header_at = struct.unpack("<HHII", head[34:46])
    size, packed, header_at = _wide((size, packed, header_at), extra)
    name, is_bad_utf8 = _text(raw_name, bool(flags & _UTF8_FLAG))
    return Entry(
        raw_name=raw_name,
        name=name,
        is_bad_utf8=is_bad_utf8,
        flags=flags,
        method=method,
        crc=crc,
        packed_bytes=packed,
        size_bytes=size,
        header_at=header_at + before,
        disk=0 if disk == _FULL16 else disk,
        unix_mode=attributes >> 16 if made_by >> 8 in (3, 19) else 0,
    )


def _wide(values: tuple[int, ...], extra: bytes) -> list[int]:
    """Return size, packed size and offset, each from the zip64 extra field where the entry has no room for it."""
    field = memoryview(_extra_field(extra, 1))
    wide = []
    for value in values:
        if value == _FULL32 and len(field) >= 8:
            wide.append(int.from_bytes(field[:8], "little"))
            field = field[8:]
        else:
            wide.append(value)
    return wide


def _extra_field(extra: bytes, wanted: int) -> bytes:
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack("<HH", extra[at : at + 4])
        if kind == wanted:
            return extra[at + 4 : at + 4 + length]
        at += 4 + length
    return b""


def _text(raw_name: bytes, says_utf8: bool) -> tuple[str, bool]:
    try:
        return raw_name.decode("utf-8"), False
    except UnicodeDecodeError:
        if says_utf8:
            return raw_name.decode("utf-8", "replace"), True
        return raw_name.decode("cp437"), False
