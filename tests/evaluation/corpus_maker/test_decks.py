"""Decks: exact shares, even counts, combinations that tell nothing of each other, no contradiction."""

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evaluation.corpus_maker.decks import apportion, deal
from evaluation.corpus_maker.records import Assignment, CorpusMakerError
from evaluation.corpus_maker.spread import Column, spread
from evaluation.corpus_maker.tables import Contradiction, load_tables
from evaluation.traits import TRAITS, Kind, Trait

TABLES = load_tables()
MAX_ASSOCIATION = 0.06


@cache
def _dealt(n: int = 496, seed: int = 7) -> tuple[Assignment, ...]:
    return deal(n, seed, traits=TRAITS, tables=TABLES, hold_out=0.2)


def association(one: Sequence[str], other: Sequence[str]) -> float:
    """Cramér's V: 0 for columns that tell nothing of each other, 1 for columns that tell all."""
    left, right, both = Counter(one), Counter(other), Counter(zip(one, other, strict=True))
    n = len(one)
    expected = {(a, b): left[a] * right[b] / n for a in left for b in right}
    chi = sum((both[pair] - aim) ** 2 / aim for pair, aim in expected.items())
    return float((chi / n / (min(len(left), len(right)) - 1)) ** 0.5)


def _columns(assignments: Sequence[Assignment]) -> dict[str, list[str]]:
    named = {trait.name: [a.requested[trait.name] for a in assignments] for trait in TRAITS}
    return named | {"tier": [str(a.tier) for a in assignments], "part": [str(a.is_held_out) for a in assignments]}


def test_tiers_and_categories_have_their_exact_shares() -> None:
    """Largest remainders of 0.35, 0.40 and 0.25 for the shipped size, and of each tier's categories within it."""
    assignments = _dealt()
    tiers = Counter(a.tier for a in assignments)
    assert [tiers[tier] for tier in range(3)] == [174, 198, 124]
    cells = Counter((a.tier, a.category) for a in assignments)
    for tier in range(3):
        wanted = [cell for cell in TABLES.cells if cell.tier == tier]
        exact = [tiers[tier] * cell.share for cell in wanted]
        assert all(abs(cells[tier, c.category] - x) < 1 for c, x in zip(wanted, exact, strict=True))
    assert sum(a.is_held_out for a in assignments) == 99


@pytest.mark.parametrize("n", [1, 7, 40, 496])
def test_counts_of_values_differ_by_at_most_one(n: int) -> None:
    """Every value of every trait is dealt equally often, whatever the size and the seed's remainder."""
    for name, cards in _columns(_dealt(n)).items():
        if name in {trait.name for trait in TRAITS}:
            values = next(trait.values for trait in TRAITS if trait.name == name)
            counts = [cards.count(value) for value in values]
            assert max(counts) - min(counts) <= 1, name


def test_no_two_columns_tell_of_each_other() -> None:
    """Association is small for each pair of traits, tiers and parts but those that the contradictions tie."""
    tied = {frozenset(pair.requested) for pair in TABLES.contradictions}
    named = _columns(_dealt())
    for one, other in combinations(named, 2):
        if {one, other} not in tied:
            assert association(named[one], named[other]) < MAX_ASSOCIATION, (one, other)


def test_tied_traits_use_all_combinations_that_are_left_evenly() -> None:
    """Where contradictions take combinations out, each of the others still occurs, none more than twice its share."""
    for one, other in {tuple(sorted(pair.requested)) for pair in TABLES.contradictions}:
        banned = {(p.requested[one], p.requested[other]) for p in TABLES.contradictions if one in p.requested}
        seen = Counter((a.requested[one], a.requested[other]) for a in _dealt())
        values = {trait.name: trait.values for trait in TRAITS}
        allowed = [(a, b) for a in values[one] for b in values[other] if (a, b) not in banned]
        assert not banned & set(seen)
        assert min(seen[pair] for pair in allowed) >= 4
        assert max(seen.values()) <= 22  # three feelings are left for one tone: a third each


def test_same_seed_same_deal_and_another_seed_another() -> None:
    """The deal is a function of its arguments."""
    assert deal(60, 3, traits=TRAITS, tables=TABLES, hold_out=0.1) == _dealt_small(3)
    assert _dealt_small(3) != _dealt_small(4)


def _dealt_small(seed: int) -> tuple[Assignment, ...]:
    return deal(60, seed, traits=TRAITS, tables=TABLES, hold_out=0.1)


def test_ninth_trait_is_dealt_like_the_others() -> None:
    """A trait that is only registered is balanced too."""
    ninth = Trait(name="breathiness", kind=Kind.ORDINAL, values=("clear", "airy", "hoarse"))
    assignments = deal(90, 1, traits=(*TRAITS, ninth), tables=TABLES, hold_out=0.2)
    assert Counter(a.requested["breathiness"] for a in assignments) == {"clear": 30, "airy": 30, "hoarse": 30}


def test_contradictions_that_leave_no_room_are_told() -> None:
    """If a value contradicts all of another trait, the deal fails and says why."""
    every = tuple(
        Contradiction(requested={"emotion": "sad", "tone": tone}, why="test")
        for tone in next(trait.values for trait in TRAITS if trait.name == "tone")
    )
    with pytest.raises(CorpusMakerError, match="leaves too little room"):
        deal(8, 1, traits=TRAITS, tables=dataclasses.replace(TABLES, contradictions=every), hold_out=0.0)


@pytest.mark.parametrize(("n", "hold_out"), [(0, 0.2), (10, 1.0), (10, -0.1)])
def test_numbers_out_of_range_are_refused(n: int, hold_out: float) -> None:
    """There is no corpus of nothing, and none that is all held out."""
    with pytest.raises(CorpusMakerError, match="n >= 1"):
        deal(n, 1, traits=TRAITS, tables=TABLES, hold_out=hold_out)


@given(n=st.integers(0, 3000), parts=st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_apportioned_numbers_add_up_and_are_near_their_shares(n: int, parts: list[int]) -> None:
    """Largest remainder: the sum is exact and no number is off by one or more."""
    shares = [part / sum(parts) for part in parts]
    counts = apportion(n, shares)
    assert sum(counts) == n
    assert all(abs(count - n * share) < 1 + 1e-6 for count, share in zip(counts, shares, strict=True))


@hypothesis_settings(max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40))
def test_spreading_keeps_counts_and_fixed_columns(seed: int, n: int) -> None:
    """Cards change places only: every column holds the cards that it held, fixed ones in their places."""
    rng = random.Random(seed)
    draw: Callable[[str], tuple[str, ...]] = lambda cards: tuple(rng.choice(cards) for _ in range(n))  # noqa: E731
    before = [Column(name="a", cards=draw("xyz"), is_fixed=True), Column(name="b", cards=draw("pq"))]
    before.append(Column(name="c", cards=draw("rstu")))
    after = spread(before, [], rng)
    assert after[0] == before[0].cards
    assert [sorted(cards) for cards in after] == [sorted(column.cards) for column in before]
