"""Time and chance as arguments, so that a test needs neither sleep nor luck."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Where time and chance come from; the default is the machine's own."""

    sleep: Callable[[float], object] | None = None
    """Waits some seconds; None waits for real, but no longer than until the caller is stopped."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that only grow, from any zero."""
    now: Callable[[], datetime] = utc_now
    """Time of day, aware."""
    random: Callable[[], float] = random.random
    """A number in [0, 1)."""
