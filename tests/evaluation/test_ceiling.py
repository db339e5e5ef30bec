"""The flawless ceiling: oracle values, brute force over every outcome, and what has no card."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.ceiling import ceiling
from evaluation.ceiling_gate import GateErrors, gate_errors
from evaluation.corpus import load_benchmark_v1
from evaluation.desirability import composite_micro
from evaluation.gate.trial import shipped as shipped_trial
from evaluation.records import Item, ItemId
from tests.evaluation.card_examples import LITE, ages, card, gender, outcomes

REQUESTED = {"gender": "female", "age": "30", "pace": "slow", "pitch": "low", "loudness": "normal"}


def item(number: int = 0, *, tier: int = 0, **requested: str) -> Item:
    """An item that asks for a slow woman, but for what is said otherwise."""
    return Item(
        id=ItemId(f"it-{number}"),
        instruction="Speak.",
        script="Words.",
        requested={**REQUESTED, **requested},
        tier=tier,
        split="public",
    )


def protocol(*dimensions: str):
    """Lite with other dimensions."""
    return dataclasses.replace(LITE, dimensions=dimensions)


def test_one_probe_of_nine_by_hand():
    """A recall of 0.9 among nine dimensions leaves 0.9 + 0.1 * 0.01^(1/9) = 0.9599."""
    nine = protocol("gender", *(f"other-{i}" for i in range(8)))
    found = ceiling(nine, [item()], {"gender": gender((90, 10, 0), (0, 1, 0))})
    assert found.score == pytest.approx(0.9 + 0.1 * 0.01 ** (1 / 9), abs=1e-6)
    assert found.factors == {"gender": found.score}
    assert found.perfect == tuple(f"other-{i}" for i in range(8))


def test_against_brute_force_over_every_outcome():
    """The product of means equals the mean of real composites over all joint outcomes of four probes."""
    cards = {
        "gender": gender((8, 2, 0), (3, 6, 1)),
        "pace": card("pace", outcomes("slow", slow=6, moderate=2, fast=1, unread=1), outcomes("fast", fast=1)),
        "pitch": card("pitch", outcomes("medium", medium=3, low=1, high=1), outcomes("low", low=1)),
        "age": ages((30, 31.0), (30, 44.0), (35, 21.0), (26, None), (70, 30.0)),
    }
    asked = item(gender="male", pitch="medium")
    by_hand = {
        "gender": [(1.0, 0.6), (0.0, 0.4)],
        "pace": [(1.0, 0.6), (0.5, 0.2), (0.0, 0.2)],
        "pitch": [(1.0, 0.6), (0.5, 0.4)],
        # Errors of the clips within eight years of 30: +1, +14, -14 and unread; 14 years off gives 1 - 6 / 8.
        "age": [(1.0, 0.25), (0.25, 0.5), (0.0, 0.25)],
    }
    expected = sum(
        np.prod([share for _, share in joint])
        * composite_micro([d for d, _ in joint], passed_gate=True, floor=0.01)
        / 1_000_000
        for joint in itertools.product(*by_hand.values())
    )
    found = ceiling(protocol(*cards), [asked], cards)
    assert found.score == pytest.approx(expected, abs=2e-6)
    assert found.interval.low < found.score < found.interval.high
    assert (found.perfect, found.perfect_values, found.gate_factor) == ((), (), None)


def test_the_mean_is_over_the_items():
    """Two items, one with a perfect row: half way."""
    cards = {"gender": gender((10, 0, 0), (5, 5, 0))}
    one = protocol("gender")
    both = ceiling(one, [item(), item(1, gender="male")], cards)
    assert both.score == pytest.approx((1.0 + 0.5 + 0.5 * 0.01) / 2, abs=1e-6)


def test_what_has_no_card_or_no_clip_counts_as_perfect_and_is_named():
    """No card: the dimension is named. A requested value without a clip: the value is named."""
    cards = {"gender": gender((10, 0, 0), (0, 0, 0))}
    found = ceiling(protocol("gender", "pace", "naturalness"), [item(gender="male")], cards)
    assert found.score == 1.0
    assert found.perfect == ("pace", "naturalness")
    assert found.perfect_values == ("gender: male",)


def test_perfect_cards_give_one_with_room_below():
    """Flawless rows: exactly 1, and the interval still knows that ten clips prove little."""
    cards = {"gender": gender((10, 0, 0), (0, 10, 0))}
    few = ceiling(protocol("gender"), [item()], cards)
    many = ceiling(protocol("gender"), [item()], {"gender": gender((1000, 0, 0), (0, 1000, 0))})
    assert few.score == many.score == 1.0
    assert few.interval.high == 1.0
    assert few.interval.low < many.interval.low < 1.0


def test_the_gate_multiplies_by_tier():
    """20 % vetoed on the hard tier, half of them falsely: a hard item keeps 0.9, an easy one 1."""
    gate = GateErrors(vetoed={0: 0.0, 2: 0.2}, n_checked=40, n_false=20)
    found = ceiling(protocol("gender"), [item(), item(1, tier=2)], {}, gate=gate)
    assert found.score == found.gate_factor == 0.95
    assert 0.92 < found.interval.low < 0.95 < found.interval.high < 0.97


def test_lite_on_the_real_corpus_with_the_shipped_trial():
    """The shipped trial is of lite's gate; under another limit it says nothing."""
    gate = gate_errors(LITE, shipped_trial())
    assert gate is not None
    assert gate.n_checked == 40
    found = ceiling(LITE, load_benchmark_v1().items, {}, gate=gate)
    assert 0.8 < found.score == found.gate_factor < 1.0
    looser = dataclasses.replace(LITE, constants=dataclasses.replace(LITE.constants, wer_limit=0.3))
    assert gate_errors(looser, shipped_trial()) is None


