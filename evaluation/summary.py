"""A scored submission as the figures that a board and a system's page show. Pure.

Every mean stands beside how many values it is made of and how many could not be read: a clip whose
quantity could not be read by its own fault counts as 0 in the mean and is counted as unread too.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from evaluation.bootstrap import MICRO, Interval, mean_interval, mean_micro, wilson_interval
from evaluation.codec import OPTIONAL
from evaluation.protocol import Constants, Protocol
from evaluation.records import ClipReadings, DimensionScore, Item, ItemId, SampleScore, Verdict
from evaluation.scoring import Scored
from evaluation.traits import NATURALNESS, Kind, trait

NO_READINGS: Mapping[ItemId, ClipReadings] = MappingProxyType({})
"""For a protocol without a judge."""
DECLINED = "declined"
"""Reason counted for an item that the system refused."""
GATE = "gate"
"""Reason counted for a clip that says the wrong words."""
UNREAD = "unread"
"""Column of a confusion table for clips whose quantity could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean with what it rests on."""

    mean: float | None
    """Arithmetic mean, rounded to 6 decimals; None if nothing was scored."""
    interval: Interval | None
    """Two-sided 95 % bootstrap interval of the mean; None for fewer than two values."""
    n_scored: int
    """Values in the mean."""
    n_unread: int
    """Those of them that are 0 because the clip gave nothing to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its interval."""

    rate: float | None
    """Hits / n, rounded to 6 decimals; None for n = 0."""
    interval: Interval | None
    """Two-sided 95 % Wilson interval; None for n < 2."""
    n_hits: int
    """How many."""
    n: int
    """Out of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The figures of some of the items."""

    score: Mean
    """Composite over all items of the slice; a declined item counts 0."""
    gate: Rate
    """Clips that say the right words, of the items that were not declined."""
    dimensions: Mapping[str, Mean]
    """Desirability by dimension, over the items that were not declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitTable:
    """How one trait was followed, value by value."""

    values: Mapping[str, Mean]
    """Desirability by requested value, in the registry's order."""
    confusion: Mapping[str, Mapping[str, int]]
    """Clips by requested value, then by measured value or "unread"; of a numeric or a judged trait "unread" alone."""
    mean_error: float | None = field(default=None, metadata=OPTIONAL)
    """Mean absolute error of a numeric trait over the clips that could be read, in the trait's unit, rounded to 6
    decimals; None for other traits, and if no clip could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """What the judge said in one dimension, over the clips that it could judge."""

    n_judged: int
    """Clips with a verdict."""
    consistent: Rate
    """Verdicts in which both orders name the same winner."""
    n_wins: int
    """Clips that the judge finds better than the anchor's."""
    n_ties: int
    """Clips that it finds neither better nor worse, or on which its two orders disagree."""
    n_losses: int
    """Clips that it finds worse than the anchor's."""
    mean_score: float | None
    """Mean score of the clips, 0..3, rounded to 6 decimals; None without a verdict."""
    mean_anchor_score: float | None
    """The same of the anchor's clips of these items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All figures of one submission under one protocol."""

    n_items: int
    """Items of the corpus."""
    n_declined: int
    """Items that the system refused."""
    coverage: float
    """Share of items that were not declined, 0..1, rounded to 6 decimals."""
    overall: Slice
    """All items; its score is the S of the board."""
    tiers: Mapping[str, Slice]
    """Items by difficulty: "0", "1", "2"; those that occur."""
    splits: Mapping[str, Slice]
    """Items by split; those that occur."""
    traits: Mapping[str, TraitTable]
    """Each trait of the protocol by requested value."""
    reasons: Mapping[str, int]
    """How often each reason made something 0: "declined", "gate", and "<dimension>: <reason>"."""
    loudness_reference_dbfs: float | None
    """The submission's own normal level, dBFS; None if it could not be had."""
    judged: Mapping[str, JudgedTable] = field(default_factory=dict, metadata=OPTIONAL)
    """What the judge said, by judged dimension; empty without a judge."""


def summarise(
    protocol: Protocol,
    items: Sequence[Item],
    scored: Scored,
    readings: Mapping[ItemId, ClipReadings] = NO_READINGS,
) -> Summary:
    """Return all figures of one scored submission.

    Args:
        protocol: dimensions and constants.
        items: the items that were scored, any order.
        scored: what `score_submission` gave for them.
        readings: what it was given; only the judge's verdicts are looked at.

    Raises:
        ValueError: if items and samples are not of the same ids.
    """
    by_id = {item.id: item for item in items}
    samples = sorted(scored.samples, key=lambda sample: sample.item_id)
    if [sample.item_id for sample in samples] != sorted(by_id):
        raise ValueError("the samples are not those of these items: each item must be scored exactly once")
    n_declined = sum(sample.is_declined for sample in samples)
    return Summary(
        n_items=len(samples),
        n_declined=n_declined,
        coverage=round((len(samples) - n_declined) / max(1, len(samples)), 6),
        overall=_slice(protocol, samples),
        tiers=_slices(protocol, samples, lambda sample: str(by_id[sample.item_id].tier)),
        splits=_slices(protocol, samples, lambda sample: by_id[sample.item_id].split),
        traits={name: _trait_table(name, samples, protocol) for name in protocol.dimensions if name != NATURALNESS},
        reasons=_reasons(samples),
        loudness_reference_dbfs=scored.loudness_reference_dbfs,
        judged={name: _judged_table(name, samples, readings, protocol.constants) for name in protocol.judged},
    )


