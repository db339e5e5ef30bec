"""Repos of the double: every blob by its hash, every commit with all its paths, on disk so that it survives a kill."""

import hashlib
import json
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
KINDS = ("model", "dataset", "space")
_LFS_NAMES = (".parquet", ".zip", ".flac", ".wav", ".tar", ".gz", ".bin", ".safetensors", ".arrow")
_LFS_BYTES = 5 << 20
_ATTRIBUTES = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in _LFS_NAMES)


class Stale(Exception):
    """The branch is no longer where the writer believes it to be."""


class Missing(Exception):
    """There is no such revision or path; the first argument is the hub's code for it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit."""

    oid: str
    size: int
    lfs: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with everything that is in it."""

    id: str
    parent: str | None
    title: str
    message: str
    author: str
    date: str
    files: dict[str, Entry]


def git_oid(data: bytes) -> str:
    """Return the name that git gives a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def pointer(sha256: str, size: int) -> bytes:
    """Return what git keeps instead of a large file."""
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


def is_large(path: str, size: int) -> bool:
    """Return whether the hub asks for this file by LFS; an empty file never goes that way."""
    return size > 0 and (path.endswith(_LFS_NAMES) or size > _LFS_BYTES)


def folder_oids(files: Mapping[str, Entry]) -> dict[str, str]:
    """Return every folder of a commit with a name that changes if, and only if, anything below does; "" is the root."""
    below: dict[str, list[tuple[str, str]]] = {"": []}
    for path, entry in files.items():
        folder, _, name = path.rpartition("/")
        below.setdefault(folder, []).append((name, entry.oid))
        while folder:
            folder = folder.rpartition("/")[0]
            below.setdefault(folder, [])
    oids: dict[str, str] = {}
    for folder in sorted(below, key=lambda path: path.count("/") + bool(path), reverse=True):
        text = json.dumps(sorted(below[folder]))
        oids[folder] = hashlib.sha1(text.encode()).hexdigest()
        if folder:
            above, _, name = folder.rpartition("/")
            below[above].append((name, oids[folder]))
    return oids


