"""Writes clips into a zip that depends on their names and bytes alone: the same clips always give the same sha256."""

import shutil
import zipfile
from pathlib import Path
from types import TracebackType
from typing import Self

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
_PLAIN_FILE = 0o100644
_CHUNK_BYTES = 1 << 20
_N_HEADER_BYTES = 30 + 46
_N_END_BYTES = 22


class StoredZip:
    """A zip being written; a context manager. Nothing is packed: clips are already, or are read once."""

    def __init__(self, path: Path) -> None:
        """Write to `path`, which is replaced."""
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED)

    def __enter__(self) -> Self:
        """Return the zip."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write the table of contents."""
        self._zip.close()

    def add(self, name: str, source: Path) -> None:
        """Append the file `source` as `name`; whoever calls chooses the order, and with it the bytes."""
        member = zipfile.ZipInfo(name, date_time=_DATE)
        member.create_system = 3
        member.external_attr = _PLAIN_FILE << 16
        member.file_size = source.stat().st_size
        with source.open("rb") as file, self._zip.open(member, "w") as out:
            shutil.copyfileobj(file, out, _CHUNK_BYTES)


def n_bytes(sizes: dict[str, int]) -> int:
    """Return how large the zip of files of these sizes, by name, becomes."""
    names = sum(2 * len(name.encode()) for name in sizes)
    return sum(sizes.values()) + names + _N_HEADER_BYTES * len(sizes) + _N_END_BYTES
