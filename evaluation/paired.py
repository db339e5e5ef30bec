"""Two scored systems side by side: differences by dimension with intervals, and the items that differ most. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import MICRO, Interval, mean_interval, mean_micro
from evaluation.protocol import Constants, Protocol
from evaluation.records import ItemId, SampleScore

N_WIDEST = 10
"""Items that are listed as differing most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The first system's mean less the second's, over the items that both have."""

    mean_a: float | None
    """Mean of the first over these items, rounded to 6 decimals; None without an item."""
    mean_b: float | None
    """Mean of the second over them."""
    difference: float | None
    """Mean of the paired differences, -1..1, rounded to 6 decimals."""
    interval: Interval | None
    """Two-sided 95 % bootstrap interval of the difference; None for fewer than two items."""
    n: int
    """Items that both have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDifference:
    """One item on which two systems differ."""

    item_id: ItemId
    """The item."""
    a: float
    """Composite of the first, 0..1."""
    b: float
    """Composite of the second, 0..1."""
    dimensions: tuple[str, ...]
    """Dimensions whose desirabilities differ, the widest first; "gate" if only one passed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """All differences of two systems."""

    score: PairedDifference
    """Of the composites, over all items."""
    dimensions: Mapping[str, PairedDifference]
    """Of the desirabilities, in the protocol's order, over the items that neither declined."""
    widest: tuple[ItemDifference, ...]
    """Items that differ most, the widest first."""


def paired(
    protocol: Protocol, a: Sequence[SampleScore], b: Sequence[SampleScore], *, n_widest: int = N_WIDEST
) -> Paired:
    """Return the differences of two systems that were scored on the same items.

    Args:
        protocol: dimensions and bootstrap settings.
        a: scores of the first system, any order.
        b: scores of the second.
        n_widest: most items that are listed.

    Raises:
        ValueError: if the two were scored on different items.
    """
    ours, theirs = ({sample.item_id: sample for sample in samples} for samples in (a, b))
    if set(ours) != set(theirs):
        raise ValueError(f"two systems are compared on the same items; {len(set(ours) ^ set(theirs))} are of one only")
    both = [(ours[item], theirs[item]) for item in sorted(ours)]
    return Paired(
        score=_difference(((x.composite_micro, y.composite_micro) for x, y in both), protocol.constants),
        dimensions={name: _difference(_pairs_of(name, both), protocol.constants) for name in protocol.dimensions},
        widest=_widest(both, n_widest),
    )


def _pairs_of(dimension: str, both: Iterable[tuple[SampleScore, SampleScore]]) -> Iterable[tuple[int, int]]:
    for x, y in both:
        one, other = _desirabilities(x), _desirabilities(y)
        if dimension in one and dimension in other:
            yield round(one[dimension] * MICRO), round(other[dimension] * MICRO)


def _desirabilities(sample: SampleScore) -> dict[str, float]:
    return {score.dimension: score.desirability for score in sample.dimensions}


def _difference(pairs: Iterable[tuple[int, int]], constants: Constants) -> PairedDifference:
    rows = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    if not len(rows):
        return PairedDifference(mean_a=None, mean_b=None, difference=None, interval=None, n=0)
    ahead = rows[:, 0] - rows[:, 1]
    return PairedDifference(
        mean_a=mean_micro(rows[:, 0]) / MICRO,
        mean_b=mean_micro(rows[:, 1]) / MICRO,
        difference=mean_micro(ahead) / MICRO,
        interval=mean_interval(ahead, n_resamples=constants.n_resamples, seed=constants.seed, alpha=constants.alpha),
        n=len(rows),
    )


def _widest(both: Sequence[tuple[SampleScore, SampleScore]], n_widest: int) -> tuple[ItemDifference, ...]:
    differing = [(x, y) for x, y in both if x.composite_micro != y.composite_micro]
    differing.sort(key=lambda pair: (-abs(pair[0].composite_micro - pair[1].composite_micro), pair[0].item_id))
    return tuple(
        ItemDifference(
            item_id=x.item_id,
            a=x.composite_micro / MICRO,
            b=y.composite_micro / MICRO,
            dimensions=_why(x, y),
        )
        for x, y in differing[:n_widest]
    )


def _why(x: SampleScore, y: SampleScore) -> tuple[str, ...]:
    if x.is_declined != y.is_declined:
        return ("declined",)
    gate = ("gate",) if x.passed_gate != y.passed_gate else ()
    one, other = _desirabilities(x), _desirabilities(y)
    gaps = {name: abs(one[name] - other[name]) for name in one if name in other and one[name] != other[name]}
    return (*gate, *sorted(gaps, key=lambda name: (-gaps[name], name)))