class Repo:
    """One repo with one branch, main; safe between threads of one process."""

    def __init__(self, folder: Path) -> None:
        """Open the repo in `folder`."""
        self.folder = folder
        facts = json.loads((folder / "repo.json").read_text())
        self.kind, self.id, self.private = facts["kind"], facts["id"], facts["private"]
        self.head: str = facts["head"]
        self.is_gated = False
        self._commits: dict[str, Commit] = {}
        self._folders: dict[str, dict[str, str]] = {}
        self.lock = threading.RLock()

    @classmethod
    def create(cls, folder: Path, kind: str, repo_id: str, author: str, *, private: bool) -> "Repo":
        """Create a repo with the first commit that the hub makes by itself."""
        for part in ("blobs", "lfs", "commits"):
            (folder / part).mkdir(parents=True)
        data = _ATTRIBUTES.encode()
        (folder / "blobs" / git_oid(data)).write_bytes(data)
        first = _commit(None, "initial commit", "", author, {".gitattributes": Entry(git_oid(data), len(data))})
        _save(folder / "commits" / f"{first.id}.json", asdict(first))
        _save(folder / "repo.json", {"kind": kind, "id": repo_id, "private": private, "head": first.id})
        return cls(folder)

    def commit_of(self, revision: str) -> Commit:
        """Return a commit by "main" or its id."""
        name = self.head if revision in ("main", "refs/heads/main") else revision
        if name not in self._commits:
            path = self.folder / "commits" / f"{name}.json"
            if not re.fullmatch(r"[0-9a-f]{40}", name) or not path.is_file():
                raise Missing("RevisionNotFound", f"Invalid rev id: {revision[:80]}")
            found = json.loads(path.read_text())
            found["files"] = {name: Entry(**entry) for name, entry in found["files"].items()}
            self._commits[name] = Commit(**found)
        return self._commits[name]

    def history(self, revision: str = "main") -> Iterator[Commit]:
        """Yield the commits from `revision` back to the first."""
        name: str | None = self.commit_of(revision).id
        while name is not None:
            found = self.commit_of(name)
            yield found
            name = found.parent

    def folders(self, commit: Commit) -> dict[str, str]:
        """Return the folders of a commit and their names in git; "" is the root."""
        with self.lock:
            if commit.id not in self._folders:
                while len(self._folders) > 16:
                    self._folders.pop(next(iter(self._folders)))
                self._folders[commit.id] = folder_oids(commit.files)
            return self._folders[commit.id]

    def read(self, entry: Entry) -> Path:
        """Return where the bytes of a file lie."""
        return self.folder / "lfs" / entry.lfs if entry.lfs else self.folder / "blobs" / entry.oid

    def has_lfs(self, sha256: str, size: int) -> bool:
        """Return whether a large file has arrived whole."""
        path = self.folder / "lfs" / sha256
        return path.is_file() and path.stat().st_size == size

    def keep(self, data: bytes) -> Entry:
        """Keep a small file."""
        oid = git_oid(data)
        path = self.folder / "blobs" / oid
        if not path.is_file():
            _write(path, data)
        return Entry(oid, len(data))

    def keep_large(self, sha256: str, size: int) -> Entry:
        """Return the entry of a large file that is there."""
        return Entry(git_oid(pointer(sha256, size)), size, sha256)

    def commit(
        self, changed: Mapping[str, Entry | None], title: str, message: str, author: str, parent: str | None
    ) -> Commit:
        """Add a commit in which each path of `changed` has the entry, or is gone; raises Stale, Missing."""
        with self.lock:
            if parent is not None and parent != self.head:
                raise Stale
            before = self.commit_of("main")
            files = dict(before.files)
            for path, entry in changed.items():
                if entry is not None:
                    files[path] = entry
                elif path.endswith("/") and any(name.startswith(path) for name in files):
                    files = {name: kept for name, kept in files.items() if not name.startswith(path)}
                elif files.pop(path, None) is None:
                    raise Missing("EntryNotFound", "A file with this name doesn't exist")
            made = _commit(before.id, title, message, author, files)
            self._move(made)
            return made

    def squash(self) -> Commit:
        """Make one commit of the whole history, as its owner may at any time: no earlier one is known any more."""
        with self.lock:
            now = self.commit_of("main")
            made = _commit(None, "squashed", "", now.author, now.files)
            shutil.rmtree(self.folder / "commits")
            (self.folder / "commits").mkdir()
            self._commits, self._folders = {}, {}
            self._move(made)
            return made

    def _move(self, made: Commit) -> None:
        _save(self.folder / "commits" / f"{made.id}.json", asdict(made))
        self._commits[made.id] = made
        self.head = made.id
        facts = {"kind": self.kind, "id": self.id, "private": self.private, "head": self.head}
        _save(self.folder / "repo.json", facts)


class Repos:
    """All repos below one folder."""

    def __init__(self, folder: Path) -> None:
        """Open what `folder` holds; it need not exist."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        found = (Repo(path.parent) for path in sorted(folder.glob("*/repo.json")))
        self._repos = {(repo.kind, repo.id): repo for repo in found}

    def create(self, kind: str, repo_id: str, author: str, *, private: bool) -> Repo:
        """Create a repo; raises Stale if it is there."""
        if (kind, repo_id) in self._repos:
            raise Stale
        folder = self._folder / f"{kind}--{repo_id.replace('/', '--')}"
        shutil.rmtree(folder, ignore_errors=True)
        self._repos[kind, repo_id] = repo = Repo.create(folder, kind, repo_id, author, private=private)
        return repo

    def get(self, kind: str, repo_id: str) -> Repo | None:
        """Return a repo, or None."""
        return self._repos.get((kind, repo_id))

    def delete(self, kind: str, repo_id: str) -> None:
        """Delete a repo."""
        shutil.rmtree(self._repos.pop((kind, repo_id)).folder)


def _commit(parent: str | None, title: str, message: str, author: str, files: dict[str, Entry]) -> Commit:
    date = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    tree = folder_oids(files)[""] if files else ""
    name = hashlib.sha1(json.dumps([parent, title, message, author, date, tree]).encode()).hexdigest()
    return Commit(name, parent, title, message, author, date, files)


def _save(path: Path, value: object) -> None:
    _write(path, json.dumps(value).encode())


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}")
    temporary.write_bytes(data)
    temporary.rename(path)
