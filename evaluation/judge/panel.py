"""From raw replies to verdicts: both orders, all votes. Pure, and total on hostile replies.

In each order the side with more than half of the votes wins, else it is a tie. A verdict has a winner only if both
orders name the same one: a judge that prefers whatever comes first names each clip once, and that is a tie. Scores
are the plain mean over all replies of both orders.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from evaluation.errors import ProtocolError
from evaluation.judge.replies import JudgeReply, Order
from evaluation.judge.verdict import Malformed, OneVerdict, parse
from evaluation.pins import JudgeRecipe
from evaluation.records import ItemId, Unread, Verdict, Winner

ORDERS: tuple[Order, ...] = get_args(Order)
"""Both orders, in the sequence in which they are asked for."""

MOST_VOTES = 9
MOST_ASKS = 3

_Slot = tuple[Order, int]
_Said = dict[str, OneVerdict]
_SIDES: Mapping[Order, Mapping[str, Winner]] = {
    "clip_first": {"a": "clip", "b": "anchor", "tie": "tie"},
    "anchor_first": {"a": "anchor", "b": "clip", "tie": "tie"},
}


def questions(recipe: JudgeRecipe) -> tuple[tuple[str, ...], ...]:
    """Return the dimensions of every call that one pair takes: all at once, or one by one."""
    return (recipe.dimensions,) if recipe.is_combined else tuple((name,) for name in recipe.dimensions)


def verdicts_of(
    recipe: JudgeRecipe, item_ids: Sequence[ItemId], replies: Iterable[JudgeReply]
) -> dict[ItemId, dict[str, Verdict | Unread]]:
    """Return what the replies come to, for every item and every judged dimension.

    Of each order and vote the last ask with a well-formed reply counts; two replies under one name count as none.

    Args:
        recipe: dimensions, votes and asks; replies that it does not provide for are left aside.
        item_ids: items that were sent to the judge.
        replies: raw replies in any order.

    Returns:
        By item and dimension: the verdict, or Unread("not_judged") by the instrument's fault if any reply that the
        verdict needs is missing or malformed after all its asks.

    Raises:
        ProtocolError: if the recipe itself is impossible (`check_counts`).
    """
    check_counts(recipe)
    asked = set(questions(recipe))
    by_call: dict[tuple[ItemId, tuple[str, ...]], dict[tuple[Order, int, int], list[str]]] = {}
    for reply in replies:
        if reply.dimensions in asked and reply.vote in range(recipe.votes) and reply.ask in range(recipe.n_asks):
            texts = by_call.setdefault((reply.item_id, reply.dimensions), {})
            texts.setdefault((reply.order, reply.vote, reply.ask), []).append(reply.text)
    return {
        item_id: {
            name: verdict
            for dimensions in questions(recipe)
            for name, verdict in _of_call(recipe, dimensions, by_call.get((item_id, dimensions), {})).items()
        }
        for item_id in item_ids
    }


def check_counts(recipe: JudgeRecipe) -> None:
    """Return if the recipe asks for a number of replies that makes sense.

    Raises:
        ProtocolError: naming what is allowed.
    """
    if recipe.votes not in range(1, MOST_VOTES + 1, 2):
        raise ProtocolError(f"a judge needs an odd number of votes from 1 to {MOST_VOTES}, got {recipe.votes}")
    if recipe.n_asks not in range(1, MOST_ASKS + 1):
        raise ProtocolError(f"a reply is asked for 1 to {MOST_ASKS} times, got {recipe.n_asks}")
    if not recipe.dimensions or len(set(recipe.dimensions)) != len(recipe.dimensions):
        raise ProtocolError("a judge needs at least one dimension, and each only once")


def settle(by_order: Mapping[Order, Sequence[OneVerdict]]) -> Verdict:
    """Return the verdict of one dimension from the votes of both orders.

    Args:
        by_order: at least one vote for each of the two orders.
    """
    winners = {order: _majority(order, by_order[order]) for order in ORDERS}
    is_consistent = winners["clip_first"] == winners["anchor_first"]
    clip = [vote.score_a for vote in by_order["clip_first"]] + [vote.score_b for vote in by_order["anchor_first"]]
    anchor = [vote.score_b for vote in by_order["clip_first"]] + [vote.score_a for vote in by_order["anchor_first"]]
    return Verdict(
        score=round(math.fsum(clip) / len(clip), 6),
        anchor_score=round(math.fsum(anchor) / len(anchor), 6),
        winner=winners["clip_first"] if is_consistent else "tie",
        is_consistent=is_consistent,
        n_replies=len(clip),
    )


def _majority(order: Order, votes: Sequence[OneVerdict]) -> Winner:
    side, n_votes = Counter(vote.winner for vote in votes).most_common(1)[0]
    return _SIDES[order][side] if 2 * n_votes > len(votes) else "tie"


def _of_call(
    recipe: JudgeRecipe, dimensions: tuple[str, ...], texts: Mapping[tuple[Order, int, int], Sequence[str]]
) -> dict[str, Verdict | Unread]:
    said: dict[_Slot, _Said] = {}
    complaints: list[str] = []
    for order in ORDERS:
        for vote in range(recipe.votes):
            answers = [texts.get((order, vote, ask), ()) for ask in range(recipe.n_asks)]
            outcome = _last_well_formed(answers, dimensions)
            if isinstance(outcome, Malformed):
                complaints.append(f"{order}, vote {vote + 1}: {outcome.reason}")
            else:
                said[order, vote] = outcome
    if complaints:
        unread = Unread(reason="not_judged", fault="instrument", detail="; ".join(complaints))
        return dict.fromkeys(dimensions, unread)
    return {
        name: settle({order: [said[order, vote][name] for vote in range(recipe.votes)] for order in ORDERS})
        for name in dimensions
    }


def _last_well_formed(answers: Sequence[Sequence[str]], dimensions: Sequence[str]) -> _Said | Malformed:
    reason = "no reply"
    for texts in reversed(answers):
        if len(texts) == 1:
            outcome = parse(texts[0], dimensions)
            if not isinstance(outcome, Malformed):
                return outcome
            reason = outcome.reason if reason == "no reply" else reason
        elif texts and reason == "no reply":
            reason = "two replies to one call"
    return Malformed(reason=reason)
