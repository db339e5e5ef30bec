"""One number of a system, worked out again from its published items, with the items that it is made of. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.bootstrap import MICRO, IntArray, Interval, mean_interval, mean_micro, wilson_interval
from evaluation.desirability import composite_micro
from evaluation.protocol import Constants, Protocol
from evaluation.summary import Mean, Rate, Summary
from evaluation.summary import Slice as Figures
from leaderboard.derive.records import ALL, Slice
from leaderboard.why.ledger import Flags, Ledger

SCORE, GATE, COVERAGE, BAND = "score", "gate", "coverage", "band"
_UNSURE = 1e-3
"""A float's composite lies within 1e-8 millionths of the exact one; so near to a half the exact one is asked."""
Same = Literal["identical", "different", "unpublished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which number is asked for."""

    number: str
    """"score", "gate", "coverage", "band" or a dimension."""
    part: Slice = ALL
    """Tier and split of the items; its trait is not used."""
    value: str = ""
    """Only items that request this value of the dimension; empty for all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberProof:
    """A number with everything that it is made of."""

    place: Place
    """What it is."""
    items: tuple[int, ...]
    """Places in the ledger of the items that count."""
    values_micro: IntArray
    """What each of them counts, in the order of `items`, millionths; 0 or a million in a share."""
    mean: float | None
    """Their mean, rounded to 6 decimals; None without an item."""
    interval: Interval | None
    """Its 95 % interval: bootstrap of a mean, Wilson of a share; None for fewer than two items."""
    published: Mean | Rate | None
    """The published figure; None where none is published, which makes this a derived view."""
    n_unread: int
    """Items that count 0 because the clip gave nothing to read."""

    @property
    def is_share(self) -> bool:
        """Whether it is a share of items, not a mean of values."""
        return self.place.number in (GATE, COVERAGE)

    @property
    def total_micro(self) -> int:
        """Return the sum of what the items count, millionths."""
        return int(self.values_micro.sum())

    def same(self) -> Same:
        """Say whether mean and interval are the published ones."""
        found = self.published
        if found is None:
            return "unpublished"
        theirs = found.mean if isinstance(found, Mean) else found.rate
        if self.place.number == COVERAGE:  # published without an interval
            return "identical" if theirs == self.mean else "different"
        return "identical" if (theirs, found.interval) == (self.mean, self.interval) else "different"


def read_place(protocol: Protocol, asked: Mapping[str, str], part: Slice) -> Place:
    """Return which number an address asks for; S where it asks for none that there is."""
    number = asked.get("number", "")
    known = (SCORE, GATE, COVERAGE, BAND, *protocol.dimensions)
    number = number if number in known else SCORE
    value = asked.get("value", "")[:80] if number in protocol.dimensions else ""
    return Place(number=number, part=Slice(tier=part.tier, split=part.split), value=value)


def prove_number(protocol: Protocol, ledger: Ledger, summary: Summary, place: Place) -> NumberProof:
    """Return a number from the items of a system.

    Args:
        protocol: its constants draw the resamples.
        ledger: the system's items.
        summary: its published figures, to hold the number against.
        place: which number; not "band", which is no mean.
    """
    chosen = _chosen(ledger, place)
    values = _values(ledger, place)[chosen]
    is_share = place.number in (GATE, COVERAGE)
    mean = mean_micro(values) / MICRO if len(values) else None
    n_unread = 0
    if place.number in ledger.dimensions:
        reasons = ledger.dimensions[place.number].reason
        n_unread = sum(reasons[at] is not None for at in np.flatnonzero(chosen))
    return NumberProof(
        place=place,
        items=tuple(np.flatnonzero(chosen).tolist()),
        values_micro=values,
        mean=round(int(values.sum()) / MICRO / len(values), 6) if is_share and len(values) else mean,
        interval=_interval(values, is_share=is_share, constants=protocol.constants),
        published=_published(summary, place),
        n_unread=n_unread,
    )


def composites_right(protocol: Protocol, ledger: Ledger) -> int:
    """Return on how many items the published composite is what its desirabilities and the gate give."""
    floor = protocol.constants.desirability_floor
    columns = [one.desirability for one in ledger.dimensions.values()]
    n_right = 0
    for at, published in enumerate(ledger.composite_micro.tolist()):
        found = [value for column in columns if (value := column[at]) is not None]
        n_right += published == _composite_micro(found, passed_gate=bool(ledger.passed[at]), floor=floor)
    return n_right


def _composite_micro(found: list[float], *, passed_gate: bool, floor: float) -> int:
    """Return what `composite_micro` returns; its exact root is drawn only where a float cannot tell how to round."""
    if not passed_gate or not found:
        return 0
    near = MICRO * math.exp(math.fsum(math.log(max(value, floor)) for value in found) / len(found))
    if abs(near - math.floor(near) - 0.5) > _UNSURE:
        return round(near)
    return composite_micro(found, passed_gate=passed_gate, floor=floor)


def _chosen(ledger: Ledger, place: Place) -> Flags:
    chosen = ledger.chosen(place.part)
    if place.number not in (SCORE, COVERAGE):
        chosen = chosen & ~ledger.declined
    if place.value:
        requested = ledger.dimensions[place.number].requested
        chosen = chosen & np.array([one == place.value for one in requested], dtype=np.bool_)
    return chosen


def _values(ledger: Ledger, place: Place) -> IntArray:
    if place.number == GATE:
        return ledger.passed.astype(np.int64) * MICRO
    if place.number == COVERAGE:
        return (~ledger.declined).astype(np.int64) * MICRO
    if place.number in ledger.dimensions:
        return ledger.dimensions[place.number].desirability_micro
    return ledger.composite_micro


def _interval(values: IntArray, *, is_share: bool, constants: Constants) -> Interval | None:
    if is_share:
        return wilson_interval(int(values.sum()) // MICRO, len(values), alpha=constants.alpha)
    return mean_interval(values, n_resamples=constants.n_resamples, seed=constants.seed, alpha=constants.alpha)


def _published(summary: Summary, place: Place) -> Mean | Rate | None:
    part = place.part
    if place.number == COVERAGE:
        n_clips = summary.n_items - summary.n_declined
        whole = Rate(rate=summary.coverage, interval=None, n_hits=n_clips, n=summary.n_items)
        return whole if place.part == ALL else None
    if place.value:
        table = summary.traits.get(place.number)
        is_whole = part.tier is None and part.split is None
        return table.values.get(place.value) if table is not None and is_whole else None
    figures = _figures(summary, part)
    if figures is None:
        return None
    if place.number == GATE:
        return figures.gate
    return figures.score if place.number == SCORE else figures.dimensions.get(place.number)


def _figures(summary: Summary, part: Slice) -> Figures | None:
    if part.tier is not None and part.split is not None:
        return None
    if part.tier is not None:
        return summary.tiers.get(str(part.tier))
    return summary.splits.get(part.split) if part.split is not None else summary.overall
