"""Differences of two systems are paired by item, and say what they rest on."""

import dataclasses

import pytest

from evaluation.paired import paired
from evaluation.protocol import load_shipped
from evaluation.records import DimensionScore, ItemId, SampleScore

LITE = dataclasses.replace(load_shipped("lite"), dimensions=("pace", "pitch"))


def sample(
    item: str, composite: int, *, is_declined: bool = False, passed: bool = True, **scores: float
) -> SampleScore:
    """Return the scores of one item."""
    return SampleScore(
        item_id=ItemId(item),
        is_declined=is_declined,
        dimensions=tuple(
            DimensionScore(dimension=name, requested="x", measured="x", quantity=1.0, desirability=value, reason=None)
            for name, value in scores.items()
        ),
        word_errors=None,
        passed_gate=passed,
        composite_micro=composite,
    )


A = [sample("i1", 500_000, pace=1.0, pitch=0.5), sample("i2", 0, passed=False, pace=0.5, pitch=0.5)]
B = [sample("i2", 400_000, pace=0.0, pitch=0.5), sample("i1", 0, is_declined=True)]


def test_dimensions_are_paired_over_items_that_neither_declined() -> None:
    """The score is over all items, a dimension over those that both have."""
    found = paired(LITE, A, B)
    assert (found.score.difference, found.score.n) == (0.05, 2)
    assert found.score.interval is not None
    pace = found.dimensions["pace"]
    assert (pace.mean_a, pace.mean_b, pace.difference, pace.n, pace.interval) == (0.5, 0.0, 0.5, 1, None)


def test_widest_items_come_first_with_their_causes() -> None:
    """A refusal and the gate are named before any dimension; equal items are left out."""
    found = paired(LITE, A, B)
    assert [(one.item_id, one.a, one.b, one.dimensions) for one in found.widest] == [
        ("i1", 0.5, 0.0, ("declined",)),
        ("i2", 0.0, 0.4, ("gate", "pace")),
    ]
    assert paired(LITE, A, A).widest == ()
    assert len(paired(LITE, A, B, n_widest=1).widest) == 1


def test_swapping_turns_every_sign() -> None:
    """A less B is B less A, negated, interval included."""
    one, other = paired(LITE, A, B).score, paired(LITE, B, A).score
    assert one.interval is not None and other.interval is not None
    assert one.difference == -(other.difference or 0)
    assert (one.interval.low, one.interval.high) == (-other.interval.high, -other.interval.low)


def test_other_items_are_refused() -> None:
    """Two systems that were scored on different items have no difference."""
    with pytest.raises(ValueError, match="same items"):
        paired(LITE, A, B[:1])
