"""Sends what fills pages packed: it is text that shrinks to a fifth, and a phone's line is slower than the packing.

Files have tags and are asked for in parts, so their bytes stay as they are; Gradio packs its own scripts.
"""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.gates.limits import Use
from leaderboard.gates.rates import use_of

_LEAST_BYTES = 1_000
_LEVEL = 4
"""Of gzip: half the time of the usual 6, and a tenth more bytes."""


class PackingGate:
    """ASGI middleware that packs pages and what fills them for whoever can unpack it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, the site with all that changes its pages."""
        self._app = app
        self._packed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and a page back packed."""
        is_packed = scope["type"] == "http" and use_of(scope) is Use.PAGE
        await (self._packed if is_packed else self._app)(scope, receive, send)
