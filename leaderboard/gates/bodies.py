"""How much a request may send and how long it may take, whatever it says of itself.

A length over the limit is refused before one byte is read; one that is missing or untrue is counted as it comes.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.gates.answers import UPLOAD_PATH, answer
from leaderboard.gates.limits import WebLimits

TOO_LONG = "This address is longer than any that the pages make."
TOO_LARGE = "This request is larger than anything that the pages send."
TOO_SLOW = "This request took too long to arrive. Send it again."
BAD_LENGTH = "The length that this request tells of itself is no number."
_CLOSE = {"Connection": "close"}  # what the sender has still on its way is not read


class BodyCut(MultiPartException):
    """A body is not read further. Gradio removes what it wrote of an upload when it meets this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a body is not read further."""

    status: int
    """HTTP status."""
    sentence: str
    """What is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """What one body may be."""

    n_bytes: int
    """Largest, bytes."""
    most_s: float
    """Longest time until its end, s."""
    stall_s: float
    """Longest time without one byte, s."""
    too_large: str
    """What to say of one that is larger."""
    too_slow: str
    """What to say of one that takes longer."""
    bytes_per_s: float = 0.0
    """Least mean rate, bytes per s; 0 for none."""
    grace_s: float = 0.0
    """Time before the rate counts, s."""


class MeteredBody:
    """Stands where an application receives from, and cuts a body that breaks its limits."""

    def __init__(
        self,
        receive: Receive,
        limits: BodyLimits,
        *,
        look: Callable[[bytes], Refused | None] = lambda _: None,
        cuts_the_gone: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Receive from `receive`.

        Args:
            receive: of the server.
            limits: what the body may be.
            look: sees every piece of it, and may refuse.
            cuts_the_gone: whether a sender that goes away in the middle is met like a cut, for whoever tidies then.
            clock: gives seconds that never go back.
        """
        self.refused: Refused | None = None
        """Why it was cut; None if it was not."""
        self.n_bytes = 0
        """What has come so far."""
        self._receive = receive
        self._limits = limits
        self._look = look
        self._cuts_the_gone = cuts_the_gone
        self._clock = clock
        self._began_s = clock()
        self._is_whole = False

    async def __call__(self) -> Message:
        """Return the next message.

        Raises:
            BodyCut: the body breaks a limit, or whoever sent it went away in the middle.
        """
        if self._is_whole:
            return await self._receive()
        if self.refused is not None:
            raise BodyCut(self.refused.sentence)
        try:
            message = await asyncio.wait_for(self._receive(), self._patience_s())
        except TimeoutError as error:
            raise self._cut(408, self._limits.too_slow) from error
        if message["type"] != "http.request":
            if self._cuts_the_gone:
                raise BodyCut("the sender went away")
            return message
        self._count(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return message

    def _patience_s(self) -> float:
        """Return how long to wait for the next piece, s; the rate bounds it once the grace is over."""
        past_s = self._clock() - self._began_s
        left_s = min(self._limits.stall_s, self._limits.most_s - past_s)
        if self._limits.bytes_per_s:
            due_s = self._limits.grace_s + self.n_bytes / self._limits.bytes_per_s
            left_s = min(left_s, due_s - past_s)
        return max(left_s, 0.001)

    def _count(self, piece: bytes) -> None:
        self.n_bytes += len(piece)
        if self.n_bytes > self._limits.n_bytes:
            raise self._cut(413, self._limits.too_large)
        refused = self._look(piece)
        if refused is not None:
            raise self._cut(refused.status, refused.sentence)

    def _cut(self, status: int, sentence: str) -> BodyCut:
        self.refused = Refused(status=status, sentence=sentence)
        return BodyCut(sentence)


def is_upload(scope: Scope) -> bool:
    """Tell whether a request brings a file, to which limits of its own apply."""
    return bool(scope["method"] == "POST" and scope["path"].rstrip("/") == UPLOAD_PATH)


def told_length(scope: Scope) -> int | None:
    """Return the length that a request tells of its body, None if it tells none.

    Raises:
        ValueError: it is no number.
    """
    text = Headers(scope=scope).get("content-length")
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal():
        raise ValueError("a length is a number")
    return int(text)


def refused_by_length(scope: Scope, limits: BodyLimits) -> Refused | None:
    """Return why a body is not even begun to be read, None if its length is not told or fits."""
    try:
        length = told_length(scope)
    except ValueError:
        return Refused(status=400, sentence=BAD_LENGTH)
    if length is not None and length > limits.n_bytes:
        return Refused(status=413, sentence=limits.too_large)
    return None


async def pass_metered(app: ASGIApp, scope: Scope, body: MeteredBody, receive: Receive, send: Send) -> None:
    """Pass a request on with its body metered; if it is cut, whoever sent it hears why, whatever `app` says."""
    has_begun = False

    async def sent(message: Message) -> None:
        nonlocal has_begun
        if body.refused is not None and not has_begun:
            return
        has_begun = True
        await send(message)

    try:
        await app(scope, body, sent)
    except BodyCut:
        if has_begun:
            raise
    if body.refused is not None and not has_begun:
        await say(scope, body.refused, receive, send)


async def say(scope: Scope, refused: Refused, receive: Receive, send: Send) -> None:
    """Answer a request whose body is not read to its end."""
    await answer(scope, refused.status, refused.sentence, _CLOSE)(scope, receive, send)


class BodyGate:
    """ASGI middleware that keeps every request but an upload small and quick, and every address short."""

    def __init__(self, app: ASGIApp, *, limits: WebLimits) -> None:
        """Stand before `app`, the site."""
        self._app = app
        self._address_bytes = limits.address_bytes
        self._limits = BodyLimits(
            n_bytes=limits.body_bytes,
            most_s=limits.body_s,
            stall_s=limits.body_s,
            too_large=TOO_LARGE,
            too_slow=TOO_SLOW,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] == "http" and len(scope["path"]) + len(scope["query_string"]) > self._address_bytes:
            await say(scope, Refused(status=414, sentence=TOO_LONG), receive, send)
            return
        if scope["type"] != "http" or is_upload(scope):
            await self._app(scope, receive, send)
            return
        refused = refused_by_length(scope, self._limits)
        if refused is not None:
            await say(scope, refused, receive, send)
            return
        await pass_metered(self._app, scope, MeteredBody(receive, self._limits), receive, send)
