"""The page of one system, from a site and an address."""

from leaderboard import query
from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.operator_rights import has_operators
from leaderboard.pages import system
from leaderboard.query import Query
from leaderboard.reading.figures import system_figure
from leaderboard.reading.router import ReadingPage


def system_page(context: Context, asked: Query) -> Markup:
    """Return the page of the system that an address names."""
    submission = query.one(asked, "id")
    found, row = context.published.home_of(submission, query.one(asked, "protocol"))
    detail = context.published.detail(found, submission) if row else None
    if row is None or detail is None:
        return system.absent(found, context.published.boards(), submission, context.moderated.sentence(submission))
    return system.build(
        found,
        context.published.boards(),
        context.corpus,
        row,
        detail,
        beside=context.derived.beside(found, context.corpus),
        corrected=context.derived.corrected(found, (submission,)).get(submission, {}),
        has_operators=has_operators(context),
        drawn=system_figure(context, found, row),
    )


PAGE = ReadingPage(path=system.HERE, make=system_page, scripts=("figures",), styles=("why", "figures"))
