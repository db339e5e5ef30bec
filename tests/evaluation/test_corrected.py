"""The corrected hit rate: the formula, its interval's coverage, and when nothing can be said."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.corrected import corrected
from evaluation.traits import trait
from tests.evaluation.card_examples import LITE, ages, card, gender, outcomes

CONSTANTS = LITE.constants


def _asked(female: tuple[int, int], male: tuple[int, int]) -> dict[str, dict[str, int]]:
    """Return clips by requested value from two rows of (measured female, measured male)."""
    return {
        label: {"female": row[0], "male": row[1], "unread": 0} for label, row in (("female", female), ("male", male))
    }


def test_the_formula_by_hand():
    """Of h 0.74, a 0.9, e 0.1: p = 0.64 / 0.8 = 0.8. For men h 0.66, a 0.9, e 0.1: p = 0.7."""
    found = corrected(gender((90, 10, 0), (10, 90, 0)), _asked((74, 26), (34, 66)), CONSTANTS)
    women, men = found.values["female"], found.values["male"]
    assert (women.observed.rate, women.recall, women.false_accept) == (0.74, 0.9, 0.1)
    assert women.rate == pytest.approx(0.8, abs=1e-6)
    assert men.rate == pytest.approx(0.7, abs=1e-6)
    assert found.overall.rate == pytest.approx(0.75, abs=1e-6)
    assert found.overall.observed.rate == 0.7
    for one in (women, men, found.overall):
        assert one.interval is not None
        assert one.interval.low < one.rate < one.interval.high
        assert not one.is_clipped


def test_overall_is_weighted_by_how_often_each_value_was_asked_for():
    """300 women at 0.8 and 100 men at 0.4 make 0.7."""
    found = corrected(gender((900, 100, 0), (100, 900, 0)), _asked((222, 78), (58, 42)), CONSTANTS)
    assert found.overall.rate == pytest.approx((300 * 0.8 + 100 * 0.4) / 400, abs=1e-6)


def test_a_perfect_probe_corrects_nothing():
    """Recall 1 and no false accept: the corrected rate is the observed one."""
    found = corrected(gender((500, 0, 0), (0, 500, 0)), _asked((30, 10), (5, 35)), CONSTANTS)
    assert found.values["female"].rate == 0.75
    assert found.values["male"].rate == 0.875


def test_false_accept_weighs_every_other_label_the_same():
    """40 slow clips, half of them measured moderate, and 10 fast ones, none: e of moderate is 0.25, not 20 / 50."""
    found = corrected(
        card(
            "pace", outcomes("slow", slow=20, moderate=20), outcomes("moderate", moderate=10), outcomes("fast", fast=10)
        ),
        {"moderate": {"slow": 2, "moderate": 8, "fast": 0, "unread": 0}},
        CONSTANTS,
    )
    assert found.values["moderate"].false_accept == 0.25
    assert found.values["moderate"].rate == pytest.approx((0.8 - 0.25) / 0.75, abs=1e-6)
    assert list(found.values) == ["moderate"]


def test_beyond_the_ends_is_clipped_and_said():
    """More hits than a flawless system would get: held at 1."""
    found = corrected(gender((90, 10, 0), (10, 90, 0)), _asked((100, 0), (100, 0)), CONSTANTS)
    women, men = found.values["female"], found.values["male"]
    assert (women.rate, women.is_clipped) == (1.0, True)
    assert (men.rate, men.is_clipped) == (0.0, True)
    assert men.interval is not None
    assert men.interval.low == 0.0


@pytest.mark.parametrize(
    ("probe", "says"),
    [
        (gender((10, 90, 0), (20, 80, 0)), "of misses as often as of hits"),
        (gender((9, 0, 0), (0, 90, 0)), "9 clips of female and 90 others"),
        (gender((6, 4, 0), (5, 5, 0)), "too few clips to tell"),
    ],
)
def test_a_card_that_cannot_tell_gives_a_reason(probe, says):
    """No number without ground: too few clips, or a probe that is blind."""
    found = corrected(probe, _asked((30, 10), (5, 35)), CONSTANTS)
    women = found.values["female"]
    assert (women.rate, women.interval) == (None, None)
    assert says in women.reason
    assert found.overall.rate is None
    assert "female" in found.overall.reason


def test_nothing_asked_for_gives_a_reason():
    """A system that declined everything has no rate."""
    found = corrected(gender((90, 10, 0), (10, 90, 0)), {}, CONSTANTS)
    assert found.values == {}
    assert (found.overall.rate, found.overall.observed.n) == (None, 0)


def test_a_number_has_no_hit_rate():
    """Age is not corrected this way."""
    with pytest.raises(ValueError, match="only classes and buckets"):
        corrected(ages((30, 30.0)), {}, CONSTANTS)


def test_the_same_counts_give_the_same_interval():
    """Seeded: twice the same."""
    probe, seen = gender((90, 10, 0), (10, 90, 0)), _asked((74, 26), (34, 66))
    assert corrected(probe, seen, CONSTANTS) == corrected(probe, seen, CONSTANTS)


@pytest.mark.parametrize(
    ("true_rate", "recall", "false_accept"), [(0.8, 0.9, 0.1), (0.5, 0.7, 0.2), (0.95, 0.95, 0.03)]
)
def test_the_interval_holds_the_truth_in_most_simulations(true_rate, recall, false_accept):
    """Of 400 simulated systems and cards, about 95 % of the intervals hold the rate that made them."""
    rng = np.random.default_rng(7)
    n_held = n_naive = 0
    for _ in range(400):
        hits, wrong = rng.binomial(80, recall), rng.binomial(80, false_accept)
        probe = gender((int(hits), 80 - int(hits), 0), (int(wrong), 80 - int(wrong), 0))
        seen = int(rng.binomial(240, true_rate * recall + (1 - true_rate) * false_accept))
        women = corrected(probe, {"female": {"female": seen, "male": 240 - seen}}, CONSTANTS).values["female"]
        n_held += women.interval.low <= true_rate <= women.interval.high
        n_naive += women.observed.interval.low <= true_rate <= women.observed.interval.high
    assert 0.92 <= n_held / 400 <= 0.99
    assert n_naive < n_held


def test_the_overall_interval_holds_the_truth_though_quotients_lean():
    """Eight values, 50 labelled clips of each, recall 0.7: of 150 overall intervals about 95 % hold the truth."""
    rng = np.random.default_rng(0)
    names, n_asked, true_rate = trait("emotion").values, 62, 0.99
    shares = np.full((8, 8), 0.3 / 7) + np.eye(8) * (0.7 - 0.3 / 7)
    n_held = 0
    for _ in range(150):
        table = [[int(count) for count in rng.multinomial(50, row)] for row in shares]
        probe = card(
            "emotion",
            *(outcomes(name, **dict(zip(names, row, strict=True))) for name, row in zip(names, table, strict=True)),
        )
        hits = rng.binomial(n_asked, true_rate, 8)
        seen = {}
        for place, name in enumerate(names):
            truly = np.insert(rng.multinomial(n_asked - hits[place], [1 / 7] * 7), place, hits[place])
            counts = sum(rng.multinomial(count, row) for count, row in zip(truly, shares, strict=True))
            seen[name] = dict(zip(names, map(int, counts), strict=True))
        interval = corrected(probe, seen, CONSTANTS).overall.interval
        n_held += interval.low <= true_rate <= interval.high
    assert 0.93 <= n_held / 150 <= 1.0


@settings(max_examples=40, deadline=None)
@given(
    rows=st.tuples(*[st.tuples(*[st.integers(0, 60)] * 3)] * 2).filter(lambda rows: any(map(any, rows))),
    seen=st.tuples(*[st.tuples(st.integers(0, 60), st.integers(0, 60))] * 2),
)
def test_whatever_the_counts_a_rate_is_a_share_or_a_reason(rows, seen):
    """Never outside 0..1, never without an interval that holds it."""
    found = corrected(gender(*rows), _asked(*seen), CONSTANTS)
    for one in (*found.values.values(), found.overall):
        assert (one.rate is None) == (one.interval is None) == (one.reason is not None)
        if one.rate is not None:
            assert 0.0 <= one.interval.low <= one.rate <= one.interval.high <= 1.0
