"""Encoder-classifiers of SpeechBrain (ECAPA-TDNN and the like), from a local folder.

Their "hyperparams.yaml" is a program: it names classes that are built, and the format allows any function to be
called. So its sha256 is pinned with the weights, and what it may name is a short list of layers and data classes;
everything else is refused before it is read as a program. Files that it names elsewhere are taken from the model's
folder by their own name, and only if they are pinned. Nothing is fetched, linked or written.

Clips go through alone: the layers pad by mirroring a clip's end, which another clip's padding would change. Alone,
readings do not depend on company at all.
"""

import logging
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import torchaudio_cpu
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument, LoadedModel, Outputs, Samples
from evaluation.probes.classifiers.options import Options
from evaluation.probes.classifiers.state import differences, refuse_untrained, steady

PROGRAM_FILE = "hyperparams.yaml"

_DECIMALS = 6
_TAG = re.compile(r"!([^\s,\]}]*)")
_PLAIN_TAGS = ("", "ref", "tuple", "copy")
_ALLOWED = frozenset(
    f"{verb}:{name}"
    for verb in ("new", "name")
    for name in (
        "speechbrain.dataio.encoder.CategoricalEncoder",
        "speechbrain.lobes.features.Fbank",
        "speechbrain.lobes.features.MFCC",
        "speechbrain.lobes.models.ECAPA_TDNN.Classifier",
        "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
        "speechbrain.lobes.models.Xvector.Classifier",
        "speechbrain.lobes.models.Xvector.Xvector",
        "speechbrain.nnet.activations.Softmax",
        "speechbrain.nnet.linear.Linear",
        "speechbrain.processing.features.InputNormalization",
        "speechbrain.utils.parameter_transfer.Pretrainer",
        "torch.nn.GELU",
        "torch.nn.Identity",
        "torch.nn.LeakyReLU",
        "torch.nn.LogSoftmax",
        "torch.nn.ReLU",
        "torch.nn.Softmax",
    )
)
"""Whole names only: below a module that imports torch every function of torch could be named."""
_NEEDED = ("compute_features", "mean_var_norm", "embedding_model", "classifier")


def load(pin: ModelPin, options: Options, folder: Path, labels: tuple[str, ...]) -> LoadedModel:
    """Return a loaded encoder-classifier.

    Raises:
        MissingDependency: SpeechBrain is not installed.
        ProtocolError: the pin lacks a file that the model needs.
        BrokenInstrument: the program names what is not allowed, or layers stay untrained.
    """
    if not labels:
        raise ProtocolError(f"{pin.repo}: a SpeechBrain classifier reads classes, not numbers")
    program = _read_program(pin, folder)
    kind = load_library()
    parts = _built(pin, program)
    _fill(pin, folder, parts)
    encoder = parts.get("label_encoder")
    if encoder is not None and encoder.ind2lab != dict(enumerate(labels)):
        raise _broken(pin, [f"its label encoder does not hold what {options.label_file} says"])
    import torch

    model = kind(modules=parts["modules"], hparams=parts, run_opts={"device": steady(torch)})
    return LoadedModel(
        labels=labels,
        outputs=_outputs_of(model, options.logit_scale),
        is_masked=False,
        largest_batch=1,
        decimals=_DECIMALS,
    )


def load_library() -> Any:
    """Return SpeechBrain's class of encoder-classifiers, quiet, with a torchaudio that imports.

    Raises:
        MissingDependency: it is not installed.
    """
    try:
        torchaudio_cpu.prepare()
        logging.getLogger("speechbrain").setLevel(logging.ERROR)
        from speechbrain.inference.classifiers import EncoderClassifier
        from speechbrain.utils.importutils import LazyModule
    except ImportError:
        raise MissingDependency("speechbrain", "pip install speechbrain") from None
    # Its stand-ins for old names import what is not installed as soon as anything looks through all modules.
    for name in [name for name, module in sys.modules.items() if isinstance(module, LazyModule)]:
        del sys.modules[name]
    return EncoderClassifier


