"""The board page and the page of one dimension, from a site and an address."""

from collections.abc import Sequence

from leaderboard import query, standings
from leaderboard.coming import coming
from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import board, trait
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board


def board_page(context: Context, asked: Query) -> Markup:
    """Return the board page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    state = query.read_board(asked, standings.columns(found))
    boards = context.published.boards()
    name = query.one(asked, "trait")
    if name in found.protocol.dimensions and found.rows:
        return _trait_page(context, found, boards, name)
    beside = context.derived.beside(found, context.corpus)
    return board.build(found, boards, state, coming=coming(context), beside=beside)


def _trait_page(context: Context, found: Board, boards: Sequence[Board], name: str) -> Markup:
    rows = trait.shown(found, name)
    names = [row.submission for row in rows]
    return trait.build(
        found,
        boards,
        name,
        card=context.published.cards(found).get(name),
        rows=rows,
        summaries=context.derived.summaries(found, names),
        corrected=context.derived.corrected(found, names, (name,)),
    )


PAGE = ReadingPage(path=board.HERE, make=board_page, scripts=("table", "figures"))
