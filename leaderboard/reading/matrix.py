"""The matrix page, from a site and an address."""

from leaderboard import duel_form, duel_view, query, words
from leaderboard.context import Context
from leaderboard.derive.records import ALL, Slice
from leaderboard.markup import Markup, el
from leaderboard.pages import duel, matrix, pair
from leaderboard.pages import votes as votes_page
from leaderboard.pages.matrix_state import MatrixState, read_matrix
from leaderboard.query import Query, address
from leaderboard.reading import votes
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board
from leaderboard.why.grid import Grid, of_view
from leaderboard.why.pair import PairProof


def matrix_page(context: Context, asked: Query) -> Markup:
    """Return the matrix page of an address."""
    return matrix.build(_shown(context, asked), context.published.boards())


def matrix_view(context: Context, asked: Query) -> Markup:
    """Return the part of the page that a change of slice or window changes."""
    shown = _shown(context, asked)
    return matrix.view(shown) if len(shown.board.rows) > 1 else el("div", id="matrix-view")


def pair_panel(context: Context, asked: Query) -> Markup:
    """Return the panel of the picked pair."""
    board = context.published.board(query.one(asked, "protocol"))
    state = read_matrix(board, asked)
    return pair.panel(board, state, *_pair(context, board, state))


def _shown(context: Context, asked: Query) -> matrix.MatrixShown:
    board = context.published.board(query.one(asked, "protocol"))
    state = read_matrix(board, asked)
    proof, beside = _pair(context, board, state)
    return matrix.MatrixShown(
        board=board, state=state, grid=_grid(context, board, state.part), proof=proof, beside=beside
    )


def _grid(context: Context, board: Board, part: Slice) -> Grid | None:
    if part == ALL or len(board.rows) < 2:
        return context.whys.grid(board)
    view = context.slices.view(board, part)
    return None if view is None else of_view(view)


def _pair(context: Context, board: Board, state: MatrixState) -> tuple[PairProof | None, pair.Beside]:
    one, other = state.one, state.other
    known = duel_view.duelling(context, board, one, other)
    if known is None:
        return None, pair.NOTHING
    section = None
    if known.held is not None or known.is_damaged or known.order is not None:
        section = duel_form.section(context, board, known, one, other)
    elif known.may_be_ordered:
        form = address("/duel", protocol=board.protocol_id, a=one, b=other)
        section = el("p", el("a", words.DUEL_ORDER, href=form, cls="cb-button"), id="duel")
    beside = pair.Beside(note=duel.note(board, known), duel=section, votes=_votes(context, board, one, other))
    return context.whys.proof(board, one, other, state.part), beside


def _votes(context: Context, board: Board, one: str, other: str) -> Markup:
    """Return what people heard of a pair; it stands beside the decision and never decides."""
    return votes_page.pair_section(votes.evidence_of_pair(context, board, one, other), board)


PAGE = ReadingPage(
    path=matrix.HERE,
    make=matrix_page,
    parts={"matrix-view": matrix_view, "pair": pair_panel},
    scripts=("matrix",),
    styles=("why", "vote"),
    revision=lambda context: context.slices.stamp() + votes.revision(context),
)
