"""The published boards as the dataset card tells of them: read from recipes and derived tables alone, newest first."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.errors import CastboardError
from evaluation.gate.normalisers import NEWEST
from evaluation.protocol import Protocol
from submissions import layout
from submissions.column_meanings import Table
from submissions.store.base import PublishedFiles, StoreUnavailable

log = logging.getLogger(__name__)

_ROW = ("submission", "system", "version", "organisation", "licence", "open_weights", "link", "received_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One board that has its derived tables."""

    protocol: Protocol
    """Its recipe."""
    protocol_id: str
    """The recipe's id."""
    rows: tuple[Mapping[str, Any], ...]
    """What the leaderboard says of each system's card and arrival, best score first; hostile text."""

    @property
    def n_rows(self) -> int:
        """Systems of the board."""
        return len(self.rows)

    def tables(self) -> Iterator[tuple[Table, str]]:
        """Yield every table of its own with a row, and the pattern of its files; `datasets` opens no empty one."""
        if self.rows:
            yield "leaderboard", layout.leaderboard_path(self.protocol_id)
            yield "per_sample", f"per_sample/{self.protocol_id}/*.parquet"
        if len(self.rows) > 1:
            yield "decisions", layout.decisions_path(self.protocol_id)
        if self.rows and self.protocol.judge is not None:
            yield "replies", f"replies/{self.protocol_id}/*.parquet"


def read_boards(files: PublishedFiles) -> tuple[Board, ...]:
    """Return all boards, the newest protocol first.

    No date stands in a recipe, so the newest one is that whose newest row arrived last; of rows that were evaluated
    again, that with more dimensions, then with a judge, then with the newest normaliser. A board whose files cannot be
    read is left out: a damaged file of one board hinders no row of another.

    Raises:
        StoreUnavailable: if the files cannot be fetched now.
    """
    found = [board for path in files.paths("protocols/") if (board := _board(files, path)) is not None]
    return tuple(sorted(found, key=_newness, reverse=True))


def shared_tables(files: PublishedFiles, boards: Iterable[Board]) -> tuple[Table, ...]:
    """Return the tables with a row that belong to no board: clips, and contours once there are any."""
    names = {str(row["submission"]) for board in boards for row in board.rows}
    if not names:
        return ()
    drawn = set(files.paths("contours/"))
    has_contours = any(layout.is_name(name) and layout.contours_path(name) in drawn for name in names)
    return ("clips", "contours") if has_contours else ("clips",)


def _board(files: PublishedFiles, path: str) -> Board | None:
    if not layout.is_published(path):
        return None
    try:
        protocol = layout.decode_protocol(files.read(path), path)
        table = layout.read_leaderboard(files, protocol.id).select(list(_ROW))
    except (StoreUnavailable, MemoryError):
        raise
    except FileNotFoundError:  # a recipe without a board
        return None
    except (CastboardError, KeyError) as error:
        log.warning("dataset_card.board_left_out", extra={"path": path, "reason": str(error)})
        return None
    return Board(protocol=protocol, protocol_id=protocol.id, rows=tuple(table.to_pylist()))


def _newness(board: Board) -> tuple[str, int, bool, bool, str]:
    protocol = board.protocol
    last = max((str(row["received_at"]) for row in board.rows), default="")
    return last, len(protocol.dimensions), protocol.judge is not None, protocol.normaliser == NEWEST, board.protocol_id
