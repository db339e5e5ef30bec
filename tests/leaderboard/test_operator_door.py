"""Who knows the operator's key comes in; guessing is slow and tells nothing."""

from leaderboard.operator_door import CLOSED, N_TRIES, REFILL_S, WRONG, OperatorDoor
from leaderboard.secret import Secret

KEY = "correct-horse-battery"


def test_the_key_opens_and_nothing_else_does() -> None:
    """Every wrong key gets the same words, however near it is."""
    door = OperatorDoor(Secret(KEY), clock=lambda: 0.0)
    assert door.refusal(KEY) is None
    assert {door.refusal(guess) for guess in ("", KEY[:-1], KEY + " ", "ключ")} == {WRONG}


def test_guessing_is_slowed_down() -> None:
    """After some wrong keys none is looked at, not even the right one; then one a minute is."""
    now = [0.0]
    door = OperatorDoor(Secret(KEY), clock=lambda: now[0])
    for _ in range(N_TRIES):
        assert door.refusal("guess") == WRONG
    assert door.refusal("guess") == door.refusal(KEY) == CLOSED
    now[0] += REFILL_S / 2
    assert door.refusal(KEY) == CLOSED
    now[0] += REFILL_S / 2
    assert door.refusal("guess") == WRONG
    assert door.refusal(KEY) == CLOSED
    now[0] += REFILL_S
    assert door.refusal(KEY) is None is door.refusal(KEY)


def test_the_door_shows_no_key() -> None:
    """Neither itself nor what it says."""
    door = OperatorDoor(Secret(KEY))
    assert KEY not in repr(door) + repr(vars(door)) + str(door.refusal("x"))
