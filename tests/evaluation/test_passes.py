"""Passes: what is in memory together, and how a clip's parts become one."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.passes import SHARED, PartsDisagree, merge, passes_of
from evaluation.pins import ModelPin
from evaluation.protocol import Instrument, Protocol, load_shipped
from evaluation.records import ClassScores, ClipReadings, Estimate, ItemId, Transcript

LITE = load_shipped("lite")
HAPPY = ClassScores(labels=("happy", "sad"), probabilities=(0.75, 0.25))
WHOLE = ClipReadings(
    item_id=ItemId("it-0"),
    clip_sha256="0" * 64,
    acoustics=None,
    transcript=Transcript(text="so it is", setting="echo"),
    naturalness=None,
    probes={"emotion": HAPPY, "age": Estimate(value=40.0), "gender": HAPPY},
)
BARE = dataclasses.replace(WHOLE, transcript=None, probes={})


def with_models(protocol: Protocol, *roles: str) -> Protocol:
    """Return a protocol in which some roles are filled by large models."""
    pin = ModelPin(
        kind="transformers_classifier",
        repo="o/m",
        revision="local",
        files={},
        labels={},
        scale=1.0,
        rate_hz=16_000,
        shortest_s=0.2,
        longest_s=10.0,
        batch_size=4,
        known_accuracy="unknown",
        accuracy_source="a test",
        is_non_commercial=False,
        canary_sha256="0" * 64,
    )
    large: Instrument = dataclasses.replace(LITE.instruments["gender"], weights={}, settings={}, model=pin)
    return dataclasses.replace(protocol, instruments={**protocol.instruments, **dict.fromkeys(roles, large)})


def test_lite_is_one_pass() -> None:
    """Everything that packages carry is read together."""
    (only,) = passes_of(LITE)
    assert (only.name, set(only.roles)) == (SHARED, set(LITE.instruments))


def test_every_large_model_has_a_pass_of_its_own_in_the_registry_s_order() -> None:
    """Whatever order a file names them in, and the light ones come first."""
    for roles in (("accent", "age", "gender"), ("gender", "accent", "age")):
        found = passes_of(with_models(LITE, *roles))
        assert [one.name for one in found] == [SHARED, "gender", "age", "accent"]
        assert "gender" not in found[0].roles
        assert [one.roles for one in found[1:]] == [("gender",), ("age",), ("accent",)]


def test_a_protocol_of_large_models_alone_has_no_shared_pass() -> None:
    """No clip is decoded for nothing."""
    alone = with_models(dataclasses.replace(LITE, instruments={}), "age")
    assert [one.name for one in passes_of(alone)] == ["age"]


@given(st.permutations(["transcript", "emotion", "age", "gender"]))
def test_parts_in_any_order_make_the_same_whole(order: list[str]) -> None:
    """Nothing depends on which pass was read first."""
    parts = [
        dataclasses.replace(BARE, transcript=WHOLE.transcript)
        if name == "transcript"
        else dataclasses.replace(BARE, probes={name: WHOLE.probes[name]})
        for name in order
    ]
    assert merge(parts) == WHOLE


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(BARE, probes={"age": Estimate(value=41.0)}),
        dataclasses.replace(BARE, transcript=Transcript(text="so it was", setting="echo")),
        dataclasses.replace(BARE, clip_sha256="1" * 64),
        dataclasses.replace(BARE, item_id=ItemId("it-1")),
    ],
)
def test_parts_that_contradict_each_other_are_refused(other: ClipReadings) -> None:
    """Two readings of one thing are never chosen between, nor readings of two clips joined."""
    with pytest.raises(PartsDisagree):
        merge([WHOLE, other])
