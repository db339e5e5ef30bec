"""What a gate says instead of letting a request through: one sentence, in the form that whoever asked can show."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Scope

from leaderboard.markup import Markup, el
from leaderboard.redaction import clean

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
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Refused"
    style = "font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark"
    body = el("main", el("h1", f"{status} {title}"), el("p", sentence), el("p", el("a", "To the board", href="/")))
    head = Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width">')
    return "<!doctype html>" + el(
        "html", el("head", head, el("title", f"Castboard: {title}")), el("body", body, style=style), lang="en"
    )
