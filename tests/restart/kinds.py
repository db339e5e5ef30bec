"""The kinds of stores that Spaces are killed on."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from evaluation.codec import sha256_of
from submissions import layout
from submissions.store.base import PublishedFiles, WorkStore
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify


class Folder:
    """A folder of the home."""

    name = "folder"

    def zygote_environ(self) -> dict[str, str]:
        """Return what the program must find in its environment before it imports anything."""
        return {"HF_HUB_OFFLINE": "1"}

    def environ(self, home: Path) -> dict[str, str]:
        """Return no more settings."""
        return {}

    def stores(self, home: Path) -> tuple[WorkStore, PublishedFiles]:
        """Return the home's own stores."""
        return FolderStore(home), PublishedFolder(home / "published")

    def check(self, home: Path) -> None:
        """Fail unless every row is whole and the board verifies."""
        expect_whole_rows(PublishedFolder(home / "published"))
        report = verify(home / "published")
        assert not report.differences, report.differences[:3]


def expect_whole_rows(files: PublishedFiles) -> None:
    """Fail if a result is there and anything that it was made of is not."""
    for path in files.paths("results/"):
        result = layout.decode_result(files.read(path), path)
        assert {name: sha256_of(files.read(name)) for name in result.files} == dict(result.files), path


@contextmanager
def _folder(_: Path) -> Iterator[Folder]:
    yield Folder()


KINDS: Mapping[str, Callable[[Path], AbstractContextManager[Folder]]] = {"folder": _folder}
"""Every kind by name; opened with a folder of its own."""
