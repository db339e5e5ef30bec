"""The board page and its parts, from a site and an address."""

from collections.abc import Mapping

from evaluation.records import Item, ItemId
from leaderboard import query
from leaderboard.coming import coming
from leaderboard.context import Context
from leaderboard.derive.records import Slice
from leaderboard.markup import Markup, el, join
from leaderboard.pages import board, board_notes, board_open, board_table, health_strip, instrument_card, trait
from leaderboard.query import Query
from leaderboard.reading.figures import board_figure
from leaderboard.reading.router import ReadingPage
from leaderboard.table import search, state
from leaderboard.table.view import TableView, view_of
from leaderboard.views import Board

TIERS = (0, 1, 2)


def board_page(context: Context, asked: Query) -> Markup:
    """Return the board page of an address."""
    view = _view(context, asked)
    return board.build(view, coming=coming(context), detail=_detail(context, view), below=_below(context, view, asked))


def _body(context: Context, asked: Query) -> Markup:
    view = _view(context, asked)
    return board.body(view, coming=coming(context), detail=_detail(context, view))


def _section(context: Context, asked: Query) -> Markup:
    view = _view(context, asked)
    return board_table.section(view, _detail(context, view))


def _rows(context: Context, asked: Query) -> Markup:
    """Return the rows that follow others, and the link to those after them within the last one's reach."""
    view = _view(context, asked)
    return board_table.rows(view)


def _notes(context: Context, asked: Query) -> Markup:
    view = _view(context, asked)
    return _facts(context, view)


def _opened(context: Context, asked: Query) -> Markup:
    """Return what a row opens into; nothing of a system that has no row."""
    view = _view(context, asked)
    found = _detail(context, view, name=board_open.DETAIL)
    nothing = el("p", "This system has no row on this board.", id=board_open.DETAIL)
    return nothing if found is None else found


def _ready(context: Context, asked: Query) -> Markup:
    """Return how far what is shown is worked out, for a page that waits: ahead for all, or for this reader alone."""
    view = _view(context, asked)
    found = context.tables.revision(view.board, view.state.part, view.state.trait)
    stamp = f"{view.progress.n_ready}/{view.progress.n_all} {found}"
    return el("span", id="board-ready", data_ready=stamp, data_done=None if view.is_waiting else "1")


def _view(context: Context, asked: Query) -> TableView:
    boards = context.published.boards()
    found = context.published.board(query.one(asked, "protocol"))
    wanted = state.read(asked, found.protocol, found.protocol_id if len(boards) > 1 else "")
    lines = context.tables.lines(found, wanted.part, trait=wanted.trait, has_styles=_asks_styles(wanted))
    return view_of(found, boards, wanted, lines, context.slices.progress(found))


def _asks_styles(wanted: state.TableState) -> bool:
    is_sorted = any(key.column == "style" for key in wanted.sort)
    is_filter = bool(wanted.filters.style) or search.needs_styles(wanted.filters.text)
    return is_filter or is_sorted or "style" in wanted.columns


def _detail(context: Context, view: TableView, *, name: str = "") -> Markup | None:
    """Return what the open row opens into; None if none is open."""
    line = view.lines.line(view.state.row) if view.state.row else None
    if line is None:
        return None
    submission = line.row.submission
    views = {tier: context.slices.view(view.board, Slice(tier=tier)) for tier in TIERS}
    return board_open.section(
        view.board,
        view.lines,
        line,
        tiers={tier: None if one is None else one.row(submission) for tier, one in views.items()},
        detail=context.published.detail(view.board, submission),
        items=_items(context, view.board),
        name=name,
    )


def _items(context: Context, found: Board) -> Mapping[ItemId, Item]:
    return context.corpus.by_id() if found.protocol.corpus == context.corpus.pin else {}


def _below(context: Context, view: TableView, asked: Query) -> Markup | None:
    return _facts(context, view) if query.one(asked, board.FACTS) == "1" and view.board.rows else None


def _facts(context: Context, view: TableView) -> Markup:
    """Return what stands below the table: how to read it, and what measures what is shown."""
    found = view.board
    beside = context.derived.beside(found, context.corpus)
    chosen = _trait(context, found, view.state.trait) if view.state.trait else None
    cards = instrument_card.section(found, beside) if chosen is None else None
    drawn = board_figure(context, found) if chosen is None else None
    trust = health_strip.strip(context.derived.trust(found, context.corpus, context.store), view.state.trait or "")
    return el("div", join(board_notes.below(found, beside), drawn, trust, chosen, cards), id=board.NOTES)


def _trait(context: Context, found: Board, name: str) -> Markup:
    rows = trait.shown(found, name)
    names = [row.submission for row in rows]
    return trait.section(
        found,
        name,
        card=context.published.cards(found).get(name),
        rows=rows,
        summaries=context.derived.summaries(found, names),
        corrected=context.derived.corrected(found, names, (name,)),
    )


PAGE = ReadingPage(
    path=board_table.HERE,
    make=board_page,
    parts={
        board_table.BODY: _body,
        board_table.VIEW: _section,
        board_table.ROWS: _rows,
        board.NOTES: _notes,
        board_open.DETAIL: _opened,
        "board-ready": _ready,
    },
    scripts=("table", "figures"),
    styles=("table", "figures"),
    revision=lambda context: context.slices.stamp(),
)
