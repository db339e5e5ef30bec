"""What a card says of a voice that does exactly what is asked: the desirabilities that it would get, and how often."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.cards import InstrumentCard
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
        return float(np.array(self.counts) @ self._roots(degree, floor)) / self.n_clips

    def drawn_roots(self, rng: np.random.Generator, n_draws: int, degree: int, floor: float) -> FloatArray:
        """Return that mean for `n_draws` draws of how often each desirability truly comes, shape (n_draws,).

        The shares are drawn from their Dirichlet distribution after these counts; before them, what could happen
        weighs as much as one clip, spread evenly (Perks's prior). So a row without an error still leaves room for one.
        """
        shares = rng.dirichlet(np.array(self.counts) + 1 / len(self.counts), size=n_draws)
        return np.asarray(shares @ self._roots(degree, floor), dtype=np.float64)

    def _roots(self, degree: int, floor: float) -> FloatArray:
        return np.asarray(np.maximum(np.array(self.desirabilities), floor) ** (1 / degree), dtype=np.float64)


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
    near = (pair for pair in card.pairs if abs(pair.label - value) <= measured.tolerance)
    return Counter(
        0.0
        if pair.measured is None
        else numeric(value, value + pair.measured - pair.label, tolerance=measured.tolerance)
        for pair in near
    )


def _row(counts: Mapping[float, int], possible: Iterable[float]) -> Row | None:
    if not any(counts.values()):
        return None
    desirabilities = tuple(sorted({*possible, *(value for value, count in counts.items() if count)}, reverse=True))
    return Row(desirabilities=desirabilities, counts=tuple(counts.get(value, 0) for value in desirabilities))
