"""What only Gemini does: RetryInfo, many words for a block, a key that is always needed."""

import pytest

from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable
from evaluation.judge.gemini import GeminiBackend
from tests.evaluation.judge.asking import reach, request
from tests.evaluation.judge.loopback import Loopback, ReplyPlan


@pytest.mark.parametrize(
    ("header", "expected"), [({}, 21.5), ({"Retry-After": "4"}, 4.0), ({"Retry-After": "soon"}, 21.5)]
)
def test_wait_in_the_errors_details(header: dict[str, str], expected: float) -> None:
    """The wait in RetryInfo is read where no header says one."""
    plan = ReplyPlan(status=429, headers=header, retry_info_s=21.5)
    with Loopback(lambda _: plan) as server, pytest.raises(JudgeUnavailable) as caught:
        reach(server, "gemini").ask(request())
    assert caught.value.retry_after_s == expected


@pytest.mark.parametrize("word", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"])
def test_blocked_reply_shows_nothing(word: str) -> None:
    """A reply that Google cut off as unfit counts as blocked, and what came of it is not used."""
    with Loopback(lambda _: ReplyPlan(text='{"score_a": 3', finish=word)) as server:
        reply = reach(server, "gemini").ask(request())
    assert (reply.text, reply.finish) == ("", "blocked")


def test_needs_a_key() -> None:
    """Without a key the operator is told before anything is sent."""
    with pytest.raises(JudgeMisconfigured, match="API key"):
        GeminiBackend.load(model="m", api_key=" ", timeout_s=1.0)
