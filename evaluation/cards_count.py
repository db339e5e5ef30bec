"""Labelled outcomes counted into an instrument card. Pure: the same outcomes in any order give the same bytes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.bootstrap import MICRO, mean_interval, mean_micro, wilson_interval
from evaluation.cards import (
    ClassFigures,
    GroupFigures,
    InstrumentCard,
    InstrumentIdentity,
    NumberErrors,
    NumberPair,
    within_tolerance,
)
from evaluation.protocol import Constants
from evaluation.summary import UNREAD, Rate
from evaluation.traits import Kind, Trait, trait

ALPHA = 0.05
"""Share left outside every interval of a card, both sides together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One labelled clip and what the instrument said of it."""

    label: str
    """The truth: a requestable value, or a number for a numeric trait."""
    measured: str | None
    """Measured bucket or class; None if the clip could not be read, or for a numeric trait."""
    quantity: float | None
    """Measured number of a numeric trait; None if the clip could not be read."""
    group: str
    """Group of the clip; empty if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a card's figures come from."""

    what: str
    """Which clips these are, in a sentence or two."""
    source: str
    """Command that makes the figures again."""
    date: str
    """Day of the measurement, YYYY-MM-DD."""
    manifest_sha256: str | None
    """sha256 (hex) of the list of clips and labels; None for a trial that kept no list."""


def card_of(
    name: str,
    instrument: InstrumentIdentity,
    outcomes: Sequence[Outcome],
    origin: Origin,
    constants: Constants,
) -> InstrumentCard:
    """Return the card of some outcomes.

    Args:
        name: trait that was measured.
        instrument: by whom.
        outcomes: at least one, in any order.
        origin: where they come from.
        constants: number of resamples and seed of the intervals.

    Raises:
        ValueError: without an outcome.
    """
    if not outcomes:
        raise ValueError("a card needs at least one labelled clip")
    measured = trait(name)
    is_numeric = measured.kind is Kind.NUMERIC
    pairs = _pairs(outcomes) if is_numeric else ()
    confusion = {} if is_numeric else confusion_of(measured, outcomes)
    return InstrumentCard(
        instrument=instrument,
        trait=name,
        what=origin.what,
        source=origin.source,
        date=origin.date,
        manifest_sha256=origin.manifest_sha256,
        n_clips=len(outcomes),
        n_unread=sum((one.quantity if is_numeric else one.measured) is None for one in outcomes),
        accuracy=_right(measured, outcomes),
        confusion=confusion,
        classes=tuple(_figures(label, confusion) for label in confusion),
        errors=_errors(pairs, constants) if is_numeric else None,
        values={value: _errors(near, constants) for value, near in _by_value(measured, pairs).items()},
        pairs=pairs,
        groups=_groups(measured, outcomes),
    )


def recounted(card: InstrumentCard, constants: Constants) -> InstrumentCard:
    """Return a card whose figures follow from the counts or pairs of `card`; its groups are taken as they are told.

    A card that says nothing false of itself equals what this returns.
    """
    outcomes = [
        Outcome(label=label, measured=None if measured == UNREAD else measured, quantity=None, group="")
        for label, row in card.confusion.items()
        for measured, count in row.items()
        for _ in range(count)
    ]
    outcomes += [
        Outcome(label=repr(pair.label), measured=None, quantity=pair.measured, group="") for pair in card.pairs
    ]
    origin = Origin(what=card.what, source=card.source, date=card.date, manifest_sha256=card.manifest_sha256)
    return replace(card_of(card.trait, card.instrument, outcomes, origin, constants), groups=card.groups)


def confusion_of(measured: Trait, outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """Return clips by label and then by measured value or "unread", every requestable value included."""
    table = {label: dict.fromkeys((*measured.values, UNREAD), 0) for label in measured.values}
    for one in outcomes:
        table[one.label][one.measured or UNREAD] += 1
    return table


def rate_of(n_hits: int, n: int) -> Rate:
    """Return a share with its Wilson interval."""
    return Rate(
        rate=round(n_hits / n, 6) if n else None,
        interval=wilson_interval(n_hits, n, alpha=ALPHA),
        n_hits=n_hits,
        n=n,
    )


def _right(measured: Trait, outcomes: Sequence[Outcome]) -> Rate:
    if measured.kind is Kind.NUMERIC:
        return rate_of(within_tolerance(measured, _pairs(outcomes)), len(outcomes))
    return rate_of(sum(one.measured == one.label for one in outcomes), len(outcomes))


def _figures(label: str, confusion: Mapping[str, Mapping[str, int]]) -> ClassFigures:
    hits = confusion[label][label]
    return ClassFigures(
        label=label,
        recall=rate_of(hits, sum(confusion[label].values())),
        precision=rate_of(hits, sum(row[label] for row in confusion.values())),
    )


def _groups(measured: Trait, outcomes: Sequence[Outcome]) -> tuple[GroupFigures, ...]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        if one.group:
            groups[one.group].append(one)
    return tuple(GroupFigures(group=name, right=_right(measured, groups[name])) for name in sorted(groups))


def _pairs(outcomes: Sequence[Outcome]) -> tuple[NumberPair, ...]:
    pairs = (NumberPair(label=float(one.label), measured=one.quantity) for one in outcomes)
    return tuple(sorted(pairs, key=lambda pair: (pair.label, pair.measured is None, pair.measured or 0.0)))


def _by_value(measured: Trait, pairs: Sequence[NumberPair]) -> dict[str, list[NumberPair]]:
    """Return the pairs by the nearest requestable value; half way between two belongs to the lower one."""
    near: dict[str, list[NumberPair]] = {}
    for pair in pairs:
        value = min(measured.values, key=lambda value: (abs(float(value) - pair.label), float(value)))
        near.setdefault(value, []).append(pair)
    return {value: near[value] for value in measured.values if value in near}


def _errors(pairs: Sequence[NumberPair], constants: Constants) -> NumberErrors:
    signed = [pair.measured - pair.label for pair in pairs if pair.measured is not None]
    micro = np.array([round(error * MICRO) for error in signed], dtype=np.int64)
    interval = mean_interval(np.abs(micro), n_resamples=constants.n_resamples, seed=constants.seed, alpha=ALPHA)
    return NumberErrors(
        mean_absolute=mean_micro(np.abs(micro)) / MICRO if signed else None,
        interval=interval,
        bias=mean_micro(micro) / MICRO if signed else None,
        n_read=len(signed),
        n_unread=len(pairs) - len(signed),
    )
