"""The pages of how numbers were made, from a site and an address."""

from collections.abc import Iterator
from typing import get_args

from evaluation.protocol import Protocol
from evaluation.records import Split
from evaluation.summary import Summary
from leaderboard import query, words
from leaderboard.context import Context
from leaderboard.derive.records import ALL, Slice
from leaderboard.markup import Markup
from leaderboard.pages import why, why_band, why_item, why_items
from leaderboard.pages.why_link import HERE
from leaderboard.pages.why_state import WhyState, read_why
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board, Row
from leaderboard.why.ledger import Ledger
from leaderboard.why.number import BAND, SCORE, NumberProof, Place, prove_number

GONE = "No system with this id has a row on this board."
NO_ITEM = "This system has no item of that id."


def why_page(context: Context, asked: Query) -> Markup:
    """Return the derivation that an address asks for: of a clip, of a band, or of another number."""
    submission, item = query.one(asked, "system"), query.one(asked, "item")
    board, row = context.published.home_of(submission, query.one(asked, "protocol"))
    boards = context.published.boards()
    if row is None:
        return why.absent(board, boards, GONE)
    if item:
        return _item_page(context, board, row, item)
    state = read_why(board.protocol, board.protocol_id, asked)
    if state.place.number == BAND:
        return why_band.build(board, boards, row, state, context.whys.grid(board))
    found = _proof(context, board, row, state)
    if found is None:
        return why.absent(board, boards, GONE)
    ledger, summary, proof = found
    parts = tuple(
        why.Breakdown(label=label, proof=prove_number(board.protocol, ledger, summary, place))
        for label, place in _parts(board.protocol, summary, state.place)
    )
    n_right = context.whys.composites_right(board, ledger) if state.place.number == SCORE else None
    return why.build(board, boards, row, state, ledger=ledger, proof=proof, parts=parts, n_right=n_right)


def items_part(context: Context, asked: Query) -> Markup:
    """Return the table of the items of a number."""
    board, row = context.published.home_of(query.one(asked, "system"), query.one(asked, "protocol"))
    state = read_why(board.protocol, board.protocol_id, asked)
    found = _proof(context, board, row, state) if row else None
    if found is None:
        return why.absent(board, context.published.boards(), GONE)
    ledger, _, proof = found
    return why_items.items_table(board, state, ledger, proof)


def _proof(context: Context, board: Board, row: Row, state: WhyState) -> tuple[Ledger, Summary, NumberProof] | None:
    ledger = context.whys.ledger(board, row.submission)
    summary = context.derived.summaries(board, (row.submission,)).get(row.submission)
    place = state.place if state.place.number != BAND else Place(number=SCORE)
    if ledger is None or summary is None:
        return None
    return ledger, summary, prove_number(board.protocol, ledger, summary, place)


def _item_page(context: Context, board: Board, row: Row, item: str) -> Markup:
    boards = context.published.boards()
    chain = context.whys.chain(board, row.submission, item)
    if chain is None:
        return why.absent(board, boards, NO_ITEM)
    cards = context.published.cards(board)
    return why_item.build(board, boards, row, chain, cards=cards)


def _parts(protocol: Protocol, summary: Summary, place: Place) -> Iterator[tuple[str, Place]]:
    """Yield the parts of a number: by tier and split, of a trait by requested value too."""
    number, part = place.number, place.part
    if part == ALL and not place.value:
        yield from (
            (f"{words.TIERS[int(tier)]} items", Place(number=number, part=Slice(tier=int(tier))))
            for tier in summary.tiers
        )
        for split in get_args(Split):
            yield f"{words.SPLITS[split]} items", Place(number=number, part=Slice(split=split))
    if number in protocol.dimensions and not place.value and number in summary.traits:
        for value, mean in summary.traits[number].values.items():
            if mean.n_scored:
                yield f"requested {value}", Place(number=number, part=part, value=value)


PAGE = ReadingPage(
    path=HERE,
    make=why_page,
    parts={"why-items": items_part},
    scripts=("why",),
    styles=("why",),
)
