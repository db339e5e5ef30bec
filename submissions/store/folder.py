"""The embedded store: a folder on a local disk, shared by the server and any number of workers.

`work/<submission>/` holds `events/<nnnn>-<kind>.json`, `upload.zip`, `shards/<run>/<nnnn>.json`, `kept/<name>`,
`hidden/` (a published layout of its own) and, while it runs, `clips/<claim>/`; `records/<log>/<nnnn>.json` holds what
belongs to no submission; `workers/<worker>.json` each worker's last word; `published/` is the published layout.
"""

import contextlib
import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import TypeVar

from evaluation.codec import sha256_of_file
from evaluation.errors import SchemaError
from submissions.records import Event, SubmissionId, decode_event, encode_event, submission_id
from submissions.store import atomic
from submissions.store.base import EventExists, PublishedFiles, StoreHealth, StoreUnavailable, UploadChanged, UploadLost

T = TypeVar("T")

_EVENT = re.compile(r"(\d{4,})-[a-z]+(?:-[a-z]+)?\.json")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_FILE = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\.[a-z0-9]{1,8}")
_SHARD = "{:04d}.json"
_HERE = StoreHealth(kind="folder", is_reachable=True, as_of=None, message="", n_unpushed=0)
_VERSION_DIGITS = 20


class FolderShards:
    """Finished shards of one run, one file each."""

    def __init__(self, folder: Path) -> None:
        """Keep shards in `folder`, which need not exist."""
        self._folder = folder

    def load(self, index: int) -> bytes | None:
        """Return a kept shard, or None."""
        try:
            return (self._folder / _SHARD.format(index)).read_bytes()
        except FileNotFoundError:
            return None

    def save(self, index: int, data: bytes) -> None:
        """Keep a shard."""
        atomic.replace(self._folder / _SHARD.format(index), data)

    def remove(self, index: int) -> None:
        """Forget a shard."""
        (self._folder / _SHARD.format(index)).unlink(missing_ok=True)


