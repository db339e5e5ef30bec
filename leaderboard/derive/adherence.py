"""How well systems follow instructions apart from how natural they sound, and which of them no other tops. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.bootstrap import MICRO
from evaluation.traits import NATURALNESS
from leaderboard.derive.rates import mean_of
from leaderboard.derive.records import ScoreTable, Slice

Averaging = Literal["geometric", "arithmetic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One system by what it follows and how it sounds."""

    submission: str
    """The system."""
    adherence: float
    """Mean over items of the mean of the instructed traits' desirabilities, 0..1, rounded to 6 decimals; 0 for a
    refused item; no naturalness, no gate."""
    naturalness: float | None
    """Mean desirability of naturalness over its clips, 0..1; None without a clip, or if it is not scored."""
    is_on_frontier: bool
    """No other system is at least as good in both and better in one; false without naturalness."""


def standings(
    table: ScoreTable, *, averaging: Averaging = "geometric", part: Slice | None = None
) -> tuple[Standing, ...]:
    """Return adherence and naturalness of every system, in the order of the board.

    Args:
        table: the board.
        averaging: how the traits of one item are averaged: "geometric" as in the composite, each floored as there;
            "arithmetic".
        part: tier and split of the items; None for all.

    Returns:
        Nothing if there are no items, or the protocol scores no trait.
    """
    chosen = table.chosen(part or Slice())
    names = [name for name in table.protocol.dimensions if name != NATURALNESS]
    if not names or not chosen.any():
        return ()
    shares = np.stack([table.desirabilities[name][:, chosen] for name in names]).astype(np.float64) / MICRO
    if averaging == "geometric":
        floor = table.protocol.constants.desirability_floor
        items = np.exp(np.log(np.maximum(shares, floor)).mean(axis=0))
    else:
        items = shares.mean(axis=0)
    followed = np.where(table.declined[:, chosen], 0.0, items).mean(axis=1)
    sounds: list[float | None] = [None] * len(table.submissions)
    if NATURALNESS in table.desirabilities:
        means = mean_of(table.desirabilities[NATURALNESS][:, chosen])
        sounds = [int(mean) / MICRO if mean >= 0 else None for mean in means]
    found = [(round(float(one), 6), other) for one, other in zip(followed, sounds, strict=True)]
    places = [place for place, (_, other) in enumerate(found) if other is not None]
    best = frontier([(found[place][0], found[place][1] or 0.0) for place in places])
    on = {places[place] for place in best}
    return tuple(
        Standing(submission=name, adherence=one, naturalness=other, is_on_frontier=place in on)
        for place, (name, (one, other)) in enumerate(zip(table.submissions, found, strict=True))
    )


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the places of the points that no other point tops, by ascending first number, then by place.

    A point tops another one if it is at least as high in both numbers and higher in one; equal points stand together.
    """
    order = sorted(range(len(points)), key=lambda place: (-points[place][0], -points[place][1], place))
    found: list[int] = []
    highest, last = float("-inf"), None
    for place in order:
        if points[place][1] > highest or points[place] == last:
            found.append(place)
            highest, last = points[place][1], points[place]
    return tuple(sorted(found, key=lambda place: (points[place][0], place)))
