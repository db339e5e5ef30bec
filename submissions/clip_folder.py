"""A folder of clips, looked at as an archive is: the same names, limits and findings, and links are never followed.

It stands where `submissions.archive.Archive` does, so a folder and a zip of the same files are checked by one code.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from evaluation.codec import canonical, sha256_of
from submissions.archive import ARCHIVE_LIMITS, CHUNK_BYTES, ArchiveError, ArchiveLimits, MemberSource
from submissions.findings import Finding
from submissions.problems import shown
from submissions.zip_directory import Entry
from submissions.zip_members import Member, list_files, same_names

_PLAIN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ClipFolder(MemberSource):
    """An open folder of clips; a context manager.

    Attributes:
        members: files that are not ignored, sorted by name.
        findings: everything that is wrong with the folder as a folder.
        limits: what was allowed.
    """

    def __init__(self, root: Path, limits: ArchiveLimits) -> None:
        """Look at what is below `root`; `ClipFolder.open` is the usual way.

        Raises:
            ArchiveError: if there are too many entries to look at.
            OSError: if the folder cannot be listed.
        """
        self._root = root
        self.limits = limits
        entries = [_entry(name, status) for name, status in _listed(root, limits.max_entries)]
        found = [(index, fault) for index, entry in enumerate(entries) for fault in self._faults(entry)]
        self._entries = tuple(entries)
        self.members = list_files(self._entries, {index for index, _ in found})
        kept = {member.index for member in self.members}
        self.findings = (*(fault for index, fault in found if index in kept), *self._of_the_whole())

    @classmethod
    def open(cls, path: Path, limits: ArchiveLimits = ARCHIVE_LIMITS) -> Self:
        """Look at the folder `path`; raises as the constructor does."""
        return cls(path, limits)

    def __enter__(self) -> Self:
        """Return the folder."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hold nothing open."""

    def sha256(self) -> str:
        """Return the sha256 (hex) of the canonical JSON of every readable file's name and sha256."""
        hashes = {}
        for member in self.members:
            if member.is_readable:
                digest = hashlib.sha256()
                for piece in self._pieces(member):
                    digest.update(piece)
                hashes[member.name] = digest.hexdigest()
        return sha256_of(canonical(hashes))

    def _pieces(self, member: Member) -> Iterator[bytes]:
        try:
            descriptor = os.open(self._root / self._entries[member.index].name, _PLAIN_FILE)
        except OSError as error:
            raise _unreadable(member, str(error.strerror)) from error
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor that follows no link
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _unreadable(member, "it is a link or a device now")
            n_left = member.size_bytes
            while n_left > 0 and (piece := file.read(min(CHUNK_BYTES, n_left))):
                n_left -= len(piece)
                yield piece
            if n_left or file.read(1):
                raise _unreadable(member, "its size changed while it was read")

    def _faults(self, entry: Entry) -> Iterator[Finding]:
        where = shown(entry.name)
        if not stat.S_ISREG(entry.unix_mode):
            yield Finding(code="not_a_file", where=where)
        elif entry.size_bytes > self.limits.member_bytes:
            yield Finding(code="member_size", where=where, got=f"{entry.size_bytes:,} bytes")
        if entry.is_bad_utf8:
            yield Finding(code="name_encoding", where=where)
        elif not entry.name.isprintable():
            yield Finding(code="unsafe_name", where=where)

    def _of_the_whole(self) -> Iterator[Finding]:
        if not self.members:
            yield Finding(code="empty_zip")
        if len(self.members) > self.limits.max_members:
            yield Finding(code="too_many_members", got=f"{len(self.members):,} files")
        total = sum(member.size_bytes for member in self.members)
        if total > self.limits.total_bytes:
            yield Finding(code="total_size", got=f"{total:,} bytes")
        yield from same_names(self.members)


def _listed(root: Path, max_entries: int) -> list[tuple[str, os.stat_result]]:
    """Return relative name and status of everything below `root` that is no folder, sorted."""
    found: list[tuple[str, os.stat_result]] = []
    waiting = [root]
    n_seen = 0
    while waiting:
        for entry in os.scandir(waiting.pop()):
            n_seen += 1
            if n_seen > max_entries:
                raise ArchiveError(Finding(code="too_many_entries", got=f"more than {max_entries:,}"))
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    waiting.append(Path(entry.path))
            else:
                found.append((os.path.relpath(entry.path, root), entry.stat(follow_symlinks=False)))
    return sorted(found, key=lambda pair: pair[0])


def _entry(name: str, status: os.stat_result) -> Entry:
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return Entry(
        raw_name=os.fsencode(name),
        name=name,
        is_bad_utf8=any("\ud800" <= sign <= "\udfff" for sign in name),
        flags=0,
        method=0,
        crc=0,
        packed_bytes=size,
        size_bytes=size,
        header_at=0,
        disk=0,
        unix_mode=status.st_mode,
    )


def _unreadable(member: Member, why: str) -> ArchiveError:
    return ArchiveError(Finding(code="damaged", where=member.name, got=why))
