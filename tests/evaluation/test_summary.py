"""The figures of one submission."""

import dataclasses
import json
import random

import pytest

from evaluation.codec import canonical, from_json, to_json
from evaluation.protocol import load_shipped
from evaluation.records import DimensionScore, Item, ItemId, SampleScore
from evaluation.scoring import Scored
from evaluation.summary import Summary, summarise

LITE = dataclasses.replace(load_shipped("lite"), dimensions=("pace", "naturalness"))


def item(number, pace, tier=1, split="public"):
    """An item that asks for a pace."""
    requested = {"pace": pace}
    return Item(id=ItemId(f"vb-{number:05}"), instruction="i", script="s", requested=requested, tier=tier, split=split)


def sample(one, measured, credit, micro, *, passed=True):
    """A sample whose pace was heard as `measured`, or not at all."""
    pace = DimensionScore(
        dimension="pace",
        requested=one.requested["pace"],
        measured=measured,
        quantity=None if measured is None else 2.0,
        desirability=credit,
        reason="silent" if measured is None else None,
    )
    natural = DimensionScore(
        dimension="naturalness", requested=None, measured=None, quantity=3.0, desirability=0.5, reason=None
    )
    return SampleScore(
        item_id=one.id,
        is_declined=False,
        dimensions=(pace, natural),
        word_errors=None,
        passed_gate=passed,
        composite_micro=micro,
    )


def declined(one):
    """A refused item."""
    return SampleScore(
        item_id=one.id, is_declined=True, dimensions=(), word_errors=None, passed_gate=False, composite_micro=0
    )


ITEMS = [
    item(0, "slow", tier=0, split="held_out"),
    item(1, "slow"),
    item(2, "fast"),
    item(3, "fast", tier=2),
    item(4, "moderate"),
]
SAMPLES = (
    sample(ITEMS[0], "slow", 1.0, 700_001),
    sample(ITEMS[1], "moderate", 0.5, 500_000),
    sample(ITEMS[2], None, 0.0, 70_000),
    sample(ITEMS[3], "fast", 1.0, 0, passed=False),
    declined(ITEMS[4]),
)
SCORED = Scored(samples=SAMPLES, loudness_reference_dbfs=-23.5)


def test_score_counts_every_item_and_dimensions_those_that_were_spoken():
    """S is the mean over all items; a declined item is 0 in S and absent from the dimensions."""
    got = summarise(LITE, ITEMS, SCORED)
    assert (got.n_items, got.n_declined, got.coverage) == (5, 1, 0.8)
    assert (got.overall.score.mean, got.overall.score.n_scored) == (0.254, 5)
    pace = got.overall.dimensions["pace"]
    assert (pace.mean, pace.n_scored, pace.n_unread) == (0.625, 4, 1)
    assert got.overall.dimensions["naturalness"].mean == 0.5
    assert got.loudness_reference_dbfs == -23.5


def test_gate_rate_is_of_the_clips_that_exist():
    """Three of four clips say the right words; the interval is Wilson's."""
    gate = summarise(LITE, ITEMS, SCORED).overall.gate
    assert (gate.rate, gate.n_hits, gate.n) == (0.75, 3, 4)
    assert gate.interval is not None
    assert (gate.interval.low, gate.interval.high) == pytest.approx((0.300642, 0.954413), abs=1e-5)


def test_intervals_hold_the_mean_and_need_two_values():
    """A slice of one item has a mean and no interval."""
    got = summarise(LITE, ITEMS, SCORED)
    whole = got.overall.score.interval
    assert whole is not None and whole.low < 0.254 < whole.high
    assert got.tiers["0"].score.mean == 0.700001
    assert got.tiers["0"].score.interval is None
    assert got.tiers["0"].gate.interval is None


def test_slices_partition_the_items():
    """Tiers and splits each cover all items once."""
    got = summarise(LITE, ITEMS, SCORED)
    assert {name: part.score.n_scored for name, part in got.tiers.items()} == {"0": 1, "1": 3, "2": 1}
    assert {name: part.score.n_scored for name, part in got.splits.items()} == {"held_out": 1, "public": 4}
    assert got.splits["public"].dimensions["pace"].n_unread == 1


def test_confusion_counts_requested_by_measured_with_an_unread_column():
    """Every clip is in one cell of its requested row."""
    table = summarise(LITE, ITEMS, SCORED).traits["pace"]
    assert table.confusion == {
        "slow": {"slow": 1, "moderate": 1, "fast": 0, "unread": 0},
        "moderate": {"slow": 0, "moderate": 0, "fast": 0, "unread": 0},
        "fast": {"slow": 0, "moderate": 0, "fast": 1, "unread": 1},
    }
    means = {value: (mean.mean, mean.n_scored, mean.n_unread) for value, mean in table.values.items()}
    assert means == {"slow": (0.75, 2, 0), "moderate": (None, 0, 0), "fast": (0.5, 2, 1)}


def test_naturalness_has_no_table():
    """Nobody requests naturalness."""
    assert list(summarise(LITE, ITEMS, SCORED).traits) == ["pace"]


def test_reasons_are_counted():
    """Each way to a 0 is counted under its name."""
    assert summarise(LITE, ITEMS, SCORED).reasons == {"declined": 1, "gate": 1, "pace: silent": 1}


def test_a_system_that_declines_all_has_no_rate_and_no_dimension_mean():
    """S is 0, coverage 0; what was never spoken has no mean instead of a 0."""
    refused = Scored(samples=tuple(declined(one) for one in ITEMS), loudness_reference_dbfs=None)
    got = summarise(LITE, ITEMS, refused)
    assert (got.overall.score.mean, got.coverage) == (0.0, 0.0)
    assert (got.overall.gate.rate, got.overall.gate.interval) == (None, None)
    assert got.overall.dimensions["pace"].mean is None


def test_order_is_irrelevant_and_json_brings_it_back():
    """Shuffled input gives the same bytes, and the bytes give the same record."""
    rng = random.Random(4)
    shuffled = Scored(samples=tuple(rng.sample(SAMPLES, 5)), loudness_reference_dbfs=-23.5)
    got, again = summarise(LITE, ITEMS, SCORED), summarise(LITE, rng.sample(ITEMS, 5), shuffled)
    assert canonical(to_json(got)) == canonical(to_json(again))
    assert from_json(Summary, json.loads(canonical(to_json(got)))) == got


def test_samples_of_other_items_are_refused():
    """Every item must be there exactly once."""
    with pytest.raises(ValueError, match="exactly once"):
        summarise(LITE, ITEMS[:4], SCORED)
    twice = Scored(samples=(*SAMPLES[:4], SAMPLES[0]), loudness_reference_dbfs=None)
    with pytest.raises(ValueError, match="exactly once"):
        summarise(LITE, ITEMS, twice)
