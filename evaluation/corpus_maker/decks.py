"""Balanced decks: what each item of a corpus must be. Pure; the same arguments always give the same deal.

Every value of a trait is dealt equally often (counts differ by at most one). Then values change places, one pair of
items at a time, until every pair of columns is as evenly combined as it can be and no contradiction is left; a
change of places leaves every count as it is.
"""

import random
from collections.abc import Sequence

from evaluation.corpus_maker.records import Assignment, CorpusMakerError
from evaluation.corpus_maker.spread import Column, spread
from evaluation.corpus_maker.tables import Tables
from evaluation.traits import Trait

_TIER, _CATEGORY, _PART = ":tier", ":category", ":part"
_PUBLIC, _HELD_OUT = "public", "held_out"
_MOST_DEALS = 8


def deal(n: int, seed: int, *, traits: Sequence[Trait], tables: Tables, hold_out: float) -> tuple[Assignment, ...]:
    """Return what each of `n` items must be.

    Args:
        n: number of items, at least 1.
        seed: decides the deal.
        traits: the registry.
        tables: shares of tiers and categories, and contradictions.
        hold_out: share of items for the private file, 0 <= hold_out < 1.

    Raises:
        CorpusMakerError: if a number is out of range, or contradictions cannot be avoided.
    """
    if n < 1 or not 0 <= hold_out < 1:
        raise CorpusMakerError(f"a corpus needs n >= 1 and a hold-out in [0, 1), got n {n} and hold-out {hold_out}")
    for attempt in range(_MOST_DEALS - 1):  # in a small corpus the values that are dealt may leave no way out
        try:
            return _dealt(n, f"{seed}/{attempt}", traits, tables, hold_out)
        except CorpusMakerError:
            continue
    return _dealt(n, f"{seed}/{_MOST_DEALS}", traits, tables, hold_out)


def apportion(n: int, shares: Sequence[float]) -> list[int]:
    """Return whole numbers that add up to `n` and are nearest to `shares` of it (largest remainder).

    Args:
        n: what is shared out.
        shares: parts of 1.
    """
    exact = [n * share for share in shares]
    counts = [int(part + 1e-9) for part in exact]
    by_remainder = sorted(range(len(shares)), key=lambda at: (counts[at] - exact[at], at))
    for at in by_remainder[: n - sum(counts)]:
        counts[at] += 1
    return counts


def _dealt(n: int, seed: str, traits: Sequence[Trait], tables: Tables, hold_out: float) -> tuple[Assignment, ...]:
    rng = random.Random(seed)  # noqa: S311 - a deal, no secret
    columns = [*_frame(n, rng, tables, hold_out), *(_trait_column(trait, n, rng) for trait in traits)]
    named = {column.name: at for at, column in enumerate(columns)}
    forbidden = [
        {named[name]: value for name, value in pair.requested.items()}
        for pair in tables.contradictions
        if set(pair.requested) <= set(named)
    ]
    dealt = spread(columns, forbidden, rng)
    by_name = {column.name: cards for column, cards in zip(columns, dealt, strict=True)}
    return tuple(
        Assignment(
            index=index,
            tier=int(by_name[_TIER][index]),
            category=by_name[_CATEGORY][index],
            requested={trait.name: by_name[trait.name][index] for trait in traits},
            is_held_out=by_name[_PART][index] == _HELD_OUT,
        )
        for index in range(n)
    )


def _frame(n: int, rng: random.Random, tables: Tables, hold_out: float) -> list[Column]:
    """Return tier, category and part: a category stays within its tier, so it moves only there."""
    rows: list[tuple[str, str]] = []
    for tier, count in enumerate(apportion(n, [tier.share for tier in tables.tiers])):
        cells = [cell for cell in tables.cells if cell.tier == tier]
        for cell, n_cell in zip(cells, apportion(count, [cell.share for cell in cells]), strict=True):
            rows += [(str(tier), cell.category)] * n_cell
    rng.shuffle(rows)
    n_held_out = apportion(n, [hold_out, 1 - hold_out])[0]
    parts = [_HELD_OUT] * n_held_out + [_PUBLIC] * (n - n_held_out)
    rng.shuffle(parts)
    return [
        Column(name=_TIER, cards=tuple(tier for tier, _ in rows), is_fixed=True),
        Column(name=_CATEGORY, cards=tuple(category for _, category in rows), is_fixed=True),
        Column(name=_PART, cards=tuple(parts)),
    ]


def _trait_column(trait: Trait, n: int, rng: random.Random) -> Column:
    values = rng.sample(trait.values, len(trait.values))  # which values get one more is decided by the seed
    cards = [values[at % len(values)] for at in range(n)]
    rng.shuffle(cards)
    return Column(name=trait.name, cards=tuple(cards))
