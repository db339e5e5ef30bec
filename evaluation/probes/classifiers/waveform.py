"""Models of transformers that hear a waveform: their configuration, their weights, and batches with a mask.

Configuration, feature extractor and weights are read from the pinned files by us and handed to the library's classes,
so that no other file of a folder is opened and nothing is fetched.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import torchaudio_cpu
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import RATE_HZ, BrokenInstrument, Outputs, Samples
from evaluation.probes.classifiers.options import Options
from evaluation.probes.classifiers.state import read_state, refuse_untrained, shapes, steady

CONFIG_FILE = "config.json"
EXTRACTOR_FILE = "preprocessor_config.json"

Forward = Callable[[Any, Any, Any], Any]
"""Model, values of shape (n, samples) and mask of the same shape or None, to outputs of shape (n, k)."""

_EXTRACTORS = ("Wav2Vec2FeatureExtractor", "Wav2Vec2Processor")
_MASKED_TYPES = ("wav2vec2", "hubert", "wavlm", "unispeech", "unispeech-sat")
_NOT_HEEDED = (
    "auto_map",
    "attn_implementation",
    "_attn_implementation",
    "dtype",
    "gradient_checkpointing",
    "quantization_config",
    "torch_dtype",
    "transformers_version",
    "_name_or_path",
)
"""Keys of a configuration that would load other code, other files, or other arithmetic."""
_VARIANCE_FLOOR = 1e-7
ANY_BATCH = 1 << 16
"""Largest batch of a model that sets no limit of its own."""
_DECIMALS = {"float64": 6, "float32": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What happens to a clip before the model, and whether clips of different lengths may meet."""

    is_normalised: bool
    """Whether each clip is brought to mean 0 and variance 1."""
    is_masked: bool
    """Whether the model was trained with a mask over padding and computes nothing across clips' ends."""


def decimals_of(options: Options) -> int:
    """Return to how many decimals readings hold in any batch."""
    return _DECIMALS[options.precision]


def load_libraries() -> Any:
    """Return the module `transformers`, quiet, with a torchaudio that imports.

    Raises:
        MissingDependency: it is not installed.
    """
    try:
        torchaudio_cpu.prepare()
        import transformers
    except ImportError:
        raise MissingDependency("transformers", "pip install transformers torch safetensors") from None
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # what it warns of when weights are missing is refused, in words
    return transformers


def read_config(pin: ModelPin, folder: Path) -> Any:
    """Return a model's configuration as the library's record.

    Raises:
        ProtocolError: the file is not pinned.
        BrokenInstrument: it is malformed or of an architecture that is unknown here.
    """
    fields = _read_json(pin, folder, CONFIG_FILE)
    kept = {key: value for key, value in fields.items() if key not in _NOT_HEEDED}
    try:
        return load_libraries().AutoConfig.for_model(**kept)
    except (TypeError, ValueError, KeyError) as error:
        raise _broken(pin, f"{CONFIG_FILE} cannot be read ({error!s:.160})") from error


def read_front(pin: ModelPin, folder: Path, config: Any) -> Front:
    """Return how clips are prepared for a model.

    Raises:
        ProtocolError: the file is not pinned.
        BrokenInstrument: the model hears something else than a waveform at 16 kHz.
    """
    fields = _read_json(pin, folder, EXTRACTOR_FILE)
    kind = fields.get("feature_extractor_type", _EXTRACTORS[0])
    if kind not in _EXTRACTORS or not hasattr(config, "feat_extract_norm"):
        raise _broken(pin, f"it does not hear a waveform, but {kind!s:.60}; models of spectrograms are not read yet")
    if fields.get("sampling_rate", RATE_HZ) != RATE_HZ:
        raise _broken(pin, f"it hears {fields['sampling_rate']!s:.20} Hz, where its pin must and does say {RATE_HZ}")
    # A group norm over time sees the padding; the other architectures compute across the end of a masked clip.
    is_masked = (
        bool(fields.get("return_attention_mask", False))
        and config.feat_extract_norm == "layer"
        and config.model_type in _MASKED_TYPES
    )
    return Front(is_normalised=bool(fields.get("do_normalize", True)), is_masked=is_masked)


def filled(kind: Any, config: Any, pin: ModelPin, folder: Path, options: Options) -> Any:
    """Return a model of class `kind` with the pinned weights, on its device, in the wanted precision.

    Raises:
        BrokenInstrument: a layer that is used would keep random weights.
    """
    import torch

    model, found = kind.from_pretrained(
        None,
        config=config,
        state_dict=read_state(pin, folder),
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # they are reported then, with the rest, and refused below
        attn_implementation="eager",
        dtype=torch.float32,
    )
    refuse_untrained(
        f"the model {pin.repo}",
        missing=found["missing_keys"],
        mismatched=shapes(found["mismatched_keys"]),
        unexpected=found["unexpected_keys"],
    )
    return model.to(device=steady(torch), dtype=getattr(torch, options.precision)).eval()


def outputs_of(model: Any, front: Front, forward: Forward) -> Outputs:
    """Return a function from clips to a model's outputs, shape (n, k).

    Clips of different lengths are padded with zeros and masked; `front` says whether they may differ.
    """
    import torch

    weight = next(model.parameters())

    def outputs(clips: Sequence[Samples]) -> NDArray[np.float64]:
        values, mask = padded([normalised(clip) if front.is_normalised else clip for clip in clips])
        with torch.inference_mode():
            heard = torch.from_numpy(values).to(device=weight.device, dtype=weight.dtype)
            masked = torch.from_numpy(mask).to(weight.device) if front.is_masked else None
            found = forward(model, heard, masked)
        return np.asarray(found.double().cpu().numpy(), dtype=np.float64)

    return outputs


def normalised(clip: Samples) -> NDArray[np.float64]:
    """Return a clip with mean 0 and variance 1, shape (n,)."""
    samples = clip.astype(np.float64)
    return np.asarray((samples - samples.mean()) / np.sqrt(samples.var() + _VARIANCE_FLOOR), dtype=np.float64)


def padded(clips: Sequence[NDArray[Any]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return clips with zeros at their ends, and 1 where a clip is; both of shape (n, samples of the longest)."""
    values = np.zeros((len(clips), max(clip.size for clip in clips)))
    mask = np.zeros(values.shape, dtype=np.int64)
    for row, clip in enumerate(clips):
        values[row, : clip.size] = clip
        mask[row, : clip.size] = 1
    return values, mask


def mean_over_time(model: Any, hidden: Any, mask: Any) -> Any:
    """Return the mean of an encoder's frames, without those of padding.

    Args:
        model: knows which frames a mask over samples leaves.
        hidden: shape (n, frames, size).
        mask: shape (n, samples), 1 where a clip is; None if nothing is padded.

    Returns:
        Shape (n, size).
    """
    if mask is None:
        return hidden.mean(dim=1)
    kept = model._get_feature_vector_attention_mask(hidden.shape[1], mask).unsqueeze(-1).to(hidden.dtype)
    return (hidden * kept).sum(dim=1) / kept.sum(dim=1)


def _read_json(pin: ModelPin, folder: Path, name: str) -> Mapping[str, Any]:
    if name not in pin.files:
        raise ProtocolError(f"{pin.repo}: the file {name} must be pinned")
    try:
        fields = json.loads((folder / name).read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _broken(pin, f"{name} is not JSON") from error
    if not isinstance(fields, dict):
        raise _broken(pin, f"{name} must hold an object")
    return fields


def _broken(pin: ModelPin, fault: str) -> BrokenInstrument:
    return BrokenInstrument(f"the model {pin.repo}", [fault], "Name another model, or the kind that it is.")
