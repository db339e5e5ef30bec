"""Tells the feed in the head of Gradio's pages: it writes its own head, and adds ours only when its script runs."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard import words
from leaderboard.api.words import PREFIX
from leaderboard.feeds import FEED
from leaderboard.markup import el

_END = b"</head>"
LINK = el("link", rel="alternate", type="application/rss+xml", title=words.SITE, href=FEED)
"""What stands in the head of every page; `leaderboard.reading.document` writes it by itself."""
_LINK = LINK.encode()


class FeedLink:
    """ASGI middleware that adds the link to pages."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, the site."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and a page back with the link."""
        is_page = scope["type"] == "http" and scope["method"] == "GET" and not scope["path"].startswith(PREFIX)
        await self._app(scope, receive, _Adding(send) if is_page else send)


class _Adding:
    """Sends one answer on; the begin of a page waits for the piece that holds the end of its head."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begin: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            is_html = headers.get("content-type", "").startswith("text/html")
            if message["status"] == 200 and is_html and "content-encoding" not in headers:
                self._begin = message
                return
        elif self._begin is not None:
            begin, self._begin = self._begin, None
            body: bytes = message.get("body", b"")
            if _END in body and _LINK not in body:
                message = {**message, "body": body.replace(_END, _LINK + _END, 1)}
                headers = MutableHeaders(scope=begin)
                if "content-length" in headers:
                    headers["content-length"] = str(int(headers["content-length"]) + len(_LINK))
            await self._send(begin)
        await self._send(message)
