"""The page with the public log of the operators' acts."""

from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import log
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage


def log_page(context: Context, _: Query) -> Markup:
    """Return the page with the public log of the operators' acts."""
    return log.build(context.moderated.entries())


PAGE = ReadingPage(path=log.HERE, make=log_page)
