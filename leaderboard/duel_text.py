"""A duel in words: what was judged, who is ahead, and whether that is what the composites decided. Pure."""

from collections.abc import Iterator, Mapping
from typing import Literal

from evaluation.records import Decision
from leaderboard import display, words
from leaderboard.duels import judge_name, usd
from submissions.duels import LEAST_DECIDED, Duel, DuelTally

Agreement = Literal["agree", "differ", "oppose"]

RULE = (
    "A verdict counts 1 for the system whose clip the judge prefers in both orders, and one half for each in a tie; "
    "if the orders disagree it is a tie. A system is ahead if the 95 % bootstrap interval of its mean share over the "
    f"items lies wholly above one half, and at least {LEAST_DECIDED} items were no tie."
)
AHEAD: Mapping[str, str] = {"a": "A is ahead", "b": "B is ahead", "neither": "neither is ahead"}
LEFT_OUT: Mapping[str, str] = {
    "declined": "one of the two declined the item",
    "gated": "a clip said other words than the script",
    "addresses_judge": "a clip spoke to the judge",
    "adds_words": "a clip added words of its own",
}


def agreement(duel: Duel, decision: Decision) -> Agreement:
    """Return whether the duel says what the composites' decision says: "oppose" if each names another winner."""
    winner = decision.challenger if decision.is_win else None
    ahead = ahead_of(duel, duel.overall)
    if winner == ahead:
        return "agree"
    return "differ" if winner is None or ahead is None else "oppose"


def ahead_of(duel: Duel, tally: DuelTally) -> str | None:
    """Return the submission that is ahead, or None."""
    return {"a": duel.a, "b": duel.b}.get(tally.ahead)


def agreement_sentence(duel: Duel, decision: Decision, names: Mapping[str, str]) -> str:
    """Return in words whether duel and decision agree, and what it means if not; hostile text.

    Args:
        duel: the duel.
        decision: the anchored decision of the same pair.
        names: names by submission.
    """
    winner = names[decision.challenger] if decision.is_win else None
    ahead = ahead_of(duel, duel.overall)
    heard = " and ".join(_label(name).lower() for name in duel.dimensions)
    found = agreement(duel, decision)
    if found == "agree":
        return (
            f"The duel and the decision agree: both see {winner} ahead."
            if winner
            else "The duel and the decision agree: neither separates the two."
        )
    meaning = (
        "The decision rests on S, which covers every dimension of the board and the gate; the duel heard "
        f"{heard} alone, on clips with which both passed the gate. The decision ranks, the duel does not."
    )
    if found == "oppose":
        return (
            f"The duel and the decision disagree: S decides for {winner}, the judge prefers {names[str(ahead)]}. "
            f"{meaning}"
        )
    if ahead is None:
        return (
            f"The duel does not confirm the decision: S decides for {winner}, the judge puts neither ahead. {meaning}"
        )
    return f"The duel sees more than the decision: S ties the two, the judge prefers {names[ahead]}. {meaning}"


def tally_rows(duel: Duel) -> tuple[tuple[str, DuelTally], ...]:
    """Return label and tally of each judged dimension, and of all together if there are several."""
    rows = tuple((_label(name), tally) for name, tally in duel.dimensions.items())
    return (*rows, ("All judged", duel.overall)) if len(rows) > 1 else rows


def share_text(tally: DuelTally) -> str:
    """Return A's share with its interval, or a dash."""
    if tally.share is None:
        return display.DASH
    return f"{display.percent(tally.share)}{_interval(tally)}"


def cost_text(duel: Duel) -> str:
    """Return what the judging took."""
    usage = duel.usage
    cost = "free" if duel.recipe.backend == "embedded" else _money(usage.cost_micro_usd)
    malformed = f", {usage.n_malformed:,} of them asked for again" if usage.n_malformed else ""
    return f"{usage.n_calls:,} {'reply' if usage.n_calls == 1 else 'replies'}{malformed}, {cost}"


def left_out_text(duel: Duel) -> str:
    """Return which items were not put to the judge, and why."""
    parts = (f"{n} because {_why(reason)}" for reason, n in duel.left_out.items())
    return "; ".join(parts) or "none"


def duel_lines(duel: Duel, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a duel as plain lines for a terminal."""
    a, b = names.get(duel.a, duel.a), names.get(duel.b, duel.b)
    yield f"A: {a} ({duel.a})"
    yield f"B: {b} ({duel.b})"
    yield f"{judge_name(duel.recipe)}; {cost_text(duel)}; recipe {duel.recipe_sha256[:12]}"
    for label, tally in tally_rows(duel):
        yield (
            f"{label}: A wins {tally.n_wins}, B wins {tally.n_losses}, {display.count(tally.n_ties, 'tie')} "
            f"({tally.n_inconsistent} of them because the orders disagree), {tally.n_not_judged} not judged; "
            f"A's share {share_text(tally)}; mean scores "
            f"{score_text(tally.mean_a)} and {score_text(tally.mean_b)} of 3; "
            f"{AHEAD[tally.ahead]}"
        )
    yield f"Items left out: {left_out_text(duel)}"


def score_text(score: float | None) -> str:
    """Return a mean score of 0..3, or a dash."""
    return display.DASH if score is None else f"{score:.2f}"


def _interval(tally: DuelTally) -> str:
    if tally.share_low is None or tally.share_high is None:
        return ""
    return f" ({display.percent(tally.share_low)} to {display.percent(tally.share_high)})"


def _money(micro_usd: int | None) -> str:
    return "at a price that is not known" if micro_usd is None else usd(micro_usd)


def _why(reason: str) -> str:
    return LEFT_OUT.get(reason) or words.REASONS.get(reason, reason)


def _label(dimension: str) -> str:
    return words.header(dimension).label
