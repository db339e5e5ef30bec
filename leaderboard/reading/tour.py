"""The tour, which is the same on every site."""

from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import tour
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage


def tour_page(_: Context, __: Query) -> Markup:
    """Return the page of the tour."""
    return tour.build()


def _steps(_: Context, __: Query) -> Markup:
    return tour.steps()


PAGE = ReadingPage(path=tour.HERE, make=tour_page, parts={tour.STEPS: _steps})
