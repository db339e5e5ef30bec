"""A first visitor for every revision: the pages that most people open are made before anybody waits for them.

It asks the pages' own routes, in this process, and again every few seconds with the tag of what it got; nothing is
made as long as nothing has changed. So whatever a page has worked out in the background is begun by it as well.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from evaluation.errors import CastboardError
from leaderboard.context import Context
from leaderboard.pages.board_table import HERE, VIEW

log = logging.getLogger(__name__)

LOOK_S = 2.0
"""Time between two looks, s."""
N_BOARDS = 4
"""Boards, the first ones, whose pages are made ahead."""
AHEAD = ("/", "/matrix")
"""Pages that are made ahead."""
_TIERS = (0, 1, 2)

_Send = Callable[[Request], Response]


class Warmer:
    """Looks at the pages of a site until it is stopped."""

    def __init__(self, context: Context, pages: APIRouter, *, look_s: float = LOOK_S) -> None:
        """Prepare to look at `pages`, the routes of the reading pages of the site."""
        self._context = context
        self._sends: dict[str, _Send] = {
            route.path: route.endpoint for route in pages.routes if isinstance(route, APIRoute) and route.path in AHEAD
        }
        self._look_s = look_s
        self._tags: dict[str, str] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warmer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a page that is being made is finished first."""
        self._stopping.set()

    def look(self) -> tuple[str, ...]:
        """Look once, and return the addresses of the pages that were not as they had been."""
        return tuple(address for address in self._addresses() if self._is_new(address))

    def _addresses(self) -> Iterator[str]:
        names = [board.protocol_id for board in self._context.published.boards()][:N_BOARDS]
        for path in self._sends:
            yield path
            for name in names[1:]:
                yield f"{path}?{urlencode({'protocol': name})}"
        if HERE in self._sends:
            yield from self._switches()

    def _switches(self) -> Iterator[str]:
        """Yield what a reader of the first board switches to: its rows on each tier and in the order of each trait.

        They are made once everything is worked out, so that they are made once.
        """
        boards = self._context.published.boards()
        if not boards[0].rows or not self._context.slices.progress(boards[0]).is_ready:
            return
        named = {"protocol": boards[0].protocol_id} if len(boards) > 1 else {}
        for tier in _TIERS:
            yield f"{HERE}?{urlencode({**named, 'tier': tier, 'part': VIEW})}"
        for trait in boards[0].protocol.dimensions:
            yield f"{HERE}?{urlencode({**named, 'trait': trait, 'part': VIEW})}"

    def _is_new(self, address: str) -> bool:
        path, _, asked = address.partition("?")
        headers = [(b"accept-encoding", b"gzip"), (b"if-none-match", self._tags.get(address, "").encode())]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": asked.encode(), "headers": headers}
        answer = self._sends[path](Request(scope))
        if answer.status_code != 200:
            return False
        self._tags[address] = answer.headers["etag"]
        return True

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
            except (OSError, CastboardError):  # the store is away; a reader is told by the page itself
                log.info("warmer.waits", exc_info=True)
            self._stopping.wait(self._look_s)
