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
from evaluation.card_rows import FloatArray, drawn_roots, row_of
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one dimension, or the gate, leaves of every item's composite."""

    point: FloatArray
    """Expected factor, shape (n_items,)."""
    draws: FloatArray
    """The same in every draw, shape (n_resamples, n_items)."""
    gaps: tuple[str, ...]
    """Requested values counted as without error."""


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
    parts = {name: _dimension(cards[name], items, protocol, rng) for name in protocol.dimensions if name in cards}
    passed = None if gate is None else _gate(gate, items, protocol, rng)
    everything = [*parts.values(), *([] if passed is None else [passed])]
    point, draws = np.ones(len(items)), np.ones((protocol.constants.n_resamples, len(items)))
    for part in everything:
        point *= part.point
        draws *= part.draws
    score = round(float(point.mean()), 6)
    low, high = (round(float(end), 6) for end in np.quantile(draws.mean(axis=1), TAILS))
    return Ceiling(
        score=score,
        interval=Interval(low=max(0.0, min(low, score)), high=min(1.0, max(high, score))),
        n_items=len(items),
        factors={name: round(float(part.point.mean()), 6) for name, part in parts.items()},
        gate_factor=None if passed is None else round(float(passed.point.mean()), 6),
        perfect=tuple(name for name in protocol.dimensions if name not in cards),
        perfect_values=tuple(f"{name}: {value}" for name, part in parts.items() for value in part.gaps),
    )


def _dimension(card: InstrumentCard, items: Sequence[Item], protocol: Protocol, rng: np.random.Generator) -> _Part:
    constants, degree = protocol.constants, len(protocol.dimensions)
    asked = [item.requested[card.trait] for item in items]
    values = dict.fromkeys((*trait(card.trait).values, *sorted(asked)))  # a number may lie between the registry's
    found = ((value, row_of(card, value, constants)) for value in values)
    rows = {value: row for value, row in found if row is not None}
    means = {value: row.mean_root(degree, constants.desirability_floor) for value, row in rows.items()}
    drawn = drawn_roots(card, rows, rng, constants, degree)
    perfect = np.ones(constants.n_resamples)
    return _Part(
        point=np.array([means.get(value, 1.0) for value in asked]),
        draws=np.stack([drawn.get(value, perfect) for value in asked], axis=1),
        gaps=tuple(value for value in values if value in asked and value not in rows),
    )


def _gate(gate: GateErrors, items: Sequence[Item], protocol: Protocol, rng: np.random.Generator) -> _Part:
    tiers = [item.tier for item in items]
    return _Part(
        point=gate.pass_rates(tiers),
        draws=gate.drawn_pass_rates(tiers, rng, protocol.constants.n_resamples),
        gaps=(),
    )
