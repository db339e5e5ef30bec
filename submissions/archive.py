"""The only module that opens a zip. It never unpacks by name, and it counts every byte while it unpacks.

`Archive.open` looks at the table of contents and at every local header before any file is read: sizes, ratio, overlaps,
names, links, encryption. A member goes to a path that the caller chose; its own name is only ever shown.
"""

import hashlib
import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Self

from submissions.findings import Finding
from submissions.problems import shown
from submissions.zip_directory import DirectoryError, Entry, read_directory
from submissions.zip_entries import entry_faults, find_data, overlapping
from submissions.zip_members import ARCHIVE_LIMITS, ArchiveLimits, Member, list_files, same_names

__all__ = ["ARCHIVE_LIMITS", "Archive", "ArchiveError", "ArchiveLimits", "Member"]

CHUNK_BYTES = 1 << 16


class ArchiveError(Exception):
    """A zip cannot be opened, or one member cannot be unpacked.

    Attributes:
        finding: what was found.
    """

    def __init__(self, finding: Finding) -> None:
        """Carry `finding`."""
        super().__init__(f"{finding.code}: {finding.got}")
        self.finding = finding


class MemberSource(ABC):
    """Something that holds the files of a submission: a zip, or a folder."""

    def copy_to(self, member: Member, target: Path) -> None:
        """Write `member` to `target`, in pieces.

        Raises:
            ArchiveError: the member cannot be read as it was announced; `target` is then removed.
        """
        try:
            with target.open("wb") as out:
                for piece in self._pieces(member):
                    out.write(piece)
        except ArchiveError:
            target.unlink()
            raise

    def read(self, member: Member, max_bytes: int) -> bytes:
        """Return the bytes of a small `member`.

        Raises:
            ArchiveError: the member is larger than `max_bytes`, or as for `copy_to`.
        """
        if member.size_bytes > max_bytes:
            raise ArchiveError(Finding(code="member_size", where=member.name, got=f"{member.size_bytes:,} bytes"))
        return b"".join(self._pieces(member))

    @abstractmethod
    def _pieces(self, member: Member) -> Iterator[bytes]:
        """Yield the bytes of a member; raises ArchiveError if it is not what was announced."""


class Archive(MemberSource):
    """An open zip; a context manager.

    Attributes:
        members: files that are not ignored, in the order of the table of contents.
        findings: everything that is wrong with the zip as a zip.
        limits: what was allowed.
    """

    def __init__(self, file: BufferedReader, limits: ArchiveLimits) -> None:
        """Look at `file`, which stays the caller's to close; `Archive.open` is the usual way.

        Raises:
            ArchiveError: the table of contents cannot be used.
        """
        self._file = file
        self.limits = limits
        try:
            directory = read_directory(file, max_entries=limits.max_entries, max_bytes=limits.directory_bytes)
        except DirectoryError as error:
            raise ArchiveError(Finding(code=error.code, got=error.got)) from error
        self._entries = directory.entries
        self._data_at, findings = self._look_at(directory.starts_at)
        broken = {index for index, _ in findings}
        self.members = list_files(self._entries, broken)
        kept = {member.index for member in self.members}
        self.findings = tuple(
            finding for index, finding in findings if index in kept or finding.code == "overlap"
        ) + tuple(self._zip_findings(directory.n_bytes_before, directory.n_bytes_after))

    @classmethod
    def open(cls, path: Path, limits: ArchiveLimits = ARCHIVE_LIMITS) -> Self:
        """Open the zip at `path`.

        Raises:
            ArchiveError: the file is too big, no zip, split, or its table of contents cannot be used.
        """
        file = path.open("rb")
        try:
            size = file.seek(0, io.SEEK_END)
            if size > limits.zip_bytes:
                raise ArchiveError(Finding(code="zip_too_big", got=f"{size:,} bytes"))
            return cls(file, limits)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        """Return the archive."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def sha256(self) -> str:
        """Return the sha256 (hex) of the whole zip file."""
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()

    def _look_at(self, directory_at: int) -> tuple[dict[int, int], list[tuple[int, Finding]]]:
        """Return where each entry's bytes start, and what is wrong with which entry."""
        data_at: dict[int, int] = {}
        findings: list[tuple[int, Finding]] = []
        spans = []
        for index, entry in enumerate(self._entries):
            where = shown(entry.name)
            faults = list(entry_faults(entry))
            start = find_data(self._file, entry, directory_at)
            if isinstance(start, str):
                faults.append(("zip_lies", start))
            else:
                data_at[index] = start
                spans.append((entry.header_at, start + entry.packed_bytes, index))
            faults.extend(self._size_faults(entry))
            findings.extend((index, Finding(code=code, where=where, got=got)) for code, got in faults)
        findings.extend(
            (index, Finding(code="overlap", where=shown(self._entries[index].name))) for index in overlapping(spans)
        )
        return data_at, findings

    def _size_faults(self, entry: Entry) -> Iterator[tuple[str, str]]:
        limits = self.limits
        if entry.size_bytes > limits.member_bytes:
            yield "member_size", f"{entry.size_bytes:,} bytes"
        ratio = entry.size_bytes / max(1, entry.packed_bytes)
        if entry.size_bytes >= limits.ratio_from_bytes and ratio > limits.max_ratio:
            yield "ratio", f"{ratio:,.0f} to 1"

    def _zip_findings(self, n_before: int, n_after: int) -> Iterator[Finding]:
        if not self.members:
            yield Finding(code="empty_zip")
        if len(self.members) > self.limits.max_members:
            yield Finding(code="too_many_members", got=f"{len(self.members):,} files")
        total = sum(member.size_bytes for member in self.members)
        if total > self.limits.total_bytes:
            yield Finding(code="total_size", got=f"{total:,} bytes")
        yield from same_names(self.members)
        if n_before:
            yield Finding(code="bytes_before", got=f"{n_before:,} bytes")
        if n_after:
            yield Finding(code="bytes_after", got=f"{n_after:,} bytes")

    def _pieces(self, member: Member) -> Iterator[bytes]:
        entry = self._entries[member.index]
        crc = n_bytes = 0
        try:
            for piece in self._unpacked(entry, self._data_at[member.index]):
                n_bytes += len(piece)
                if n_bytes > entry.size_bytes:
                    raise _damage("zip_lies", member, f"more than the announced {entry.size_bytes:,} bytes")
                crc = zlib.crc32(piece, crc)
                yield piece
        except zlib.error as error:
            raise _damage("bad_crc", member, "packed bytes that cannot be unpacked") from error
        if n_bytes != entry.size_bytes:
            raise _damage("zip_lies", member, f"{n_bytes:,} bytes where {entry.size_bytes:,} are announced")
        if crc != entry.crc:
            raise _damage("bad_crc", member, f"checksum {crc:08x} where {entry.crc:08x} is announced")

    def _unpacked(self, entry: Entry, at: int) -> Iterator[bytes]:
        self._file.seek(at)
        n_left = entry.packed_bytes
        inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.method else None
        while n_left > 0:
            packed = self._file.read(min(CHUNK_BYTES, n_left))
            if not packed:
                return
            n_left -= len(packed)
            if inflate is None:
                yield packed
                continue
            while packed:
                yield inflate.decompress(packed, CHUNK_BYTES)
                packed = inflate.unconsumed_tail
            if inflate.eof:
                return
        if inflate is not None:
            yield inflate.flush(CHUNK_BYTES)


def _damage(code: str, member: Member, got: str) -> ArchiveError:
    return ArchiveError(Finding(code=code, where=member.name, got=got))
