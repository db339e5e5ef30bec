"""What every answer tells the browser about itself: what may run in it, who may frame it, what it may ask for.

Pages that are read hold no script at all, only the addresses of ours, and their policy says so. Gradio writes two kinds
of script into its pages, with the app's description in them. So the policy of such a page names the hash of every
script in it; a script that gets into the page later, out of a card or a
table, has none and does not run. Gradio's HTML block evaluates its template, which is ours, so that must be allowed;
the texts that are shown in it are values to the template. Styles are written into elements everywhere and are allowed.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FRAMES = "'self' https://huggingface.co https://*.huggingface.co"
"""Who may show the site in a frame: the site itself and the hub's page of a Space."""
EMBEDDED = ("/", "/matrix", "/listen", "/system", "/figures", "/why")
"""Pages that anybody may frame when their address says `embed=1`: they show, and change nothing."""
FOR_GOOD = "public, max-age=31536000, immutable"
"""For Gradio's files whose names hold a hash of their content."""
HSTS = "max-age=31536000"
_PLAIN = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    "cross-origin-opener-policy": "same-origin-allow-popups",
}
_SCRIPT = re.compile(rb"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_MOST_PAGE_BYTES = 8 << 20
"""A page larger than this is sent without a look at its scripts, which then do not run."""
_N_PAGES = 32
"""Pages whose scripts are known; a page is the same for everybody, what differs fills it later."""


def source_of(script: str | bytes) -> str:
    """Return what a policy calls a script by: its hash."""
    data = script.encode() if isinstance(script, str) else script
    return f"'sha256-{base64.b64encode(hashlib.sha256(data).digest()).decode()}'"


def page_policy(scripts: Iterable[str], *, frames: str) -> str:
    """Return the content policy of a page.

    Args:
        scripts: sources of the scripts that are written into it.
        frames: who may show it in a frame.
    """
    return _policy(" ".join(("'self'", "'unsafe-eval'", *dict.fromkeys(scripts))), frames)


def reading_policy(*, frames: str) -> str:
    """Return the content policy of a page that is only read: no script but ours, none that is written into it."""
    return _policy("'self'", frames)


def _policy(scripts: str, frames: str) -> str:
    rules = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": frames,
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class HeaderGate:
    """ASGI middleware that adds the headers to every answer; what a route says of itself stands."""

    def __init__(self, app: ASGIApp, *, is_behind_proxy: bool) -> None:
        """Stand before `app`.

        Args:
            app: the site.
            is_behind_proxy: whether a proxy of ours says by what scheme a visitor came.
        """
        self._app = app
        self._is_behind_proxy = is_behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the answer back with its headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Answer(self, scope, send))

    def sign(self, scope: Scope, message: Message, scripts: Sequence[str] | None) -> None:
        """Add the headers to the begin of an answer; `scripts` are those of a page, None for anything else."""
        headers = MutableHeaders(scope=message)
        for name, value in _EVERYWHERE.items():
            headers.setdefault(name, value)
        if message["status"] == 200 and scope["path"].startswith("/assets/"):
            headers["cache-control"] = FOR_GOOD
        if scripts is None:
            headers.setdefault("content-security-policy", _PLAIN)
        else:
            policy = page_policy(scripts, frames=frames_of(scope))
            headers.setdefault("content-security-policy", policy)
        if "set-cookie" in headers:  # it is one person's own
            headers["cache-control"] = "no-store"
        headers.setdefault("cache-control", "no-cache")
        if self._is_https(scope):
            headers.setdefault("strict-transport-security", HSTS)

    def _is_https(self, scope: Scope) -> bool:
        told = Headers(scope=scope).get("x-forwarded-proto", "") if self._is_behind_proxy else ""
        return (told.rpartition(",")[2].strip() or scope["scheme"]) == "https"


class _Answer:
    """Sends one answer on; a page is held until its scripts are known."""

    def __init__(self, gate: HeaderGate, scope: Scope, send: Send) -> None:
        self._gate = gate
        self._scope = scope
        self._send = send
        self._begin: Message | None = None
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if _is_page(message):
                self._begin = message
                return
            self._gate.sign(self._scope, message, None)
        elif self._begin is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if message.get("more_body", False) and len(self._body) <= _MOST_PAGE_BYTES:
                return
            begin, self._begin = self._begin, None
            self._gate.sign(self._scope, begin, _sources(bytes(self._body)))
            await self._send(begin)
            message = {**message, "body": bytes(self._body)}
        await self._send(message)


def frames_of(scope: Scope) -> str:
    """Return who may frame a page: anybody if it is one to embed and its address says so."""
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    is_embed = asked.get("embed") == ["1"] and scope["path"] in EMBEDDED
    return "*" if is_embed else FRAMES


def _is_page(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_ours = "content-security-policy" in headers or "content-encoding" in headers
    return headers.get("content-type", "").startswith("text/html") and not is_ours


@lru_cache(maxsize=_N_PAGES)
def _sources(page: bytes) -> tuple[str, ...]:
    found = _SCRIPT.finditer(page[:_MOST_PAGE_BYTES])
    return tuple(source_of(one["text"]) for one in found if b"src=" not in one["attributes"])
