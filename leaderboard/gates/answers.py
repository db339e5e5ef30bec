"""What a gate says instead of letting a request through: one sentence, in the form that whoever asked can show."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Scope

from leaderboard import shell, words
from leaderboard.look import look
from leaderboard.markup import Markup, el, join
from leaderboard.reading.document import document
from leaderboard.redaction import clean

_NOTHING = 404
UPLOAD_PATH = "/gradio_api/upload"


def answer(scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response: a page for a browser's address line, text for an upload, JSON for all else.

    Args:
        scope: the request.
        status: HTTP status.
        sentence: what is wrong and what to do; of ours, holding nothing that was sent.
        headers: more headers, such as Retry-After.
    """
    sentence = clean(sentence)
    kept = dict(headers or {}) | {"Cache-Control": "no-store"}
    if scope["path"].rstrip("/") == UPLOAD_PATH:
        return PlainTextResponse(sentence, status, headers=kept)
    if scope["method"] in ("GET", "HEAD") and "text/html" in Headers(scope=scope).get("accept", ""):
        return HTMLResponse(_page(status, sentence), status, headers=kept)
    # Gradio's client shows `error` of a direct call and `detail` of one through the queue.
    return JSONResponse({"detail": sentence, "error": sentence}, status, headers=kept)


def _page(status: int, sentence: str) -> str:
    """Return the page of a refusal, with the ways on that every page has."""
    return document(absent(sentence) if status == _NOTHING else _refused(status, sentence), look=look())


def absent(sentence: str) -> Markup:
    """Return the page of an address where there is nothing."""
    lead = words.LOST_LEAD if sentence.rstrip(".") == words.LOST_TITLE else sentence
    ways = (el("li", el("a", label, href=path), " ", el("small", what)) for path, label, what in words.LOST_PLACES)
    body = join(shell.title(words.LOST_TITLE, lead), el("ul", *ways, cls="cb-ways"))
    return shell.page("page-absent", body, here="")


def _refused(status: int, sentence: str) -> Markup:
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Refused"
    back = el("p", el("a", "To the board", href="/", cls="cb-button"))
    body = join(shell.title(f"{status} {title}"), shell.notice(sentence, look="bad"), back)
    return shell.page("page-refused", body, here="")
