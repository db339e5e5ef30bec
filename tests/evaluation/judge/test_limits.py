"""How many requests a minute sees."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluation.judge.limits import RateLimit
from tests.evaluation.judge.asking import SlowClock


def test_places_are_evenly_spaced() -> None:
    """Eight threads that ask at once get places two seconds apart at 30 a minute, each of them once."""
    limit = RateLimit(per_minute=30, clock=SlowClock().clock)
    with ThreadPoolExecutor(8) as pool:
        waits = sorted(pool.map(lambda _: limit.take(), range(40)))
    assert waits == [2.0 * i for i in range(40)]


def test_idle_time_is_not_saved_up() -> None:
    """After a pause the next one goes at once, and the one after that still waits its share."""
    slow = SlowClock()
    limit = RateLimit(per_minute=60, clock=slow.clock)
    limit.take()
    slow.pass_s(100)
    assert [limit.take(), limit.take()] == [0.0, 1.0]


def test_no_limit() -> None:
    """Without a limit nobody waits."""
    limit = RateLimit(per_minute=None, clock=SlowClock().clock)
    assert [limit.take() for _ in range(100)] == [0.0] * 100


@pytest.mark.parametrize("per_minute", [0, -1.0])
def test_limit_must_let_something_through(per_minute: float) -> None:
    """A limit that lets nothing through is refused."""
    with pytest.raises(ValueError, match="more than 0"):
        RateLimit(per_minute=per_minute, clock=SlowClock().clock)
