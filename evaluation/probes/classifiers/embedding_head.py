"""A linear head of our own over the packaged speaker embedding: small, quick, and free of foreign terms.

The head is one JSON file: {"embedder_sha256", "labels", "weights", "bias"}, with one row of 256 weights and one bias a
label; for a numeric trait one row, and "labels" empty. The embedding is the one that the packaged gender probe reads.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import SchemaError
from evaluation.pins import ModelPin
from evaluation.probes import gender
from evaluation.probes.classifiers.base import BrokenInstrument, LoadedModel, Samples
from evaluation.probes.classifiers.labels import head_file
from evaluation.probes.classifiers.options import Options

_DECIMALS = 6
_KEYS = ("bias", "embedder_sha256", "labels", "weights")


def load(pin: ModelPin, options: Options, folder: Path, labels: tuple[str, ...]) -> LoadedModel:
    """Return a loaded head with its encoder; of the options only lengths matter, and the probe heeds those.

    Raises:
        MissingDependency, WeightsMismatch: as the packaged encoder.
        BrokenInstrument: the head is malformed, or was fitted to another encoder.
    """
    del options
    weights, bias = _read(pin, folder / head_file(pin), len(labels) or 1)
    session = gender.load_encoder()
    filters = gender.mel_filters()

    def outputs(clips: Sequence[Samples]) -> NDArray[np.float64]:
        embeddings = [gender.embed(session, gender.patches(_centred(clip), filters)) for clip in clips]
        return np.asarray(np.stack(embeddings) @ weights.T + bias, dtype=np.float64)

    return LoadedModel(labels=labels, outputs=outputs, is_masked=False, largest_batch=1, decimals=_DECIMALS)


def _centred(clip: Samples) -> NDArray[np.float64]:
    samples = clip.astype(np.float64)
    return np.asarray(samples - samples.mean(), dtype=np.float64)


def _read(pin: ModelPin, path: Path, n_outputs: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        fields = json.loads(path.read_text("utf-8"))
        if not isinstance(fields, dict) or sorted(fields) != list(_KEYS):
            raise SchemaError(f"it must have the keys {', '.join(_KEYS)} and no other")
        if fields["embedder_sha256"] != gender.WEIGHTS_SHA256:
            raise SchemaError("it was fitted to another encoder")
        weights, bias = _numbers(fields["weights"]), _numbers(fields["bias"])
        wanted = (n_outputs, gender.EMBEDDING_SIZE)
        if weights.shape != wanted or bias.shape != (n_outputs,):
            raise SchemaError(f"weights must have the shape {wanted}, got {weights.shape}, and a bias each")
    except (ValueError, TypeError, RecursionError, SchemaError) as error:
        raise BrokenInstrument(
            f"the model {pin.repo}", [f"{path.name}: {error!s:.200}"], "Fit the head anew to the packaged encoder."
        ) from error
    return weights, bias


def _numbers(values: Any) -> NDArray[np.float64]:
    numbers = np.array(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise SchemaError("every number must be finite")
    return numbers
