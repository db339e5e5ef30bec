"""The page about reading the board by machine, from a site and an address."""

from leaderboard import query
from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import data
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage


def data_page(context: Context, asked: Query) -> Markup:
    """Return the page about reading the board by machine."""
    return data.build(context.published.board(query.one(asked, "protocol")), context.published.boards())


PAGE = ReadingPage(path=data.HERE, make=data_page)
