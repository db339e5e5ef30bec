"""The canary: a few labelled clips of every class that a model must hear well enough before it may be used.

A model whose head was never trained gives every class about the same probability, or every clip the same answer; both
show here, before a single submission is read.
"""

from pathlib import Path

import numpy as np

from evaluation import audio
from evaluation.pins import ModelPin
from evaluation.probes.acoustic import to_16k
from evaluation.probes.classifiers.base import BrokenInstrument, Probe, Samples
from evaluation.probes.labelled import LabelledClip
from evaluation.records import ClassScores, Estimate, ProbeReading, Unread
from evaluation.traits import Kind, Trait

LEAST_LIFT = 1.5
"""The mean probability of the best class must reach so many times chance."""
LEAST_SPREAD_OF_RANGE = 0.02
"""A regressor's answers must differ by so much of the range of values that can be requested."""


def refuse_if_broken(trait: Trait, pin: ModelPin, probe: Probe, clips: tuple[LabelledClip, ...]) -> None:
    """Return if a probe hears its canary: no constant answer, and well above chance.

    Raises:
        BrokenInstrument: it does not; with the figures.
        DecodeError: a canary clip is no audio.
    """
    readings = probe.read_many([_heard(clip.path) for clip in clips])
    unread = [
        f"{clip.path.name} is unread ({reading.reason})"
        for clip, reading in zip(clips, readings, strict=True)
        if isinstance(reading, Unread)
    ]
    faults = unread or (_faults_of_numbers(trait, readings) if trait.kind is Kind.NUMERIC else _faults(trait, readings))
    if faults:
        raise BrokenInstrument(
            f"the model {pin.repo}, which reads {trait.name},",
            [f"on {len(clips)} canary clips {fault}" for fault in faults],
            "Its weights were not loaded into the layers that they were trained in, or it hears something else: "
            "check kind, files and settings of its pin, or name another model.",
        )


def _faults(trait: Trait, readings: tuple[ProbeReading, ...]) -> list[str]:
    scores = [reading for reading in readings if isinstance(reading, ClassScores)]
    faults = []
    best = {score.best() for score in scores}
    if len(best) == 1:
        faults.append(f'its answer is always "{best.pop()}"')
    chance = 1 / len(trait.values)
    mean = float(np.mean([max(score.probabilities) for score in scores]))
    if mean < LEAST_LIFT * chance:
        faults.append(
            f"its best class has a probability of {mean:.4f} on average, "
            f"where {LEAST_LIFT * chance:.4f} is the least and {chance:.4f} is chance"
        )
    return faults


def _faults_of_numbers(trait: Trait, readings: tuple[ProbeReading, ...]) -> list[str]:
    values = [reading.value for reading in readings if isinstance(reading, Estimate)]
    requestable = [float(value) for value in trait.values]
    least = LEAST_SPREAD_OF_RANGE * (max(requestable) - min(requestable))
    spread = max(values) - min(values)
    if spread < least:
        return [
            f"its answers lie between {min(values):.4g} and {max(values):.4g} {trait.unit}, a constant for all it "
            f"tells: they must differ by at least {least:.4g}"
        ]
    return []


def _heard(path: Path) -> Samples:
    samples, rate_hz = audio.read(path)
    return to_16k(samples, rate_hz)
