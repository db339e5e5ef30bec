"""Reading pages as plain HTML answers: made once for an address and a revision, kept packed, sent to everybody.

A page is asked for whole, or one of its parts is, by the id of an element that a script then puts in place. Both are
the same functions of a site and an address; nothing here knows what they show.
"""

import gzip
import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from evaluation.errors import CastboardError
from leaderboard import as_of, border, query, ranges, sharing
from leaderboard.coming import coming
from leaderboard.context import Context
from leaderboard.gates.headers import frames_of, reading_policy
from leaderboard.look import Look, look
from leaderboard.markup import Markup
from leaderboard.published import Kept
from leaderboard.query import Query
from leaderboard.reading.document import document, title
from leaderboard.reading.sparing import Spared, Sparing
from leaderboard.redaction import clean
from leaderboard.stamps import Stamps

log = logging.getLogger(__name__)

Maker = Callable[[Context, Query], Markup]
"""Makes a page, or a part of one, from a site and an address."""

_NOT_CITED = ("part", "embed", "self", "path")
"""Keys of an address that a citation of its page does without."""
PART = "part"
"""Key of an address that asks for one element of a page, by its id."""
N_KEPT = 256
"""Answers that are kept, packed; the largest has some 60 KiB."""
_LEVEL = 5
_MAIN = re.compile(r'<main id="(page-[a-z-]+)"')
_STATUS = {"page-absent": 404}
_BUSY_S = 2
"""After so long a page that could not be read is worth another try, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPage:
    """One page that is read and changes nothing."""

    path: str
    """Its address."""
    make: Maker
    """Makes the whole page."""
    parts: Mapping[str, Maker] = field(default_factory=dict)
    """Makes one element of it, by its id."""
    scripts: tuple[str, ...] = ()
    """Modules of its own, without ".js"."""
    styles: tuple[str, ...] = ()
    """Styles of its own, without ".css"."""
    revision: Callable[[Context], str] = lambda _: ""
    """Changes whenever the page may for another reason than the published files and what the operators did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """An answer as it is kept."""

    packed: bytes
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stamping:
    """What every page ends with."""

    stamps: Stamps
    site_url: str
    sparing: Sparing


def router(
    context: Context, pages: tuple[ReadingPage, ...], *, site_url: str = "", sparing: Sparing | None = None
) -> APIRouter:
    """Return the routes of the reading pages of a site.

    Args:
        context: the site.
        pages: what is served.
        site_url: address that visitors know the site by; empty for the one that each asks by.
        sparing: bounds what is made; None for one of its own.
    """
    routes = APIRouter()
    kept: Kept[_Made] = Kept(N_KEPT)
    stamping = _Stamping(stamps=Stamps(context.files), site_url=site_url, sparing=sparing or Sparing())
    for page in pages:
        _add(routes, context, page, kept, stamping)
    return routes


def _add(routes: APIRouter, context: Context, page: ReadingPage, kept: Kept[_Made], stamping: _Stamping) -> None:
    @routes.api_route(page.path, methods=["GET", "HEAD"], include_in_schema=False)
    def send(request: Request) -> Response:
        return answer(context, page, request, kept, stamping)


def answer(context: Context, page: ReadingPage, request: Request, kept: Kept[_Made], stamping: _Stamping) -> Response:
    """Return the answer to a request for a page or one of its parts."""
    asked = query.joined(request.query_params.multi_items())
    headers = {
        "Content-Security-Policy": reading_policy(frames=frames_of(request.scope)),
        "Cache-Control": "no-cache",
        "Vary": "Accept-Encoding",
    }
    try:
        revision = _revision(context, page)
        etag = f'"{_tag(page, asked, revision)}"'
        if ranges.matches(request.headers.get("if-none-match"), etag):
            return Response(status_code=304, headers={**headers, "ETag": f"W/{etag}"})
        key = (page.path, tuple(sorted(asked.items())))
        made = kept.get(
            key, revision, lambda: stamping.sparing.make(request.scope, lambda: _make(context, page, asked, stamping))
        )
    except Spared as spared:
        return _spared(spared, page, asked, headers)
    except CastboardError as error:  # the board is being written, or the store is away
        log.warning("page.refused", extra={"page": page.path, "reason": str(error)})
        failed = border.failure(clean(str(error)), here=page.path)
        return _failure(failed, page, 503, {**headers, "Retry-After": str(_BUSY_S)})
    except Exception:  # the border: a visitor gets an id, the log the traceback
        reference = secrets.token_hex(6)
        log.exception("page.bug", extra={"page": page.path, "reference": reference})
        text = f"This page has failed by our fault. The log knows it as {reference}."
        return _failure(border.failure(text, here=page.path), page, 500, headers)
    return _send(request, made, {**headers, "ETag": f"W/{etag}"})


def _make(context: Context, page: ReadingPage, asked: Query, stamping: _Stamping) -> _Made:
    part = query.one(asked, PART)
    stamp = stamping.stamps.of(context.published.board(query.one(asked, "protocol")))
    cited = {key: value for key, value in asked.items() if key.isidentifier() and key not in _NOT_CITED}
    here = query.address(page.path, **cited)
    if part and part != sharing.STAMP:
        maker = page.parts.get(part)
        if maker is None:
            return _Made(packed=_packed("This page has no such part."), status=404)
        return _Made(packed=_packed(sharing.pinned(maker(context, asked), stamp)), status=200)
    made: str = page.make(context, asked)
    last = sharing.stamp(stamp, title(made), here, site_url=stamping.site_url)
    if part:
        return _Made(packed=_packed(last), status=200)
    made = as_of.above(as_of.below(sharing.pinned(made, stamp), last), context.files.health())
    is_embedded = sharing.is_embedded(asked)
    if is_embedded:
        made = sharing.embedded(Markup(made), page.path, asked)
    found = _MAIN.search(made)
    whole = document(made, look=look(), scripts=page.scripts, styles=page.styles, is_embedded=is_embedded)
    return _Made(packed=_packed(whole), status=_STATUS.get(found[1] if found else "", 200))


def _spared(spared: Spared, page: ReadingPage, asked: Query, headers: Mapping[str, str]) -> Response:
    """Return the sentence alone to a script that puts it into the page, and a page to anybody else."""
    more = {**headers, **spared.headers, "Cache-Control": "no-store"}
    if query.one(asked, PART):
        return Response(spared.sentence, spared.status, media_type="text/plain; charset=utf-8", headers=more)
    return _failure(border.failure(spared.sentence, here=page.path), page, spared.status, more)


def _failure(body: Markup, page: ReadingPage, status: int, headers: Mapping[str, str]) -> Response:
    whole = document(body, look=look(), styles=page.styles)
    return Response(
        whole, status, media_type="text/html; charset=utf-8", headers={**headers, "Cache-Control": "no-store"}
    )


def _send(request: Request, made: _Made, headers: Mapping[str, str]) -> Response:
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, more = made.packed, {"Content-Encoding": "gzip"}
    else:
        body, more = gzip.decompress(made.packed), {}
    return Response(body, made.status, media_type="text/html; charset=utf-8", headers={**headers, **more})


def _revision(context: Context, page: ReadingPage) -> str:
    boards = context.published.boards()
    beside = "".join(context.published.beside_revision(board) for board in boards)
    told = as_of.sentence(context.files.health()) or ""
    own = page.revision(context) + coming(context)
    return context.published.revision() + beside + context.moderated.revision() + told + own


def _tag(page: ReadingPage, asked: Query, revision: str) -> str:
    known: Look = look()
    text = "\n".join((known.digest, page.path, urlencode(sorted(asked.items())), revision))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)
