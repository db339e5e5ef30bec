"""What a worker does while its store is away: it keeps what it holds and tries again, ever more slowly.

An outage is nobody's fault. No try is lost by it, and no clip is read twice: only the step that needs the store waits.
"""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from submissions.store.base import StoreUnavailable

T = TypeVar("T")

log = logging.getLogger(__name__)


class Patience:
    """Repeats a step until the store answers, or until there is no reason to wait any more."""

    def __init__(
        self,
        stop: threading.Event,
        pauses_s: tuple[float, float],
        *,
        check: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        """Prepare to wait.

        Args:
            stop: ends a pause early.
            pauses_s: the first pause and the longest; each is twice the one before, s.
            check: called before every further try; raises what ends the waiting.
            tell: told why it waits, in one sentence, and the empty text once it does not.
        """
        self._stop = stop
        self._pauses_s = pauses_s
        self._check = check
        self._tell = tell

    def until_done(self, step: Callable[[], T]) -> T:
        """Return what `step` returns, however often the store is away; `step` must be safe to repeat."""
        pause_s, longest_s = self._pauses_s
        has_waited = False
        while True:
            try:
                done = step()
            except StoreUnavailable as error:
                log.info("store.away", extra={"why": str(error), "again_in_s": pause_s})
                self._tell(f"waiting: {error}")
                self._stop.wait(pause_s)
                self._check()
                has_waited = True
                pause_s = min(2 * pause_s, longest_s)
            else:
                if has_waited:
                    self._tell("")
                return done
