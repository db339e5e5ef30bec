"""The canary: a few labelled clips of every class that a model must hear well enough before it may be used.

They lie at `<models>/canaries/<sha256 of the manifest>/manifest.jsonl`, so a protocol that pins the sha256 pins them.
A model whose head was never trained gives every class about the same probability, or every clip the same answer; both
show here, before a single submission is read.
"""

import math
from collections import Counter
from pathlib import Path

import numpy as np

from evaluation import audio, weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.models import is_safe_name
from evaluation.pins import ModelPin
from evaluation.probes.acoustic import to_16k
from evaluation.probes.classifiers.base import BrokenInstrument, Probe, Samples
from evaluation.probes.labelled import LabelledClip, read_manifest
from evaluation.records import ClassScores, Estimate, ProbeReading, Unread
from evaluation.traits import Kind, Trait

FOLDER = "canaries"
MANIFEST = "manifest.jsonl"
CLIPS_PER_CLASS = 2
"""Fewest clips of each class, and of a numeric trait's lower and upper half."""
LEAST_LIFT = 1.5
"""The mean probability of the best class must reach so many times chance."""
LEAST_SPREAD_OF_RANGE = 0.02
"""A regressor's answers must differ by so much of the range of values that can be requested."""


def clips_of(trait: Trait, pin: ModelPin, models: Path) -> tuple[LabelledClip, ...]:
    """Return the canary clips of a model, every file checked, none decoded.

    Raises:
        MissingDependency: they are not there; says where they belong.
        ProtocolError: the pin names no canary, or they are too few, have other labels, or differ from their sha256.
        ManifestError: the manifest is malformed.
    """
    if not is_safe_name(pin.canary_sha256) or len(pin.canary_sha256) != 64:
        raise ProtocolError(f"{pin.repo}: canary_sha256 must be 64 hex digits, got {pin.canary_sha256!r:.80}")
    path = models / FOLDER / pin.canary_sha256 / MANIFEST
    if not path.is_file():
        raise MissingDependency(f"The canary of {pin.repo}", f"copying its clips and {MANIFEST} into {path.parent}")
    problems = []
    if weights.file_sha256(path) != pin.canary_sha256:
        problems.append(f"{MANIFEST} has another sha256 than its folder's name")
    clips = read_manifest(path)
    for clip in clips:
        if clip.sha256 is None:
            problems.append(f"{clip.path.name} must have its sha256 in the manifest")
        elif weights.file_sha256(clip.path) != clip.sha256:
            problems.append(f"{clip.path.name} has another sha256 than the manifest says")
    problems += _unfit_labels(trait, clips)
    if problems:
        raise ProtocolError(f"the canary of {pin.repo}: " + "; ".join(problems))
    return clips


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


def _unfit_labels(trait: Trait, clips: tuple[LabelledClip, ...]) -> list[str]:
    if trait.kind is Kind.NUMERIC:
        numbers = [_number(clip.label) for clip in clips]
        if any(number is None for number in numbers):
            return [f"labels must be numbers of {trait.unit or 'the trait'}"]
        middle = _middle(trait)
        upper = sum(number is not None and number > middle for number in numbers)
        if min(upper, len(numbers) - upper) < CLIPS_PER_CLASS:
            return [f"it needs {CLIPS_PER_CLASS} clips below and {CLIPS_PER_CLASS} above {middle:g}"]
        return []
    counts = Counter(clip.label for clip in clips)
    problems = [f"the label {label!r:.60} is no value of {trait.name}" for label in counts if label not in trait.values]
    few = [value for value in trait.values if counts[value] < CLIPS_PER_CLASS]
    if few:
        problems.append(f"it needs {CLIPS_PER_CLASS} clips of each class; too few of {', '.join(few)}")
    return problems


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


def _middle(trait: Trait) -> float:
    requestable = [float(value) for value in trait.values]
    return (min(requestable) + max(requestable)) / 2


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _heard(path: Path) -> Samples:
    samples, rate_hz = audio.read(path)
    return to_16k(samples, rate_hz)
