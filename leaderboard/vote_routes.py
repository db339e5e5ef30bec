"""Routes of blind listening tests: a trial, its answer, and the clips that it plays. Nothing of it is cached."""

import math
from collections.abc import Mapping
from typing import cast
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from evaluation.errors import CastboardError
from leaderboard import as_of, media, query, sharing, vote_words
from leaderboard.context import Context
from leaderboard.gates.headers import FRAMES, reading_policy
from leaderboard.gates.limits import Budget, Use
from leaderboard.gates.rates import Rates
from leaderboard.gates.visitors import address_of
from leaderboard.look import look
from leaderboard.markup import Markup
from leaderboard.pages import vote
from leaderboard.reading.document import document, title
from leaderboard.stamps import Stamps
from leaderboard.vote_clips import ROUTE
from leaderboard.voting import MOST_TICKET, Choice, Heard, TicketRefused
from submissions.votes import Kind

COOKIE = "castboard_listener"
COOKIE_S = 365 * 86_400
ANSWERS = Budget(burst=150, per_s=1 / 180)
"""Answers of one address: what one listener may give in a day at once, then twenty an hour. So one address alone never
fills a site's day."""
_N_ADDRESSES = 20_000
_MOST_BYTES = 16 << 10
_READ = ["GET", "HEAD"]


def router(context: Context, *, is_behind_proxy: bool = False) -> APIRouter:
    """Return the routes; `is_behind_proxy` says whether a proxy of ours names the listeners' addresses."""
    routes = APIRouter()
    rates = Rates(_N_ADDRESSES)
    stamps = Stamps(context.files)

    @routes.api_route(vote.HERE, methods=_READ, include_in_schema=False)
    def trial(request: Request) -> Response:
        asked = {key: value for key, value in request.query_params.items() if len(value) <= query.MAX_VALUE}
        return _trial(context, stamps, request, asked)

    @routes.post(vote.HERE, include_in_schema=False)
    async def answer(request: Request) -> Response:
        wait_s = rates.wait_s(address_of(request.scope, is_behind_proxy=is_behind_proxy), Use.WORK, ANSWERS)
        if wait_s:
            told = vote.build_told(vote_words.TOO_MANY, "")
            return _page(told, 429, {"Retry-After": str(math.ceil(wait_s))})
        body = await request.body()
        return await run_in_threadpool(_answer, context, request, _fields(body))

    @routes.api_route(ROUTE + "/{sealed}.flac", methods=_READ, include_in_schema=False)
    def clip(request: Request, sealed: str) -> Response:
        meant = context.booth.clips.meant(sealed)
        if meant is None or context.published.home_of(meant[0], "")[1] is None:
            raise HTTPException(404, "no such clip; load the page again")
        try:
            flac = context.booth.clips.read(*meant)
        except (KeyError, FileNotFoundError, CastboardError) as error:
            raise HTTPException(404, "this clip cannot be played now") from error
        return media.send_audio(request, flac, tag=sealed[-32:], cache=media.SECRET, name="clip.flac")

    return routes


def _trial(context: Context, stamps: Stamps, request: Request, asked: Mapping[str, str]) -> Response:
    board = context.published.board(asked.get("protocol", ""))
    kind = asked.get("kind", "")
    kind = kind if kind in vote_words.KINDS else ""
    given = context.booth.give(board, cast("Kind | None", kind or None))
    boards = context.published.boards()
    if given is None:
        made = vote.build_none(boards, board.protocol_id, kind)
    else:
        made = vote.build(given, boards, kind=kind, has_agreed=COOKIE in request.cookies)
    here = query.address(vote.HERE, protocol=board.protocol_id, kind=kind)
    last = sharing.stamp(stamps.of(board), title(made), here)
    return _page(Markup(as_of.above(as_of.below(made, last), context.files.health())))


def _answer(context: Context, request: Request, fields: Mapping[str, str]) -> Response:
    secret = request.cookies.get(COOKIE, "")
    if fields.get("forget"):
        return _forget(context, secret, fields.get("protocol", ""))
    choice, ticket = fields.get("answer", ""), fields.get("ticket", "")
    if choice not in vote_words.CHOICES or not 0 < len(ticket) <= MOST_TICKET:
        return _page(vote.build_told(vote_words.NO_ANSWER if ticket else vote_words.UNKNOWN, ""), 422)
    heard = Heard(
        choice=cast("Choice", choice),
        has_agreed=fields.get("consent") == "yes",
        secret=secret,
        n_plays=_whole(fields.get("n_plays", "")),
        listened_s=_whole(fields.get("listened_s", "")),
    )
    try:
        taken = context.booth.take(ticket, heard)
    except TicketRefused as error:
        return _page(vote.build_told(str(error), ""), 422)
    board = context.published.board(taken.trial.protocol)
    kind = fields.get("kind", "")
    answer = _page(vote.build_taken(taken, board, kind=kind if kind in vote_words.KINDS else ""))
    if taken.secret:
        _remember(answer, request, taken.secret, COOKIE_S)
    return answer


def _forget(context: Context, secret: str, protocol: str) -> Response:
    n_here = context.booth.forget(secret)
    board = context.published.board(protocol)
    if n_here is None:
        return _page(vote.build_told(vote_words.NOTHING_KEPT, board.protocol_id))
    answer = _page(vote.build_told(vote_words.FORGOTTEN, board.protocol_id, look="good"))
    answer.delete_cookie(COOKIE, path=vote.HERE)
    return answer


def _remember(answer: Response, request: Request, secret: str, max_age_s: int) -> None:
    told = request.headers.get("x-forwarded-proto", "").rpartition(",")[2].strip() or request.url.scheme
    is_https = told == "https"
    # A Space stands in a frame of another site, where only such a cookie comes back.
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=max_age_s,
        path=vote.HERE,
        secure=is_https,
        httponly=True,
        samesite="none" if is_https else "lax",
    )


def _page(body: Markup, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    more = {"Content-Security-Policy": reading_policy(frames=FRAMES), "Cache-Control": "no-store", **(headers or {})}
    whole = document(body, look=look(), scripts=("vote",), styles=("vote",))
    return Response(whole, status, media_type="text/html; charset=utf-8", headers=more)


def _fields(body: bytes) -> dict[str, str]:
    """Return the first value of every field of a form; of anything else nothing."""
    if len(body) > _MOST_BYTES:
        return {}
    try:
        found = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=20)
    except (UnicodeDecodeError, ValueError):
        return {}
    return {name: values[0] for name, values in found.items()}


def _whole(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) <= 4
    return int(text) if is_number else None
