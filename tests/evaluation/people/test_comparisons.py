"""The draw is balanced, blind and repeatable; its key comes back as it went."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.people.comparisons import decode_key, draw, encode_key
from tests.evaluation.people.people_examples import judged, key


def _board() -> list:
    """120 warm tones of tier 0, 8 playful ones of tier 2 and 4 of naturalness."""
    return [
        *(judged(number) for number in range(120)),
        *(judged(number, requested="playful", tier=2) for number in range(200, 208)),
        *(judged(number, dimension="naturalness", requested="") for number in range(300, 304)),
    ]


def test_rare_strata_are_as_well_represented_as_they_can_be():
    """Of 24 comparisons each of three strata gives eight, or all that it has."""
    drawn = draw(_board(), 24, seed=3)
    counted = Counter((one.judged.dimension, one.judged.requested, one.judged.tier) for one in drawn)
    assert counted == {("naturalness", "", 0): 4, ("tone", "playful", 2): 8, ("tone", "warm", 0): 12}
    assert len({(one.judged.submission, one.judged.item_id, one.judged.dimension) for one in drawn}) == 24


def test_the_letters_are_by_chance_and_the_order_tells_nothing():
    """Both letters come about equally often, and no stratum stands together."""
    drawn = draw(_board(), 120, seed=3)
    letters = Counter(one.clip_letter for one in drawn)
    assert 40 < letters["a"] < 80
    assert [one.id for one in drawn[:2]] == ["c0001", "c0002"]
    places = [at for at, one in enumerate(drawn) if one.judged.requested == "playful"]
    assert places[-1] - places[0] > 20


@given(seed=st.integers(0, 1000), n=st.integers(1, 200))
def test_a_draw_depends_on_content_and_seed_alone(seed, n):
    """The order in which a board is read does not matter; no more are drawn than there are."""
    board = _board()
    assert draw(board, n, seed=seed) == draw(board[::-1], n, seed=seed)
    assert len(draw(board, n, seed=seed)) == min(n, len(board))


def test_another_seed_is_another_draw():
    """Otherwise the seed would be idle."""
    assert draw(_board(), 24, seed=3) != draw(_board(), 24, seed=4)


def test_nothing_to_draw():
    """No board gives no comparison; asking for none is a mistake."""
    assert draw([], 5, seed=1) == ()
    with pytest.raises(ValueError, match="at least one"):
        draw(_board(), 0, seed=1)


def test_an_answer_names_the_clip_behind_its_letter():
    """The same letter means the anchor if the letters were swapped."""
    one, other = key("clip", "clip", letters="ab").comparisons
    assert [one.winner_of(answer) for answer in ("a", "b", "tie")] == ["clip", "anchor", "tie"]
    assert [other.winner_of(answer) for answer in ("a", "b", "tie")] == ["anchor", "clip", "tie"]


def test_a_key_comes_back():
    """Encode, decode: the same; a damaged one is refused with its place."""
    one = key("clip", "tie", letters="ba")
    assert decode_key(encode_key(one), "key.json") == one
    doubled = encode_key(one).replace(b"c0002", b"c0001")
    for data in (b"{", b"[]", encode_key(one).replace(b'"schema_version":1', b'"schema_version":9'), doubled):
        with pytest.raises(SchemaError, match=r"key\.json"):
            decode_key(data, "key.json")
