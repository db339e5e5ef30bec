"""From a model's own labels to the values that can be requested. Labels are matched exactly, sign for sign."""

import ast
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument
from evaluation.probes.classifiers.options import Options, options_of, pin_of
from evaluation.protocol import Instrument
from evaluation.records import ClassScores
from evaluation.traits import Kind, Trait

AGE_GENDER_LABELS = ("female", "male", "child")
"""What the gender head of the two-headed model says, in its order."""

_CONFIG = "config.json"
_MICRO = 1_000_000
_MAX_LABELS = 10_000
_ENTRY_SIGN = " => "


def label_files(instrument: Instrument) -> tuple[str, ...]:
    """Return the names of the files that say what a model's outputs mean; they need not be pinned, nor be there.

    Raises:
        ProtocolError: its settings or its pin are not those of its kind.
    """
    pin, options = pin_of(instrument), options_of(instrument)
    match pin.kind:
        case "age_gender":
            return ()
        case "transformers_classifier":
            return (_CONFIG,)
        case "speechbrain_classifier":
            return (options.label_file,)
        case "embedding_head":
            return (head_file(pin),)


def check_label_map(trait: Trait, instrument: Instrument, folder: Path) -> tuple[str, ...]:
    """Return a model's own labels if it can give every value of `trait`; nothing is loaded.

    Args:
        trait: what it is to read.
        instrument: names the model.
        folder: where at least its label files lie.

    Raises:
        ProtocolError: its settings or its pin are not those of its kind, or no model reads such a trait.
        BrokenInstrument: its files do not say what its outputs mean, or that does not fit the label map.
    """
    pin = pin_of(instrument)
    labels = labels_of(pin, options_of(instrument), folder, trait)
    check_labels(trait, pin, labels)
    return labels


def labels_of(pin: ModelPin, options: Options, folder: Path, trait: Trait) -> tuple[str, ...]:
    """Return a model's own labels in the order of its outputs, read from its files without loading it.

    Returns:
        Its labels; empty for a regressor (whatever a numeric trait's model calls its single output).

    Raises:
        BrokenInstrument: its files do not say what its outputs mean.
    """
    if trait.kind is Kind.NUMERIC:
        return ()
    try:
        match pin.kind:
            case "age_gender":
                return AGE_GENDER_LABELS
            case "transformers_classifier":
                return _of_config(json.loads(_pinned(pin, folder, _CONFIG)))
            case "speechbrain_classifier":
                return _of_encoder(_pinned(pin, folder, options.label_file))
            case "embedding_head":
                return _of_list(json.loads(_pinned(pin, folder, head_file(pin)))["labels"])
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError) as error:
        raise _broken(pin, [f"its labels cannot be read ({type(error).__name__}: {error!s:.120})"]) from error


def head_file(pin: ModelPin) -> str:
    """Return the name of an embedding head's only file.

    Raises:
        ProtocolError: it pins another number of files.
    """
    if len(pin.files) != 1:
        raise ProtocolError(f"{pin.repo}: an embedding head is one JSON file, got {len(pin.files)} files")
    return next(iter(pin.files))


def check_labels(trait: Trait, pin: ModelPin, labels: tuple[str, ...]) -> None:
    """Return if a model with `labels` can give every value of `trait` through the pin's label map.

    Raises:
        ProtocolError: no model reads a trait of this kind.
        BrokenInstrument: with everything that does not fit.
    """
    if trait.kind not in (Kind.CATEGORICAL, Kind.NUMERIC):
        raise ProtocolError(f"no model of classes or numbers reads {trait.name}, which is {trait.kind}")
    if trait.kind is Kind.NUMERIC:
        if pin.labels:
            raise _broken(pin, [f"{trait.name} is a number, so its label map must be empty"])
        return
    faults = [f"it has no label {label!r:.60}" for label in pin.labels if label not in labels]
    faults += [
        f"{label!r:.60} stands for {value!r:.60}, which no item can request"
        for label, value in pin.labels.items()
        if value not in trait.values
    ]
    reached = {pin.labels[label] for label in labels if label in pin.labels}
    faults += [f"no label of it stands for {value!r}" for value in trait.values if value not in reached]
    if len(set(labels)) != len(labels):
        faults.append("two of its outputs have the same label")
    if faults:
        raise _broken(pin, [*faults, f"its labels are {', '.join(map(repr, labels[:40]))}"])