def _slices(
    protocol: Protocol, samples: Sequence[SampleScore], label: Callable[[SampleScore], str]
) -> dict[str, Slice]:
    groups: dict[str, list[SampleScore]] = {}
    for sample in samples:
        groups.setdefault(label(sample), []).append(sample)
    return {name: _slice(protocol, groups[name]) for name in sorted(groups)}


def _slice(protocol: Protocol, samples: Sequence[SampleScore]) -> Slice:
    constants = protocol.constants
    voiced = [sample for sample in samples if not sample.is_declined]
    n_passed = sum(sample.passed_gate for sample in voiced)
    return Slice(
        score=_mean([sample.composite_micro for sample in samples], 0, constants),
        gate=Rate(
            rate=round(n_passed / len(voiced), 6) if voiced else None,
            interval=wilson_interval(n_passed, len(voiced), alpha=constants.alpha),
            n_hits=n_passed,
            n=len(voiced),
        ),
        dimensions={name: _mean_desirability(_scores_of(name, samples), constants) for name in protocol.dimensions},
    )


def _scores_of(dimension: str, samples: Iterable[SampleScore]) -> list[DimensionScore]:
    return [score for sample in samples for score in sample.dimensions if score.dimension == dimension]


def _mean_desirability(scores: Sequence[DimensionScore], constants: Constants) -> Mean:
    n_unread = sum(score.reason is not None for score in scores)
    return _mean([round(score.desirability * MICRO) for score in scores], n_unread, constants)


def _mean(values_micro: Sequence[int], n_unread: int, constants: Constants) -> Mean:
    row = np.array(values_micro, dtype=np.int64)
    interval = mean_interval(row, n_resamples=constants.n_resamples, seed=constants.seed, alpha=constants.alpha)
    mean = mean_micro(row) / MICRO if values_micro else None
    return Mean(mean=mean, interval=interval, n_scored=len(values_micro), n_unread=n_unread)


def _trait_table(name: str, samples: Sequence[SampleScore], protocol: Protocol) -> TraitTable:
    scores = _scores_of(name, samples)
    kind = trait(name).kind
    asked: dict[str, list[DimensionScore]] = {value: [] for value in trait(name).values}
    # A corpus may ask for other numbers than the registry lists.
    others = {score.requested or "" for score in scores} - set(asked)
    asked |= {value: [] for value in sorted(others, key=float)}
    for score in scores:
        asked[score.requested or ""].append(score)
    has_columns = kind in (Kind.ORDINAL, Kind.CATEGORICAL) and name not in protocol.judged
    columns = (*(trait(name).values if has_columns else ()), UNREAD)
    confusion = {
        value: {column: sum(_column(score) == column for score in group) for column in columns}
        for value, group in asked.items()
    }
    values = {value: _mean_desirability(group, protocol.constants) for value, group in asked.items()}
    is_number = kind is Kind.NUMERIC and name not in protocol.judged
    return TraitTable(values=values, confusion=confusion, mean_error=_mean_error(scores) if is_number else None)


def _column(score: DimensionScore) -> str | None:
    return score.measured if score.reason is None else UNREAD


def _mean_error(scores: Sequence[DimensionScore]) -> float | None:
    pairs = [(score.quantity, float(score.requested or 0)) for score in scores]
    errors = [abs(measured - requested) for measured, requested in pairs if measured is not None]
    return round(math.fsum(errors) / len(errors), 6) if errors else None


def _judged_table(
    name: str, samples: Sequence[SampleScore], readings: Mapping[ItemId, ClipReadings], constants: Constants
) -> JudgedTable:
    heard = [sample.item_id for sample in samples if any(score.reason is None for score in _scores_of(name, [sample]))]
    found = (readings[item].verdicts.get(name) for item in heard if item in readings)
    verdicts = [verdict for verdict in found if isinstance(verdict, Verdict)]
    n, n_consistent = len(verdicts), sum(verdict.is_consistent for verdict in verdicts)
    winners = Counter(verdict.winner for verdict in verdicts)
    return JudgedTable(
        n_judged=n,
        consistent=Rate(
            rate=round(n_consistent / n, 6) if n else None,
            interval=wilson_interval(n_consistent, n, alpha=constants.alpha),
            n_hits=n_consistent,
            n=n,
        ),
        n_wins=winners["clip"],
        n_ties=winners["tie"],
        n_losses=winners["anchor"],
        mean_score=round(math.fsum(verdict.score for verdict in verdicts) / n, 6) if n else None,
        mean_anchor_score=round(math.fsum(verdict.anchor_score for verdict in verdicts) / n, 6) if n else None,
    )


def _reasons(samples: Iterable[SampleScore]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for sample in samples:
        if sample.is_declined:
            counts[DECLINED] += 1
        elif not sample.passed_gate:
            counts[GATE] += 1
        for score in sample.dimensions:
            if score.reason is not None:
                counts[f"{score.dimension}: {score.reason}"] += 1
    return dict(sorted(counts.items()))
