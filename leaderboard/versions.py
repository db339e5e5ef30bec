"""Which rows of a board are older versions of other rows on it, and which names were granted since.

Both follow from published files alone: the column `supersedes` of the leaderboard, and `renames/`. Anybody who has the
dataset can do the same.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.errors import SchemaError
from leaderboard.views import Row
from submissions import layout
from submissions.renaming import Rename, decode_rename
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)


def with_versions(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows that know by which newer row each one is superseded: the newest of all that come after it.

    A version whose row is not among them breaks the chain: the rows before it are then superseded by nobody.
    """
    by_name = {row.submission: row for row in rows}
    newest: dict[str, Row] = {}
    for row in sorted(rows, key=lambda one: (one.received_at, one.submission)):
        older, passed = row.supersedes, {row.submission}
        while older is not None and older in by_name and older not in passed:
            newest[older] = row
            passed.add(older)
            older = by_name[older].supersedes
    return tuple(
        replace(row, superseded_by=newest[row.submission].submission) if row.submission in newest else row
        for row in rows
    )


def with_names(rows: Sequence[Row], renames: Mapping[str, Rename]) -> tuple[Row, ...]:
    """Return rows under the names that were granted to them."""
    return tuple(
        replace(row, system=found.system, organisation=found.organisation, rename=found)
        if (found := renames.get(row.submission))
        else row
        for row in rows
    )


def read_renames(files: PublishedFiles) -> dict[str, Rename]:
    """Return all granted names by submission; a damaged file is passed over, and its row keeps the card's names."""
    found: dict[str, Rename] = {}
    for path in layout.renames(files):
        try:
            found[Path(path).stem] = decode_rename(files.read(path), path)
        except SchemaError as error:
            log.warning("rename.unreadable", extra={"path": path, "why": str(error)})
        except FileNotFoundError:  # taken back since they were listed
            continue
    return found


def renames_revision(files: PublishedFiles) -> str:
    """Return what changes whenever granted names do."""
    return "".join(f"{path}{files.version(path)};" for path in layout.renames(files))
