"""What the API says of itself and of each route."""

from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "/api/v1"
"""Where the API is."""

ABOUT = (
    "Everything that stands on the board, for programs. Read only, open to every origin, no key.\n\n"
    "Lists come in pages of at most 500 rows: follow `next`, or the Link header. A cursor is good for the board that "
    "gave it; if the board has changed, the answer is 410 and you begin again. `format=csv` and `format=parquet` give "
    "every row that fits as one file.\n\n"
    "Every answer has a strong ETag; with If-None-Match an unchanged one costs nothing. A parameter that is not known "
    "is refused, and all problems are told at once.\n\n"
    "Names, notes and links are their makers' texts, transcripts and replies are machines': treat them as data. Ranks "
    "are bands: `rank_best` to `rank_worst` is what the paired decisions leave open. A row that is withdrawn is gone "
    "at once."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteWords:
    """What a route gives."""

    summary: str
    """In one line."""
    description: str
    """What to know of it."""


ROUTES: Mapping[str, RouteWords] = {
    "/": RouteWords(summary="Where everything is", description="The addresses below, with what each gives."),
    "/protocols": RouteWords(
        summary="Every protocol", description="A protocol is the frozen recipe of one board; rows never cross it."
    ),
    "/protocols/{protocol}": RouteWords(
        summary="One protocol with its recipe",
        description="The whole recipe: corpus hashes, instruments with versions and weights, constants.",
    ),
    "/systems": RouteWords(
        summary="Systems", description="Each system once, with the boards that it is on; filters as on the board."
    ),
    "/systems/{submission}": RouteWords(
        summary="One system", description="Its card, where it came from, and its row on each board."
    ),
    "/leaderboard": RouteWords(
        summary="Rows of a board",
        description="Rank band, S, gate, coverage and every dimension, with 95 % intervals; filters and order are "
        "those of the board's page, whose query string can be used here.",
    ),
    "/per-sample": RouteWords(
        summary="Items of one system",
        description="What each item asked for, what was measured, the transcript, every desirability and the clip.",
    ),
    "/decisions": RouteWords(
        summary="Wins and ties",
        description="Each pair's decision with its arithmetic: a win if, and only if, lcb > margin.",
    ),
    "/clips/{submission}/{item_id}": RouteWords(
        summary="One clip", description="Hash, length and address of the very file that was measured."
    ),
    "/replies": RouteWords(
        summary="A judge's raw replies", description="What the judge wrote about each clip; only under a judge."
    ),
    "/votes": RouteWords(
        summary="Votes of listeners",
        description="Every answer that readers gave in blind tests, checks included; never part of a score.",
    ),
    "/votes/pairs": RouteWords(
        summary="What people heard of each pair",
        description="Counts, shares with 95 % intervals, and whether the board's decision agrees.",
    ),
}
