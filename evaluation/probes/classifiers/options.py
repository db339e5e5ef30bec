"""The settings of a model's instrument, beside its pin: read once, every unknown or malformed one refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

from evaluation.errors import ProtocolError
from evaluation.models import is_safe_name
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import RATE_HZ
from evaluation.protocol import Instrument

V = TypeVar("V")

Precision = Literal["float32", "float64"]
Head = Literal["library", "tanh", "relu", "none"]

SHORTEST_S = 0.1
"""No model is asked about less sound than this, s."""

_ALLOWED = {
    "transformers_classifier": ("repeated_to_s", "precision", "head"),
    "age_gender": ("repeated_to_s", "precision"),
    "speechbrain_classifier": ("repeated_to_s", "label_file", "logit_scale"),
    "embedding_head": ("repeated_to_s",),
}
_LONGEST_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What else decides a model's readings."""

    repeated_to_s: float
    """Shorter clips are repeated from their start until they are this long, s; >= the pin's shortest length."""
    precision: Precision
    """Arithmetic of the model. In double precision readings are the same to the sixth decimal on any machine and in
    any batch, at about 2.3 times the time; in single precision they are kept to the fourth."""
    head: Head
    """"library": the library's own class; else a pooled head of two layers, with this activation between them."""
    label_file: str
    """File that holds the labels of a SpeechBrain model."""
    logit_scale: float
    """What the outputs of a SpeechBrain classifier are multiplied by before the softmax; its training's scale where
    they are cosines, else 1."""


def pin_of(instrument: Instrument) -> ModelPin:
    """Return the instrument's pin.

    Raises:
        ProtocolError: it names no model.
    """
    if instrument.model is None:
        raise ProtocolError(f"the instrument {instrument.name} names no model; add its pin to the protocol")
    return instrument.model


def options_of(instrument: Instrument) -> Options:
    """Return the options that an instrument's settings and pin come to.

    Raises:
        ProtocolError: with every setting and number that is unknown, malformed or out of range.
    """
    pin = pin_of(instrument)
    problems: list[str] = []
    allowed = _ALLOWED[pin.kind]
    unknown = sorted(set(instrument.settings) - set(allowed))
    if unknown:
        problems.append(f"unknown settings {', '.join(unknown)}; a {pin.kind} has {', '.join(allowed)}")
    options = Options(
        repeated_to_s=_setting(instrument, "repeated_to_s", str(pin.shortest_s), float, problems),
        precision=cast("Precision", _one_of(instrument, "precision", ("float64", "float32"), problems)),
        head=cast("Head", _one_of(instrument, "head", ("library", "tanh", "relu", "none"), problems)),
        label_file=_setting(instrument, "label_file", "label_encoder.txt", str, problems),
        logit_scale=_setting(instrument, "logit_scale", "1", float, problems),
    )
    if not is_safe_name(options.label_file):
        problems.append(f"label_file must be a file of the model, got {options.label_file!r:.80}")
    problems += _out_of_range(pin, options)
    if problems:
        raise ProtocolError(f"the instrument {instrument.name}: " + "; ".join(problems))
    return options


def _setting(instrument: Instrument, name: str, default: str, kind: Callable[[str], V], problems: list[str]) -> V:
    text = instrument.settings.get(name, default)
    try:
        return kind(text)
    except ValueError:
        problems.append(f"{name} must be a number, got {text!r:.40}")
        return kind(default)


def _one_of(instrument: Instrument, name: str, allowed: tuple[str, ...], problems: list[str]) -> str:
    text = instrument.settings.get(name, allowed[0])
    if text not in allowed:
        problems.append(f"{name} must be {' or '.join(allowed)}, got {text!r:.40}")
    return text


def _out_of_range(pin: ModelPin, options: Options) -> list[str]:
    problems = []
    if pin.rate_hz != RATE_HZ:
        problems.append(f"rate_hz must be {RATE_HZ}: probes are given clips at that rate, got {pin.rate_hz}")
    if not SHORTEST_S <= pin.shortest_s <= options.repeated_to_s <= pin.longest_s <= _LONGEST_S:
        problems.append(
            f"lengths must obey {SHORTEST_S:g} <= shortest_s <= repeated_to_s <= longest_s <= {_LONGEST_S:g}, "
            f"got {pin.shortest_s:g}, {options.repeated_to_s:g}, {pin.longest_s:g}"
        )
    if pin.batch_size < 1:
        problems.append(f"batch_size must be at least 1, got {pin.batch_size}")
    if not 0 < abs(pin.scale) < 1e6 or not 0 < options.logit_scale < 1e6:
        problems.append(f"scales must be finite and not zero, got {pin.scale:g} and {options.logit_scale:g}")
    return problems
