"""The state of the table and its address."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.protocol import load_shipped
from leaderboard.query import address
from leaderboard.table.columns import columns, presets
from leaderboard.table.state import N_SORT, SortKey, added, read, told, turned

_LITE = load_shipped("lite")
_KEYS = ("preset", "trait", "sort", "cols", "pin", "tier", "split", "q", "org", "licence", "size", "since", "until")
_MORE = ("style", "coverage", "open", "newest", "row", "from", "protocol")
_SAID = (
    "hard",
    "adherence",
    "all",
    "0",
    "1",
    "2",
    "60",
    ">1B",
    "100M-1B",
    "unknown",
    "2026-01",
    "prompt",
    "public",
    "-",
)
_WORDS = st.sampled_from([*columns(_LITE), *(f"-{name}" for name in columns(_LITE)), *_SAID, "x y"])
_VALUES = st.one_of(st.text(max_size=30), st.lists(_WORDS, max_size=5).map(",".join))


@given(st.dictionaries(st.sampled_from([*_KEYS, *_MORE]), _VALUES))
def test_an_address_and_its_state_say_the_same(asked: dict[str, str]) -> None:
    """Nonsense never raises, and what a state writes into an address reads back as that state."""
    state = read(asked, _LITE)
    found = dict(parse_qsl(urlsplit(address("/", **told(state, _LITE))).query))
    assert read(found, _LITE) == state
    assert "system" in state.pins and set(state.pins) <= set(state.columns) <= set(columns(_LITE))
    assert len(state.sort) <= N_SORT


def test_a_plain_address_is_the_board_itself() -> None:
    """Nothing asked for: all items, published order, the first preset; and its address is empty."""
    state = read({}, _LITE)
    assert state.columns == presets(_LITE)[""].columns and state.sort == () and state.tier is None
    assert state.pins == ("band", "system") and told(state, _LITE) == {}


@pytest.mark.parametrize("key", [key for key in presets(_LITE) if key])
def test_a_preset_brings_columns_order_and_tier(key: str) -> None:
    """A view that has a name needs no other word in its address, and each part of it can be changed."""
    state = read({"preset": key}, _LITE)
    preset = presets(_LITE)[key]
    assert len(told(state, _LITE)) == 1 and state.tier == preset.tier and state.columns == preset.columns
    assert [str(one) for one in state.sort] == list(preset.sort)
    other = read({"preset": key, "tier": "all", "sort": "system"}, _LITE)
    assert other.tier is None and str(other.sort[0]) == "system"


def test_an_older_link_to_a_trait_is_its_preset() -> None:
    """The address of a dimension is the view of that dimension."""
    assert read({"trait": "pace"}, _LITE) == read({"preset": "pace"}, _LITE)
    assert told(read({"preset": "pace"}, _LITE), _LITE) == {"trait": "pace"}
    assert read({"trait": "emotion"}, _LITE) == read({}, _LITE)


def test_clicks_on_heads_turn_and_add_keys() -> None:
    """A click sorts by one column and then the other way; with Shift a key is added, turned, and taken away."""
    first = turned((), "score")
    assert first == (SortKey(column="score", is_descending=True),) and not turned(first, "score")[0].is_descending
    assert not turned(first, "system")[0].is_descending
    both = added(first, "pace")
    assert [str(key) for key in both] == ["-score", "-pace"]
    assert [str(key) for key in added(both, "pace")] == ["-score", "pace"]
    assert [str(key) for key in added(added(both, "pace"), "pace")] == ["-score"]
    assert len(added(added(added(both, "gate"), "coverage"), "pitch")) == N_SORT


def test_dropped_columns_are_not_pinned() -> None:
    """A pin on a column that is not shown is none; the system always stands still."""
    state = read({"cols": "score,pace", "pin": "score,gate"}, _LITE)
    assert state.columns == ("system", "score", "pace") and state.pins == ("system", "score")
    assert state.order() == ("score", "system", "pace")
