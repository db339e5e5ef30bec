"""The matrix page, from a site and an address."""

from leaderboard import duel_view, query
from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import duel, matrix
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board


def matrix_page(context: Context, asked: Query) -> Markup:
    """Return the matrix page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    one, other = query.one(asked, "a"), query.one(asked, "b")
    samples = context.published.samples(found, (one, other)) if one and other else {}
    first_row = _start(found, query.one(asked, "from"), one, 0)
    known = duel_view.duelling(context, found, one, other)
    return matrix.build(
        found,
        context.published.boards(),
        one,
        other,
        samples=samples,
        first_row=first_row,
        first_column=_start(found, query.one(asked, "cols"), other, first_row),
        note=duel.note(found, known) if known else None,
    )


def _start(found: Board, given: str, picked: str, otherwise: int) -> int:
    """Return where one side of the matrix begins: as the address says, else where the picked system is, else there."""
    place = int(given) if given.isascii() and given.isdecimal() else -1
    if place < 0:
        place = next((at for at, row in enumerate(found.rows) if row.submission == picked), otherwise)
    return place // matrix.N_SHOWN * matrix.N_SHOWN if place < len(found.rows) else 0


PAGE = ReadingPage(path=matrix.HERE, make=matrix_page, scripts=("matrix",))
