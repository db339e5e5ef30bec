"""What is said to and heard from a repo on a hub: entries of listings, changes of commits, and how a commit can end."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import CastboardError
from submissions.store.base import StoreUnavailable

BRANCH = "main"
"""The only branch that is read or written."""


class Moved(CastboardError):
    """Somebody else committed meanwhile; read again, decide anew."""


class CommitUncertain(StoreUnavailable):
    """The hub went away in the middle of a commit: whether it was made is unknown until `applied` can be asked."""

    def __init__(self, message: str, nonce: str) -> None:
        """Keep the sign that the commit carries."""
        super().__init__(message)
        self.nonce = nonce


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRevision:
    """What a revision of a repo is."""

    commit: str
    """Id of the commit that it points to, 40 hex digits."""
    is_private: bool
    """Whether its repo is open to some alone."""
    is_gated: bool
    """Whether files of its repo are given to those alone who asked for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubEntry:
    """One line of a listing."""

    path: str
    """From the repo's root; hostile text."""
    is_folder: bool
    """Whether it is a folder."""
    oid: str
    """Changes if, and only if, the file, or anything below the folder, does; 40 hex digits."""
    size: int
    """Bytes as the hub says; 0 for a folder."""
    sha256: str | None
    """sha256 (hex) of a large file as the hub says; None for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A file of a commit, from memory."""

    path: str
    """Where it goes."""
    data: bytes
    """All of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutFile:
    """A file of a commit, from the disk; it must not change until the commit is made."""

    path: str
    """Where it goes."""
    source: Path
    """What it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """A file that a commit removes; its parent must have it."""

    path: str
    """Where it is."""


Change = Put | PutFile | Remove


def git_oid(data: bytes) -> str:
    """Return the name that git, and so the hub, gives to a file of these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def pointer_oid(sha256: str, size: int) -> str:
    """Return the name that git gives to what it keeps instead of a large file."""
    return git_oid(f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode())
