"""Routes of blind listening tests: every vote, and what the votes say of each pair."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

import pyarrow as pa
from fastapi import FastAPI, Query, Request
from fastapi.responses import Response
from pydantic import Field

from leaderboard.api import board_view
from leaderboard.api.answers import Listed, send_list
from leaderboard.api.models_votes import VotePairRow, VotePairsPage, VoteRow, VotesPage
from leaderboard.api.params import FileParams, ProtocolParams
from leaderboard.api.routes import reads
from leaderboard.context import Context
from leaderboard.pages.votes import decision_of
from leaderboard.reading.votes import board_evidence
from leaderboard.views import Board
from submissions.vote_summary import PairEvidence
from submissions.votes import Vote

_VOTES = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("id", "day", "protocol", "kind", "question", "catch", "item")),
        *(pa.field(name, pa.string()) for name in ("a", "b", "first", "expected", "answer")),
        pa.field("seconds", pa.float64()),
        pa.field("n_plays", pa.int64()),
        pa.field("listened_s", pa.float64()),
        pa.field("rater", pa.string()),
    ]
)
_INTS = ("n_for_a", "n_for_b", "n_none")
_PAIRS = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("a", "b")),
        *(pa.field(name, pa.int64()) for name in _INTS),
        *(pa.field(name, pa.float64()) for name in ("prefers_a", "prefers_a_low", "prefers_a_high")),
        *(pa.field(name, pa.int64()) for name in ("n_abx", "n_abx_right")),
        *(pa.field(name, pa.float64()) for name in ("abx_low", "abx_high", "d_prime")),
        pa.field("n_raters", pa.int64()),
        pa.field("is_enough", pa.bool_()),
        pa.field("preferred", pa.string()),
        pa.field("agrees", pa.bool_()),
    ]
)


class VotesParams(ProtocolParams, FileParams):
    """Which votes."""

    kind: Literal["", "abx", "preference"] = Field("", description="Only this sort of test.")
    a: str = Field("", max_length=64, description="Only votes that this submission takes part in.")
    b: str = Field("", max_length=64, description="With `a`: only votes on these two, whichever way round.")
    item: str = Field("", max_length=64, description="Only votes on this item.")


class VotePairsParams(ProtocolParams, FileParams):
    """Which pairs."""

    a: str = Field("", max_length=64, description="Only pairs that this submission is of.")
    b: str = Field("", max_length=64, description="With `a`: only these two, whichever way round.")


def add_votes(api: FastAPI, context: Context) -> None:
    """Add votes, and what they say of each pair."""

    @reads(api, "/votes", VotesPage, is_list=True)
    def votes(request: Request, params: Annotated[VotesParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)

        def listed() -> Listed:
            found = [vote for vote in context.booth.votes(board) if _fits(vote, params)]
            return Listed(
                rows=found,
                to_page=lambda page, more: VotesPage(
                    protocol=board.protocol_id, rows=tuple(VoteRow(**asdict(vote)) for vote in page.rows), **more
                ),
                to_table=lambda: pa.Table.from_pylist([asdict(vote) for vote in found], schema=_VOTES),
                name=f"castboard-{board.protocol_id}-votes",
            )

        return send_list(request, params, _revision(context, board), listed)

    @reads(api, "/votes/pairs", VotePairsPage, is_list=True)
    def vote_pairs(request: Request, params: Annotated[VotePairsParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)

        def listed() -> Listed:
            heard = board_evidence(context, board)
            wanted = {name for name in (params.a, params.b) if name}
            found = [_pair(one, board) for one in heard.pairs if wanted <= {one.a, one.b}]
            fixed: dict[str, Any] = {
                "protocol": board.protocol_id,
                "n_votes": heard.n_votes,
                "n_left_out": heard.n_left_out,
                "n_raters": heard.n_raters,
                "n_catches": heard.catches.n,
                "n_catches_right": heard.catches.n_hits,
            }
            return Listed(
                rows=found,
                to_page=lambda page, more: VotePairsPage(rows=tuple(page.rows), **fixed, **more),
                to_table=lambda: pa.Table.from_pylist([row.model_dump() for row in found], schema=_PAIRS),
                name=f"castboard-{board.protocol_id}-vote-pairs",
            )

        return send_list(request, params, _revision(context, board), listed)


def _revision(context: Context, board: Board) -> str:
    return board.protocol_id + board.revision + context.booth.revision(board)


def _fits(vote: Vote, params: VotesParams) -> bool:
    wanted = {name for name in (params.a, params.b) if name}
    fits_kind = params.kind in ("", vote.kind)
    return fits_kind and params.item in ("", vote.item) and wanted <= {vote.a, vote.b}


def _pair(one: PairEvidence, board: Board) -> VotePairRow:
    return VotePairRow(
        a=one.a,
        b=one.b,
        n_for_a=one.n_for_a,
        n_for_b=one.n_for_b,
        n_none=one.n_none,
        prefers_a=one.prefers_a.value,
        prefers_a_low=one.prefers_a.low,
        prefers_a_high=one.prefers_a.high,
        n_abx=one.told_apart.n,
        n_abx_right=one.told_apart.n_hits,
        abx_low=one.told_apart.low,
        abx_high=one.told_apart.high,
        d_prime=one.d_prime,
        n_raters=one.n_raters,
        is_enough=one.prefers_a.is_enough,
        preferred=one.preferred(),
        agrees=one.agrees(decision_of(board, one.a, one.b)),
    )
