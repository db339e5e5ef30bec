"""Weights from disk into a model: safetensors first, no pickle that could run code, and no layer left untrained."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation.errors import ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument

SAFE = ".safetensors"
PICKLED = (".bin", ".pt", ".pth", ".ckpt")

_ONLY_FOR_TRAINING = ("masked_spec_embed",)
_LEFT_FROM_PRETRAINING = ("quantizer.", "project_q.", "project_hid.")
_MOST_NAMES = 8


def read_state(pin: ModelPin, folder: Path) -> dict[str, Any]:
    """Return the pinned weights of a model, by name, on the CPU.

    Where a model pins both formats only safetensors are read. A pickle is read as tensors alone.

    Raises:
        ProtocolError: no weight file is pinned.
        BrokenInstrument: a file is damaged, or a pickle that holds more than tensors.
    """
    import pickle

    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    safe = sorted(name for name in pin.files if name.endswith(SAFE))
    pickled = sorted(name for name in pin.files if name.endswith(PICKLED))
    if not safe and not pickled:
        raise ProtocolError(f"{pin.repo}: no weight file is pinned; name its {SAFE} file, or its {PICKLED[0]} file")
    state: dict[str, Any] = {}
    for name in safe or pickled:
        try:
            path = folder / name
            state |= load_file(path) if safe else torch.load(path, map_location="cpu", weights_only=True)
        except (SafetensorError, pickle.UnpicklingError, RuntimeError, EOFError, TypeError, ValueError) as error:
            raise BrokenInstrument(
                f"the model {pin.repo}",
                [f"{name} holds no plain weights ({type(error).__name__})"],
                "Name a revision that has safetensors.",
            ) from error
    return state


def refuse_untrained(
    what: str, *, missing: Iterable[str], mismatched: Iterable[str], unexpected: Iterable[str]
) -> None:
    """Return if every layer that is used got its trained weights, and no trained layer was left over.

    Renamed weights of the positional convolution ("weight_g", "weight_v") are put right by the library and appear in
    none of the lists; one that does appear is a layer with random weights.

    Raises:
        BrokenInstrument: with the names.
    """
    missing = sorted(name for name in missing if not name.endswith(_ONLY_FOR_TRAINING))
    mismatched = sorted(mismatched)
    unexpected = sorted(
        name
        for name in unexpected
        if not name.endswith(_ONLY_FOR_TRAINING) and not name.startswith(_LEFT_FROM_PRETRAINING)
    )
    faults = [
        f"{words} {_listed(names)}"
        for words, names in (
            ("the files have no weights for", missing),
            ("the files have weights of another shape for", mismatched),
            ("no layer takes the weights", unexpected),
        )
        if names
    ]
    if faults:
        raise BrokenInstrument(
            what,
            faults,
            "Layers without their trained weights answer at random: check that the kind of its pin is the "
            "architecture that it was trained in, or name another revision or model.",
        )


def steady(torch: Any) -> str:
    """Return the device that models run on ("cuda" if there is one, else "cpu"), made to repeat itself exactly."""
    if not torch.cuda.is_available():
        return "cpu"
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    return "cuda"


def shapes(mismatched: Iterable[Any]) -> list[str]:
    """Return the names of weights that a loader reports as (name, shape on disk, shape of the layer), with both."""
    return [f"{name} ({tuple(found)} for {tuple(wanted)})" for name, found, wanted in mismatched]


def differences(layer: Any, state: Mapping[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """Return which weights of `layer` are missing from `state`, have another shape there, or are unknown to it."""
    own = layer.state_dict()
    mismatched = [
        (name, state[name].shape, own[name].shape)
        for name in own
        if name in state and state[name].shape != own[name].shape
    ]
    return [name for name in own if name not in state], shapes(mismatched), [name for name in state if name not in own]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
