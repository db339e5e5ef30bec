"""The board: one table of systems with rank bands and every dimension, and what one should know to read it."""

from leaderboard import display, sharing, shell, words
from leaderboard.markup import Markup, el, join
from leaderboard.pages import board_bar, board_notes, board_table
from leaderboard.pages.board_table import BODY, HERE
from leaderboard.table.view import TableView

NOTES = board_table.NOTES
FACTS = board_table.FACTS


def build(view: TableView, *, coming: str = "", detail: Markup | None = None, below: Markup | None = None) -> Markup:
    """Return the whole page.

    Args:
        view: what is shown.
        coming: what an empty board tells of its first row; empty for nothing.
        detail: what stands below the row that is open, if one is.
        below: what stands below the table; None to load it when it comes into view.
    """
    kept = view.board.protocol_id if len(view.boards) > 1 else ""
    return shell.page("page-board", body(view, coming=coming, detail=detail, below=below), here=HERE, protocol=kept)


def body(view: TableView, *, coming: str = "", detail: Markup | None = None, below: Markup | None = None) -> Markup:
    """Return everything below the masthead, as one element; arguments as of `build`."""
    board = view.board
    head = shell.title(words.TAGLINE, _lead(view), board_bar.season_choice(view), sharing.aside())
    inside = (
        (board_bar.form(view, board_table.section(view, detail)), below if below is not None else later(view))
        if board.rows
        else (board_notes.empty(board, coming),)
    )
    return el("div", head, board_notes.season(board), *inside, id=BODY, data_view=True)


def later(view: TableView) -> Markup:
    """Return what stands below the table until it comes into view: a link that gives it without a script too."""
    href = board_table.below(view)
    link = el("a", "How to read the table, and what stands behind each dimension", href=href, data_swap=NOTES)
    return el("div", el("p", link, cls="cb-small"), id=NOTES, data_later=href)


def _lead(view: TableView) -> Markup:
    board = view.board
    systems = display.count(len(board.rows), "system")
    items = display.count(board.protocol.corpus.n_items, "item")
    return join(
        f"{systems} on {items} of ",
        el("code", board.protocol.corpus.name),
        f", {len(board.protocol.dimensions)} dimensions. ",
    )
