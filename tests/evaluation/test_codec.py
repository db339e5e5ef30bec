"""Records survive the way to canonical JSON and back, and nothing else gets in."""

import dataclasses
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import codec
from evaluation.errors import SchemaError
from evaluation.records import (
    Acoustics,
    ClassScores,
    ClipReadings,
    Doubt,
    Hearing,
    ItemId,
    PredictedMos,
    Transcript,
    Unread,
)

_text = st.text(max_size=20)
_number = st.floats(allow_nan=False, allow_infinity=False)
_unread = st.builds(Unread, reason=_text, fault=st.sampled_from(["clip", "instrument"]), detail=_text)
_acoustics = st.builds(
    Acoustics,
    **{
        field.name: _number if field.name != "f0_hz" else st.none() | _number for field in dataclasses.fields(Acoustics)
    },
)
_hearing = st.none() | st.builds(Hearing, text=_text, setting=_text)
_transcript = st.builds(
    Transcript,
    text=_text,
    setting=_text,
    doubt=st.sampled_from([None, *get_args(Doubt)]),
    again=_hearing,
    second=_hearing,
)
_readings = st.builds(
    ClipReadings,
    item_id=_text.map(ItemId),
    clip_sha256=_text,
    acoustics=st.none() | _unread | _acoustics,
    transcript=st.none() | _unread | _transcript,
    probes=st.dictionaries(
        _text, _unread | st.builds(ClassScores, labels=st.tuples(_text), probabilities=st.tuples(_number))
    ),
    naturalness=st.none() | _unread | st.builds(PredictedMos, mos=_number),
)


@given(_readings)
def test_round_trip(readings: ClipReadings) -> None:
    """What was written is what is read, and writing it again gives the same bytes."""
    data = codec.canonical(codec.to_json(readings))
    again = codec.from_json(ClipReadings, json.loads(data))
    assert again == readings
    assert codec.canonical(codec.to_json(again)) == data


def test_key_order_does_not_matter() -> None:
    """Canonical bytes are a function of the value."""
    assert codec.canonical({"b": 1, "a": [1.5, "é"]}) == codec.canonical({"a": [1.5, "é"], "b": 1})


def test_nan_is_refused() -> None:
    """A hole is a recorded reason, never NaN."""
    with pytest.raises(ValueError, match="JSON compliant"):
        codec.canonical({"mos": float("nan")})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"text": "a"}, r"Hearing: missing fields \['setting'\]"),
        ({"text": "a", "setting": "b", "more": 1}, r"unknown fields \['more'\]"),
        ({"text": 1, "setting": "b"}, r"Hearing.text: expected str, got int"),
        (["text"], r"expected an object, got list"),
    ],
)
def test_wrong_shapes_are_named(data: object, message: str) -> None:
    """The message names the record, the field and what came."""
    with pytest.raises(SchemaError, match=message):
        codec.from_json(Hearing, data)
