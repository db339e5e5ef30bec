"""The flawless ceiling: the S that a system without a fault would get from a protocol whose instruments err. Pure.

For each item, the expected composite is the product over the dimensions of E[max(d, floor)^(1/k)], with k dimensions
and d as the instrument's card says of clips that are what they should be. This takes the instruments' errors on one
clip as independent of each other. What has no card counts as without error and is named, so that the ceiling is never
below the truth for want of a card. The score of the board stays as it is: the ceiling is read beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.bootstrap import Interval
from evaluation.card_rows import drawn_roots, row_of
from evaluation.cards import InstrumentCard
from evaluation.ceiling_gate import GateErrors
from evaluation.protocol import Protocol
from evaluation.records import Item
from evaluation.traits import trait

TAILS = (0.025, 0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What a flawless system would score."""

    score: float
    """Expected S, 0..1, rounded to 6 decimals."""
    interval: Interval
    """Two-sided 95 % interval that the cards' counts leave open; always holds the score."""
    n_items: int
    """Items that it is the mean of."""
    factors: Mapping[str, float]
    """Mean over the items of what each dimension alone would leave of S, by dimension with a card, 0..1."""
    gate_factor: float | None
    """Mean share of right readings that the gate lets pass, 0..1; None if nothing is known, which counts as 1."""
    perfect: tuple[str, ...]
    """Dimensions counted as without error, because no card of this protocol's instrument exists."""
    perfect_values: tuple[str, ...]
    """Requested values counted so, because the card has no clip of them: "accent: Canadian"."""


def ceiling(
    protocol: Protocol,
    items: Sequence[Item],
    cards: Mapping[str, InstrumentCard],
    *,
    gate: GateErrors | None = None,
) -> Ceiling:
    """Return the flawless ceiling of a protocol over some items.

    Args:
        protocol: dimensions and constants.
        items: the corpus, or a part of it; at least one.
        cards: by trait, as `cards.matching` gives them.
        gate: how often the gate refuses a right reading; None counts as never.

    Raises:
        ValueError: without an item, or for a card of a trait that the protocol does not score.
    """
    strangers = sorted({*cards} - {*protocol.dimensions})
    if strangers or not items:
        raise ValueError(f"a ceiling needs items and cards of the protocol's dimensions only; strange are {strangers}")
    rng = np.random.default_rng(protocol.constants.seed)
    degree, floor = len(protocol.dimensions), protocol.constants.desirability_floor
    perfect = np.ones(protocol.constants.n_resamples)
    point = np.ones(len(items))
    draws = np.ones((protocol.constants.n_resamples, len(items)))
    factors: dict[str, float] = {}
    gaps: list[str] = []
    for name in protocol.dimensions:
        if name not in cards:
            continue
        asked = [item.requested[name] for item in items]
        values = dict.fromkeys((*trait(name).values, *sorted(asked)))  # a number may lie between the registry's
        rows = {value: row_of(cards[name], value, protocol.constants) for value in values}
        gaps += [f"{name}: {value}" for value in rows if value in asked and rows[value] is None]
        known = {value: row for value, row in rows.items() if row is not None}
        drawn = drawn_roots(cards[name], known, rng, protocol.constants, degree)
        own = np.array([known[value].mean_root(degree, floor) if value in known else 1.0 for value in asked])
        factors[name] = round(float(own.mean()), 6)
        point *= own
        draws *= np.stack([drawn.get(value, perfect) for value in asked], axis=1)
    gate_factor = None
    if gate is not None:
        tiers = [item.tier for item in items]
        passed = gate.pass_rates(tiers)
        point *= passed
        gate_factor = round(float(passed.mean()), 6)
        draws *= gate.drawn_pass_rates(tiers, rng, protocol.constants.n_resamples)
    score = round(float(point.mean()), 6)
    low, high = (round(float(end), 6) for end in np.quantile(draws.mean(axis=1), TAILS))
    return Ceiling(
        score=score,
        interval=Interval(low=max(0.0, min(low, score)), high=min(1.0, max(high, score))),
        n_items=len(items),
        factors=factors,
        gate_factor=gate_factor,
        perfect=tuple(name for name in protocol.dimensions if name not in cards),
        perfect_values=tuple(gaps),
    )