class FolderStore:
    """The work state below one folder; see `submissions.store.base.WorkStore`."""

    def __init__(self, home: Path, *, room_bytes: int = 0) -> None:
        """Use the folder `home`, which need not exist; a zip is kept if `room_bytes` of its disk stay free."""
        self._home, self._room_bytes = home, room_bytes
        self._work = home / "work"
        self._logs = home / "records"
        self._workers = home / "workers"
        self._read: dict[tuple[SubmissionId, str], Event] = {}  # an event never changes once it is there

    def create_event(self, submission: SubmissionId, event: Event) -> None:
        """Append an event.

        Raises:
            EventExists: if an event of this number exists, of whatever kind.
        """
        path = self._folder(submission) / "events" / f"{event.n:04d}-{event.kind}.json"
        if not atomic.create(
            path, encode_event(event), unless=lambda name: _is_event(name) and _number(name) == event.n
        ):
            raise EventExists(f"{submission} has an event {event.n} already; read its events again")

    def events(self, submission: SubmissionId) -> tuple[Event, ...]:
        """Return all events in order.

        Raises:
            SchemaError: if an event is malformed, of an unknown version, or missing in between.
        """
        folder = self._folder(submission) / "events"
        names = _event_names(folder)
        events = tuple(self._event(submission, folder / name) for name in names)
        if [event.n for event in events] != list(range(1, len(events) + 1)):
            raise SchemaError(f"{folder.parent.name}/events: numbers must run from 1 without a gap, got {names}")
        return events

    def submissions(self) -> tuple[SubmissionId, ...]:
        """Return every submission that has an event, sorted by id."""
        folders = sorted(self._work.iterdir()) if self._work.is_dir() else []
        return tuple(submission_id(folder.name) for folder in folders if _event_names(folder / "events"))

    def receive(self, submission: SubmissionId, upload: Path, zip_sha256: str, events: Sequence[Event]) -> None:
        """Keep an uploaded zip, down to the disk, then begin the submission's history.

        Raises:
            EventExists: if the submission has a history already.
            UploadChanged: if the zip is not the one that was checked.
            StoreUnavailable: if the disk has no room; nothing is kept then.
        """
        kept = self.upload_path(submission)
        if self.events(submission):
            raise EventExists(f"{submission} has a history already; read its events")
        atomic.make_folder(self._home)
        if self._room_bytes and shutil.disk_usage(self._home).free - upload.stat().st_size < self._room_bytes:
            raise StoreUnavailable(
                "This machine's disk has no room to keep another zip, so it is not taken and costs nothing. "
                "Send it again later."
            )
        atomic.replace_with_copy(kept, upload)
        found = sha256_of_file(kept)
        if found != zip_sha256:
            if not self.events(submission):
                kept.unlink(missing_ok=True)
            raise UploadChanged(
                f"the zip changed while it was checked: expected sha256 {zip_sha256}, kept {found}. Upload it again."
            )
        for event in events:
            self.create_event(submission, event)

    def send_ahead(self, submission: SubmissionId, upload: Path) -> None:
        """Do nothing: a copy is short."""

    def has_upload(self, submission: SubmissionId) -> bool:
        """Return whether the zip of a submission is kept."""
        return self.upload_path(submission).is_file()

    def fetch_upload(self, submission: SubmissionId) -> Path:
        """Return where the kept zip is; raises UploadLost if it is not kept."""
        if not self.has_upload(submission):
            raise UploadLost(f"the zip of {submission} is no longer kept")
        return self.upload_path(submission)

    def is_pushed(self, submission: SubmissionId) -> bool:  # noqa: ARG002 - there is no other place
        """Return true: a folder is all there is."""
        return True

    def shards(self, submission: SubmissionId, run: str) -> FolderShards:
        """Return the shards of the run named `run`."""
        return FolderShards(self._folder(submission) / "shards" / _name(run))

    def clips_dir(self, submission: SubmissionId, claim: int) -> Path:
        """Return an empty folder for the clips of one claim; those of earlier claims are removed."""
        folder = self._clips(submission) / str(claim)
        for earlier in self._clips(submission).glob("*"):
            # A worker that lost its lease may still write there; what it adds goes the next time.
            shutil.rmtree(earlier, ignore_errors=True)
        atomic.make_folder(folder)
        return folder

    def remove_clips(self, submission: SubmissionId, claim: int) -> None:
        """Remove the working clips of one claim; those of a later one stay."""
        shutil.rmtree(self._clips(submission) / str(claim), ignore_errors=True)
        with contextlib.suppress(OSError):  # there is a later one, or there never was any
            self._clips(submission).rmdir()

    def keep_file(self, submission: SubmissionId, name: str, data: bytes) -> None:
        """Keep, or replace, one private file beside a submission's events."""
        atomic.replace(self._kept(submission, name), data)

    def kept_file(self, submission: SubmissionId, name: str) -> bytes | None:
        """Return such a file, or None."""
        try:
            return self._kept(submission, name).read_bytes()
        except FileNotFoundError:
            return None

    def hidden(self, submission: SubmissionId) -> "PublishedFolder":
        """Return where the published files of a hidden submission wait."""
        return PublishedFolder(self._folder(submission) / "hidden")

    def append_log(self, log: str, n: int, data: bytes) -> None:
        """Append entry `n` to a log; raises EventExists if the log has it."""
        path = self._logs / _name(log) / _SHARD.format(n)
        if not atomic.create(path, data, unless=lambda name: name == path.name):
            raise EventExists(f"the log {log} has an entry {n} already; read it again")

    def log(self, log: str) -> tuple[bytes, ...]:
        """Return all entries of a log in order."""
        found = sorted((self._logs / _name(log)).glob("[0-9]*.json"))
        return tuple(path.read_bytes() for path in found)

    def write_worker(self, worker: str, data: bytes) -> None:
        """Replace what is known of a worker."""
        atomic.replace(self._workers / f"{_name(worker)}.json", data)

    def workers(self) -> tuple[bytes, ...]:
        """Return the last word of every worker, sorted by name."""
        return tuple(path.read_bytes() for path in sorted(self._workers.glob("[a-z0-9]*.json")))

    @contextlib.contextmanager
    def publishing(self) -> Iterator[None]:
        """Wait until no other worker publishes, and keep others waiting inside the block."""
        atomic.make_folder(self._workers / "publishing")
        with atomic.locked(self._workers / "publishing", exclusive=True):
            yield

    def refresh(self) -> None:
        """Do nothing: a folder is read anew each time."""

    def health(self) -> StoreHealth:
        """Return that a folder is always reached."""
        return _HERE

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        for folder in (self._work, self._workers, self._logs):
            atomic.sweep(folder)

    def upload_path(self, submission: SubmissionId) -> Path:
        """Return where the kept zip is, or would be."""
        return self._folder(submission) / "upload.zip"

    def _kept(self, submission: SubmissionId, name: str) -> Path:
        if not _FILE.fullmatch(name):
            raise ValueError(f"a kept file is named by a-z, 0-9, '-' and one '.', got {name!r:.80}")
        return self._folder(submission) / "kept" / name

    def _clips(self, submission: SubmissionId) -> Path:
        return self._folder(submission) / "clips"

    def _folder(self, submission: SubmissionId) -> Path:
        return self._work / submission_id(submission)

    def _event(self, submission: SubmissionId, path: Path) -> Event:
        key = (submission, path.name)
        if key not in self._read:
            event = decode_event(path.read_bytes(), f"{submission}/events/{path.name}")
            if path.name != f"{event.n:04d}-{event.kind}.json":
                raise SchemaError(f"{submission}/events/{path.name} holds the event {event.n}-{event.kind}")
            self._read[key] = event
        return self._read[key]


