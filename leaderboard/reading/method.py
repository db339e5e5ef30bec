"""The method page, from a site and an address."""

from pathlib import Path

from leaderboard import query
from leaderboard.catalogue import untried
from leaderboard.context import Context
from leaderboard.evidence import Evidence
from leaderboard.markup import Markup
from leaderboard.pages import method
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage
from leaderboard.trials import load_trials

TRIALS = Path(__file__).resolve().parent.parent.parent / "assets" / "instrument_trials.json"


def method_page(context: Context, asked: Query) -> Markup:
    """Return the method page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    evidence = Evidence(
        trials=load_trials(TRIALS),
        cards=context.published.cards(found),
        people=context.published.people(found),
        ceiling=context.derived.ceiling(found, context.corpus),
        trust=context.derived.trust(found, context.corpus, context.store),
        prices=context.judge_prices,
        untried=untried(context.candidates),
    )
    return method.build(found, context.published.boards(), evidence)


PAGE = ReadingPage(path=method.HERE, make=method_page)
