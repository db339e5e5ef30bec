"""What a judge owes after a run, for the operator: which items, which calls, why, and what can be done. Pure."""

from collections.abc import Mapping, Sequence

from evaluation.judge.replies import JudgeReply
from evaluation.judge.verdict import Malformed, parse
from evaluation.pins import JudgeRecipe
from evaluation.records import ItemId, Unread, Verdict

_N_SHOWN = 5
_BLOCKED, _CUT_OFF = "blocked", "length"
_ADVICE = {
    _BLOCKED: "Its provider blocks replies about them: look at their scripts and at its safety settings.",
    _CUT_OFF: "Replies end at the protocol's max_output_tokens, which thinking uses up too: freeze one with more.",
}

_Call = tuple[ItemId, tuple[str, ...], str, int]


def owed(
    recipe: JudgeRecipe,
    verdicts: Mapping[ItemId, Mapping[str, Verdict | Unread]],
    replies: Sequence[JudgeReply],
    protocol_id: str,
) -> str | None:
    """Return what to tell an operator of items that a judge was sent and did not judge; None if there are none.

    Args:
        recipe: whom was asked, and how often.
        verdicts: by item and dimension, as `judge_clips` gives them.
        replies: its raw replies.
        protocol_id: the protocol's.
    """
    missing = [item for item, row in verdicts.items() if any(map(_is_owed, row.values()))]
    if not missing:
        return None
    last: dict[_Call, JudgeReply] = {}
    for reply in sorted(replies, key=lambda one: one.ask):
        last[reply.item_id, reply.dimensions, reply.order, reply.vote] = reply
    failed = [reply for reply in last.values() if isinstance(parse(reply.text, reply.dimensions), Malformed)]
    shown = "; ".join(f"{item} ({_why(item, failed)})" for item in missing[:_N_SHOWN])
    more = f"; and {len(missing) - _N_SHOWN} more" if len(missing) > _N_SHOWN else ""
    finishes = dict.fromkeys(reply.finish for reply in failed)
    advice = [_ADVICE[finish] for finish in finishes if finish in _ADVICE]
    return " ".join(
        [
            f"{len(missing)} items were not judged by {recipe.model}, asked {recipe.n_asks} times each: {shown}{more}.",
            "The next run asks for these alone again; what it wrote is kept in the cache of replies (*.aside-*).",
            *advice,
            "If it stays so, mend what stands in the way and run it again; a submission that was given up is queued "
            f"again with `reevaluate --protocol {protocol_id}`.",
        ]
    )


def _is_owed(verdict: Verdict | Unread) -> bool:
    return isinstance(verdict, Unread) and verdict.fault == "instrument"


def _why(item: ItemId, failed: Sequence[JudgeReply]) -> str:
    reasons = dict.fromkeys(_reason(reply) for reply in failed if reply.item_id == item)
    return ", ".join(reasons) or "no reply"


def _reason(reply: JudgeReply) -> str:
    if reply.finish == _BLOCKED:
        return "the provider blocked the reply"
    if reply.finish == _CUT_OFF:
        return "the reply was cut off at its longest"
    outcome = parse(reply.text, reply.dimensions)
    return outcome.reason if isinstance(outcome, Malformed) else "no reply"
