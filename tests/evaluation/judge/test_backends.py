"""Both backends against a provider that speaks their protocols: what is sent, what comes back, what goes wrong."""

import json
import logging
import threading
import traceback
from email.utils import format_datetime
from typing import Literal

import pytest

from evaluation.judge import clock, deadline
from evaluation.judge.backend import JudgeBackend, JudgeMisconfigured, JudgeUnavailable
from evaluation.judge.failures import NoAnswer
from evaluation.judge.open_backend import open_backend
from tests.evaluation.judge.asking import KEY, SCHEMA, reach, request, wav
from tests.evaluation.judge.loopback import Loopback, ReplyPlan

PROTOCOLS = ("gemini", "openai")
pytestmark = pytest.mark.parametrize("protocol", PROTOCOLS)


def answer_of(protocol: str, plan: ReplyPlan, *, timeout_s: float = 10.0) -> object:
    """Return the reply to one request, or the error that was raised."""
    with Loopback(lambda _: plan) as server:
        backend = reach(server, protocol, timeout_s=timeout_s)
        try:
            return backend.ask(request())
        except (JudgeUnavailable, JudgeMisconfigured) as error:
            assert len(server.seen) == 1, "a client library asked again by itself"
            return error


def test_everything_arrives_as_it_was_asked(protocol: str) -> None:
    """Sounds byte for byte and in order, texts, schema, temperature, limit, model and key reach the provider."""
    with Loopback(lambda _: ReplyPlan()) as server:
        reach(server, protocol).ask(request())
        (seen,) = server.seen
    second = wav(n_samples=3200, level=-1)
    assert seen.parts == ("First clip:", wav(), "Second clip:", second, "Which is better?")
    assert seen.system == "You compare two clips."
    assert seen.schema == SCHEMA
    assert (seen.temperature, seen.max_output_tokens, seen.model) == (0.0, 100, "judge-1")
    assert KEY in (seen.headers.get("x-goog-api-key"), seen.headers.get("authorization", "").removeprefix("Bearer "))


def test_reply_is_raw_and_counted_by_the_provider(protocol: str) -> None:
    """The text is what the model wrote, without its thoughts; tokens are the provider's count, thoughts included."""
    with Loopback(lambda _: ReplyPlan(text='{"score_a": 2', finish="length", thought_tokens=7)) as server:
        reply = reach(server, protocol).ask(request())
        (counted,) = server.answered
    assert (reply.text, reply.finish, reply.model) == ('{"score_a": 2', "length", "judge-1-001")
    assert reply.usage == counted
    assert counted.audio_tokens == 4 + 7
    assert counted.output_tokens > 7


def test_reply_without_a_count_counts_nothing(protocol: str) -> None:
    """Absent usage is 0, not an error."""
    reply = answer_of(protocol, ReplyPlan(has_usage=False))
    assert reply.usage.input_tokens == reply.usage.output_tokens == reply.usage.audio_tokens == 0


def test_blocked_prompt_is_a_reply(protocol: str) -> None:
    """A blocked prompt is a reply without text, not an outage: it is paid for and must not be asked for ever."""
    reply = answer_of(protocol, ReplyPlan(is_blocked=True))
    assert (reply.text, reply.finish) == ("", "blocked")
    assert reply.usage.input_tokens > 0


@pytest.mark.parametrize(("word", "finish"), [("stop", "stop"), ("length", "length"), ("OTHER", "other")])
def test_finish_reasons(protocol: str, word: str, finish: str) -> None:
    """The provider's words for the end of a reply become ours, or lower case."""
    assert answer_of(protocol, ReplyPlan(finish=word)).finish == finish


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_passing_troubles_are_unavailability(protocol: str, status: int) -> None:
    """Rate limits and server errors may pass; nobody asks again behind our back."""
    error = answer_of(protocol, ReplyPlan(status=status, message="overloaded"))
    assert isinstance(error, JudgeUnavailable)
    assert isinstance(error, NoAnswer) is (status in (408, 504))
    assert error.retry_after_s is None
    assert f"HTTP {status}" in str(error)
    assert "overloaded" in str(error)


