"""What goes wrong becomes an answer in our words: never a traceback, an echo of what was sent, or a bare phrase.

A mistake of whoever asks is told in a sentence. A mistake of the program gets an id, under which the log has it.
"""

import json
import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.gates.answers import answer
from leaderboard.gates.bodies import BodyCut
from submissions.store.base import StoreUnavailable

log = logging.getLogger(__name__)

MALFORMED = "This request is not of the form that this address takes."
SENTENCES: Mapping[int, str] = {
    400: MALFORMED,
    401: "Sign in first.",
    403: "This is not open to you.",
    404: "There is nothing at this address.",
    405: "This address does not take requests of this kind.",
    413: "This request is larger than what this address takes.",
    415: MALFORMED,
    422: MALFORMED,
    429: "Too much was asked for in a row. Try again in a moment.",
    503: "This is not available just now. Try again in a moment.",
}
_RUN = "/gradio_api/run/"
_FAULT = "castboard.fault"
_AWAY_S = "15"


def our_fault(reference: str) -> str:
    """Return what a visitor hears of a mistake of the program."""
    return f"This has failed by our fault. The log knows it as {reference}."


def speak_for(app: FastAPI) -> None:
    """Let an application tell refusals and mistakes in our words."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(StoreUnavailable, _away)
    app.add_exception_handler(Exception, _bug)


async def _http(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    is_ours = isinstance(error.detail, str) and error.detail not in _PHRASES
    sentence = error.detail if is_ours else SENTENCES.get(error.status_code, MALFORMED)
    return answer(request.scope, error.status_code, sentence, error.headers)


async def _malformed(request: Request, _: Exception) -> Response:
    return answer(request.scope, 422, MALFORMED)


async def _away(request: Request, error: Exception) -> Response:
    """A hub that cannot be reached is no mistake of anybody here; what was fetched before is still served."""
    log.warning("request.away", extra={"path": request.url.path[:200], "why": str(error)})
    return answer(request.scope, 503, SENTENCES[503], {"Retry-After": _AWAY_S})


async def _bug(request: Request, _: Exception) -> Response:
    """Tell the id; the error is raised again afterwards, and logged by the gate."""
    return answer(request.scope, 500, our_fault(request.scope.setdefault(_FAULT, secrets.token_hex(6))))


_PHRASES = frozenset(status.phrase for status in HTTPStatus) | {"There was an error parsing the body"}


class FaultGate:
    """ASGI middleware around all others: the last to see an error, and the one that logs it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, the site with all its gates."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; whatever is raised ends here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(scope, send)
        scope = reply.scope
        try:
            await self._app(scope, receive, reply)
        except (HTTPException, BodyCut):  # in the middle of a stream: there is nobody to tell but by its end
            await reply.end()
        except Exception as error:  # the border of all routes
            if reply.has_begun and _is_away(error):  # the server cuts the line, so nobody takes a part for the whole
                log.warning("request.cut", extra={"path": scope["path"][:200]})
                return
            if reply.has_begun and isinstance(error.__cause__, HTTPException | BodyCut):  # told as above, once more
                await reply.end()
                return
            reference = scope.setdefault(_FAULT, secrets.token_hex(6))
            log.exception("request.bug", extra={"path": scope["path"][:200], "reference": reference})
            if not reply.has_begun:
                await answer(scope, 500, our_fault(reference))(scope, receive, send)


def _is_away(error: Exception) -> bool:
    """Return whether a hub was lost; of an answer that has begun the framework makes another error of it."""
    return isinstance(error, StoreUnavailable) or isinstance(error.__cause__, StoreUnavailable)


class _Reply:
    """Sends one answer on; an error of an event, which Gradio tells with 500 whoever made it, is told apart."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.has_begun = False
        self._send = send
        self._is_whole = False
        self._held: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            if message["status"] == 500 and self.scope["path"].startswith(_RUN) and _FAULT not in self.scope:
                self._held = message
                return
        if message["type"] == "http.response.body":
            if self._held is not None:
                self._body += message.get("body", b"")
                if not message.get("more_body", False):
                    await self._of_event()
                return
            self._is_whole = not message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """Close a stream that broke off."""
        if self.has_begun and not self._is_whole:
            self._is_whole = True
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _of_event(self) -> None:
        told = _error_of(self._body)
        if told is None:
            reference = self.scope.setdefault(_FAULT, secrets.token_hex(6))
            log.error("event.bug", extra={"reference": reference})
        response = answer(self.scope, 500 if told is None else 400, told or our_fault(reference))
        self._is_whole = True
        await response(self.scope, _nothing, self._send)


def _error_of(body: bytes) -> str | None:
    """Return what an event told of itself when it refused; None: it broke."""
    try:
        told: Any = json.loads(body)
    except ValueError:
        return None
    error = told.get("error") if isinstance(told, dict) else None
    return error if isinstance(error, str) and error else None


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
