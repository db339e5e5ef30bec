"""The page of figures, and figures for other pages, from a site and an address."""

from leaderboard import query
from leaderboard.context import Context
from leaderboard.figures import asked as asking
from leaderboard.figures.records import Asked
from leaderboard.markup import Markup
from leaderboard.pages import figures
from leaderboard.query import Query
from leaderboard.reading.figure_data import figure_of
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board, Row

_N_NEIGHBOURS = 2


def figures_page(context: Context, asked: Query) -> Markup:
    """Return the page of an address."""
    return figures.build(_view(context, asked))


def figures_part(context: Context, asked: Query) -> Markup:
    """Return the figure of an address with what chooses it."""
    return figures.section(_view(context, asked))


def board_figure(context: Context, board: Board) -> Markup | None:
    """Return the scores of the first systems, to stand below a board's table; None without two systems."""
    if len(board.rows) < 2:
        return None
    asked = Asked(name="forest", protocol=_kept(context, board), is_small=True)
    return figures.small(figure_of(context, board, asked), asked, name="board-figure", heading="Scores, drawn")


def system_figure(context: Context, board: Board, row: Row) -> Markup | None:
    """Return one system's profile beside those of its neighbours by rank; None without a neighbour."""
    places = [at for at, one in enumerate(board.rows) if one.submission == row.submission]
    if not places or len(board.rows) < 2:
        return None
    around = sorted(board.rows, key=lambda one: abs(board.rows.index(one) - places[0]))
    others = tuple(one.submission for one in around if one.submission != row.submission)[:_N_NEIGHBOURS]
    asked = Asked(name="profile", protocol=_kept(context, board), systems=(row.submission, *others), is_small=True)
    figure = figure_of(context, board, asked)
    return figures.small(figure, asked, name="system-figure", heading="Profile beside its neighbours")


def _view(context: Context, asked: Query) -> figures.View:
    boards = context.published.boards()
    board = context.published.board(query.one(asked, "protocol"))
    wanted = asking.read(asked, board, board.protocol_id if len(boards) > 1 else "")
    figure = figure_of(context, board, wanted)
    is_failing = figure is None and context.slices.progress(board).is_failing
    return figures.View(board=board, boards=boards, asked=wanted, figure=figure, is_failing=is_failing)


def _kept(context: Context, board: Board) -> str:
    return board.protocol_id if len(context.published.boards()) > 1 else ""


PAGE = ReadingPage(
    path=figures.HERE,
    make=figures_page,
    parts={figures.VIEW: figures_part},
    scripts=("figures",),
    styles=("figures",),
    revision=lambda context: context.slices.stamp(),
)
