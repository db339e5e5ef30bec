"""Lets a browser change something here only from our own pages, so that no other page can do it in a reader's name.

On a Space the pages stand in a frame of huggingface.co, yet what they send comes from their own address, as here.
Programs that are no browsers send neither Origin nor Referer and are let through: they carry nobody's cookies.

A site of one machine trusts whoever reaches it. There a foreign page could give this machine a name of its own and then
be at home, so such a site is asked for by a name of the machine or by a bare number, which nobody else can give it.
"""

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.gates.answers import answer

FOREIGN = "This was sent by a page of another site. Open the page here and do it again."
FOREIGN_NAME = (
    "This site is for its own machine: ask for it as localhost or 127.0.0.1. "
    "If it is to be known by another name, set CASTBOARD_SITE_URL to its address."
)
_READING = ("GET", "HEAD", "OPTIONS")
_CHANGING_READS = ("/logout",)
"""Addresses that change something although they are only read."""


class OriginGate:
    """ASGI middleware that refuses what a foreign page sends."""

    def __init__(self, app: ASGIApp, *, site_url: str = "", is_private: bool = False) -> None:
        """Stand before `app`.

        Args:
            app: the site.
            site_url: address that visitors know the site by; empty: the one they ask for.
            is_private: whether it is for its own machine alone.
        """
        self._app = app
        self._is_private = is_private
        self._own = _host(site_url) if site_url else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        is_renamed = self._is_private and not _is_of_machine(Headers(scope=scope).get("host", ""))
        if not is_renamed and not self._is_foreign(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif is_renamed:
            await answer(scope, 421, FOREIGN_NAME)(scope, receive, send)
        else:
            await answer(scope, 403, FOREIGN)(scope, receive, send)

    def _is_foreign(self, scope: Scope) -> bool:
        reads = scope["type"] == "http" and scope["method"] in _READING
        if reads and scope["path"].rstrip("/") not in _CHANGING_READS:
            return False
        headers = Headers(scope=scope)
        own = {host for host in (self._own, headers.get("host", "").lower()) if host}
        origin = headers.get("origin")
        if origin is not None:
            return _host(origin) not in own
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site not in ("same-origin", "none")
        referer = headers.get("referer")
        return referer is not None and _host(referer) not in own


def _is_of_machine(host: str) -> bool:
    """Tell whether a Host header names this machine as nobody else can; one that is missing is no browser's."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        if not host or name == "localhost" or name.endswith(".localhost"):
            return True
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host(address: str) -> str:
    """Return host and port of an address as a Host header has them; of anything else a name that no host has."""
    try:
        parts = urlsplit(address)
        has_port = parts.port is not None and parts.port != {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "/"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "/"
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{name}:{parts.port}" if has_port else name
