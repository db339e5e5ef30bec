"""Files that are there whole or not at all, on a local disk, whatever instant the writer dies.

A new file is written under a temporary name in its own folder, brought to the disk, then given its
name in one step. Writers hold a shared lock on the folder, so a leftover of a killed writer is known
by nobody holding one: locks end with their process.
"""

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

_PREFIX, _SUFFIX = ".", ".writing"
_BLOCK = 1 << 20


def is_temporary(name: str) -> bool:
    """Tell whether a file of this name is one that is being written, or a killed writer's leftover."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def make_folder(folder: Path) -> None:
    """Create `folder` and what is missing above it, so that a power cut cannot undo it."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def replace(path: Path, data: bytes) -> None:
    """Make `path` hold `data`; a reader sees the old file or the new one."""
    _replace(path, lambda file: file.write(data))


def replace_with_copy(path: Path, source: Path) -> None:
    """Make `path` hold what the file `source` holds; a reader sees the old file or the new one."""
    with source.open("rb") as original:
        _replace(path, lambda file: shutil.copyfileobj(original, file, _BLOCK))


def create(path: Path, data: bytes, *, unless: Callable[[str], bool]) -> bool:
    """Create `path` with `data` unless its folder already holds a name for which `unless` is true.

    Only one of any number of creators in one folder is at work at a time, so what `unless` saw holds.

    Returns:
        True if the file was created by this call.
    """
    make_folder(path.parent)
    with locked(path.parent, exclusive=True):
        names = [entry.name for entry in os.scandir(path.parent)]
        if any(unless(name) for name in names if not is_temporary(name)):
            return False
        _remove(path.parent, names)
        with _written(path.parent, path.name, lambda file: file.write(data)) as temporary:
            os.link(temporary, path)
            temporary.unlink()
    return True


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder` and below; folders in use are left for the next time."""
    for place, _, names in os.walk(folder):
        if any(is_temporary(name) for name in names):
            with contextlib.suppress(BlockingIOError), locked(Path(place), exclusive=True, wait=False):
                _remove(Path(place), names)


@contextlib.contextmanager
def locked(folder: Path, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
    """Hold a lock on a folder; the kernel drops it when the process dies.

    Raises:
        BlockingIOError: if `wait` is false and another holds a lock that excludes this one.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some mounts cannot sync a folder; they have nothing to lose then
            raise
    finally:
        os.close(descriptor)


def _replace(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    make_folder(path.parent)
    with locked(path.parent, exclusive=False), _written(path.parent, path.name, fill) as temporary:
        temporary.rename(path)


@contextlib.contextmanager
def _written(folder: Path, name: str, fill: Callable[[IO[bytes]], object]) -> Iterator[Path]:
    temporary = folder / f"{_PREFIX}{name}.{secrets.token_hex(8)}{_SUFFIX}"
    try:
        with temporary.open("xb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(folder)


def _remove(folder: Path, names: list[str]) -> None:
    for name in filter(is_temporary, names):
        (folder / name).unlink(missing_ok=True)
