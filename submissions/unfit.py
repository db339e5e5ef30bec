"""What a published folder may not hold: what would hang, lead out of the folder or fill the memory of who reads it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from submissions import layout
from submissions.differences import Difference, difference
from submissions.problems import shown

MAX_BYTES = 512 << 20
"""Largest published file but for clips; the decisions of two thousand systems need less."""
MAX_CLIPS_BYTES = 16 << 30
"""Largest file of clips."""
_FOLDERS = frozenset(
    {
        "protocols",
        "systems",
        "per_sample",
        "clips",
        "contours",
        "replies",
        "results",
        "board",
        "cards",
        "people",
        "duels",
        "votes",
    }
)


def unfit(root: Path) -> Iterator[Difference]:
    """Yield a difference for every place of the layout that is no plain file or folder, or too large; reads nothing.

    Args:
        root: folder that holds the published layout; may itself be reached by a link.
    """
    for place, folders, names in os.walk(root):
        here = Path(place)
        for name in sorted(folders):
            path = (here / name).relative_to(root)
            if path.parts[0] in _FOLDERS and (here / name).is_symlink():
                yield difference(shown(path.as_posix()), "folder", "a link", "a folder")
        for name in sorted(names):
            relative = (here / name).relative_to(root).as_posix()
            if layout.is_published(relative) and (fault := _fault(here / name, relative)):
                yield difference(relative, "file", fault, f"a plain file of at most {limit_of(relative):,} bytes")


def _fault(path: Path, relative: str) -> str | None:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return "a link"
    if not stat.S_ISREG(facts.st_mode):
        return "a pipe or device"
    return f"{facts.st_size:,} bytes" if facts.st_size > limit_of(relative) else None


def limit_of(relative: str) -> int:
    """Return how large a published file may be, bytes."""
    return MAX_CLIPS_BYTES if relative.startswith("clips/") else MAX_BYTES
