"""The files of a zip as intake sees them: limits, names in regular form, and what is ignored. Pure."""

import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from submissions.findings import Finding
from submissions.problems import shown
from submissions.zip_directory import Entry

_JUNK_NAMES = ("thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """What a zip and all that is in it may be; the ends are allowed."""

    zip_bytes: int = 2 << 30
    """Size of the zip file."""
    max_entries: int = 4_000
    """Entries of the table of contents, folders and ignored files included."""
    directory_bytes: int = 4 << 20
    """Size of the table of contents."""
    max_members: int = 600
    """Files that are not ignored."""
    member_bytes: int = 50 << 20
    """Unpacked size of one file."""
    total_bytes: int = 8 << 30
    """Unpacked size of all files."""
    max_ratio: int = 200
    """Unpacked size over packed size of one file ..."""
    ratio_from_bytes: int = 4 << 20
    """... that unpacks to at least this: a short silent clip packs better than any bomb and harms nobody."""
    canonical_bytes: int = 8 << 30
    """Size of all canonical clips together."""
    max_decoder_failures: int = 20
    """Clips that may crash a decoder or run out of time; then no more are decoded."""


ARCHIVE_LIMITS = ArchiveLimits()
"""The limits that Castboard uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of a zip that is not ignored."""

    index: int
    """Place in the table of contents, from 0."""
    name: str
    """Whole name, fit to be shown, not to be used as a path."""
    folder: str
    """Folder part, NFC; empty at the root."""
    base: str
    """Last part of the name, NFC."""
    size_bytes: int
    """Unpacked size, as announced."""
    is_readable: bool
    """Nothing forbids to unpack it."""


def list_files(entries: tuple[Entry, ...], broken: set[int]) -> tuple[Member, ...]:
    """Return the files among `entries` that are not ignored; those whose index is in `broken` are not readable."""
    members = []
    for index, entry in enumerate(entries):
        parts = [part for part in entry.name.replace("\\", "/").split("/") if part not in ("", ".")]
        if _is_folder(entry) or not parts or _is_ignored(parts):
            continue
        members.append(
            Member(
                index=index,
                name=shown(entry.name),
                folder=unicodedata.normalize("NFC", "/".join(parts[:-1])),
                base=unicodedata.normalize("NFC", parts[-1]),
                size_bytes=entry.size_bytes,
                is_readable=index not in broken,
            )
        )
    return tuple(members)


def _is_folder(entry: Entry) -> bool:
    return entry.name.endswith("/") or stat.S_ISDIR(entry.unix_mode)


def _is_ignored(parts: list[str]) -> bool:
    if any(part == "__MACOSX" or (part.startswith(".") and part != "..") for part in parts):
        return True
    return parts[-1].casefold() in _JUNK_NAMES


def same_names(members: tuple[Member, ...]) -> Iterator[Finding]:
    """Yield each member whose name equals an earlier one but for case or Unicode form."""
    first: dict[str, Member] = {}
    for member in members:
        key = unicodedata.normalize("NFC", f"{member.folder}/{member.base}".casefold())
        if key in first:
            yield Finding(code="same_name", where=member.name, got=f"also {first[key].name}")
        else:
            first[key] = member
