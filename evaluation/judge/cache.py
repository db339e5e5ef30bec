"""Every raw reply of a judge, kept under the key of its call, so that nothing is paid for twice.

A key names one file. It is written beside its place and moved there once the disk has it, so a reader finds
a whole entry or none, and writers of the same key do each other no harm. No entry holds a key or an address
of the provider.
"""

import contextlib
import itertools
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as TypingProtocol

_NAME = re.compile(r"[0-9a-f]{64}")


class ReplyCache(TypingProtocol):
    """Where replies are kept; safe to use from several threads and processes at once."""

    def load(self, name: str) -> bytes | None:
        """Return the entry `name` (64 hex digits), or None if there is none."""
        ...

    def save(self, name: str, entry: bytes) -> None:
        """Keep `entry` under `name`; once this returns, a power cut does not lose it."""
        ...

    def set_aside(self, name: str) -> None:
        """Keep the entry `name` where no call finds it; nothing happens if there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCache:
    """A cache in a folder of this machine, 256 folders below it."""

    folder: Path
    """Where it is; made when first needed."""

    def load(self, name: str) -> bytes | None:
        """Return the entry `name`, or None if there is none.

        Raises:
            ValueError: if `name` is not 64 hex digits.
        """
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def save(self, name: str, entry: bytes) -> None:
        """Keep `entry` under `name`, in place of an older one.

        Raises:
            ValueError: if `name` is not 64 hex digits.
            OSError: if it cannot be written.
        """
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(entry)
                file.flush()
                os.fsync(file.fileno())
            Path(beside).replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(beside).unlink()
            raise
        _sync_folder(path.parent)

    def set_aside(self, name: str) -> None:
        """Move the entry `name` to `<name>.aside-<n>` beside it, for people alone; no earlier one is lost.

        A power cut may undo it, which costs nothing but one more try.

        Raises:
            ValueError: if `name` is not 64 hex digits.
            OSError: if it cannot be moved.
        """
        path = self._path(name)
        with contextlib.suppress(FileNotFoundError):  # also when somebody else was quicker
            entry = path.read_bytes()
            for number in itertools.count(1):
                with contextlib.suppress(FileExistsError), path.with_suffix(f".aside-{number}").open("xb") as file:
                    file.write(entry)
                    break
            path.unlink()

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"an entry of the cache is named by 64 hex digits, got {name!r:.80}")
        return self.folder / name[:2] / f"{name}.json"


def _sync_folder(folder: Path) -> None:
    """Make the disk remember the folder's new name too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
