"""All pages that are read, in one list; a page that is not in it is not served."""

from leaderboard.reading import board, data, figures, listen, log, matrix, method, system, tour, votes, why
from leaderboard.reading.router import ReadingPage

PAGES: tuple[ReadingPage, ...] = (
    board.PAGE,
    matrix.PAGE,
    figures.PAGE,
    listen.PAGE,
    system.PAGE,
    method.PAGE,
    data.PAGE,
    log.PAGE,
    why.PAGE,
    tour.PAGE,
    votes.PAGE,
)
