"""A reply of another model than the protocol's counts for nothing, through the real clients."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluation.judge.backend import JudgeMisconfigured
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.calls_model import is_same_model
from evaluation.judge.clock import Clock
from evaluation.judge.open_backend import open_backend
from tests.evaluation.judge import asking
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen

ASKED = "listener-3.5"


@pytest.mark.parametrize(
    "said",
    ["listener", "models/listener", "listener-001", "listener-2026-01-31", "listener-20260131", "listener@001"],
)
def test_a_snapshot_is_the_same_model(said: str) -> None:
    """What a provider adds to the name of one model is not another model."""
    assert is_same_model("listener", said)
    assert is_same_model("models/listener", said)


@pytest.mark.parametrize(
    "said",
    ["listener-lite", "listener-2", "listener-3.5", "listene", "my-listener", "listener-001-lite", "", "LISTENER"],
)
def test_another_model_is_another_model(said: str) -> None:
    """A smaller, newer or other one is told by its name."""
    assert not is_same_model("listener", said)


def substitute(seen: RequestSeen) -> ReplyPlan:
    """Answer as a smaller model."""
    words = json.dumps({"winner": "a"})
    if seen.protocol == "gemini":
        content = {"role": "model", "parts": [{"text": words}]}
        body = {"modelVersion": f"{ASKED}-lite", "candidates": [{"content": content, "finishReason": "STOP"}]}
    else:
        message = {"role": "assistant", "content": words}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": f"{ASKED}-lite"}
        body["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return ReplyPlan(body=json.dumps(body).encode())


@pytest.fixture(params=["gemini", "openai"])
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Loopback, Caller, list[datetime]]]:
    """Return a provider, a caller of it and the time, which a test may move."""
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    with Loopback(substitute) as server:
        url = server.gemini_url if request.param == "gemini" else server.openai_url
        backend = open_backend(request.param, ASKED, url=url, key="k", timeout_s=10)
        cache = FolderCache(folder=tmp_path)
        yield server, Caller(backend, cache=cache, run="r", clock=Clock(now=lambda: now[0])), now


def test_another_models_reply_is_refused_and_paid_once_an_hour(judge: tuple[Loopback, Caller, list[datetime]]) -> None:
    """It is never given out, from the provider or from the cache, and whoever starts again asks no more of them."""
    server, caller, now = judge
    for _ in range(3):
        with pytest.raises(JudgeMisconfigured, match=rf"asked for {ASKED} and '{ASKED}-lite' answered"):
            asking.ask(caller)
    assert (len(server.seen), caller.tally.n_calls) == (1, 1)
    now[0] += timedelta(hours=1)
    server.judge = lambda _: ReplyPlan(text="the true one")
    assert asking.ask(caller) == "the true one"
    assert len(server.seen) == 2
    assert asking.ask(caller) == "the true one"
    assert len(server.seen) == 2
