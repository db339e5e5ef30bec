"""Folders for what passes: each is its maker's own and goes with its maker, however that ends."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from submissions.store import atomic


@contextlib.contextmanager
def passing_folder(base: Path, prefix: str) -> Iterator[Path]:
    """Give an empty folder below `base` that is gone afterwards; folders that killed makers left there go too.

    Several processes may share `base`. A maker holds a lock on its folder; the kernel drops it when the process dies.

    Args:
        base: where such folders are; made if it is missing.
        prefix: how the folder's name begins.
    """
    atomic.make_folder(base)
    with contextlib.ExitStack() as held:
        with atomic.locked(base, exclusive=True):  # so that none is taken for a leftover before it is locked
            _sweep(base)
            folder = Path(tempfile.mkdtemp(dir=base, prefix=prefix))
            held.callback(shutil.rmtree, folder, ignore_errors=True)
            held.enter_context(atomic.locked(folder, exclusive=True))
        yield folder


def _sweep(base: Path) -> None:
    for folder in base.iterdir():
        # What is suppressed: its maker is alive, or it is no folder.
        with (
            contextlib.suppress(BlockingIOError, NotADirectoryError),
            atomic.locked(folder, exclusive=True, wait=False),
        ):
            shutil.rmtree(folder, ignore_errors=True)
