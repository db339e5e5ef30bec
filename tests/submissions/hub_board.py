"""A published folder as a public dataset repo of the hub double."""

from pathlib import Path

from submissions.store.folder import PublishedFolder
from tests.hub.double import HubDouble
from tests.submissions import published_example as example

BOARD = "ohm/board"


def publish(folder: Path, *names: str) -> PublishedFolder:
    """Publish some of the invented systems in a folder."""
    files = PublishedFolder(folder / "published")
    for name in names:
        example.send(files, example.submission(folder / name, name), example.protocol())
    return files


def mirror(hub: HubDouble, files: PublishedFolder, repo: str = BOARD, *, private: bool = False) -> str:
    """Commit a folder to a repo of the hub, and return the commit."""
    if hub.state.repos.get("dataset", repo) is None:
        hub.create(repo, private=private)
    return hub.put(repo, {path: files.read(path) for path in files.paths()})
