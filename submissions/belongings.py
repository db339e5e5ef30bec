"""Which published files belong to one submission, and taking them away or giving them back in a safe order.

In a folder a change is made file by file, and may be cut off between any two. So the result goes first, and comes after
all that it is made of; the other files, which tell on which boards it was, go once those are made anew.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from submissions import layout
from submissions.board import rebuild_board
from submissions.store.base import PublishedFiles

_FOLDERS = ("results/", "renames/", "duels/", "replies/", "contours/", "clips/", "systems/", "per_sample/")
"""In the order in which files go."""
_ROW_FILE = re.compile(r"(?:results|replies|per_sample)/([^/]+)/[^/]+")


def belongings(files: PublishedFiles, submission: str, protocols: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the paths of all that is published of a submission, in the order in which it must go.

    Args:
        files: a published layout.
        submission: its id.
        protocols: only its rows under these, and duels beside them; None for everything, clips and card included.
    """
    found = (path for folder in _FOLDERS for path in files.paths(folder) if _belongs(path, submission))
    return tuple(path for path in found if protocols is None or protocol_of(path) in protocols)


def protocol_of(path: str) -> str | None:
    """Return the protocol of a row's file or of a duel; None for clips, contours and cards."""
    match = _ROW_FILE.fullmatch(path)
    return match[1] if match else layout.addition_to(path)


def boards_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the protocols whose boards the rows of these files are on, sorted."""
    return tuple(sorted({match[1] for match in map(_ROW_FILE.fullmatch, paths) if match}))


def take_away(files: PublishedFiles, paths: Collection[str]) -> None:
    """Remove files of a submission, and make the boards that it was on anew.

    Args:
        files: the published layout.
        paths: what `belongings` gave; repeating it with what is left finishes a removal that was cut off.
    """
    results = [path for path in paths if path.startswith("results/")]
    for path in results:
        files.remove(path)
    for protocol_id in boards_of(paths):
        rebuild_board(files, protocol_id)
    for path in paths:
        if path not in results:
            files.remove(path)


def give_back(files: PublishedFiles, sources: Mapping[str, Path]) -> None:
    """Publish files of a submission again, and make the boards that it is on anew.

    Args:
        files: the published layout.
        sources: a local copy of every file by its path; recipes are written only where they are missing.
    """
    duels = [path for path in sources if path.startswith("duels/")]
    results = [path for path in sources if path.startswith("results/")]
    recipes = [path for path in sources if path.startswith("protocols/")]
    there = set(files.paths("protocols/"))
    first = [path for path in recipes if path not in there]
    rest = sorted(set(sources) - {*duels, *results, *recipes})
    for path in (*first, *rest, *sorted(results)):
        files.write_file(path, sources[path])
    for protocol_id in boards_of(sources):
        rebuild_board(files, protocol_id)
    for path in sorted(duels, key=lambda name: name.endswith(".json")):
        files.write_file(path, sources[path])


def _belongs(path: str, submission: str) -> bool:
    if not layout.is_published(path):
        return False
    stem = Path(path).stem
    return submission in stem.split("--") if path.startswith("duels/") else stem == submission
