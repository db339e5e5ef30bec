"""The listen page, from a site and an address."""

from leaderboard import query
from leaderboard.clips import BLIND_ROUTE
from leaderboard.context import Context
from leaderboard.markup import Markup
from leaderboard.pages import listen, listen_systems, parts
from leaderboard.query import Query
from leaderboard.reading.router import ReadingPage
from leaderboard.views import Board


def listen_page(context: Context, asked: Query) -> Markup:
    """Return the listen page of an address."""
    state = query.read_listen(asked)
    found = context.published.board(state.protocol)
    inner = body_part(context, asked) if found.rows else None
    return listen.build(found, context.published.boards(), context.corpus, state, inner)


def body_part(context: Context, asked: Query) -> Markup:
    """Return what a step, a filter or another voice replaces."""
    state = query.read_listen(asked)
    found = context.published.board(state.protocol)
    names = [row.submission for row in listen.chosen(found, state)]

    def blind_source(item_id: str, submission: str) -> str:
        return f"{BLIND_ROUTE}/{item_id}/{context.clips.blind_token(item_id, submission)}.flac"

    return listen.body(
        found,
        context.corpus,
        state,
        samples=context.published.samples(found, names),
        blind_source=blind_source,
        replies=context.derived.replies(found, names),
        anchor_source=lambda item_id: _anchor_source(context, found, item_id),
        table=context.slices.table(found) if state.walk and found.rows else None,
    )


def found_part(context: Context, asked: Query) -> Markup:
    """Return the systems that a search for another voice finds."""
    state = query.read_listen(asked)
    found = context.published.board(state.protocol)
    return listen_systems.found(found, state, listen.chosen(found, state))


def _anchor_source(context: Context, found: Board, item_id: str) -> str | None:
    """Return where the anchor's clip of an item is heard; None if the clip that the protocol pins is not published."""
    judge = found.protocol.judge
    if judge is None:
        return None
    home, row = context.published.home_of(judge.anchor.submission, found.protocol_id)
    detail = context.published.detail(home, judge.anchor.submission) if row else None
    sample = detail.samples.get(item_id) if detail else None
    sha256 = judge.anchor.clips.get(item_id)
    if sample is None or sha256 is None or sample.clip_sha256 != sha256:
        return None
    return parts.clip_address(judge.anchor.submission, item_id, sha256)


PAGE = ReadingPage(
    path=listen.HERE,
    make=listen_page,
    parts={listen.BODY: body_part, listen_systems.FOUND: found_part},
    scripts=("listen",),
    styles=("listen",),
    revision=lambda context: context.slices.stamp(),
)
