"""Wins, ties and rank bands, against the corpus package's own decision as an independent oracle."""

import random
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vocencebench.decide import decide as oracle_decide

from evaluation.decision import Contender, add_system, contender, decide, decide_all, rank_bands
from evaluation.protocol import load_shipped
from evaluation.records import Decision, ItemId, RankBand, SampleScore

CONSTANTS = load_shipped("lite").constants
FEW = 40
"""Items of a quick board."""

rows = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 1_000_000), min_size=n, max_size=n).map(tuple), min_size=1, max_size=6)
)


def contenders(board):
    """Name the rows of a board."""
    return [Contender(key=f"s{i}", composites_micro=row) for i, row in enumerate(board)]


def random_pair(rng, n):
    """Two systems whose advantage runs from none to clear, with gate zeros and ties between clips."""
    hard = [rng.random() for _ in range(n)]
    shift, spread = rng.choice([0.0, 0.01, 0.05, 0.2]), rng.choice([0.0, 0.05, 0.4])

    def system(offset):
        values = [min(1.0, max(0.01, h + offset + spread * (rng.random() - 0.5))) for h in hard]
        return tuple(0 if rng.random() < 0.1 else round(value * 1e6) for value in values)

    return Contender(key="a", composites_micro=system(0.0)), Contender(key="b", composites_micro=system(shift))


def oracle_decision(a, b, incumbent=None):
    """The oracle's decision of two systems; one dimension per item carries the composite itself."""

    def side(micro):
        return {"score": micro / 1e6}

    records = [
        {
            "objective": [{"trait": "pace", "a": side(x), "b": side(y)}],
            "gate_a": int(x > 0),
            "gate_b": int(y > 0),
        }
        for x, y in zip(a.composites_micro, b.composites_micro, strict=True)
    ]
    pair = SimpleNamespace(label_a=a.key, label_b=b.key, per_sample=records)
    return oracle_decide(pair, incumbent=incumbent)


@cache
def draws(n):
    """Item indices of every resample, as numpy draws them."""
    return np.random.default_rng(CONSTANTS.seed).integers(0, n, size=(CONSTANTS.n_resamples, n))


def exact_lcb_micro(a, b):
    """The bound as a fraction, straight from the definition and without any of the code under test."""
    n = len(a.composites_micro)
    difference = np.array(a.composites_micro) - np.array(b.composites_micro)
    sums = sorted(difference[draws(n)].sum(axis=1).tolist())
    position = Fraction(CONSTANTS.n_resamples - 1, 20)
    below, weight = int(position), position - int(position)
    return (sums[below] * (1 - weight) + sums[below + 1] * weight) / n


