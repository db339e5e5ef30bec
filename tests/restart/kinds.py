"""The kinds of stores that Spaces are killed on."""

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from evaluation.codec import sha256_of
from submissions import layout
from submissions.store.base import PublishedFiles, WorkStore
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work import HubWork
from submissions.verify import verify
from submissions.worker_status import WorkerStatus, read_statuses
from tests.hub.double import HubDouble
from tests.hub.fixtures import client_environ

_TROUBLES: Sequence[dict[str, Any]] = (
    {"status": 500},
    {"status": 429, "retry_after_s": 1},
    {"cut": "before"},
    {"cut": "after"},
)
"""What may become of one answer of a hub."""


class Kind(Protocol):
    """A kind of store that a Space keeps its work in."""

    name: str

    def zygote_environ(self) -> dict[str, str]:
        """Return what the program must find in its environment before it imports anything."""
        ...

    def environ(self, home: Path) -> dict[str, str]:
        """Return the settings of the Space whose home is `home`, beside those of every kind."""
        ...

    def trouble(self, dice: random.Random) -> None:
        """Let something outside fail during the next drill, if there is anything outside."""
        ...

    def stores(self, home: Path) -> tuple[WorkStore, PublishedFiles]:
        """Return what is kept now, as a reader sees it that comes anew."""
        ...

    def statuses(self, home: Path) -> Sequence[WorkerStatus]:
        """Return the last words of the Space's workers."""
        ...

    def check(self, home: Path) -> None:
        """Fail unless all that was published at any time was whole, and the board verifies."""
        ...


class Folder:
    """A folder of the home."""

    name = "folder"

    def zygote_environ(self) -> dict[str, str]:
        """Return that no hub is asked."""
        return {"HF_HUB_OFFLINE": "1"}

    def environ(self, home: Path) -> dict[str, str]:
        """Return no more settings."""
        return {}

    def trouble(self, dice: random.Random) -> None:
        """Do nothing: all is here."""

    def stores(self, home: Path) -> tuple[WorkStore, PublishedFiles]:
        """Return the home's own stores."""
        return FolderStore(home), PublishedFolder(home / "published")

    def statuses(self, home: Path) -> Sequence[WorkerStatus]:
        """Return the words of the home's workers."""
        return read_statuses(FolderStore(home))

    def check(self, home: Path) -> None:
        """Fail unless every row is whole and the board verifies."""
        expect_whole_rows(PublishedFolder(home / "published"))
        _expect_identical(home / "published")


class Hub:
    """Two repos a home on a hub that runs beside the drill and is never killed."""

    name = "hub"

    def __init__(self, double: HubDouble, folder: Path) -> None:
        """Keep readers' copies below `folder`."""
        self._double = double
        self._folder = folder

    def zygote_environ(self) -> dict[str, str]:
        """Return where the hub is."""
        return client_environ(self._double.endpoint, self._folder / "hf")

    def environ(self, home: Path) -> dict[str, str]:
        """Return the settings of a Space with a public and a private repo of its own, which the Space makes."""
        return {
            "CASTBOARD_HUB_BOARD": f"ohm/board-{home.name}",
            "CASTBOARD_HUB_WORK": f"ohm/work-{home.name}",
            "CASTBOARD_HUB_TOKEN": self._double.token,
            "HF_ENDPOINT": self._double.endpoint,
        }

    def trouble(self, dice: random.Random) -> None:
        """Let one or two answers of the hub fail in half of all drills."""
        self._double.calm()
        for _ in range(dice.choice((0, 0, 1, 2))):
            pattern = dice.choice(("POST .*/commit/main", "POST .*/commit/main", "GET .*/resolve/", ""))
            how = dice.choice(
                ({"status": 500}, {"status": 429, "retry_after_s": 1}, {"cut": "before"}, {"cut": "after"})
            )
            self._double.fail(pattern, **how, skip=dice.randrange(8), times=1)

    def stores(self, home: Path) -> tuple[WorkStore, PublishedFiles]:
        """Return both repos as a machine reads them that never saw them."""
        place = Path(tempfile.mkdtemp(prefix="reader-", dir=self._folder))
        cache = BlobCache(place / "cache", 1 << 30)
        names = self.environ(home)
        work, board = (self._repo(names[f"CASTBOARD_HUB_{one}"]) for one in ("WORK", "BOARD"))
        store = HubWork(work, place, cache)
        store.refresh()
        return store, HubPublished(board, cache, place / "published")

    def statuses(self, home: Path) -> Sequence[WorkerStatus]:
        """Return the words of the workers on the home's machine."""
        return read_statuses(FolderStore(home / "hub" / "here"))

    def check(self, home: Path) -> None:
        """Fail unless each row was committed once, in one commit, whole at every commit, and the board verifies."""
        board = self.environ(home)["CASTBOARD_HUB_BOARD"]
        history = self._double.history(board)
        appeared: list[str] = []
        for commit in reversed(history):
            there = {path for path in commit.files if path.startswith("results/")}
            appeared += sorted(there - set(appeared))
            for path in there:
                data = self._double.read(board, path, revision=commit.id)
                result = layout.decode_result(data, path)
                for name, digest in result.files.items():
                    assert sha256_of(self._double.read(board, name, revision=commit.id)) == digest, (path, name)
        copy = Path(tempfile.mkdtemp(prefix="copy-", dir=self._folder))
        for path in self._double.paths(board):
            if layout.is_published(path):
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                (copy / path).write_bytes(self._double.read(board, path))
        _expect_identical(copy)

    def _repo(self, name: str) -> HubRepo:
        return HubRepo(name, token=self._double.token, endpoint=self._double.endpoint)


def expect_whole_rows(files: PublishedFiles) -> None:
    """Fail if a result is there and anything that it was made of is not."""
    for path in files.paths("results/"):
        result = layout.decode_result(files.read(path), path)
        assert {name: sha256_of(files.read(name)) for name in result.files} == dict(result.files), path


def _expect_identical(root: Path) -> None:
    report = verify(root)
    assert not report.differences, report.differences[:3]


@contextmanager
def _folder(_: Path) -> Iterator[Kind]:
    yield Folder()


@contextmanager
def _hub(folder: Path) -> Iterator[Kind]:
    with HubDouble(folder / "double") as double:
        yield Hub(double, folder)


KINDS: Mapping[str, Callable[[Path], AbstractContextManager[Kind]]] = {"folder": _folder, "hub": _hub}
"""Every kind by name; opened with a folder of its own."""
