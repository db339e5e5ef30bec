"""What the site gives to programs and to other sites: read API, MCP tools, badges, feed, results for a model's repo."""

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request
from fastapi.responses import Response

from evaluation.errors import CastboardError
from leaderboard import eval_results, mcp_server
from leaderboard.api import answers
from leaderboard.api.app import build
from leaderboard.api.words import PREFIX
from leaderboard.arrivals import arrivals, departures
from leaderboard.badges import badge
from leaderboard.context import Context
from leaderboard.feed_link import FeedLink
from leaderboard.feeds import FEED, feed
from leaderboard.published import Kept
from leaderboard.query import address
from leaderboard.views import Board, Row

_READ = ["GET", "HEAD"]
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_BADGE_CACHE = "public, max-age=300"
"""A README shows a badge through caches of others; five minutes are how long a withdrawn row may still show there."""
_MOST = 64


def add(site: FastAPI, context: Context, *, site_url: str = "", board_repo: str | None = None) -> None:
    """Add all of it to a site.

    Args:
        site: the application; Gradio is not mounted yet, whose mount takes every path that is left.
        context: the site.
        site_url: address that visitors know the site by, without a slash at the end; empty for the one that is asked.
        board_repo: dataset repo of the published board, "org/name"; None without one.
    """
    site.mount(PREFIX, build(context))
    mcp_server.add(site, context, site_url=site_url)
    site.add_middleware(FeedLink)
    site.include_router(_badges(context))
    site.include_router(_feeds(context, site_url))
    site.include_router(_results(context, site_url, board_repo))


def _badges(context: Context) -> APIRouter:
    routes = APIRouter()

    @routes.api_route("/badge/{submission}.svg", methods=_READ, include_in_schema=False)
    def send(request: Request, submission: str, protocol: str = Query("", max_length=_MOST)) -> Response:
        board, row = _home(context, submission, protocol)

        def make() -> tuple[bytes, dict[str, str]]:
            return badge(board, row).encode(), {"Content-Security-Policy": _SVG_POLICY, "Cache-Control": _BADGE_CACHE}

        return answers.send(request, board.protocol_id + board.revision, make, media_type="image/svg+xml")

    return routes


def _feeds(context: Context, site_url: str) -> APIRouter:
    routes = APIRouter()
    kept: Kept[bytes] = Kept(4)

    @routes.api_route(FEED, methods=_READ, include_in_schema=False)
    def send(request: Request, protocol: str = Query("", max_length=_MOST)) -> Response:
        boards = [board for board in _boards(context) if protocol in ("", board.protocol_id)]
        if not boards:
            raise HTTPException(404, "no board of such a protocol")
        root = _root(request, site_url)
        acts = () if protocol else context.moderated.entries()
        revision = root + "".join(board.protocol_id + board.revision for board in boards) + context.moderated.revision()
        here = address(FEED, protocol=protocol)

        def built() -> bytes:
            came, gone = arrivals(context.store, boards), departures(context.store, boards)
            return feed(came, acts=acts, gone=gone, site=root, here=here)

        def make() -> tuple[bytes, dict[str, str]]:
            return kept.get((protocol, root), revision, built), {}

        return answers.send(request, revision, make, media_type="application/rss+xml; charset=utf-8")

    return routes


def _results(context: Context, site_url: str, board_repo: str | None) -> APIRouter:
    routes = APIRouter()

    @routes.api_route("/download/eval-results/{submission}.yaml", methods=_READ, include_in_schema=False)
    def send(request: Request, submission: str, protocol: str = Query("", max_length=_MOST)) -> Response:
        board, row = _home(context, submission, protocol)
        if row is None:
            raise HTTPException(404, context.moderated.sentence(submission) or "no such system on any board")
        if eval_results.hub_model(row.link) is None:
            raise HTTPException(404, "the card of this system names no model on the Hub as its link")
        if board_repo is None:
            raise HTTPException(404, "this board is kept in no dataset of the Hub, which such a file must name")
        source = _root(request, site_url) + address("/system", id=submission, protocol=board.protocol_id)
        name = f'attachment; filename="castboard-{submission}.yaml"'

        def make() -> tuple[bytes, dict[str, str]]:
            found = eval_results.entries(board, row, dataset=board_repo, source=source)
            return eval_results.to_yaml(found).encode(), {"Content-Disposition": name}

        return answers.send(request, source + board.revision, make, media_type="application/yaml; charset=utf-8")

    return routes


def _home(context: Context, submission: str, protocol: str) -> tuple[Board, Row | None]:
    boards = _boards(context)
    named = next((board for board in boards if board.protocol_id == protocol), None)
    if named is not None:
        return named, named.row(submission)
    return context.published.home_of(submission, "")


def _boards(context: Context) -> tuple[Board, ...]:
    try:
        return context.published.boards()
    except CastboardError as error:  # a row is being published at this very moment, or the store is away
        raise HTTPException(503, "the board cannot be read just now", headers={"Retry-After": "2"}) from error


def _root(request: Request, site_url: str) -> str:
    return (site_url or str(request.base_url)).rstrip("/")