def assert_same_digits(ours, theirs, exact_micro):
    """Same six decimals; one unit apart only where the exact value lies on a rounding tie."""
    if round(theirs * 1e6) != round(ours * 1e6):
        to_tie = abs(exact_micro - int(exact_micro // 1) - Fraction(1, 2))
        assert to_tie < Fraction(1, 10**6), (ours, theirs)  # 1e-12 on the scale of scores
        assert abs(theirs - ours) < 1.5e-6


def assert_agrees(a, b, incumbent=None):
    """Hold our decision of a pair against the oracle's, figure by figure."""
    ours, theirs = decide(a, b, constants=CONSTANTS, incumbent=incumbent), oracle_decision(a, b, incumbent)
    n = len(a.composites_micro)
    by_key = {one.key: one for one in (a, b)}
    means = {key: Fraction(sum(one.composites_micro), max(1, n)) for key, one in by_key.items()}
    assert_same_digits(ours.challenger_score, theirs.scores[ours.challenger], means[ours.challenger])
    assert_same_digits(ours.incumbent_score, theirs.scores[ours.incumbent], means[ours.incumbent])
    assert (ours.challenger, ours.incumbent) == (theirs.challenger, theirs.incumbent)
    bound = exact_lcb_micro(by_key[ours.challenger], by_key[ours.incumbent]) if n else Fraction(0)
    assert_same_digits(ours.lcb, theirs.lcb, bound)
    if ours.incumbent_score == theirs.scores[ours.incumbent]:  # else the mean was a tie: the margin follows it
        assert_same_digits(ours.margin, theirs.margin, Fraction(round(1e6 * (1 - ours.incumbent_score)), 10))
    assert abs(ours.margin - theirs.margin) < 1.5e-6
    if abs(ours.lcb - ours.margin) > 2e-6:
        assert ours.is_win == (theirs.winner == ours.challenger)


def test_a_thousand_random_pairs_agree_with_the_oracle():
    """Roles, means, bound, margin and outcome are the oracle's on short rows of every length to 60."""
    rng = random.Random(1)
    for _ in range(1000):
        assert_agrees(*random_pair(rng, rng.randint(2, 60)))


def test_whole_corpus_pairs_agree_with_the_oracle():
    """The same on rows of 496 items, wins and ties among them."""
    rng = random.Random(2)
    pairs = [random_pair(rng, 496) for _ in range(40)]
    for a, b in pairs:
        assert_agrees(a, b)
    outcomes = {decide(a, b, constants=CONSTANTS).is_win for a, b in pairs}
    assert outcomes == {True, False}


@pytest.mark.parametrize("n", [0, 1, 2, 496])
def test_edge_lengths_agree_with_the_oracle(n):
    """No item gives bound 0, one item the difference itself, and the other lengths the bootstrap."""
    rng = random.Random(n)
    for _ in range(3):
        assert_agrees(*random_pair(rng, n))
    same = tuple(rng.randrange(10_000, 1_000_000) for _ in range(n))
    a, b = Contender(key="a", composites_micro=same), Contender(key="b", composites_micro=same)
    assert_agrees(a, b)
    assert decide(a, b, constants=CONSTANTS).lcb == 0.0


def test_one_item_is_its_own_bound():
    """With a single item the bound is its difference."""
    a = Contender(key="a", composites_micro=(200_000,))
    b = Contender(key="b", composites_micro=(500_000,))
    decision = decide(a, b, constants=CONSTANTS)
    assert (decision.challenger, decision.lcb, decision.margin, decision.is_win) == ("b", 0.3, 0.08, True)


def test_constant_difference_has_no_spread():
    """With zero variance the bound is the difference, and the margin is strict: equal to it is a tie."""
    base = tuple(range(100_000, 100_000 + FEW))
    low = Contender(key="low", composites_micro=base)
    for gain in (89_997, 89_998, 89_999):
        high = Contender(key="high", composites_micro=tuple(value + gain for value in base))
        decision = decide(low, high, constants=CONSTANTS)
        assert decision.lcb == gain / 1e6
        assert decision.margin == 0.089998
        assert decision.is_win == (gain == 89_999)
        assert_agrees(high, low)


def test_worked_example_of_five_samples_is_a_tie():
    """The published example: gap +0.030, bound -0.012, margin 0.0292, tie."""
    a = Contender(key="A", composites_micro=(710_000, 660_000, 800_000, 620_000, 750_000))
    b = Contender(key="B", composites_micro=(780_000, 690_000, 740_000, 710_000, 770_000))
    expected = Decision(
        challenger="B",
        incumbent="A",
        n_items=5,
        challenger_score=0.738,
        incumbent_score=0.708,
        lcb=-0.012,
        margin=0.0292,
        is_win=False,
    )
    assert decide(a, b, constants=CONSTANTS) == expected
    assert_agrees(a, b)


def test_named_incumbent_is_challenged_by_the_other():
    """A named incumbent keeps its role even if it scores higher; it then cannot be beaten."""
    rng = random.Random(5)
    a, b = random_pair(rng, FEW)
    for name, other in (("a", "b"), ("b", "a")):
        decision = decide(a, b, constants=CONSTANTS, incumbent=name)
        assert (decision.incumbent, decision.challenger) == (name, other)
        assert_agrees(a, b, incumbent=name)


def test_margin_falls_to_its_floor_as_the_incumbent_rises():
    """Margin is a tenth of the headroom, 0.040 at 0.60, and never below 0.015."""
    margins = []
    for score in (0, 600_000, 850_000, 900_000, 1_000_000):
        low, high = (Contender(key=key, composites_micro=(score,)) for key in ("a", "b"))
        margins.append(decide(low, high, constants=CONSTANTS).margin)
    assert margins == [0.1, 0.04, 0.015, 0.015, 0.015]


@given(board=rows)
@settings(max_examples=60, deadline=None)
def test_pair_and_board_agree_and_argument_order_is_irrelevant(board):
    """`decide` either way round, and the board's array, give one and the same record."""
    systems = contenders(board)
    decisions = decide_all(systems, constants=CONSTANTS)
    for i, a in enumerate(systems):
        for b in systems[:i]:
            one = decide(a, b, constants=CONSTANTS)
            assert one == decide(b, a, constants=CONSTANTS) == decisions.of(a.key, b.key)
            assert decisions.of(b.key, a.key) == one
            assert one.challenger_score >= one.incumbent_score
    assert len(list(decisions.pairs())) == len(systems) * (len(systems) - 1) // 2


@given(board=rows, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_order_of_systems_is_irrelevant(board, seed):
    """Whatever order the systems come in, every pair and every band is the same."""
    systems = contenders(board)
    shuffled = random.Random(seed).sample(systems, len(systems))
    first, second = (decide_all(some, constants=CONSTANTS) for some in (systems, shuffled))
    assert list(first.pairs()) == list(second.pairs())
    assert rank_bands(first) == dict(rank_bands(second))


@given(board=rows)
@settings(max_examples=60, deadline=None)
def test_adding_systems_one_by_one_gives_the_whole_board(board):
    """A board that grew is the board that was made at once."""
    systems = contenders(board)
    grown = decide_all([], constants=CONSTANTS)
    for system in systems:
        grown = add_system(grown, system, constants=CONSTANTS)
    whole = decide_all(systems, constants=CONSTANTS)
    assert list(grown.pairs()) == list(whole.pairs())
    assert np.array_equal(grown.beats, whole.beats)
    assert np.array_equal(grown.sums, whole.sums)
    assert rank_bands(grown) == rank_bands(whole)


@pytest.mark.parametrize(("gain", "is_win"), [(99_000, False), (100_000, False), (100_001, True)])
def test_a_newcomer_is_held_to_the_incumbents_margin(gain, is_win):
    """Whether the weaker or the stronger of two comes last, the margin is the weaker one's 0.1."""
    low, high = (Contender(key=key, composites_micro=(value,) * 9) for key, value in (("l", 0), ("h", gain)))
    for first, last in ((low, high), (high, low)):
        grown = add_system(decide_all([first], constants=CONSTANTS), last, constants=CONSTANTS)
        assert grown.of("l", "h").is_win == bool(grown.beats.any()) == is_win


@given(board=rows)
@settings(max_examples=60, deadline=None)
def test_bands_hold_what_the_wins_say(board):
    """Bands lie in 1..K, nobody beats itself or its victor, and every win moves one best and one worst rank."""
    decisions = decide_all(contenders(board), constants=CONSTANTS)
    bands = rank_bands(decisions)
    size = len(board)
    assert all(1 <= band.best <= band.worst <= size for band in bands.values())
    assert not decisions.beats.diagonal().any()
    assert not (decisions.beats & decisions.beats.T).any()
    n_wins = sum(decision.is_win for decision in decisions.pairs())
    assert sum(band.best - 1 for band in bands.values()) == n_wins
    assert sum(size - band.worst for band in bands.values()) == n_wins


def test_band_of_a_lone_system_is_the_first_rank():
    """One system on a board holds rank 1..1; an empty board has no band."""
    alone = Contender(key="only", composites_micro=(1, 2, 3))
    assert rank_bands(decide_all([alone], constants=CONSTANTS)) == {"only": RankBand(best=1, worst=1)}
    assert rank_bands(decide_all([], constants=CONSTANTS)) == {}


def test_three_clear_levels_give_strict_ranks_and_twins_share_theirs():
    """Clear gaps order a board; two equal systems share a band."""
    levels = {"top": 900_000, "mid-1": 500_000, "mid-2": 500_000, "low": 100_000}
    systems = [Contender(key=key, composites_micro=(level,) * 9) for key, level in levels.items()]
    bands = rank_bands(decide_all(systems, constants=CONSTANTS))
    assert {key: (band.best, band.worst) for key, band in bands.items()} == {
        "top": (1, 1),
        "mid-1": (2, 3),
        "mid-2": (2, 3),
        "low": (4, 4),
    }


def test_equal_means_make_the_first_key_the_incumbent():
    """Of two equal means the key that sorts first defends, whoever is named first."""
    a, b = (Contender(key=key, composites_micro=row) for key, row in (("a", (0, 10)), ("b", (10, 0))))
    assert decide(a, b, constants=CONSTANTS).incumbent == "a"
    assert decide(b, a, constants=CONSTANTS).incumbent == "a"


def sample(item_id, micro):
    """A sample that is nothing but its composite."""
    return SampleScore(
        item_id=ItemId(item_id),
        is_declined=False,
        dimensions=(),
        word_errors=None,
        passed_gate=True,
        composite_micro=micro,
    )


@given(values=st.lists(st.integers(0, 1_000_000), min_size=1, max_size=20), seed=st.integers(0, 99))
@settings(deadline=None)
def test_order_of_items_is_irrelevant(values, seed):
    """A system's row is in order of item id, whatever order its samples come in."""
    samples = [sample(f"vb-{i:05}", value) for i, value in enumerate(values)]
    shuffled = random.Random(seed).sample(samples, len(samples))
    assert contender("a", shuffled) == Contender(key="a", composites_micro=tuple(values))


def test_sums_beyond_32_bits_stay_exact():
    """A corpus of 3,000 items sums to more than 2**31 millionths; board, pair and growth still agree."""
    rng = random.Random(8)
    levels = {"high": (900_000, 1_000_000), "middle": (700_000, 800_000), "low": (0, 10)}
    systems = [
        Contender(key=key, composites_micro=tuple(rng.randint(*span) for _ in range(3000)))
        for key, span in levels.items()
    ]
    board = decide_all(systems, constants=CONSTANTS)
    grown = decide_all(systems[1:], constants=CONSTANTS)
    grown = add_system(grown, systems[0], constants=CONSTANTS)
    one_by_one = {decide(a, b, constants=CONSTANTS) for a in systems for b in systems if a.key < b.key}
    assert set(board.pairs()) == set(grown.pairs()) == one_by_one
    assert board.of("high", "low").lcb == pytest.approx(0.95, abs=0.01)


def test_impossible_pairs_are_refused():
    """A system against itself, rows of two lengths, a foreign incumbent and an unknown key are errors."""
    a, b = Contender(key="a", composites_micro=(1, 2)), Contender(key="b", composites_micro=(1,))
    with pytest.raises(ValueError, match="against itself"):
        decide(a, a, constants=CONSTANTS)
    with pytest.raises(ValueError, match="same items"):
        decide(a, b, constants=CONSTANTS)
    twin = Contender(key="c", composites_micro=(1, 2))
    with pytest.raises(ValueError, match="must be a or c"):
        decide(a, twin, constants=CONSTANTS, incumbent="b")
    board = decide_all([a, twin], constants=CONSTANTS)
    with pytest.raises(KeyError, match="not on this board"):
        board.of("a", "b")
    with pytest.raises(KeyError, match="not decided"):
        board.of("a", "a")
    with pytest.raises(ValueError, match="already"):
        add_system(board, a, constants=CONSTANTS)
    with pytest.raises(ValueError, match="board has 2"):
        add_system(board, b, constants=CONSTANTS)
    with pytest.raises(ValueError, match=r"0..1000000 millionths, got 5..1000001"):
        decide_all([Contender(key="a", composites_micro=(5, 1_000_001))], constants=CONSTANTS)
    with pytest.raises(ValueError, match="unique"):
        decide_all([a, a], constants=CONSTANTS)
