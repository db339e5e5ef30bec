"""Comparisons and labels with made-up answers, for tests."""

from evaluation.people.comparisons import AnswerKey, Comparison, Judged
from evaluation.people.labels import Label
from evaluation.records import ItemId, Verdict, Winner

SIDES = {"clip": "a", "anchor": "b", "tie": "tie"}


def judged(number: int, *, dimension: str = "tone", requested: str = "warm", tier: int = 0, **verdict) -> Judged:
    """One verdict; by default the system's clip wins with 3 to 1."""
    said = {"score": 3.0, "anchor_score": 1.0, "winner": "clip", "is_consistent": True, "n_replies": 2} | verdict
    return Judged(
        submission=f"system-{number % 3}",
        item_id=ItemId(f"it-{number:03}"),
        dimension=dimension,
        requested=requested,
        tier=tier,
        verdict=Verdict(**said),
    )


def key(*winners: Winner, letters: str = "", **changed) -> AnswerKey:
    """A key whose comparisons c0001, c0002, ... the judge decided so; the system's clip is a unless letters say."""
    comparisons = tuple(
        Comparison(
            id=f"c{number:04}",
            clip_letter=letters[number - 1] if letters else "a",
            judged=judged(number, winner=winner, **changed),
        )
        for number, winner in enumerate(winners, start=1)
    )
    return AnswerKey(protocol_id="0" * 12, judge="a judge", anchor="the-anchor", seed=1, comparisons=comparisons)


def label(number: int, rater: str, winner: str, a: float | None = None, b: float | None = None) -> Label:
    """What a rater said of comparison `number`."""
    return Label(comparison=f"c{number:04}", rater=rater, winner=winner, score_a=a, score_b=b)
