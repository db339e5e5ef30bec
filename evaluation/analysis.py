"""What-if scores on one's own machine: other weights, margins and thresholds. Never a ranking, never published.

A board weighs all dimensions alike and has the frozen constants; `submissions.publish` takes nothing else, and
nothing of what is returned here. Pure.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from evaluation.bootstrap import MICRO
from evaluation.decision import Contender, Decisions, contender, decide_all, rank_bands
from evaluation.protocol import Constants, Protocol
from evaluation.records import ClipReadings, Item, ItemId, RankBand, SampleScore
from evaluation.scoring import score_submission

LABEL: Literal["analysis, not a ranking"] = "analysis, not a ranking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the scores of one system are made of."""

    readings: Mapping[ItemId, ClipReadings]
    """Readings of every item that is not declined."""
    declined: Collection[ItemId]
    """Items that the system refused."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """What a board would say under other weights and constants."""

    label: Literal["analysis, not a ranking"]
    """What it is; to be shown wherever its numbers are."""
    weights: Mapping[str, float]
    """Weight of every dimension of the protocol, >= 0; only their ratios matter."""
    constants: Constants
    """The constants that were used."""
    scores: Mapping[str, float]
    """Mean weighted composite of each system, 0..1, rounded to 6 decimals."""
    samples: Mapping[str, tuple[SampleScore, ...]]
    """Each system's items, in corpus order, with the weighted composite."""
    decisions: Decisions
    """Decisions of every pair."""
    bands: Mapping[str, RankBand]
    """Ranks that the decisions leave open to each system."""


def analyse(
    protocol: Protocol,
    items: Sequence[Item],
    systems: Mapping[str, Material],
    *,
    weights: Mapping[str, float] | None = None,
    constants: Mapping[str, float] | None = None,
) -> Analysis:
    """Return scores and decisions of some systems under other weights and constants.

    A composite is g * exp(sum of w ln max(d, floor) / sum of w). With equal weights it is the exact one of a board;
    otherwise it comes from floats, and its last digit may depend on the machine.

    Args:
        protocol: what the readings were made under.
        items: all items of its corpus.
        systems: the systems by key.
        weights: of some dimensions, >= 0, finite; a dimension that is not named weighs 1, one of weight 0 has no say.
        constants: values of some constants, by name.

    Raises:
        ValueError: for an unknown dimension or constant, a weight that is none, or no weight above 0.
        IncompleteReadings: if a reading that the protocol needs is missing.
    """
    weighed = _weights(protocol, weights or {})
    other = replace(protocol, constants=_constants(protocol.constants, constants or {}))
    samples = {
        key: _weighted(
            other,
            score_submission(other, items, material.readings, material.declined).samples,
            weighed,
        )
        for key, material in systems.items()
    }
    contenders: list[Contender] = [contender(key, some) for key, some in samples.items()]
    decisions = decide_all(contenders, constants=other.constants)
    scores = zip(decisions.keys, decisions.scores_micro, strict=True)
    return Analysis(
        label=LABEL,
        weights=weighed,
        constants=other.constants,
        scores={key: int(score) / MICRO for key, score in scores},
        samples=samples,
        decisions=decisions,
        bands=rank_bands(decisions),
    )


def _weights(protocol: Protocol, given: Mapping[str, float]) -> dict[str, float]:
    unknown = sorted(set(given) - set(protocol.dimensions))
    if unknown:
        raise ValueError(f"weights are of scored dimensions, {', '.join(protocol.dimensions)}; got {unknown}")
    wrong = {name: weight for name, weight in given.items() if not (math.isfinite(weight) and weight >= 0)}
    if wrong:
        raise ValueError(f"a weight must be a finite number of at least 0, got {wrong}")
    weights = {name: float(given.get(name, 1.0)) for name in protocol.dimensions}
    if not any(weights.values()):
        raise ValueError("at least one dimension must have a weight above 0")
    return weights


def _constants(frozen: Constants, given: Mapping[str, float]) -> Constants:
    kinds = {field.name: type(getattr(frozen, field.name)) for field in fields(Constants)}
    unknown = sorted(set(given) - set(kinds))
    if unknown:
        raise ValueError(f"constants are {', '.join(kinds)}; got {unknown}")
    wrong = {name: value for name, value in given.items() if not math.isfinite(value) or kinds[name](value) != value}
    if wrong:
        raise ValueError(f"a constant must be a finite number, n_resamples and seed whole ones; got {wrong}")
    changed = replace(frozen, **{name: kinds[name](value) for name, value in given.items()})
    if changed.n_resamples < 1 or not 0 < changed.desirability_floor <= 1 or not 0 <= changed.alpha <= 1:
        raise ValueError("n_resamples must be at least 1, desirability_floor in (0, 1] and alpha in [0, 1]")
    return changed


def _weighted(
    protocol: Protocol, samples: Sequence[SampleScore], weights: Mapping[str, float]
) -> tuple[SampleScore, ...]:
    if len(set(weights.values())) == 1:
        return tuple(samples)
    floor = protocol.constants.desirability_floor
    return tuple(replace(sample, composite_micro=_composite_micro(sample, weights, floor)) for sample in samples)


def _composite_micro(sample: SampleScore, weights: Mapping[str, float], floor: float) -> int:
    if not sample.passed_gate or not sample.dimensions:
        return 0
    logs = (weights[score.dimension] * math.log(max(score.desirability, floor)) for score in sample.dimensions)
    total = math.fsum(weights[score.dimension] for score in sample.dimensions)
    return min(MICRO, round(math.exp(math.fsum(logs) / total) * MICRO))
