"""What a clip's readings say of each dimension, before anybody asks whether that was wanted. Pure.

A dimension that the protocol's judge judges is the judge's alone. Others are found by the kind of their trait, so a
new trait of a classifier, a regressor or a judge needs nothing here; only what the shared acoustic pass measures has
a function of its own and a line in the table below.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.gate.normalisers import Normaliser
from evaluation.judge.injection import addresses_judge
from evaluation.probes import loudness, pace, pitch
from evaluation.protocol import Protocol
from evaluation.records import ClassScores, ClipReadings, Estimate, Item, Transcript, Unread
from evaluation.traits import NATURALNESS

DECIMALS = 6
"""Decimals of every published quantity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one probe says of one clip."""

    bucket: str
    """Measured bucket or class; empty for a number that has none."""
    quantity: float
    """The number behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a probe may look at."""

    item: Item
    """The item."""
    readings: ClipReadings
    """Readings of its clip."""
    protocol: Protocol
    """Thresholds, and which dimensions a judge judges."""
    normaliser: Normaliser
    """The protocol's spoken forms."""
    reference_dbfs: float | None
    """The submission's own normal level."""


Finding = Measured | Unread | None
"""None: the protocol's instrument left nothing, which is our side's hole."""


def finding_of(dimension: str, scene: Scene) -> Finding:
    """Return what the readings say of one dimension; None if no instrument here can say anything of it."""
    if dimension in scene.protocol.judged:
        return _judged(dimension, scene)
    measure = _MEASURES.get(dimension)
    return measure(scene) if measure else _probed(dimension, scene)


def _judged(dimension: str, scene: Scene) -> Finding:
    """Return the judge's score; a clip that speaks to the judge has none, whatever the judge said."""
    heard = scene.readings.transcript
    if isinstance(heard, Transcript):
        words = addresses_judge(scene.item.script, [one.text for one in heard.hearings()])
        if words is not None:
            return Unread(reason="addresses_judge", fault="clip", detail=f'The clip speaks to a judge: "{words}".')
    verdict = scene.readings.verdicts.get(dimension)
    if verdict is None or isinstance(verdict, Unread):
        return verdict
    return Measured(bucket="", quantity=verdict.score)


def _probed(trait: str, scene: Scene) -> Finding:
    match scene.readings.probes.get(trait):
        case ClassScores() as scores:
            return Measured(bucket=scores.best(), quantity=max(scores.probabilities))
        case Estimate(value=value):
            # No comparison holds of a NaN, so it would pass for a perfect hit.
            if not math.isfinite(value):
                return Unread(reason="not_finite", fault="instrument", detail=f"The probe of {trait} gave {value}.")
            return Measured(bucket="", quantity=value)
        case other:
            return other


# Every measure rounds its quantity before it picks the bucket: the published number gives the same bucket.


def _pace(scene: Scene) -> Finding:
    acoustics = scene.readings.acoustics
    if acoustics is None or isinstance(acoustics, Unread):
        return acoustics
    rate = round(pace.words_per_second(scene.normaliser.n_spoken_words(scene.item.script), acoustics), DECIMALS)
    limits = scene.protocol.constants
    bucket = pace.bucket(rate, slow_below=limits.pace_slow_below, fast_from=limits.pace_fast_from)
    return Measured(bucket=bucket, quantity=rate)


def _pitch(scene: Scene) -> Finding:
    acoustics = scene.readings.acoustics
    if acoustics is None or isinstance(acoustics, Unread):
        return acoustics
    if acoustics.f0_hz is None:
        return Unread(reason="unvoiced", fault="clip", detail="No frame of the clip is voiced.")
    requested = scene.item.requested
    distance = round(pitch.semitones(acoustics.f0_hz, requested["gender"], float(requested["age"])), DECIMALS)
    bucket = pitch.bucket(distance, dead_zone=scene.protocol.constants.pitch_dead_zone_semitones)
    return Measured(bucket=bucket, quantity=distance)


def _loudness(scene: Scene) -> Finding:
    acoustics = scene.readings.acoustics
    if acoustics is None or isinstance(acoustics, Unread):
        return acoustics
    if scene.reference_dbfs is None:
        # Otherwise a system that declines or breaks every normal item could not be told from a shouting one.
        return Unread(
            reason="no_reference",
            fault="clip",
            detail="No clip of this submission that should be of normal loudness could be read.",
        )
    difference = round(acoustics.level_dbfs - scene.reference_dbfs, DECIMALS)
    bucket = loudness.bucket(difference, dead_zone=scene.protocol.constants.loudness_dead_zone_db)
    return Measured(bucket=bucket, quantity=difference)


def _naturalness(scene: Scene) -> Finding:
    predicted = scene.readings.naturalness
    if predicted is None or isinstance(predicted, Unread):
        return predicted
    return Measured(bucket="", quantity=predicted.mos)


_MEASURES: Mapping[str, Callable[[Scene], Finding]] = {
    "pace": _pace,
    "pitch": _pitch,
    "loudness": _loudness,
    NATURALNESS: _naturalness,
}
"""How each dimension without a probe of its own is read off a clip's readings."""
