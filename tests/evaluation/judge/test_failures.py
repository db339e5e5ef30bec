"""What providers say of waiting, and what is repeated of their words."""

from datetime import UTC, datetime

import pytest

from evaluation.judge import failures
from evaluation.judge.backend import JudgeUnavailable

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        (None, None),
        ("0", 0.0),
        ("12", 12.0),
        ("1.5", 1.5),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Wed, 04 Mar 2026 12:00:30 GMT", 30.0),
        ("Wed, 04 Mar 2026 11:00:00 GMT", 0.0),
        ("Wed, 04 Mar 2026 12:00:30 -0000", 30.0),
        ("Wed, 99 Mar 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after(header: str | None, wait_s: float | None) -> None:
    """Seconds and dates are read, the past is now, and nonsense is nothing."""
    assert failures.wait_asked_s(header, NOW) == wait_s


@pytest.mark.parametrize(
    "details",
    [
        None,
        [],
        {},
        {"error": 1},
        {"error": {"details": "text"}},
        {"error": {"details": [1, {"@type": "google.rpc.RetryInfo"}]}},
        {"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "long"}]}},
        {"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "99999999999s"}]}},
    ],
)
def test_retry_info_of_another_shape(details: object) -> None:
    """Nothing is read from details that hold no wait."""
    assert failures.retry_info_s(details) is None


def test_words_of_a_provider_are_short_and_plain() -> None:
    """A provider's words come without line breaks, control characters and the key, and end after 300 characters."""
    said = "bad\r\nkey \x1b[31msecret-1\x00" + "x" * 5000
    error = failures.refusal(backend="b", model="m", status=500, said=said, wait_s=None, secret="secret-1")
    assert isinstance(error, JudgeUnavailable)
    assert str(error).startswith("judge b (m) answered HTTP 500: bad key [31m[key] xxx")
    assert len(str(error)) < 350
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (0, 0), (-1, 0), (None, 0), ("9", 0), (True, 0), (1.5, 0), (10**9, 10**9), (10**30, 0)],
)
def test_counts(value: object, expected: int) -> None:
    """Only whole numbers above 0 count, and none that no table could hold."""
    assert failures.count(value) == expected


@pytest.mark.parametrize(
    ("status", "is_doubtful"), [(408, True), (504, True), (429, False), (500, False), (503, False)]
)
def test_who_may_have_been_heard_may_bill(status: int, is_doubtful: bool) -> None:
    """A gateway that gave up waiting says nothing of what the model behind it did, and what that costs."""
    error = failures.refusal(backend="b", model="m", status=status, said="", wait_s=7.0, secret=None)
    assert isinstance(error, JudgeUnavailable) and error.retry_after_s == 7
    assert isinstance(error, failures.NoAnswer) is is_doubtful


@pytest.mark.parametrize(
    ("said", "word"),
    [("STOP", "stop"), (None, "unknown"), ("\ud800X", "?x"), ("Sk-Secret-0123456789", "[key]"), ("a" * 99, "a" * 40)],
)
def test_a_word_of_the_provider_can_be_kept_and_published(said: str | None, word: str) -> None:
    """It is short, a text that files can hold, and never the key."""
    assert failures.word(said, "Sk-Secret-0123456789") == word
