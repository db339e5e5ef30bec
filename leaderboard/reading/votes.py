"""What people heard in blind tests, of a whole board and of one pair."""

from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import votes
from leaderboard.query import Query, one
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board
from submissions import layout
from submissions.vote_summary import BoardEvidence, PairEvidence, evidence, pair_evidence


def votes_page(context: Context, asked: Query) -> Markup:
    """Return the page with all that people heard."""
    board = context.published.board(one(asked, "protocol"))
    path = layout.votes_path(board.protocol_id)
    is_published = path in context.files.paths(path)
    found = board_evidence(context, board)
    return votes.build(found, board, context.published.boards(), is_published=is_published)


def board_evidence(context: Context, board: Board) -> BoardEvidence:
    """Return what people heard of a board's systems, held against the scores of the very clips."""
    cast = context.booth.votes(board)
    scores: dict[tuple[str, str], float] = {}
    for name in sorted({name for vote in cast for name in (vote.a, vote.b)}):
        try:
            composites = layout.read_composites(context.files, board.protocol_id, name)
        except FileNotFoundError:  # withdrawn since the board was read
            continue
        scores |= {(name, item): micro / 1_000_000 for item, micro in composites.items()}
    return evidence(cast, scores)


def evidence_of_pair(context: Context, board: Board, a: str, b: str) -> PairEvidence:
    """Return what people heard of two systems of a board; `pages.votes.pair_section` shows it."""
    return pair_evidence(context.booth.votes(board), a, b)


def revision(context: Context) -> str:
    """Return what changes whenever a vote does."""
    return "".join(context.booth.revision(board) for board in context.published.boards())


PAGE = ReadingPage(path=votes.HERE, make=votes_page, styles=("vote",), revision=revision)
