"""From raw replies to verdicts: both orders, all votes. Pure, and total on hostile replies."""

from collections.abc import Mapping, Sequence

from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.records import ItemId, Unread, Verdict


def verdicts_of(
    recipe: JudgeRecipe, item_ids: Sequence[ItemId], replies: Sequence[JudgeReply]
) -> dict[ItemId, dict[str, Verdict | Unread]]:
    """Return what the replies come to, for every item and every judged dimension.

    Args:
        recipe: dimensions, votes and asks; replies that it does not provide for are left aside.
        item_ids: items that were sent to the judge.
        replies: raw replies in any order.

    Returns:
        By item and dimension: the verdict, or Unread("not_judged") by the instrument's fault if any reply that the
        verdict needs is missing or malformed after all its asks.
    """
    raise NotImplementedError
