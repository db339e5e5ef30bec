"""Whether published votes are votes on a board's own systems, each once and in order."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from evaluation.errors import SchemaError
from submissions import layout
from submissions.differences import Difference, difference
from submissions.store.base import PublishedFiles
from submissions.votes import read_votes


def vote_differences(files: PublishedFiles, path: str) -> Iterator[Difference]:
    """Yield what is damaged of the votes on a board; votes on systems that left are due to go, and no difference."""
    try:
        read_votes(files, PurePosixPath(path).stem)
    except SchemaError as error:
        yield difference(
            path, "file", str(error).removeprefix(f"{layout.votes_path(PurePosixPath(path).stem)}"), "votes"
        )
