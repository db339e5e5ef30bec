"""Which state of a board a page shows: its protocol, its revision, the program, and how new the newest row is."""

import hashlib
from dataclasses import dataclass

from leaderboard.published import Kept
from leaderboard.views import Board
from submissions import layout
from submissions.store.base import PublishedFiles
from submissions.version import code_version

_DIGITS = 12
"""Hex digits of a revision that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The state of a board that a page shows."""

    protocol_name: str
    """Name of the recipe."""
    protocol_id: str
    """Id of the recipe."""
    newest: str | None
    """When the newest of the board's zips arrived, UTC, as the rows tell it; None for an empty board."""
    n_systems: int
    """Rows."""
    revision: str
    """Commit of the dataset repo, else a hash of the board's two tables; empty for an empty board without a repo."""
    repo: str | None
    """Dataset repo that holds the board, "org/name"; None if the board lies in none."""
    code: str
    """Version of the program that made the page."""

    @property
    def short(self) -> str:
        """The revision as it is shown."""
        return self.revision[:_DIGITS]

    @property
    def day(self) -> str:
        """Day of the newest row, "2026-03-01"; empty for an empty board."""
        return (self.newest or "")[:10]


class Stamps:
    """Stamps of boards, each made once for a published state."""

    def __init__(self, files: PublishedFiles) -> None:
        """Stamp what `files` hold."""
        self._files = files
        self._kept: Kept[Stamp] = Kept(16)

    def of(self, board: Board) -> Stamp:
        """Return the stamp of a board."""
        revision = board.revision + (self._files.commit() or "")
        return self._kept.get(board.protocol_id, revision, lambda: stamp_of(self._files, board))


def stamp_of(files: PublishedFiles, board: Board) -> Stamp:
    """Return the stamp of a board as it is published now; reads its two tables unless a repo vouches for them."""
    commit = files.commit()
    return Stamp(
        protocol_name=board.protocol.name,
        protocol_id=board.protocol_id,
        newest=max((row.received_at for row in board.rows), default=None),
        n_systems=len(board.rows),
        revision=commit or _content(files, board),
        repo=files.repo() if commit else None,
        code=code_version(),
    )


def _content(files: PublishedFiles, board: Board) -> str:
    whole = hashlib.sha256()
    for path in (layout.leaderboard_path(board.protocol_id), layout.decisions_path(board.protocol_id)):
        try:
            whole.update(files.read(path))
        except FileNotFoundError:
            return ""
    return whole.hexdigest()
