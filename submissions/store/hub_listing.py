"""What a repo holds at one commit: the files that can be ours, with sizes and hashes, kept on disk between starts."""

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from evaluation import codec
from evaluation.errors import SchemaError
from submissions.store import atomic
from submissions.store.hub_records import HubEntry, git_oid

SCHEMA_VERSION = 1

_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MOST_PARTS = 8
_VERSION_DIGITS = 20
NOTHING = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """One file at one commit."""

    oid: str
    """Its name in git: changes whenever the file does."""
    size: int
    """Bytes, as the hub says."""
    sha256: str | None
    """sha256 (hex) of a large file, as the hub says; None: `oid` is the hash of its bytes."""

    def is_of(self, data: bytes) -> bool:
        """Return whether these are the file's bytes."""
        if len(data) != self.size:
            return False
        return (hashlib.sha256(data).hexdigest() == self.sha256) if self.sha256 else git_oid(data) == self.oid


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """One file of a kept listing."""

    path: str
    """Where it lies."""
    oid: str
    """As in `Blob`."""
    size: int
    """As in `Blob`."""
    sha256: str | None
    """As in `Blob`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptListing:
    """A listing as it lies on the disk."""

    repo: str
    """Repo that it is of."""
    prefix: str
    """Folder of the repo that it is of, with a slash at the end; empty for all."""
    revision: str
    """Its commit."""
    files: tuple[KeptFile, ...]
    """All files, sorted by path."""


@dataclass(frozen=True)
class Listing:
    """The files of one commit; never changes."""

    revision: str
    """The commit."""
    files: Mapping[str, Blob]
    """By path, relative to the prefix."""

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Version of every folder: changes whenever anything below it does."""
        below: dict[str, list[str]] = {}
        for path, blob in sorted(self.files.items()):
            folder = path
            while "/" in folder:
                folder = folder.rpartition("/")[0]
                below.setdefault(folder, []).append(f"{path} {blob.oid}")
        return {folder: _digest("\n".join(lines)) for folder, lines in below.items()}

    def version(self, path: str) -> str:
        """Return what changes whenever the file or folder at `path` does; "none" if there is nothing."""
        blob = self.files.get(path)
        return _digest(blob.oid) if blob is not None else self.versions.get(path, NOTHING)

    def with_changes(self, revision: str, changed: Mapping[str, Blob | None]) -> "Listing":
        """Return the listing of a later commit; None removes a file."""
        files = {**self.files, **changed}
        return Listing(revision, {path: blob for path, blob in files.items() if blob is not None})


def listing_of(revision: str, entries: Iterable[HubEntry], prefix: str) -> Listing:
    """Return the files below a prefix, leaving out whatever cannot be ours."""
    found = {
        entry.path.removeprefix(prefix): Blob(oid=entry.oid, size=entry.size, sha256=entry.sha256)
        for entry in entries
        if not entry.is_folder and entry.path.startswith(prefix)
    }
    return Listing(revision, {path: blob for path, blob in found.items() if is_safe(path)})


def is_safe(path: str) -> bool:
    """Return whether a path may be one of ours: parts of letters, digits, '.', '_' and '-' that begin with no sign."""
    parts = path.split("/")
    return len(parts) <= _MOST_PARTS and all(_PART.fullmatch(part) for part in parts)


def see_path(path: str) -> None:
    """Raise ValueError unless a path is safe."""
    if not is_safe(path):
        raise ValueError(f"a published path is made of letters, digits, '.', '_', '-' and '/', got {path!r:.120}")


def save(file: Path, repo: str, prefix: str, listing: Listing) -> None:
    """Keep a listing."""
    files = tuple(KeptFile(path=path, **dataclasses.asdict(blob)) for path, blob in sorted(listing.files.items()))
    kept = KeptListing(repo=repo, prefix=prefix, revision=listing.revision, files=files)
    atomic.replace(file, codec.canonical({**codec.to_json(kept), "schema_version": SCHEMA_VERSION}))


def load(file: Path, repo: str, prefix: str) -> Listing | None:
    """Return a kept listing; None if there is none of this repo and prefix that can be read."""
    try:
        kept = codec.read_record(KeptListing, file.read_bytes(), file.name, version=SCHEMA_VERSION)
    except (OSError, SchemaError):
        return None
    if (kept.repo, kept.prefix) != (repo, prefix):
        return None
    files = {one.path: Blob(oid=one.oid, size=one.size, sha256=one.sha256) for one in kept.files if is_safe(one.path)}
    return Listing(kept.revision, files)


def seen_at(file: Path, revision: str) -> datetime | None:
    """Return when a commit was last known to be the newest, as `see_at` kept it."""
    try:
        found, _, text = file.read_text().partition(" ")
        return datetime.fromisoformat(text) if found == revision else None
    except (OSError, ValueError):
        return None


def see_at(file: Path, revision: str, now: datetime) -> None:
    """Keep that a commit was the newest at `now`."""
    atomic.replace(file, f"{revision} {now.isoformat()}".encode())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_VERSION_DIGITS]
