"""The mirror of the work's repo: all histories and logs as they were at one commit, in memory and on this disk.

Only folders whose tree changed are listed, and only files that are new are read. A snapshot in the repo holds what most
folders held not long ago, so that a new machine needs some requests, not one a file. It is a copy: what the hub lists
decides, and a snapshot that is damaged, old or gone only makes a start slower. Whoever may write it may write the
events too, so what it says of a folder that is listed as it was then is taken as it stands.

A history may be rewritten by its owner at any time: a commit that was known is gone then, and the new one is read.
"""

import contextlib
import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from evaluation.errors import SchemaError
from submissions.store import atomic
from submissions.store.base import StoreUnavailable
from submissions.store.hub_calls import HubRefused
from submissions.store.hub_records import BRANCH, HubEntry, Put, git_oid
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work_ledger import (
    NOTHING,
    UNKNOWN,
    Ledger,
    decode_ledgers,
    encode_ledgers,
    number_of,
)

log = logging.getLogger(__name__)

WORK, RECORDS, SNAPSHOT = "work", "records", "snapshot.json"
_FOLDERS: Mapping[str, tuple[re.Pattern[str], str]] = {
    WORK: (re.compile(r"work/[a-z0-9][a-z0-9-]{5,63}"), "/events"),
    RECORDS: (re.compile(r"records/[a-z0-9][a-z0-9-]{0,63}"), ""),
}
"""Folders of ledgers: what each is called, and where below it the numbered files are."""
_FILE = re.compile(r"\d{4,9}(?:-[a-z]+)*\.json")
_MANY = 8
"""More folders than these are looked up in the snapshot, or listed all at once."""
_N_READERS = 8
_FEWEST_FOR_SNAPSHOT, _FEWEST_CHANGED, _SHARE_CHANGED = 32, 16, 8
_MOST_BYTES = 8 << 20
_AS_OF = "as-of"


Ledgers = Mapping[str, Ledger]


