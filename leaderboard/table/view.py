"""What one reader's table shows: rows chosen, ordered and cut to a window. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.derive.keeper import Progress
from leaderboard.table.choose import chosen, ordered, searched
from leaderboard.table.lines import Line, Lines
from leaderboard.table.search import Search
from leaderboard.table.state import TableState
from leaderboard.views import Board

N_ROWS = 24
"""Rows that are shown at first: more than a screen has, and few enough to be laid out while nobody notices."""
N_MORE = 60
"""Rows that follow at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Everything that the pages of a board show."""

    board: Board
    """The board."""
    boards: Sequence[Board]
    """All boards."""
    state: TableState
    """What a reader chose."""
    lines: Lines
    """All rows, on the part that was chosen."""
    found: Sequence[Line]
    """Those that pass, in order."""
    search: Search
    """How the search was understood."""
    progress: Progress
    """How far the board is worked out."""

    @property
    def is_waiting(self) -> bool:
        """Whether something that belongs here is still being worked out."""
        return not self.progress.is_ready or self.lines.view is None or not self.lines.is_whole

    def window(self) -> Sequence[Line]:
        """Return the rows that are shown now; the one that is open is among them."""
        return self.found[self.state.first : self.end()]

    def end(self) -> int:
        """Return the place behind the last row that is shown."""
        last = self.state.first + (N_MORE if self.state.first else N_ROWS)
        place = next((at for at, line in enumerate(self.found) if line.row.submission == self.state.row), None)
        return min(len(self.found), max(last, last if place is None else place + 1))


def view_of(board: Board, boards: Sequence[Board], state: TableState, lines: Lines, progress: Progress) -> TableView:
    """Return the view of a board that a state asks for."""
    found = searched(state.filters, board.protocol)
    rows = ordered(chosen(lines.lines, state.filters, found), state.sort)
    return TableView(board=board, boards=boards, state=state, lines=lines, found=rows, search=found, progress=progress)
