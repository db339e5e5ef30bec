"""What only OpenAI-compatible endpoints do: refuse options, need no key."""

import pytest

from evaluation.judge.backend import JudgeMisconfigured
from evaluation.judge.openai_compatible import OpenAIBackend
from tests.evaluation.judge.asking import reach, request
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen


def old_server(seen: RequestSeen) -> ReplyPlan:
    """Know neither JSON schemas nor the new name of the limit."""
    for option in ("response_format", "max_completion_tokens"):
        if option in seen.body:
            return ReplyPlan(status=400, message=f"Unrecognized request argument supplied: {option}")
    return ReplyPlan(text=f"{seen.body['max_tokens']}")


def test_refused_options_are_left_out_and_remembered() -> None:
    """An endpoint that refuses an option by name is asked again without it, once; later calls leave it out at once."""
    with Loopback(old_server) as server:
        backend = reach(server, "openai")
        assert [backend.ask(request()).text for _ in range(3)] == ["100", "100", "100"]
        assert len(server.seen) == 5
        assert server.seen[-1].schema is None


def test_other_refusals_are_not_tried_again() -> None:
    """A refusal that names no option is final."""
    with Loopback(lambda _: ReplyPlan(status=400, message="audio is not supported")) as server:
        with pytest.raises(JudgeMisconfigured, match="audio is not supported"):
            reach(server, "openai").ask(request())
        assert len(server.seen) == 1


def test_stubborn_endpoint_is_given_up() -> None:
    """An endpoint that keeps naming an option which is no longer sent does not hold us for ever."""
    with Loopback(lambda _: ReplyPlan(status=422, message="response_format, max_completion_tokens")) as server:
        with pytest.raises(JudgeMisconfigured):
            reach(server, "openai").ask(request())
        assert len(server.seen) == 3


def test_endpoint_of_ones_own_needs_no_key() -> None:
    """With a URL no key is needed; without either the operator is told so."""
    with Loopback(lambda _: ReplyPlan(text="ok")) as server:
        backend = OpenAIBackend.load(model="m", base_url=server.openai_url, timeout_s=5.0)
        assert backend.ask(request()).text == "ok"
    with pytest.raises(JudgeMisconfigured, match=r"needs a model id, and .*API key .* for an endpoint of your own"):
        OpenAIBackend.load(model="m", timeout_s=5.0)