def _read_program(pin: ModelPin, folder: Path) -> str:
    if PROGRAM_FILE not in pin.files:
        raise ProtocolError(f"{pin.repo}: the file {PROGRAM_FILE} must be pinned: it decides what code runs")
    text = (folder / PROGRAM_FILE).read_text("utf-8")
    # Comments count too: what looks like one may stand inside quotes.
    refused = {tag for tag in _TAG.findall(text) if tag not in _PLAIN_TAGS and tag not in _ALLOWED}
    if "%TAG" in text:
        refused.add("%TAG")
    if refused:
        raise _broken(pin, [f"its {PROGRAM_FILE} asks for {', '.join(sorted(refused))[:400]}, which is not allowed"])
    return text


def _built(pin: ModelPin, program: str) -> dict[str, Any]:
    from hyperpyyaml import load_hyperpyyaml

    try:
        parts = dict(load_hyperpyyaml(program))
    except (TypeError, ValueError, AttributeError, ImportError, KeyError) as error:
        raise _broken(pin, [f"its {PROGRAM_FILE} cannot be read ({error!s:.160})"]) from error
    lacking = [name for name in ("modules", "pretrainer") if name not in parts]
    lacking += [f"modules.{name}" for name in _NEEDED if name not in parts.get("modules", {})]
    if lacking:
        raise _broken(pin, [f"its {PROGRAM_FILE} has no {', '.join(lacking)}"])
    return parts


def _fill(pin: ModelPin, folder: Path, parts: Mapping[str, Any]) -> None:
    """Load every part that has a file, and refuse parts that have weights but no file."""
    import torch

    pretrainer = parts["pretrainer"]
    trained: set[int] = set()
    for name, part in sorted(pretrainer.loadables.items()):
        file = PurePosixPath(str(pretrainer.paths.get(name, f"{name}.ckpt"))).name
        if file not in pin.files:
            raise ProtocolError(f"{pin.repo}: the file {file}, which holds its {name}, must be pinned")
        if isinstance(part, torch.nn.Module):
            _fill_layer(pin, name, part, folder / file)
            trained |= {id(weight) for weight in part.parameters()}
        else:
            part.load(folder / file)
    untrained = [
        f"{name}.{weight_name}"
        for name, module in parts["modules"].items()
        if isinstance(module, torch.nn.Module)
        for weight_name, weight in module.named_parameters()
        if id(weight) not in trained
    ]
    refuse_untrained(f"the model {pin.repo}", missing=untrained, mismatched=(), unexpected=())


def _fill_layer(pin: ModelPin, name: str, layer: Any, path: Path) -> None:
    import pickle

    import torch
    from speechbrain.processing.features import InputNormalization
    from speechbrain.utils.checkpoints import hook_on_loading_state_dict_checkpoint

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, TypeError, ValueError) as error:
        raise _broken(pin, [f"{path.name} holds no plain weights ({type(error).__name__})"]) from error
    if isinstance(layer, InputNormalization):
        raise _broken(pin, [f"its {name} keeps statistics of its training data, which are not read yet"])
    state = hook_on_loading_state_dict_checkpoint(state)
    missing, mismatched, unexpected = differences(layer, state)
    refuse_untrained(
        f"the model {pin.repo}, in its {name},", missing=missing, mismatched=mismatched, unexpected=unexpected
    )
    layer.load_state_dict(state, strict=True)


def _outputs_of(model: Any, logit_scale: float) -> Outputs:
    import torch

    def outputs(clips: Sequence[Samples]) -> NDArray[np.float64]:
        with torch.inference_mode():
            found = [
                model.mods.classifier(model.encode_batch(torch.from_numpy(clip[None, :].copy()))).reshape(1, -1)
                for clip in clips
            ]
        return np.asarray(torch.cat(found).double().cpu().numpy() * logit_scale, dtype=np.float64)

    return outputs


def _broken(pin: ModelPin, faults: list[str]) -> BrokenInstrument:
    return BrokenInstrument(
        f"the model {pin.repo}", faults, f"Read its {PROGRAM_FILE} before you pin it, or name another model."
    )
