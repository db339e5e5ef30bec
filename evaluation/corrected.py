"""The probe-corrected hit rate: how often a system truly did what was asked, given how its probe errs. Pure.

A probe says "hit" of a true hit with its recall a, and of a miss with its false-accept rate e. Of an observed hit rate
h = a p + e (1 - p) the true one is p = (h - e) / (a - e). The score of the board stays uncorrected.

The recall is the card's for the requested value; the false-accept rate is the mean over all other labels of how often
the card's clips of that label are measured as the requested value: what a miss truly was is not known, so each other
value weighs the same. The overall rate is the mean of the values' rates, weighted by how often each was requested.

The interval carries the chance in all three: h and every row of the confusion are drawn as `card_rows.drawn_shares`
says, a and e of one draw from the same rows. Percentiles 2.5 and 97.5 of p over the draws; of the overall rate
bias-corrected ones, since a quotient is skewed and the mean of several leans to one side. Seeded.

Source of the formula: W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test",
American Journal of Epidemiology 107 (1978). Of the bias-corrected percentiles: B. Efron, "Nonparametric standard errors
and confidence intervals", Canadian Journal of Statistics 9 (1981).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from evaluation.bootstrap import Interval
from evaluation.card_rows import FloatArray, drawn_shares
from evaluation.cards import InstrumentCard
from evaluation.cards_count import rate_of
from evaluation.protocol import Constants
from evaluation.summary import Rate
from evaluation.traits import Kind, trait

Number = TypeVar("Number", float, FloatArray)

LEAST_CLIPS = 10
"""Clips that a card needs of a value, and of all others together, before a rate is corrected by it."""
TAILS = (0.025, 0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate:
    """A hit rate, as observed and as corrected."""

    observed: Rate
    """Clips measured as requested, of those that requested it; for ordinal traits the exact bucket."""
    recall: float | None
    """The card's a, 0..1, rounded to 6 decimals; None if it has no such clips."""
    false_accept: float | None
    """The card's e, 0..1, rounded to 6 decimals; None if it has no such clips."""
    rate: float | None
    """Corrected rate p, 0..1, rounded to 6 decimals; None with a reason."""
    interval: Interval | None
    """Two-sided 95 % interval of it; always holds the rate."""
    is_clipped: bool
    """The formula gave a value outside 0..1, which was held at the end."""
    reason: str | None
    """Why there is no corrected rate; else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """One trait of one system, corrected."""

    overall: CorrectedRate
    """All requested values together."""
    values: Mapping[str, CorrectedRate]
    """By requested value, in the registry's order; those that were requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """Observed rate, recall and false-accept rate of one value."""

    n_asked: int
    point: tuple[float, float, float]
    drawn: tuple[FloatArray, FloatArray, FloatArray]


def corrected(card: InstrumentCard, observed: Mapping[str, Mapping[str, int]], constants: Constants) -> Corrected:
    """Return the corrected hit rates of one system in one trait.

    Args:
        card: of the instrument that measured the system.
        observed: the system's clips by requested value and then by measured value or "unread", as in its summary.
        constants: number of draws and seed.

    Raises:
        ValueError: for a numeric or judged trait, which has no hit rate.
    """
    measured = trait(card.trait)
    if measured.kind not in (Kind.CATEGORICAL, Kind.ORDINAL):
        raise ValueError(f"{card.trait} is {measured.kind}: only classes and buckets have a hit rate to correct")
    rng = np.random.default_rng(constants.seed)
    rows = {label: _drawn_row(row, rng, constants.n_resamples) for label, row in card.confusion.items()}
    asked = {value: sum(observed.get(value, {}).values()) for value in measured.values}
    values: dict[str, CorrectedRate] = {}
    parts: dict[str, _Parts] = {}
    for value, n_asked in asked.items():
        n_hits = observed.get(value, {}).get(value, 0)
        if not n_asked:
            continue
        seen = np.clip(drawn_shares((n_hits, n_asked - n_hits), rng, constants.n_resamples)[:, 0], 0.0, 1.0)
        reason = _too_few(card, value)
        if reason is None:
            recall, false_accept = _recall(card, value), _false_accept(card, value)
            others = [rows[label][value] for label in _others(card, value)]
            drawn = (seen, rows[value][value], np.mean(others, axis=0))
            parts[value] = _Parts(n_asked=n_asked, point=(n_hits / n_asked, recall, false_accept), drawn=drawn)
        values[value] = _estimate(rate_of(n_hits, n_asked), [parts[value]] if reason is None else [], reason)
    return Corrected(overall=_overall(asked, observed, values, parts), values=values)