class PublishedFolder:
    """The published layout in a folder; see `submissions.store.base.PublishedFiles`.

    A path that could lead out of the folder, or holds unusual signs, is refused with a ValueError everywhere.
    """

    def __init__(self, root: Path) -> None:
        """Use the folder `root`, which need not exist."""
        self._root = root

    def paths(self, prefix: str = "") -> tuple[str, ...]:
        """Return the paths of all files that begin with `prefix`, sorted; half-written files are not there."""
        below = self._root / prefix.rpartition("/")[0]
        files = (path for path in below.rglob("*") if path.is_file() and not atomic.is_temporary(path.name))
        relative = (path.relative_to(self._root).as_posix() for path in files)
        return tuple(sorted(path for path in relative if path.startswith(prefix)))

    def read(self, path: str) -> bytes:
        """Return a file's bytes; raises FileNotFoundError if there is none."""
        return self.local_path(path).read_bytes()

    def open(self, path: str) -> BufferedReader:
        """Return a file for reading; raises FileNotFoundError if there is none."""
        return self.local_path(path).open("rb")

    def size(self, path: str) -> int:
        """Return a file's size in bytes; raises FileNotFoundError if there is none."""
        return self.local_path(path).stat().st_size

    def version(self, path: str) -> str:
        """Return what changes whenever the file or folder at `path` does; "none" if there is nothing."""
        try:
            status = self.local_path(path).stat()
        except FileNotFoundError:
            return "none"
        facts = f"{status.st_ino}.{status.st_mtime_ns}.{status.st_size}"
        return hashlib.sha256(facts.encode()).hexdigest()[:_VERSION_DIGITS]

    def write(self, path: str, data: bytes) -> None:
        """Replace a file whole."""
        atomic.replace(self.local_path(path), data)

    def write_file(self, path: str, source: Path) -> None:
        """Replace a file whole with a copy of `source`."""
        atomic.replace_with_copy(self.local_path(path), source)

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens if there is none."""
        file = self.local_path(path)
        if file.exists():
            file.unlink()
            atomic.sync_folder(file.parent)

    def repo(self) -> None:
        """Return None: a folder has no address that others know."""

    def commit(self) -> None:
        """Return None: a folder keeps no history."""

    def change(self, why: str, make: Callable[[PublishedFiles], T]) -> T:  # noqa: ARG002 - a folder keeps no history
        """Let `make` write; its files appear in the order in which it writes them."""
        return make(self)

    def refresh(self) -> None:
        """Do nothing: a folder is read anew each time."""

    def health(self) -> StoreHealth:
        """Return that a folder is always reached."""
        return _HERE

    def sweep(self) -> None:
        """Remove what killed writers left half-written."""
        atomic.sweep(self._root)

    def local_path(self, path: str) -> Path:
        """Return where a file is, or would be."""
        parts = PurePosixPath(path).parts
        if not parts or not all(_PART.fullmatch(part) for part in parts):
            raise ValueError(f"a published path is made of letters, digits, '.', '_', '-' and '/', got {path!r:.120}")
        return self._root.joinpath(*parts)


def _event_names(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted((path.name for path in folder.iterdir() if _is_event(path.name)), key=_number)


def _is_event(name: str) -> bool:
    return _EVENT.fullmatch(name) is not None


def _number(name: str) -> int:
    return int(name.split("-", maxsplit=1)[0])


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"a name is 1 to 64 of a-z, 0-9 and -, not beginning with -; got {text!r:.80}")
    return text
