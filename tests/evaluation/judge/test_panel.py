"""From raw replies to verdicts: both orders, all votes."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.codec import canonical, to_json
from evaluation.errors import ProtocolError
from evaluation.judge.panel import questions, verdicts_of
from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.records import ItemId, Unread, Verdict
from tests.evaluation.judge.judges import recipe, reply, said

ONE = ItemId("it-001")


def verdict(replies: list[JudgeReply], of: JudgeRecipe | None = None) -> Verdict | Unread:
    """Return what the replies say of item 1's naturalness."""
    return verdicts_of(of or recipe(), [ONE], replies)[ONE]["naturalness"]


def both(first: dict[str, object], second: dict[str, object]) -> list[JudgeReply]:
    """Return one reply for each order."""
    return [reply(json.dumps(first)), reply(json.dumps(second), order="anchor_first")]


def test_two_orders_that_agree_make_a_winner() -> None:
    """The clip is A in one order and B in the other."""
    assert verdict(both(said("a", 2.5, 1), said("b", 0.5, 3))) == Verdict(
        score=2.75, anchor_score=0.75, winner="clip", is_consistent=True, n_replies=2
    )


def test_a_judge_that_prefers_what_comes_first_makes_ties() -> None:
    """Each clip wins once: a tie, flagged, with averaged scores."""
    assert verdict(both(said("a", 3, 1), said("a", 3, 1))) == Verdict(
        score=2, anchor_score=2, winner="tie", is_consistent=False, n_replies=2
    )


def test_a_tie_in_one_order_only_is_not_consistent() -> None:
    """A winner needs both orders; two ties agree with each other."""
    half = verdict(both(said("a", 2, 1), said("tie", 1, 1)))
    assert isinstance(half, Verdict)
    assert (half.winner, half.is_consistent) == ("tie", False)
    none = verdict(both(said("tie", 2, 1), said("tie", 1, 1)))
    assert isinstance(none, Verdict)
    assert (none.winner, none.is_consistent) == ("tie", True)


def test_scores_are_averaged_and_not_rounded_to_the_scale() -> None:
    """A third of a point survives, to six decimals."""
    votes = [reply(json.dumps(said("a", score, 0)), vote=vote) for vote, score in enumerate((3, 2, 2))]
    votes += [
        reply(json.dumps(said("b", 0, score)), order="anchor_first", vote=vote) for vote, score in enumerate((3, 3, 1))
    ]
    settled = verdict(votes, recipe(votes=3))
    assert isinstance(settled, Verdict)
    assert (settled.score, settled.n_replies) == (round(14 / 6, 6), 6)


@pytest.mark.parametrize(
    ("sides", "winner"),
    [("aab", "clip"), ("abt", "tie"), ("bba", "anchor"), ("tta", "tie"), ("baa", "clip")],
)
def test_more_than_half_of_an_orders_votes_decide(sides: str, winner: str) -> None:
    """A judge whose votes flip is outvoted by itself; a split with no majority is a tie."""
    swapped = {"a": "b", "b": "a", "t": "t"}
    replies = [
        reply(json.dumps(said({"t": "tie"}.get(side, side), 2, 2)), order=order, vote=vote)
        for order, row in (("clip_first", sides), ("anchor_first", [swapped[side] for side in sides]))
        for vote, side in enumerate(row)
    ]
    settled = verdict(replies, recipe(votes=3))
    assert isinstance(settled, Verdict)
    assert (settled.winner, settled.is_consistent) == (winner, True)


def test_the_last_well_formed_ask_counts() -> None:
    """Malformed twice, then right: the third reply is the verdict."""
    replies = [reply("no"), reply("{", ask=1), reply(json.dumps(said("a", 3, 0)), ask=2)]
    settled = verdict([*replies, reply(json.dumps(said("b", 0, 3)), order="anchor_first")])
    assert isinstance(settled, Verdict)
    assert (settled.score, settled.winner) == (3, "clip")


def test_of_two_well_formed_asks_the_later_counts() -> None:
    """A run never asks again after a good reply, so only a forged row holds two; the rule is still one rule."""
    replies = [reply(json.dumps(said("b", 0, 3))), reply(json.dumps(said("a", 3, 0)), ask=1)]
    settled = verdict([*replies, reply(json.dumps(said("b", 0, 3)), order="anchor_first")])
    assert isinstance(settled, Verdict)
    assert settled.winner == "clip"


