"""A protocol is its content: any change is another protocol, and a damaged file is refused."""

import dataclasses
import json

import pytest

from evaluation import protocol
from evaluation.corpus import BENCHMARK_V1
from evaluation.errors import ProtocolError
from evaluation.traits import NATURALNESS, TRAITS


def test_lite_covers_every_dimension_or_says_why_not() -> None:
    """What lite does not score has a reason, and it scores only known dimensions of the pinned corpus."""
    lite = protocol.load_shipped("lite")
    known = {trait.name for trait in TRAITS} | {NATURALNESS}
    assert set(lite.dimensions) | set(lite.not_measured) == known
    assert not set(lite.dimensions) & set(lite.not_measured)
    assert lite.corpus == BENCHMARK_V1


def test_id_follows_content() -> None:
    """A changed constant gives another id; the same content gives the same one."""
    lite = protocol.load_shipped("lite")
    other = dataclasses.replace(lite, constants=dataclasses.replace(lite.constants, wer_limit=0.2))
    again = protocol.decode(protocol.encode(lite), "lite")
    assert again.id == lite.id != other.id
    assert len(lite.id) == protocol.ID_LENGTH


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 2}, "schema_version must be 1"),
        ({"surprise": 1}, "unknown fields"),
        ({"dimensions": "pace"}, "expected a list"),
        ({"name": 3}, "expected str, got int"),
    ],
)
def test_malformed_file_is_refused_with_its_name(change: dict[str, object], message: str) -> None:
    """The message says which file and what is wrong with it."""
    fields = json.loads(protocol.encode(protocol.load_shipped("lite"))) | change
    with pytest.raises(ProtocolError, match=f"board.json: .*{message}"):
        protocol.decode(json.dumps(fields).encode(), "board.json")


@pytest.mark.parametrize("hostile", [b"[" * 100_000, b"{", b"\xff"])
def test_what_is_no_json_is_refused(hostile: bytes) -> None:
    """Cut off, no text, or so deep that a reader would fall over: a sentence all the same."""
    with pytest.raises(ProtocolError, match=r"board\.json: not readable as JSON"):
        protocol.decode(hostile, "board.json")


def test_what_is_no_number_is_refused() -> None:
    """A constant that is NaN has no id, and nothing could be decided by it."""
    data = protocol.encode(protocol.load_shipped("lite")).replace(b'"margin_floor":0.015', b'"margin_floor":NaN')
    with pytest.raises(ProtocolError, match=r"board\.json: .*not JSON compliant"):
        protocol.decode(data, "board.json")


def test_unknown_name_lists_what_ships() -> None:
    """Asking for a protocol that is not there names those that are."""
    with pytest.raises(ProtocolError, match="lite"):
        protocol.load_shipped("no-such")
