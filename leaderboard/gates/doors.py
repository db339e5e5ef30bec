"""Opens those of Gradio's routes that the pages and programs use, and shuts all others.

Gradio brings routes that fetch addresses, serve files of this machine, run methods of components, write state to the
disk or edit the program's source. None of them is used here; whether each is safe today need not be known.
"""

import re
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.gates.answers import answer

NOT_HERE = "There is nothing at this address."
_READ = frozenset({"GET", "HEAD"})
_POST = frozenset({"POST"})
_TOLD_BY_PROXIES = (b"forwarded", b"x-forwarded-host", b"x-forwarded-proto", b"x-forwarded-server")
OPEN: tuple[tuple[str, frozenset[str], str], ...] = (
    (r"/(assets|static)/[\w./-]{1,200}", _READ, "scripts, styles and fonts of the pages"),
    (r"/(theme\.css|favicon\.ico|robots\.txt)", _READ, "style, icon, and what crawlers may do"),
    (r"/config", _READ, "what a program that drives the pages reads first"),
    (r"/gradio_api/info", _READ, "the endpoints that are meant for programs"),
    (r"/gradio_api/(run|call)/[\w-]+", _POST, "an event of a page, or a named endpoint"),
    (r"/gradio_api/call/[\w-]+/[\w-]+", _READ, "the answer of a named endpoint"),
    (r"/gradio_api/queue/join", _POST, "an event that waits its turn"),
    (r"/gradio_api/queue/data", _READ, "how far it is"),
    (r"/gradio_api/(cancel|reset)", _POST, "the end of an event"),
    (r"/gradio_api/heartbeat/[\w-]+", _READ, "an open page"),
    (r"/gradio_api/upload", _POST, "a zip"),
    (r"/gradio_api/upload_progress", _READ, "how far it is"),
)
"""Path, methods, and what for."""


class Doors:
    """ASGI middleware before Gradio's own application."""

    def __init__(self, app: ASGIApp, *, pages: Iterable[str], is_behind_proxy: bool = False) -> None:
        """Stand before `app`.

        Args:
            app: Gradio's own application.
            pages: paths of the pages.
            is_behind_proxy: whether a proxy of ours says by what name and scheme a visitor came.
        """
        self._app = app
        self._dropped = frozenset({b"origin"} if is_behind_proxy else {b"origin", *_TOLD_BY_PROXIES})
        self._pages = frozenset(f"/{page.strip('/')}" for page in pages)
        self._open = tuple((re.compile(path), methods) for path, methods, _ in OPEN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif (allowed := self._methods(scope["path"])) is None:
            await answer(scope, 404, NOT_HERE)(scope, receive, send)
        elif scope["method"] not in allowed:
            told = ", ".join(sorted(allowed))
            sentence = f"This address takes {told} only."
            await answer(scope, 405, sentence, {"Allow": told})(scope, receive, send)
        else:
            # Gradio lets a page of any origin read its answers in a reader's name; unasked for, it does not. And it
            # writes the name that a proxy tells into its pages, whoever told it.
            headers = [(name, value) for name, value in scope["headers"] if name not in self._dropped]
            await self._app({**scope, "headers": headers}, receive, send)

    def _methods(self, path: str) -> frozenset[str] | None:
        bare = path.rstrip("/") or "/"
        if bare in self._pages:
            return _READ
        return next((methods for pattern, methods in self._open if pattern.fullmatch(bare)), None)