def test_retry_after_in_seconds(protocol: str) -> None:
    """Retry-After in seconds is what the error carries."""
    error = answer_of(protocol, ReplyPlan(status=429, headers={"Retry-After": "17"}))
    assert error.retry_after_s == 17.0


def test_retry_after_as_a_date(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry-After as an HTTP date is the time until then."""
    now = clock.utc_now().replace(microsecond=0)
    monkeypatch.setattr(clock, "utc_now", lambda: now)
    later = format_datetime(now.replace(year=now.year + 1), usegmt=True)
    error = answer_of(protocol, ReplyPlan(status=503, headers={"Retry-After": later}))
    assert error.retry_after_s == (now.replace(year=now.year + 1) - now).total_seconds()


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "does not accept"),
        (401, "API key"),
        (403, "rights"),
        (404, "no such model"),
        (413, "too large"),
        (301, "URL"),
    ],
)
def test_lasting_troubles_say_what_to_do(protocol: str, status: int, advice: str) -> None:
    """What will never work is told apart, with advice; a redirect, which would carry the key away, is not followed."""
    headers = {"Location": "http://127.0.0.1:9/elsewhere"} if status == 301 else {}
    error = answer_of(protocol, ReplyPlan(status=status, headers=headers))
    assert isinstance(error, JudgeMisconfigured)
    assert advice in str(error)


@pytest.mark.parametrize("plan", [ReplyPlan(drops=True), ReplyPlan(is_truncated=True)], ids=["drops", "truncated"])
def test_broken_connection_is_no_answer(protocol: str, plan: ReplyPlan) -> None:
    """A connection that breaks leaves open whether the call is billed."""
    assert isinstance(answer_of(protocol, plan), NoAnswer)


def test_time_out_is_no_answer(protocol: str) -> None:
    """A provider that stays silent is given up after the time-out."""
    error = answer_of(protocol, ReplyPlan(hangs=True), timeout_s=0.2)
    assert isinstance(error, NoAnswer)
    assert "in time" in str(error)


def test_unreachable_provider_billed_nothing(protocol: str) -> None:
    """Where no connection came about, nothing can have been billed."""
    with Loopback(lambda _: ReplyPlan()) as server:
        backend = reach(server, protocol)
    with pytest.raises(JudgeUnavailable, match="cannot be reached") as caught:
        backend.ask(request())
    assert not isinstance(caught.value, NoAnswer)


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b'{"a":' * 3_000 + b"1" + b"}" * 3_000, b'{"choices": ["x"], "candidates": 3}',
     b'{"choices": [{"message": "y"}], "candidates": [{"content": {"parts": "y"}}]}',
     b"", b"<html>", b"\xff\xfe", b"null", b"[]", b"{}", b'"text"', b'{"candidates": 3, "choices": 3}',
     b'{"candidates": [7], "choices": [null]}', b'{"candidates": null, "choices": []}'],
)  # fmt: skip
def test_nonsense_is_no_answer(protocol: str, body: bytes) -> None:
    """Bytes that are no reply of the protocol raise nothing but NoAnswer."""
    assert isinstance(answer_of(protocol, ReplyPlan(body=body)), NoAnswer)


def test_text_that_no_file_can_hold_is_mended(protocol: str) -> None:
    """Half a surrogate pair, which JSON can smuggle in, becomes a question mark."""
    assert answer_of(protocol, ReplyPlan(text="a\ud800b")).text == "a?b"


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_key_is_never_repeated(protocol: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    """A provider that repeats the key puts it in no error, traceback, log, reply or repr of ours."""
    caplog.set_level(logging.DEBUG)
    error = answer_of(protocol, ReplyPlan(status=status, message=f"your key {KEY} is bad"))
    assert KEY not in "".join(traceback.format_exception(error))
    assert error.__context__ is None
    assert "[key]" in str(error)
    reply = answer_of(protocol, ReplyPlan(text=json.dumps({"said": KEY})))
    assert KEY not in repr(reply)
    assert KEY not in repr(open_backend(protocol, "m", url="http://127.0.0.1:1/v1", key=KEY, timeout_s=1.0))
    assert KEY not in caplog.text


@pytest.mark.parametrize(("key", "is_cut"), [("k", False), ("hello-world", False), ("hello-world!", True)])
def test_short_keys_do_not_spoil_replies(protocol: str, key: str, is_cut: bool) -> None:
    """A reply is kept as it came, unless it holds a key that nobody writes by chance; an error never holds a key."""
    said = f"The kettle says {key} clearly."
    plans = iter([ReplyPlan(text=said), ReplyPlan(status=500, message=f"no {key} here")])
    with Loopback(lambda _: next(plans)) as server:
        url = server.gemini_url if protocol == "gemini" else server.openai_url
        backend = open_backend(protocol, "judge-1", url=url, key=key, timeout_s=10.0)
        assert backend.ask(request()).text == (said.replace(key, "[key]") if is_cut else said)
        with pytest.raises(JudgeUnavailable, match=r"no \[key\] here"):
            backend.ask(request())


@pytest.mark.parametrize("part", ["head", "body"])
def test_server_that_drips_is_left(
    protocol: str, part: Literal["head", "body"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that never ends, though it never falls silent either, is ended as a whole."""
    monkeypatch.setattr(deadline, "SILENCES", 0.03)
    with Loopback(lambda _: ReplyPlan(drips=part)) as server:
        backend = reach(server, protocol)
        with pytest.raises(NoAnswer, match=r"took longer than 0\.3 s, so the call was ended"):
            backend.ask(request())
        assert server.has_gone.wait(10.0)
        assert len(server.seen) == 1


def test_every_call_has_its_own_connection_and_end(protocol: str) -> None:
    """A call that was in time leaves no timer behind, and its connection, which the timer knows, to nobody."""
    before = set(threading.enumerate())
    with Loopback(lambda _: ReplyPlan(text="yes")) as server:
        backend = reach(server, protocol)
        assert [backend.ask(request()).text for _ in range(3)] == ["yes"] * 3
        assert {seen.headers["connection"] for seen in server.seen} == {"close"}
        assert not [one for one in set(threading.enumerate()) - before if isinstance(one, threading.Timer)]


def test_wrong_key_is_told(protocol: str) -> None:
    """Both protocols refuse a wrong key in their own way; both ways end in our error without the key."""
    with (
        Loopback(lambda _: ReplyPlan(), key="another") as server,
        pytest.raises(JudgeMisconfigured, match="API key not valid") as caught,
    ):
        reach(server, protocol).ask(request())
    assert KEY not in str(caught.value)


def test_environment_of_the_libraries_is_not_read(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, addresses and accounts come from the settings, whatever variables the client libraries know."""
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "from-the-environment")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    with Loopback(lambda _: ReplyPlan()) as server:
        reach(server, protocol).ask(request())
        (seen,) = server.seen
    assert seen.model == "judge-1"
    assert "from-the-environment" not in json.dumps(dict(seen.headers))


@pytest.mark.parametrize(
    "url", ["ftp://host/v1", "host/v1", "http:///v1", "http://[::1/v1", "http://a:70000/", "http://me:pass@host/v1"]
)
def test_addresses_that_cannot_be(protocol: str, url: str) -> None:
    """An address without http or a host, or with a password inside, is refused before anything is sent."""
    with pytest.raises(JudgeMisconfigured, match="the judge's URL"):
        open_backend(protocol, "m", url=url, key=KEY, timeout_s=1.0)


def test_one_backend_serves_many_threads(protocol: str) -> None:
    """Replies to eight threads reach the threads that asked."""
    from concurrent.futures import ThreadPoolExecutor

    def echo(backend: JudgeBackend, level: int) -> bool:
        return backend.ask(request(level=level)).text == str(level)

    with Loopback(lambda seen: ReplyPlan(text=str(seen.sounds[0][44]))) as server:
        backend = reach(server, protocol)
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(lambda level: echo(backend, level), range(1, 41)))