def _overall(
    asked: Mapping[str, int],
    observed: Mapping[str, Mapping[str, int]],
    values: Mapping[str, CorrectedRate],
    parts: Mapping[str, _Parts],
) -> CorrectedRate:
    hits = sum(observed[value].get(value, 0) for value in values)
    missing = [value for value, found in values.items() if found.rate is None]
    reason = f"no corrected rate of: {', '.join(missing)}" if missing else None
    return _estimate(rate_of(hits, sum(asked.values())), list(parts.values()), reason)


def _estimate(seen: Rate, parts: list[_Parts], reason: str | None) -> CorrectedRate:
    """Return the corrected rate of some values together, weighted by how often each was asked for."""
    if reason is None and not parts:
        reason = "no clip was asked for it"
    weights = [part.n_asked for part in parts]
    recall, false_accept = (
        round(float(np.average([part.point[which] for part in parts], weights=weights)), 6) if parts else None
        for which in (1, 2)
    )
    if reason is None and any(part.point[1] <= part.point[2] for part in parts):
        reason = "the probe says it of misses as often as of hits, so nothing can be told from it"
    # A draw in which misses are accepted as often as hits says nothing of p: either end is as likely.
    blind = [part.drawn[1] <= part.drawn[2] for part in parts]
    is_blind = np.any(blind, axis=0) if blind else np.zeros(1, dtype=np.bool_)
    if reason is None and is_blind.mean() > TAILS[0]:
        reason = "the card has too few clips to tell hits from misses"
    if reason is not None:
        return _without(seen, recall, false_accept, reason)
    raw = float(np.average([_true_rate(*part.point) for part in parts], weights=weights))
    drawn = np.average([_true_rate(*part.drawn) for part in parts], axis=0, weights=weights)[np.logical_not(is_blind)]
    low, high = np.clip(np.quantile(drawn, _levels(drawn, raw) if len(parts) > 1 else TAILS), 0.0, 1.0)
    rate = min(1.0, max(0.0, raw))
    return CorrectedRate(
        observed=seen,
        recall=recall,
        false_accept=false_accept,
        rate=round(rate, 6),
        interval=Interval(low=round(float(min(low, rate)), 6), high=round(float(max(high, rate)), 6)),
        is_clipped=rate != raw,
        reason=None,
    )


def _levels(drawn: FloatArray, raw: float) -> tuple[float, float]:
    """Return the quantiles that make the interval: moved by as much as the draws' median misses the estimate."""
    normal = NormalDist()
    below = min(max(float(np.mean(drawn < raw)), 1 / drawn.size), 1 - 1 / drawn.size)
    shift = 2 * normal.inv_cdf(below)
    low, high = (normal.cdf(shift + normal.inv_cdf(tail)) for tail in TAILS)
    return low, high


def _without(seen: Rate, recall: float | None, false_accept: float | None, reason: str) -> CorrectedRate:
    return CorrectedRate(
        observed=seen,
        recall=recall,
        false_accept=false_accept,
        rate=None,
        interval=None,
        is_clipped=False,
        reason=reason,
    )


def _true_rate(observed: Number, recall: Number, false_accept: Number) -> Number:
    return (observed - false_accept) / (recall - false_accept)


def _drawn_row(row: Mapping[str, int], rng: np.random.Generator, n_draws: int) -> dict[str, FloatArray]:
    if not any(row.values()):
        return {}
    shares = np.clip(drawn_shares(tuple(row.values()), rng, n_draws), 0.0, 1.0)
    return dict(zip(row, shares.T, strict=True))


def _too_few(card: InstrumentCard, value: str) -> str | None:
    own = sum(card.confusion[value].values())
    others = card.n_clips - own
    if min(own, others) >= LEAST_CLIPS:
        return None
    return f"the card has {own} clips of {value} and {others} others; at least {LEAST_CLIPS} of each are needed"


def _others(card: InstrumentCard, value: str) -> list[str]:
    return [label for label, row in card.confusion.items() if label != value and any(row.values())]


def _recall(card: InstrumentCard, value: str) -> float:
    row = card.confusion[value]
    return row[value] / sum(row.values())


def _false_accept(card: InstrumentCard, value: str) -> float:
    rows = [card.confusion[label] for label in _others(card, value)]
    return sum(row[value] / sum(row.values()) for row in rows) / len(rows)