class Mirror:
    """All ledgers of a repo; reading is safe from any thread, everything else under a lock of the owner."""

    def __init__(self, repo: HubRepo, folder: Path) -> None:
        """Mirror `repo`, with copies in `folder`; nothing is read yet."""
        self._repo = repo
        self._folder = folder
        self._tops: dict[str, str] = {}
        self._snapshot: Ledgers = {}
        self._snapshot_read = ""
        self._snapshot_there = ""
        self.head = ""
        self.is_private = False
        self.ledgers: Mapping[str, Ledger] = {}

    def load(self) -> datetime | None:
        """Take over what this disk holds, and return when that was the newest; None if it holds nothing."""
        found: dict[str, Ledger] = {}
        for path in sorted(self._folder.glob("*.json")):
            try:
                found |= decode_ledgers(path.read_bytes())
            except (OSError, SchemaError):
                log.info("mirror.damaged", extra={"file": path.name})
        names = tuple(names for names, _ in _FOLDERS.values())
        self.ledgers = {key: ledger for key, ledger in found.items() if any(name.fullmatch(key) for name in names)}
        try:
            return datetime.fromtimestamp((self._folder / _AS_OF).stat().st_mtime, UTC)
        except OSError:
            return None

    def pull(self) -> None:
        """Become as the newest commit is; raises StoreUnavailable, and what was read until then is kept."""
        newest = self._repo.revision(BRANCH)
        if newest is None:
            raise StoreUnavailable(f"the hub's repo {self._repo.repo_id} has no branch {BRANCH}")
        head, self.is_private = newest.commit, newest.is_private
        if head != self.head:
            root = {entry.path: entry for entry in self._repo.listing(head)}
            self._snapshot_there = root[SNAPSHOT].oid if SNAPSHOT in root else ""
            for top in _FOLDERS:
                self._pull_top(head, top, root)
            self.head = head
        self._touch()

    def changed(self, head: str, key: str, added: Sequence[tuple[str, bytes]], snapshot: Put | None) -> None:
        """Note a commit of ours on top of `self.head`: files more in one ledger, perhaps a new snapshot."""
        self.head = head
        self._tops = {}
        self._keep({key: self.ledgers.get(key, NOTHING).plus(tuple(added))} if added else {})
        if snapshot is not None:
            self._snapshot = decode_ledgers(snapshot.data)
            self._snapshot_read = self._snapshot_there = git_oid(snapshot.data)
        self._touch()

    def snapshot_if_due(self) -> Put | None:
        """Return a snapshot to commit on top of `self.head`, if the one in the repo is too old; may raise."""
        if len(self.ledgers) < _FEWEST_FOR_SNAPSHOT or self._n_changed() < self._most_changed():
            return None
        try:
            self._read_snapshot(self.head)
            self._resolve()
        except HubRefused:  # the commit is gone, and another will have to be read first
            return None
        if self._n_changed() < self._most_changed():
            return None
        taken = {key: ledger for key, ledger in self.ledgers.items() if ledger.tree != UNKNOWN}
        return Put(path=SNAPSHOT, data=encode_ledgers(taken))

    def _n_changed(self) -> int:
        old = self._snapshot
        return sum(
            1 for key, ledger in self.ledgers.items() if len(old.get(key, NOTHING).entries) != len(ledger.entries)
        )

    def _most_changed(self) -> int:
        return max(_FEWEST_CHANGED, len(self.ledgers) // _SHARE_CHANGED)

    def _pull_top(self, head: str, top: str, root: Mapping[str, HubEntry]) -> None:
        entry = root.get(top)
        tree = entry.oid if entry is not None and entry.is_folder else UNKNOWN
        if tree == self._tops.get(top, UNKNOWN) != UNKNOWN:
            return
        self._resolve_if_worth_it(top)
        names, _ = _FOLDERS[top]
        listed = self._repo.listing(head, top) if tree != UNKNOWN else ()
        trees = {one.path: one.oid for one in listed if one.is_folder and names.fullmatch(one.path)}
        stale = [key for key, oid in trees.items() if self.ledgers.get(key, NOTHING).tree != oid]
        if len(stale) > _MANY:
            self._read_snapshot(head)
            old = self._snapshot
            self._keep({key: old[key] for key in stale if key in old and old[key].tree == trees[key]})
            stale = [key for key in stale if self.ledgers.get(key, NOTHING).tree != trees[key]]
        self._read_folders(head, top, {key: trees[key] for key in stale})
        self._forget(key for key in self.ledgers if key.startswith(f"{top}/") and key not in trees)
        self._tops[top] = tree

    def _resolve_if_worth_it(self, top: str) -> None:
        n_unknown = sum(1 for key, one in self.ledgers.items() if key.startswith(f"{top}/") and one.tree == UNKNOWN)
        if n_unknown > 1 and self.head:
            with contextlib.suppress(HubRefused):  # the commit is gone: they are read again
                self._resolve()

    def _resolve(self) -> None:
        """Learn the trees of folders that only we changed: as of our own last commit they hold what is here."""
        unknown = {key for key, ledger in self.ledgers.items() if ledger.tree == UNKNOWN}
        for top in _FOLDERS:
            if any(key.startswith(f"{top}/") for key in unknown):
                listed = {entry.path: entry.oid for entry in self._repo.listing(self.head, top) if entry.is_folder}
                known = {key: listed[key] for key in unknown & listed.keys()}
                self._keep({key: Ledger(tree=oid, entries=self.ledgers[key].entries) for key, oid in known.items()})

    def _read_folders(self, head: str, top: str, trees: Mapping[str, str]) -> None:
        below = _FOLDERS[top][1]
        listed: dict[str, list[HubEntry]] = {f"{key}{below}": [] for key in trees}
        if len(trees) > _MANY:
            for entry in self._repo.listing(head, top, is_recursive=True):
                listed.get(entry.path.rpartition("/")[0], []).append(entry)
        else:
            for folder in listed:
                listed[folder] += self._repo.listing(head, folder)
        for key, tree in trees.items():
            self._keep({key: self._read_ledger(head, key, tree, listed[f"{key}{below}"])})

    def _read_ledger(self, head: str, key: str, tree: str, listed: Iterable[HubEntry]) -> Ledger:
        files = [entry for entry in listed if not entry.is_folder and _FILE.fullmatch(entry.path.rpartition("/")[2])]
        files.sort(key=lambda entry: (number_of(entry.path.rpartition("/")[2]), entry.path))
        olds = (self.ledgers.get(key, NOTHING), self._snapshot.get(key, NOTHING))
        here = {git_oid(data): data for old in olds for _, data in old.entries}
        missing = [entry for entry in files if entry.oid not in here]
        with ThreadPoolExecutor(_N_READERS) if len(missing) > 1 else contextlib.nullcontext() as pool:
            read = (pool.map if pool else map)(lambda entry: self._read(head, entry), missing)
            here |= {entry.oid: data for entry, data in zip(missing, read, strict=True)}
        return Ledger(tree=tree, entries=tuple((entry.path.rpartition("/")[2], here[entry.oid]) for entry in files))

    def _read(self, head: str, entry: HubEntry) -> bytes:
        try:
            data = self._repo.read(entry.path, head, _MOST_BYTES)
        except FileNotFoundError as error:
            raise StoreUnavailable(f"the hub lists {entry.path:.120} and does not have it; try again") from error
        if git_oid(data) != entry.oid:
            raise StoreUnavailable(f"the hub sent something else for {entry.path:.120} than it lists; try again")
        return data

    def _read_snapshot(self, head: str) -> None:
        if self._snapshot_there in ("", self._snapshot_read):
            return
        try:
            self._snapshot = decode_ledgers(self._repo.read(SNAPSHOT, head))
        except (FileNotFoundError, SchemaError):
            log.warning("snapshot.ignored", exc_info=True)
        self._snapshot_read = self._snapshot_there

    def _keep(self, ledgers: Mapping[str, Ledger]) -> None:
        try:
            for key, ledger in ledgers.items():
                atomic.replace(self._path(key), encode_ledgers({key: ledger}))
        except OSError as error:  # a full disk: what is known is right all the same, and is read again at a start
            log.warning("mirror.unkept", extra={"why": error.strerror})
        if ledgers:
            self.ledgers = {**self.ledgers, **ledgers}

    def _forget(self, keys: Iterable[str]) -> None:
        gone = set(keys)
        for key in gone:
            with contextlib.suppress(OSError):
                self._path(key).unlink(missing_ok=True)
        if gone:
            self.ledgers = {key: ledger for key, ledger in self.ledgers.items() if key not in gone}

    def _path(self, key: str) -> Path:
        return self._folder / f"{key.replace('/', '.')}.json"

    def _touch(self) -> None:
        path = self._folder / _AS_OF
        with contextlib.suppress(OSError):
            atomic.make_folder(self._folder)
            path.touch()
            os.utime(path)
