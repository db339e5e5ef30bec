"""What a card says of a voice that does exactly what is asked: the desirabilities that it would get, and how often."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.cards import InstrumentCard, NumberPair
from evaluation.desirability import numeric, ordinal
from evaluation.protocol import Constants
from evaluation.summary import UNREAD
from evaluation.traits import Kind, Trait, trait

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Desirabilities of right clips of one requested value."""

    desirabilities: tuple[float, ...]
    """Different values in 0..1, descending: those that were found, and those that could have been."""
    counts: tuple[int, ...]
    """Clips that got each; 0 for one that none got."""

    @property
    def n_clips(self) -> int:
        """All clips of the row."""
        return sum(self.counts)

    def mean_root(self, degree: int, floor: float) -> float:
        """Return the mean of the factor that the dimension gives to a composite of `degree` dimensions."""
        return float(np.array(self.counts) @ roots_of(self.desirabilities, degree, floor)) / self.n_clips


def roots_of(desirabilities: Sequence[float], degree: int, floor: float) -> FloatArray:
    """Return the factor that each desirability gives to a composite of `degree` dimensions."""
    return np.asarray(np.maximum(np.array(desirabilities), floor) ** (1 / degree), dtype=np.float64)


def drawn_roots(
    card: InstrumentCard, rows: Mapping[str, Row], rng: np.random.Generator, constants: Constants, degree: int
) -> dict[str, FloatArray]:
    """Return draws of every row's mean root, given how many clips it rests on, by requested value.

    Rows of classes are drawn one by one; those of a numeric trait together, since they share clips.

    Args:
        card: whose rows they are.
        rows: by requested value.
        rng: generator.
        constants: number of draws and the floor.
        degree: dimensions of the composite.

    Returns:
        Arrays of shape (n_resamples,) around the rows' own means; a draw may lie a little above 1, since what is cut
        off one by one would be missing from the mean of many.
    """
    n_draws, floor = constants.n_resamples, constants.desirability_floor
    if trait(card.trait).kind is Kind.NUMERIC:
        return _numeric_draws(card, rows, rng, constants, degree)
    drawn = {}
    for value, row in rows.items():
        drawn[value] = drawn_shares(row.counts, rng, n_draws) @ roots_of(row.desirabilities, degree, floor)
    return drawn


def _numeric_draws(
    card: InstrumentCard, rows: Mapping[str, Row], rng: np.random.Generator, constants: Constants, degree: int
) -> dict[str, FloatArray]:
    """Return the draws of `drawn_roots` as `drawn_shares` makes them, with the clips themselves as outcomes.

    A clip has the same random weight in every row that it belongs to; what weighs as one clip beforehand is half a
    clip of full marks and half a clip of none.
    """
    measured, n_draws = trait(card.trait), constants.n_resamples
    weights = rng.standard_exponential((n_draws, len(card.pairs)))
    ends = roots_of((1.0, 0.0), degree, constants.desirability_floor)
    drawn = {}
    for value, row in rows.items():
        near = [at for at, pair in enumerate(card.pairs) if _is_near(pair, measured, float(value))]
        marks = [_mark(card.pairs[at], measured, float(value)) for at in near]
        roots = np.concatenate((roots_of(marks, degree, constants.desirability_floor), ends))
        before = rng.standard_gamma(1 / 2, size=(n_draws, 2))
        own = np.concatenate((weights[:, near], before), axis=1)
        expected = (roots[:-2].sum() + ends.mean()) / (len(near) + 1)
        shift = row.mean_root(degree, constants.desirability_floor) - expected
        drawn[value] = own @ roots / own.sum(axis=1) + shift
    return drawn


def drawn_shares(counts: Sequence[int], rng: np.random.Generator, n_draws: int) -> FloatArray:
    """Return draws of how often each outcome truly comes, given how often it was counted.

    They spread as the Dirichlet distribution after these counts does, before which all outcomes together weigh as much
    as one clip (Perks's prior): so a row without an error still leaves room for one. They are then moved to have the
    counts' own shares as their mean, since that clip would pull every row of a card the same way.

    Args:
        counts: of each outcome; at least one clip in all.
        rng: generator.
        n_draws: draws.

    Returns:
        Shape (n_draws, len(counts)); each draw sums to 1, and a share may lie a little outside 0..1.
    """
    counted = np.array(counts, dtype=np.float64)
    before = 1 / counted.size
    drawn = rng.dirichlet(counted + before, size=n_draws)
    expected = (counted + before) / (counted.sum() + 1)
    return np.asarray(drawn + (counted / counted.sum() - expected), dtype=np.float64)


def row_of(card: InstrumentCard, value: str, constants: Constants) -> Row | None:
    """Return a card's row of one requested value; None if the card has no clip of it.

    Of a numeric trait, the row holds the errors of all clips whose label lies within the tolerance of `value`.
    """
    measured = trait(card.trait)
    if measured.kind is Kind.NUMERIC:
        return _row(_numeric_counts(card, measured, float(value)), (1.0, 0.0))
    counts: Counter[float] = Counter()
    for found, count in card.confusion[value].items():
        counts[_desirability(measured, value, found, constants)] += count
    possible = (1.0, constants.adjacent_credit, 0.0) if measured.kind is Kind.ORDINAL else (1.0, 0.0)
    return _row(counts, possible)


def _desirability(measured: Trait, value: str, found: str, constants: Constants) -> float:
    if found == UNREAD:
        return 0.0
    if measured.kind is Kind.ORDINAL:
        return ordinal(value, found, measured.values, adjacent_credit=constants.adjacent_credit)
    return float(found == value)


def _numeric_counts(card: InstrumentCard, measured: Trait, value: float) -> Counter[float]:
    return Counter(_mark(pair, measured, value) for pair in card.pairs if _is_near(pair, measured, value))


def _is_near(pair: NumberPair, measured: Trait, value: float) -> bool:
    return abs(pair.label - value) <= measured.tolerance


def _mark(pair: NumberPair, measured: Trait, value: float) -> float:
    """Return the desirability of a clip that is what it should be, if the probe errs on it as on this one."""
    if pair.measured is None:
        return 0.0
    return numeric(value, value + pair.measured - pair.label, tolerance=measured.tolerance)


def _row(counts: Mapping[float, int], possible: Iterable[float]) -> Row | None:
    if not any(counts.values()):
        return None
    desirabilities = tuple(sorted({*possible, *(value for value, count in counts.items() if count)}, reverse=True))
    return Row(desirabilities=desirabilities, counts=tuple(counts.get(value, 0) for value in desirabilities))
