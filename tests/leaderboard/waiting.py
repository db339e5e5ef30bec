"""Waits in a browser test: a page that is read allows no evaluation, which playwright's own waiting needs."""

import time
from typing import Any

PATIENCE_S = 30.0
_STEP_MS = 40


def until(page: Any, expression: str, *, patience_s: float = PATIENCE_S) -> Any:
    """Return the first true value of a JavaScript expression in a page.

    Args:
        page: playwright's page.
        expression: what to look at, again and again.
        patience_s: when to give up, s.

    Raises:
        AssertionError: if it never became true; the last value is told.
    """
    ends_s = time.monotonic() + patience_s
    while True:
        found = page.evaluate(expression)
        if found:
            return found
        assert time.monotonic() < ends_s, f"{expression} was {found!r} for {patience_s:.0f} s"
        page.wait_for_timeout(_STEP_MS)
