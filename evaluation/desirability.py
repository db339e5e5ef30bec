"""One scale for everything: what was measured becomes a number in [0, 1], and those become one composite.

Pure. A composite is an integer of 1e-6 found by an integer root, so no machine's logarithm has a say
in the last digit.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from evaluation.bootstrap import MICRO
from evaluation.traits import Kind, Trait

JUDGE_FULL_MARK = 3.0
MOS_LEAST, MOS_MOST = 1.0, 5.0


def ordinal(requested: str, measured: str, values: tuple[str, ...], *, adjacent_credit: float) -> float:
    """Return 1 for the requested bucket, `adjacent_credit` for one next to it, else 0.

    Args:
        requested: bucket that was asked for, one of `values`.
        measured: bucket that was measured, one of `values`.
        values: buckets from low to high.
        adjacent_credit: 0..1.

    Raises:
        ValueError: if a bucket is not one of `values`.
    """
    for value in (requested, measured):
        if value not in values:
            raise ValueError(f"{value!r} is not one of {values}")
    distance = abs(values.index(requested) - values.index(measured))
    return {0: 1.0, 1: adjacent_credit}.get(distance, 0.0)


def categorical(requested: str, measured: str) -> float:
    """Return 1 for the requested class, else 0."""
    return 1.0 if requested == measured else 0.0


def numeric(requested: float, measured: float, *, tolerance: float) -> float:
    """Return 1 within `tolerance`, then a straight fall to 0 at twice the tolerance.

    Args:
        requested: number that was asked for, in the trait's unit.
        measured: number that was measured, same unit.
        tolerance: > 0, same unit.

    Example:
        >>> numeric(30, 42, tolerance=8)
        0.5
    """
    beyond = max(0.0, abs(measured - requested) - tolerance)
    return max(0.0, 1.0 - beyond / tolerance)


def judged(score: float) -> float:
    """Return a judge's score of 0..3 as a share of the full mark."""
    return _clipped(score / JUDGE_FULL_MARK)


def predicted_mos(mos: float) -> float:
    """Return a mean opinion score of 1..5, mapped linearly to [0, 1], clipped, rounded to 6 decimals."""
    return round(_clipped((mos - MOS_LEAST) / (MOS_MOST - MOS_LEAST)), 6)


def of_trait(trait: Trait, requested: str, *, bucket: str, quantity: float, adjacent_credit: float) -> float:
    """Return the desirability of what was measured of one trait, by the trait's kind.

    Args:
        trait: the registry's entry.
        requested: value that was asked for.
        bucket: measured bucket or class; unused for numeric and judged traits.
        quantity: measured number, or the judge's score; unused for ordinal and categorical traits.
        adjacent_credit: for ordinal traits, 0..1.
    """
    match trait.kind:
        case Kind.ORDINAL:
            return ordinal(requested, bucket, trait.values, adjacent_credit=adjacent_credit)
        case Kind.CATEGORICAL:
            return categorical(requested, bucket)
        case Kind.NUMERIC:
            return numeric(float(requested), quantity, tolerance=trait.tolerance)
        case Kind.JUDGED:
            return judged(quantity)


def composite_micro(desirabilities: Sequence[float], *, passed_gate: bool, floor: float) -> int:
    """Return the gated geometric mean in millionths; higher is better.

    Each desirability is floored first, so that one total failure is severe but not the end.

    Args:
        desirabilities: each 0..1.
        passed_gate: False gives 0.
        floor: smallest value inside the mean, > 0.

    Returns:
        0..1_000_000, the exact mean rounded half to even; 0 for no dimension.

    Raises:
        ValueError: if a desirability lies outside [0, 1].

    Example:
        >>> composite_micro([1.0] * 8 + [0.0], passed_gate=True, floor=0.01)
        599484
    """
    outside = [value for value in desirabilities if not 0.0 <= value <= 1.0]
    if outside:
        raise ValueError(f"a desirability must be within [0, 1], got {outside}")
    if not passed_gate or not desirabilities:
        return 0
    # A float is an exact binary fraction, so the product is exact whatever the order of its factors.
    product = math.prod((Fraction(max(value, floor)) for value in desirabilities), start=Fraction(1))
    return _rounded_root(product * MICRO ** len(desirabilities), len(desirabilities))


def _rounded_root(radicand: Fraction, degree: int) -> int:
    """Return the `degree`-th root of `radicand` (1..MICRO**degree), rounded half to even."""
    root = round(math.exp(math.log(radicand.numerator) / degree - math.log(radicand.denominator) / degree))
    # The float is only a first guess: the two loops make it the floor of the exact root.
    while root**degree > radicand:
        root -= 1
    while (root + 1) ** degree <= radicand:
        root += 1
    middle = Fraction(2 * root + 1, 2) ** degree
    return root + (radicand > middle or (radicand == middle and root % 2 == 1))


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
