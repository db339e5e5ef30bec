"""Keeps any one visitor from using up the site: a budget for each kind of use, and so many open requests.

Token buckets in memory, for one process, as the site is. The `limits` package was looked at: its memory keeps every
key until a timer's thread passes, without a bound on their number, and it has no bucket.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.gates.answers import UPLOAD_PATH, answer
from leaderboard.gates.limits import Budget, Use, WebLimits
from leaderboard.gates.visitors import PersonOf, address_of

TOO_MUCH: Mapping[Use, str] = {
    Use.UPLOAD: "Too many uploads came from here in a row.",
    Use.WORK: "Too many checks, submissions or other acts came from here in a row.",
    Use.PAGE: "Too many pages were asked for from here in a row.",
    Use.FILE: "Too many files were asked for from here in a row.",
    Use.ASSET: "Too many files of the pages were asked for from here in a row.",
}
TOO_MANY_OPEN = "Too many requests from here are open. Close some of the pages, then try again."
_OPEN_AGAIN_S = 10

_ASSETS = ("/assets/", "/look/", "/static/", "/theme.css", "/favicon.ico", "/robots.txt")
_FILES = ("/media/", "/download/", "/published/", "/api/", "/badge/", "/figure/", "/feed.xml", "/mcp")
_PASSING = ("/gradio_api/run/", "/gradio_api/cancel", "/gradio_api/reset")
_READING = ("GET", "HEAD", "OPTIONS")


def use_of(scope: Scope) -> Use:
    """Return what a request uses; an act that is not known to be cheap counts as work."""
    path: str = scope["path"]
    if path.rstrip("/") == UPLOAD_PATH:
        return Use.UPLOAD
    if path.startswith(_FILES):
        return Use.FILE
    if scope["method"] in _READING:
        return Use.ASSET if path.startswith(_ASSETS) else Use.PAGE
    return Use.PAGE if path.startswith(_PASSING) else Use.WORK


class Rates:
    """Token buckets of the visitors seen last; for one event loop."""

    def __init__(self, n_visitors: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember `n_visitors` at most; `clock` gives seconds that never go back."""
        self._n_visitors = n_visitors
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, Use], tuple[float, float]] = OrderedDict()

    def wait_s(self, visitor: str, use: Use, budget: Budget) -> float:
        """Take one from a visitor's budget and return 0, or how long until there is one again, s."""
        now_s = self._clock()
        tokens, counted_s = self._buckets.pop((visitor, use), (float(budget.burst), now_s))
        tokens = min(budget.burst, tokens + (now_s - counted_s) * budget.per_s)
        wait_s = 0.0 if tokens >= 1 else (1 - tokens) / budget.per_s
        self._buckets[visitor, use] = (tokens if wait_s else tokens - 1, now_s)
        while len(self._buckets) > self._n_visitors:
            self._buckets.popitem(last=False)
        return wait_s

    def __len__(self) -> int:
        return len(self._buckets)


class RateGate:
    """ASGI middleware that answers 429, with a sentence and when to come again, to whoever asks for too much."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: WebLimits,
        is_behind_proxy: bool,
        person_of: PersonOf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Stand before `app`.

        Args:
            app: the site.
            limits: the budgets.
            is_behind_proxy: whether a proxy of ours names the visitors' addresses.
            person_of: names the signed-in person of a request.
            clock: gives seconds that never go back.
        """
        self._app = app
        self._limits = limits
        self._is_behind_proxy = is_behind_proxy
        self._person_of = person_of
        self._rates = Rates(limits.n_visitors, clock=clock)
        self._n_open: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = address_of(scope, is_behind_proxy=self._is_behind_proxy)
        refusal = self._refusal(scope, address)
        if refusal is not None:
            sentence, wait_s = refusal
            response = answer(scope, 429, sentence, {"Retry-After": str(wait_s)})
            await response(scope, receive, send)
            return
        self._n_open[address] = self._n_open.get(address, 0) + 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._n_open[address] -= 1
            if not self._n_open[address]:
                del self._n_open[address]

    def _refusal(self, scope: Scope, address: str) -> tuple[str, int] | None:
        if self._n_open.get(address, 0) >= self._limits.n_open_visitor:
            return TOO_MANY_OPEN, _OPEN_AGAIN_S
        use = use_of(scope)
        wait_s = self._rates.wait_s(address, use, self._limits.address[use])
        budget = self._limits.person.get(use)
        person = self._person_of(scope) if budget is not None else None
        if budget is not None and person is not None:
            wait_s = max(wait_s, self._rates.wait_s(f"person {person}", use, budget))
        if not wait_s:
            return None
        wait = math.ceil(wait_s)
        return f"{TOO_MUCH[use]} Try again in {wait} {'second' if wait == 1 else 'seconds'}.", wait
