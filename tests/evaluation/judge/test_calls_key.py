"""When two calls are the same call."""

import dataclasses

import pytest

from evaluation import codec
from evaluation.judge.backend import Request
from evaluation.judge.calls_key import CallKey, key_of
from evaluation.judge.gemini import GOOGLE
from evaluation.judge.open_backend import open_backend
from evaluation.judge.openai_compatible import OPENAI
from tests.evaluation.judge.asking import SCHEMA, request, sound


class Named:
    """A judge of which only the name matters."""

    name, model = "gemini", "m"

    def ask(self, request: Request) -> None:
        """Never asked."""


def key(asked: Request, **more: object) -> CallKey:
    """Return the key of a call about `asked`."""
    given = {"dimensions": ("tone",), "order": "clip_first", "vote": 0, "ask": 0, **more}
    return key_of(asked, Named(), **given)


def test_equal_calls_have_one_name() -> None:
    """The name depends on values alone, and is fixed for all time: another one would pay for every reply again."""
    assert key(request()).name == key(request()).name
    assert key(request()).name == "d7930a140371f5183ba3321aa33dfef58661e4d1ea8257942eee9cd260b2c657"


@pytest.mark.parametrize(
    "other",
    [
        key(request(), vote=1),
        key(request(), ask=1),
        key(request(), order="anchor_first"),
        key(request(), dimensions=("naturalness",)),
        key(request(level=2)),
        key(request(max_output_tokens=101)),
        key(dataclasses.replace(request(), temperature=0.5)),
        key(dataclasses.replace(request(), system="Else.")),
        key(dataclasses.replace(request(), schema={**SCHEMA, "required": []})),
        key(dataclasses.replace(request(), parts=(*request().parts, "More."))),
        key(dataclasses.replace(request(), parts=request().parts[::-1])),
        dataclasses.replace(key(request()), model="n"),
        dataclasses.replace(key(request()), backend="openai"),
    ],
)
def test_whatever_may_change_a_reply_changes_the_name(other: CallKey) -> None:
    """Clips, their order, prompt, schema, model, vote, ask, temperature and limit each make another call."""
    assert other.name != key(request()).name


def test_clips_are_named_in_the_order_heard() -> None:
    """The key lists the sounds as they are sent; a text that spells "sound" is not one."""
    parts = (sound(level=1), sound(level=2))
    one, two = (key(dataclasses.replace(request(), parts=p)) for p in (parts, parts[::-1]))
    assert one.clips == two.clips[::-1]
    assert one.prompt_sha256 == two.prompt_sha256
    assert key(dataclasses.replace(request(), parts=("sound",))).prompt_sha256 != one.prompt_sha256


@pytest.mark.parametrize(("backend", "own"), [("openai", OPENAI), ("gemini", GOOGLE)])
def test_endpoints_do_not_share_replies(backend: str, own: str) -> None:
    """Two addresses may serve two models under one name; the key tells them apart and holds neither."""

    def named(url: str | None) -> CallKey:
        judge = open_backend(backend, "m", url=url, key="a-key-of-ours", timeout_s=1.0)
        return key_of(request(), judge, dimensions=("tone",), order="clip_first", vote=0, ask=0)

    here, there = named("http://one.example:8000/v1"), named("http://two.example:8000/v1")
    assert len({here.name, there.name, named(None).name, named("http://one.example:8001/v1").name}) == 4
    assert named("HTTP://One.Example:8000/v1/") == here
    assert named(own) == named(None)
    assert named(None).endpoint == ""
    assert b"endpoint" not in codec.canonical(codec.to_json(named(None)))
    assert b"example" not in codec.canonical(codec.to_json(here))
