"""Bounds what one stranger's addresses, and all of them at a time, may cost: answers that are kept cost nothing.

Addresses have no end: columns, searches, pairs, windows. What was made once for a revision is kept and sent to anybody;
only the making of one that is not kept is counted here.
"""

import math
import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from starlette.types import Scope

from leaderboard.gates.limits import Budget, Use
from leaderboard.gates.rates import Rates
from leaderboard.gates.visitors import address_of

V = TypeVar("V")

MADE = Budget(burst=900, per_s=6.0)
"""Answers that are made for one address. A reader's switch makes two; of a room most are kept already."""
N_MAKING = 16
"""Answers that are made side by side; on two cores the last of them comes within seconds."""
N_MAKING_VISITOR = 8
"""Of these for one address, so that one stranger never holds all places."""
N_VISITORS = 20_000
"""Visitors whose use is remembered."""
_BUSY_S = 2
TOO_MUCH = "Too many new views were asked for from here in a row. Try again in {wait} s."
BUSY = "Many new views are being made right now. Try again in {wait} s."


class Spared(Exception):
    """An answer was not made, as too many are."""

    def __init__(self, status: int, sentence: str, wait_s: int) -> None:
        """Tell the HTTP status, the sentence for the reader, and after how long it is worth another try, s."""
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = {"Retry-After": str(wait_s)}


class Sparing:
    """Makes answers, or refuses to. Safe to use from several threads."""

    def __init__(self, *, is_behind_proxy: bool = False) -> None:
        """Count by address; `is_behind_proxy` says whether a proxy of ours names the visitors' addresses."""
        self._is_behind_proxy = is_behind_proxy
        self._rates = Rates(N_VISITORS)
        self._making: Counter[str] = Counter()
        self._lock = threading.Lock()

    def make(self, scope: Scope, make: Callable[[], V]) -> V:
        """Return what `make` gives.

        Args:
            scope: the request that it is made for; one without a client is the site's own and is never refused.
            make: makes the answer.

        Raises:
            Spared: if this visitor has had too many made, or too many are being made.
        """
        if "client" not in scope:
            return make()
        visitor = address_of(scope, is_behind_proxy=self._is_behind_proxy)
        self._enter(visitor)
        try:
            return make()
        finally:
            with self._lock:
                self._making[visitor] -= 1
                if not self._making[visitor]:
                    del self._making[visitor]

    def _enter(self, visitor: str) -> None:
        with self._lock:
            if self._making.total() >= N_MAKING or self._making[visitor] >= N_MAKING_VISITOR:
                raise Spared(503, BUSY.format(wait=_BUSY_S), _BUSY_S)
            wait_s = math.ceil(self._rates.wait_s(visitor, Use.PAGE, MADE))
            if wait_s:
                raise Spared(429, TOO_MUCH.format(wait=wait_s), wait_s)
            self._making[visitor] += 1
