"""When a judge that is down is left alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluation.judge.breaker import Breaker, JudgeDown
from tests.evaluation.judge.asking import START, SlowClock


def opened(slow: SlowClock) -> Breaker:
    """Return a breaker that has just opened."""
    breaker = Breaker(n_failures=2, pause_s=10, longest_pause_s=30, clock=slow.clock)
    for _ in range(2):
        breaker.fail(is_trial=breaker.enter())
    return breaker


def test_success_starts_the_count_again() -> None:
    """Only failures in a row open it, and a success ends the outage."""
    slow = SlowClock()
    breaker = Breaker(n_failures=2, pause_s=10, longest_pause_s=30, clock=slow.clock)
    for _ in range(5):
        breaker.fail(is_trial=breaker.enter())
        assert breaker.since == START
        breaker.succeed()
        assert breaker.since is None
    breaker.enter()


def test_one_trial_at_a_time() -> None:
    """After the pause one call goes through; the others wait for its end and go on, or not, by what it found."""
    slow = SlowClock()
    breaker = opened(slow)
    with pytest.raises(JudgeDown):
        breaker.enter()
    slow.pass_s(10)
    assert breaker.enter()
    with ThreadPoolExecutor(max_workers=2) as pool:
        others = [pool.submit(breaker.enter) for _ in range(2)]
        breaker.succeed()
        assert [other.result() for other in others] == [False, False]
    breaker = opened(slow)
    slow.pass_s(10)
    assert breaker.enter()
    with ThreadPoolExecutor(max_workers=2) as pool:
        others = [pool.submit(breaker.enter) for _ in range(2)]
        breaker.fail(is_trial=True)
        assert [type(other.exception()) for other in others] == [JudgeDown, JudgeDown]


def test_operator_ends_the_pause_for_one_trial() -> None:
    """Whoever says that the judge is back is believed once; a failure after that is known better."""
    slow = SlowClock()
    breaker = opened(slow)
    breaker.allow_trial(slow.clock.now())
    with pytest.raises(JudgeDown):
        breaker.enter()
    slow.pass_s(1)
    asked = slow.clock.now()
    breaker.allow_trial(asked)
    assert breaker.enter()
    slow.pass_s(1)
    breaker.fail(is_trial=True)
    breaker.allow_trial(asked)
    with pytest.raises(JudgeDown, match="next trial in 20 s"):
        breaker.enter()


def test_operator_changes_nothing_of_a_judge_that_answers() -> None:
    """A closed breaker stays closed, and counts on."""
    slow = SlowClock()
    breaker = Breaker(n_failures=2, pause_s=10, longest_pause_s=30, clock=slow.clock)
    breaker.fail(is_trial=breaker.enter())
    slow.pass_s(1)
    breaker.allow_trial(slow.clock.now())
    assert not breaker.enter()
    breaker.fail(is_trial=False)
    with pytest.raises(JudgeDown):
        breaker.enter()


def test_pauses_double_up_to_the_longest() -> None:
    """Trials that fail make the next pause longer, 10, 20, 30, 30 s; a success makes it short again."""
    slow = SlowClock()
    breaker = opened(slow)
    for pause_s in (10, 20, 30, 30):
        slow.pass_s(pause_s - 1)
        with pytest.raises(JudgeDown):
            breaker.enter()
        slow.pass_s(1)
        breaker.fail(is_trial=breaker.enter())
    slow.pass_s(30)
    breaker.enter()
    breaker.succeed()
    for _ in range(2):
        breaker.fail(is_trial=breaker.enter())
    slow.pass_s(10)
    assert breaker.enter()


def test_late_failures_do_not_end_a_trial() -> None:
    """A call from before the outage that fails during the trial neither reopens the breaker nor lets another in."""
    slow = SlowClock()
    breaker = opened(slow)
    slow.pass_s(10)
    breaker.enter()
    breaker.fail(is_trial=False)
    breaker.forget(is_trial=False)
    slow.pass_s(100)
    with ThreadPoolExecutor(max_workers=1) as pool:
        other = pool.submit(breaker.enter)
        breaker.fail(is_trial=True)
        assert isinstance(other.exception(), JudgeDown)


def test_trial_that_never_reached_the_judge_is_repeated() -> None:
    """A trial that failed for another reason leaves room for the next one at once."""
    slow = SlowClock()
    breaker = opened(slow)
    slow.pass_s(10)
    breaker.forget(is_trial=breaker.enter())
    assert breaker.enter()
    with ThreadPoolExecutor(max_workers=1) as pool:
        other = pool.submit(breaker.enter)
        breaker.forget(is_trial=True)
        assert other.result()


@pytest.mark.parametrize("numbers", [(0, 1.0, 1.0), (1, 0.0, 1.0), (1, 2.0, 1.0)])
def test_numbers_in_range(numbers: tuple[int, float, float]) -> None:
    """A breaker that can never open or close is refused."""
    n, pause_s, longest_s = numbers
    with pytest.raises(ValueError, match="need n_failures"):
        Breaker(n_failures=n, pause_s=pause_s, longest_pause_s=longest_s, clock=SlowClock().clock)
