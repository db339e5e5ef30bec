"""The constants of every published board. Others may be tried at home (`evaluation.analysis`), never published."""

from collections.abc import Iterator
from dataclasses import fields

from evaluation.errors import ProtocolError
from evaluation.protocol import Constants, Protocol

FROZEN = Constants(
    desirability_floor=0.01,
    adjacent_credit=0.5,
    wer_limit=0.15,
    pace_slow_below=2.2,
    pace_fast_from=3.2,
    pitch_dead_zone_semitones=2.0,
    loudness_dead_zone_db=4.0,
    n_resamples=2000,
    seed=3151662,
    alpha=0.05,
    margin_floor=0.015,
    margin_slope=0.1,
)
"""What turns readings into ranks, on every board."""


def deviations(constants: Constants) -> Iterator[tuple[str, float, float]]:
    """Yield name, value and frozen value of every constant that is not the frozen one, in the order of the fields."""
    for field in fields(Constants):
        value, frozen = getattr(constants, field.name), getattr(FROZEN, field.name)
        if value != frozen:
            yield field.name, value, frozen


def refuse_analysis(protocol: Protocol) -> None:
    """Return if a board of `protocol` may be published.

    Raises:
        ProtocolError: if it has other constants than the frozen ones; names each of them.
    """
    others = [f"{name} is {value!r}, frozen is {frozen!r}" for name, value, frozen in deviations(protocol.constants)]
    if others:
        raise ProtocolError(
            f"protocol {protocol.name} {protocol.id} cannot be published: {'; '.join(others)}. Other weights, margins "
            "and thresholds are for analysis on your own machine (evaluation.analysis); a board has the frozen ones."
        )