def test_what_never_came_right_is_not_judged() -> None:
    """It is nobody's 0: the instrument failed, and the reason is told."""
    replies = [reply("no", ask=ask) for ask in range(3)]
    unread = verdict([*replies, reply(json.dumps(said()), order="anchor_first")])
    assert isinstance(unread, Unread)
    assert (unread.reason, unread.fault) == ("not_judged", "instrument")
    assert unread.detail == "clip_first, vote 1: it held no JSON object"
    assert verdict([]) == Unread(
        reason="not_judged",
        fault="instrument",
        detail="clip_first, vote 1: no reply; anchor_first, vote 1: no reply",
    )


def test_replies_beyond_the_recipe_are_left_aside() -> None:
    """Nobody can add votes, asks, dimensions or items to a published row."""
    honest = both(said("a", 2, 1), said("b", 1, 2))
    more = [
        reply(json.dumps(said("b", 0, 3)), ask=3),
        reply(json.dumps(said("b", 0, 3)), vote=1),
        reply(json.dumps(said("b", 0, 3)), vote=-1),
        reply(json.dumps(said("b", 0, 3)), dimensions=("tone",)),
        reply(json.dumps(said("b", 0, 3)), order="sideways"),
        reply(json.dumps(said("b", 0, 3)), item_id=ItemId("it-002")),
    ]
    assert verdict([*more, *honest, *more]) == verdict(honest)


def test_two_replies_to_one_call_count_as_none() -> None:
    """Which of them came cannot be known."""
    unread = verdict([*both(said(), said("b", 1, 2)), reply(json.dumps(said("b", 0, 3)))])
    assert isinstance(unread, Unread)
    assert "two replies to one call" in unread.detail


def test_combined_and_single_questions_give_the_same_verdicts() -> None:
    """Only the calls differ."""
    dimensions = ("tone", "naturalness")
    answers = {"clip_first": said("a", 3, 1), "anchor_first": said("b", 1, 2)}
    combined, single = (recipe(dimensions=dimensions, is_combined=one) for one in (True, False))
    assert (questions(combined), questions(single)) == ((dimensions,), (("tone",), ("naturalness",)))
    at_once = [
        reply(json.dumps(dict.fromkeys(dimensions, answer)), order=order, dimensions=dimensions)
        for order, answer in answers.items()
    ]
    one_by_one = [
        reply(json.dumps(answer), order=order, dimensions=(name,))
        for (order, answer), name in product(answers.items(), dimensions)
    ]
    assert verdicts_of(combined, [ONE], at_once) == verdicts_of(single, [ONE], one_by_one)


@pytest.mark.parametrize(
    "wrong", [{"votes": 2}, {"votes": 10**9 + 1}, {"n_asks": 0}, {"n_asks": 10**9}, {"dimensions": ()}]
)
def test_an_impossible_recipe_is_refused_at_once(wrong: dict[str, object]) -> None:
    """A hostile protocol file cannot make the reader loop."""
    with pytest.raises(ProtocolError):
        verdicts_of(recipe(**wrong), [ONE], [])


REPLIES = st.builds(
    reply,
    st.sampled_from([json.dumps(said()), json.dumps(said("b", 0, 3)), "{}", ""]) | st.text(max_size=20),
    order=st.sampled_from(["clip_first", "anchor_first", "x"]),
    vote=st.integers(-1, 3),
    ask=st.integers(-1, 3),
)


@given(st.lists(REPLIES, max_size=12), st.randoms())
def test_any_replies_in_any_sequence_give_one_answer(replies: list[JudgeReply], chance: object) -> None:
    """Every dimension of every item gets a verdict within its ranges or a reason, whatever came and when."""
    settled = verdict(replies, recipe(votes=3))
    shuffled = list(replies)
    chance.shuffle(shuffled)
    assert verdict(shuffled, recipe(votes=3)) == settled
    assert canonical(to_json(settled))
    assert isinstance(settled, Unread) or (0 <= settled.score <= 3 and settled.n_replies == 6)
