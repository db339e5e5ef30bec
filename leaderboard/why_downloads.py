"""The resampled differences of a pair as a file: what its histogram is drawn from."""

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from evaluation.bootstrap import MICRO
from leaderboard import query
from leaderboard.context import Context
from leaderboard.derive.records import slice_of
from leaderboard.pages.pair import RESAMPLES
from leaderboard.reading.sparing import Spared, Sparing
from leaderboard.why.pair import PairProof
from submissions import layout


def router(context: Context, sparing: Sparing | None = None) -> APIRouter:
    """Return the route of the file; `sparing` bounds what is made, None for one of its own."""
    routes = APIRouter()
    spare = sparing or Sparing()

    @routes.api_route(RESAMPLES + "/{protocol}/{a}/{b}.csv", methods=["GET", "HEAD"], include_in_schema=False)
    def resamples(request: Request, protocol: str, a: str, b: str) -> Response:
        board = next((one for one in context.published.boards() if one.protocol_id == protocol), None)
        if board is None or not (layout.is_name(a) and layout.is_name(b)):
            raise HTTPException(404, "No such pair is published.")
        words = {key: query.one(dict(request.query_params), key) for key in ("tier", "split", "trait")}
        part = slice_of(board.protocol, **words)
        try:
            proof = spare.make(request.scope, lambda: context.whys.proof(board, a, b, part))
        except Spared as spared:
            raise HTTPException(spared.status, spared.sentence, spared.headers) from spared
        if proof is None:
            raise HTTPException(404, "No such pair is published.")
        name = f'attachment; filename="castboard-resamples-{a}-{b}.csv"'
        headers = {"Cache-Control": "no-cache", "Content-Disposition": name}
        return Response(resamples_csv(proof), media_type="text/csv; charset=utf-8", headers=headers)

    return routes


def resamples_csv(proof: PairProof) -> str:
    """Return one line a resample: its number, the sum of differences (millionths), and their mean."""
    found = proof.decision
    pair, n = f"{found.challenger},{found.incumbent}", found.n_items * MICRO
    lines = ["resample,challenger,incumbent,sum_micro,mean_difference"]
    lines += [f"{at},{pair},{total},{total / n!r}" for at, total in enumerate(proof.sums.tolist())]
    return "\r\n".join(lines) + "\r\n"