def test_the_same_cards_give_the_same_interval():
    """Seeded: twice the same."""
    cards = {"gender": gender((8, 2, 0), (3, 6, 1))}
    assert ceiling(LITE, [item()], cards) == ceiling(LITE, [item()], cards)


def test_a_card_of_a_trait_that_is_not_scored_is_a_mistake():
    """It is refused, not left out in silence."""
    with pytest.raises(ValueError, match="emotion"):
        ceiling(LITE, [item()], {"emotion": card("emotion", outcomes("sad", sad=1))})


def test_the_interval_holds_the_true_ceiling_in_most_simulations():
    """Of 80 pairs of cards about 95 % give an interval that holds what unlimited cards would give."""
    rng = np.random.default_rng(3)
    ages_asked = ("8", "20", "25", "30", "45", "60")
    asked = [item(number, age=age, gender=("female", "male")[number % 2]) for number, age in enumerate(ages_asked)]
    two = dataclasses.replace(protocol("gender", "age"), constants=dataclasses.replace(LITE.constants, n_resamples=500))
    right, low = 0.9, 0.01**0.5
    marks = np.clip(2 - np.abs(rng.normal(0, 9, 200_000)) / 8, 0.01, 1.0)
    truth = (right + (1 - right) * low) * float(np.mean(marks**0.5))
    n_held = 0
    for _ in range(80):
        women, men = (int(hits) for hits in rng.binomial(60, right, 2))
        labels = rng.choice([float(age) for age in ages_asked], 60)
        cards = {
            "gender": gender((women, 60 - women, 0), (60 - men, men, 0)),
            "age": ages(*((float(age), float(age + rng.normal(0, 9))) for age in labels)),
        }
        interval = ceiling(two, asked, cards).interval
        n_held += interval.low <= truth <= interval.high
    assert 0.9 <= n_held / 80 <= 1.0


@settings(max_examples=40, deadline=None)
@given(
    women=st.tuples(*[st.integers(0, 40)] * 3).filter(any),
    slow=st.tuples(*[st.integers(0, 40)] * 4).filter(any),
    errors=st.lists(st.none() | st.floats(-60, 60), min_size=1, max_size=8),
)
def test_a_ceiling_is_a_share_within_its_interval(women, slow, errors):
    """0..1, held by its interval, no higher than any one factor, and 1 if nothing erred."""
    cards = {
        "gender": gender(women, (0, 1, 0)),
        "pace": card("pace", outcomes("slow", **dict(zip(("slow", "moderate", "fast", "unread"), slow, strict=True)))),
        "age": ages(*((30.0, None if error is None else 30.0 + error) for error in errors)),
    }
    found = ceiling(protocol("gender", "age", "pace", "naturalness"), [item()], cards)
    assert 0.0 <= found.interval.low <= found.score <= found.interval.high <= 1.0
    assert found.score <= min(found.factors.values()) + 1e-6
    is_flawless = women[0] == sum(women) and slow[0] == sum(slow) and all(e is not None and abs(e) <= 8 for e in errors)
    assert (found.score == 1.0) == is_flawless
