"""What a worker keeps of a submission beside its history: shards and kept files, here first and on the hub later.

They ride along with the next commit, whatever that is about: an evaluation of hours takes few commits, and another
machine goes on from what was finished at the last one.
"""

import re
import threading
from collections.abc import Callable
from pathlib import Path

from submissions.records import SubmissionId
from submissions.store.folder import FolderShards, FolderStore
from submissions.store.hub_records import Put, git_oid
from submissions.store.hub_repo import HubRepo

MOST_FILES = 80
"""Files that ride along with one commit."""
MOST_BYTES = 64 << 20
"""Their size in all, and the largest that is read back."""


_SHARD = re.compile(r"[0-9]{1,9}")


class RidingFiles:
    """Shards and kept files of submissions that this process worked on."""

    def __init__(
        self,
        repo: HubRepo,
        here: FolderStore,
        folder: Path,
        head: Callable[[], str],
        version: Callable[[SubmissionId], str],
    ) -> None:
        """Keep files of submissions.

        Args:
            repo: where they go.
            here: where they are kept on this disk.
            folder: holds the folder of each submission in it.
            head: gives the commit to read from.
            version: gives what changes with whatever is known of a submission.
        """
        self._repo = repo
        self._here = here
        self._folder = folder
        self._head = head
        self._version = version
        self._lock = threading.Lock()
        self._touched: set[SubmissionId] = set()
        self._there: dict[str, str] = {}
        self._absent: dict[str, str] = {}

    def waiting(self) -> tuple[Put, ...]:
        """Return what is to go with the next commit."""
        with self._lock:
            touched = sorted(self._touched)
        found: list[Put] = []
        n_bytes = 0
        for path in (path for one in touched for part in ("shards", "kept") for path in self._files(one, part)):
            data = path.read_bytes()
            put = Put(path=f"work/{path.relative_to(self._folder).as_posix()}", data=data)
            if self._there.get(put.path) == git_oid(data):
                continue
            n_bytes += len(data)
            if len(found) == MOST_FILES or n_bytes > MOST_BYTES:
                break
            found.append(put)
        return tuple(found)

    def sent(self, files: tuple[Put, ...]) -> None:
        """Note that a commit holds these files."""
        self._there |= {file.path: git_oid(file.data) for file in files}

    def touch(self, submission: SubmissionId) -> None:
        """Let what is kept of a submission ride along."""
        with self._lock:
            self._touched.add(submission)

    def shards(self, submission: SubmissionId, run: str) -> "HubShards":
        """Return the shards of one run."""
        return HubShards(self, submission, run, self._here.shards(submission, run))

    def keep(self, submission: SubmissionId, name: str, data: bytes) -> None:
        """Keep a file beside a submission."""
        self._here.keep_file(submission, name, data)
        self.touch(submission)

    def kept(self, submission: SubmissionId, name: str) -> bytes | None:
        """Return such a file, or None; raises StoreUnavailable."""
        data = self._here.kept_file(submission, name)
        path = f"work/{submission}/kept/{name}"
        version = self._version(submission)
        if data is None and self._head() and self._absent.get(path) != version:
            try:
                data = self._repo.read(path, self._head(), MOST_BYTES)
            except FileNotFoundError:
                self._absent[path] = version  # asked again once another machine may have sent it
            else:
                self._here.keep_file(submission, name, data)
                self._there[path] = git_oid(data)
        return data

    def fetch_shards(self, submission: SubmissionId, run: str, local: FolderShards) -> None:
        """Bring what other machines finished of a run here; raises StoreUnavailable."""
        head = self._head()
        if not head:
            return
        for entry in self._repo.listing(head, f"work/{submission}/shards/{run}"):
            stem = Path(entry.path).stem
            if entry.is_folder or not _SHARD.fullmatch(stem):
                continue
            self._there[entry.path] = entry.oid
            if local.load(int(stem)) is None:
                local.save(int(stem), self._repo.read(entry.path, head, MOST_BYTES))

    def _files(self, submission: SubmissionId, part: str) -> list[Path]:
        return sorted(path for path in (self._folder / submission / part).rglob("[a-z0-9]*.*") if path.is_file())


class HubShards:
    """Finished shards of one run: those of this machine, and those that others sent before."""

    def __init__(self, files: RidingFiles, submission: SubmissionId, run: str, local: FolderShards) -> None:
        """Keep shards in `local`."""
        self._files = files
        self._submission = submission
        self._run = run
        self._local = local
        self._is_fetched = False

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None; the first call fetches all; raises StoreUnavailable."""
        if not self._is_fetched:
            self._files.fetch_shards(self._submission, self._run, self._local)
            self._files.touch(self._submission)
            self._is_fetched = True
        return self._local.load(index)

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard here; it rides along with the next commit."""
        self._local.save(index, data)
        self._files.touch(self._submission)

    def remove(self, index: int) -> None:
        """Forget a shard here; the one on the hub is replaced when it was read again."""
        self._local.remove(index)
