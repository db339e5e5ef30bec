"""What of the matrix an address shows: slice, window, picked pair. Pure."""

from dataclasses import dataclass

from leaderboard.derive.records import ALL, Slice, slice_of
from leaderboard.query import Query, address, one
from leaderboard.views import Board

HERE = "/matrix"
N_SHOWN = 40
"""Systems in one view of the matrix, each way; of a larger board, rows and columns are chosen apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixState:
    """State of the matrix page."""

    protocol: str
    """Protocol id."""
    part: Slice = ALL
    """Which items, and what of them, is compared."""
    one: str = ""
    """Submission of the picked pair; empty for none."""
    other: str = ""
    """The other submission."""
    first_row: int | None = None
    """Place of the first row's system, from 0; None: where the picked pair is."""
    first_column: int | None = None
    """Place of the first column's system; None likewise."""

    def address(self, **changes: object) -> str:
        """Return the address of this state with some parts changed; None takes one away."""
        whole: dict[str, object] = {
            **self.told(),
            "from": None if self.first_row is None else str(self.first_row),
            "cols": None if self.first_column is None else str(self.first_column),
        }
        return address(HERE, **(whole | changes))

    def told(self) -> dict[str, str | None]:
        """Return the words of an address for everything but the window; None for what is not chosen."""
        part = self.part
        return {
            "protocol": self.protocol,
            "trait": part.trait,
            "tier": None if part.tier is None else str(part.tier),
            "split": part.split,
            "a": self.one or None,
            "b": self.other or None,
        }


def read_matrix(board: Board, asked: Query) -> MatrixState:
    """Return the state that an address asks for; what cannot be understood is left at its default."""
    part = slice_of(board.protocol, tier=one(asked, "tier"), split=one(asked, "split"), trait=one(asked, "trait"))
    return MatrixState(
        protocol=board.protocol_id,
        part=part,
        one=one(asked, "a"),
        other=one(asked, "b"),
        first_row=_place(one(asked, "from"), len(board.rows)),
        first_column=_place(one(asked, "cols"), len(board.rows)),
    )


def window(state: MatrixState, keys: tuple[str, ...]) -> tuple[int, int]:
    """Return where the shown rows and columns begin: as the address says, else where the picked pair is, else 0."""
    row = _start(state.first_row, state.one, keys, 0)
    return row, _start(state.first_column, state.other, keys, row)


def _start(given: int | None, picked: str, keys: tuple[str, ...], otherwise: int) -> int:
    place = given
    if place is None:
        place = keys.index(picked) // N_SHOWN * N_SHOWN if picked in keys else otherwise
    return min(place, max(0, len(keys) - N_SHOWN))


def _place(text: str, n_systems: int) -> int | None:
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if int(text) < n_systems else None