def scores_of(
    trait: Trait, pin: ModelPin, labels: tuple[str, ...], logits: NDArray[np.float64], decimals: int
) -> ClassScores:
    """Return how probable each requestable value is, given that it is one of them.

    The softmax runs over the mapped labels only; labels that stand for the same value are added up. Probabilities are
    rounded so that they sum to exactly 1: the largest remainders are rounded up.

    Args:
        trait: a categorical trait.
        pin: the model; its label map has passed `check_labels`.
        labels: the model's labels, in the order of `logits`.
        logits: shape (k,), finite.
        decimals: of the probabilities, 1..6.
    """
    mapped = [i for i, label in enumerate(labels) if label in pin.labels]
    powers = np.exp(logits[mapped] - logits[mapped].max())
    sums = dict.fromkeys(trait.values, 0.0)
    for index, power in zip(mapped, powers / powers.sum(), strict=True):
        sums[pin.labels[labels[index]]] += float(power)
    return ClassScores(labels=trait.values, probabilities=_rounded(list(sums.values()), decimals))


def _rounded(shares: list[float], decimals: int) -> tuple[float, ...]:
    steps = 10**decimals
    exact = [share * steps for share in shares]
    floors = [int(value) for value in exact]
    spare = steps - sum(floors)
    # Remainders are compared to the millionth of a step: equal shares go by the registry's order on every machine.
    by_remainder = sorted(range(len(exact)), key=lambda i: (-round((exact[i] - floors[i]) * _MICRO), i))
    for index in by_remainder[:spare]:
        floors[index] += 1
    return tuple(value / steps for value in floors)


def _of_config(config: object) -> tuple[str, ...]:
    if not isinstance(config, dict) or not isinstance(config.get("id2label"), dict):
        raise ValueError("config.json has no id2label")
    by_id = config["id2label"]
    if sorted(by_id) != sorted(str(i) for i in range(len(by_id))):
        raise ValueError("id2label must number its labels from 0")
    return _of_list([by_id[str(i)] for i in range(len(by_id))])


def _of_encoder(data: str) -> tuple[str, ...]:
    """Read the text format of SpeechBrain's categorical encoder: a literal, the sign, its index; then the extras."""
    by_index: dict[int, str] = {}
    for line in data.splitlines():
        if line.startswith("====="):
            break
        if not line.strip():
            continue
        label, sign, index = line.rpartition(_ENTRY_SIGN)
        if not sign:
            raise ValueError("an entry without its sign")
        by_index[int(index)] = ast.literal_eval(label)
    if sorted(by_index) != list(range(len(by_index))):
        raise ValueError("the encoder must number its labels from 0")
    return _of_list([by_index[i] for i in range(len(by_index))])


def _of_list(labels: object) -> tuple[str, ...]:
    if not isinstance(labels, list) or not 0 < len(labels) <= _MAX_LABELS:
        raise ValueError("there must be a list of labels")
    if not all(isinstance(label, str) for label in labels):
        raise ValueError("labels must be text")
    return tuple(labels)


def _pinned(pin: ModelPin, folder: Path, name: str) -> str:
    if name not in pin.files:
        raise ValueError(f"the file {name} must be pinned")
    return (folder / name).read_text("utf-8")


def _broken(pin: ModelPin, faults: list[str]) -> BrokenInstrument:
    return BrokenInstrument(
        f"the model {pin.repo}", faults, "Mend the label map of the protocol, or name another model."
    )
