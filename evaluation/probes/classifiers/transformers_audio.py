"""Audio classifiers and one-number regressors of transformers, in the library's own classes.

One widespread layout has no class in the library: the mean of the encoder's frames, a dense layer, an activation, a
second layer, saved as "classifier.dense" and "classifier.output". The library's class would leave its own head
untrained; it is built here instead. Its files do not say which activation it was trained with, so the instrument's
setting "head" does, and the canary tells whether that is right.
"""

from pathlib import Path
from typing import Any

from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument, LoadedModel
from evaluation.probes.classifiers.options import Head, Options
from evaluation.probes.classifiers.waveform import (
    ANY_BATCH,
    decimals_of,
    filled,
    load_libraries,
    mean_over_time,
    outputs_of,
    read_config,
    read_front,
)


def load(pin: ModelPin, options: Options, folder: Path, labels: tuple[str, ...]) -> LoadedModel:
    """Return a loaded classifier, or a regressor if `labels` is empty.

    Raises:
        BrokenInstrument: unknown architecture, untrained layers, or another number of outputs than labels.
    """
    config = read_config(pin, folder)
    front = read_front(pin, folder, config)
    n_outputs = len(labels) or 1
    if config.num_labels != n_outputs:
        raise BrokenInstrument(
            f"the model {pin.repo}",
            [f"it has {config.num_labels} outputs where {n_outputs} are wanted"],
            "A number is read from a model with one output, a class from one with as many outputs as labels.",
        )
    kind = _library_kind(config, pin) if options.head == "library" else pooled_kind(options.head)
    return LoadedModel(
        labels=labels,
        outputs=outputs_of(filled(kind, config, pin, folder, options), front, _logits),
        is_masked=front.is_masked,
        largest_batch=ANY_BATCH,
        decimals=decimals_of(options),
    )


def pooled_kind(activation: Head) -> Any:
    """Return the class of a wav2vec 2.0 encoder with a mean over time and a head of two layers."""
    load_libraries()
    import torch
    from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2Model, Wav2Vec2PreTrainedModel

    between = {"tanh": torch.tanh, "relu": torch.relu}.get(activation, torch.nn.Identity())

    class TwoLayers(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, config: Any) -> None:
            super().__init__()
            self.dense = torch.nn.Linear(config.hidden_size, config.hidden_size)
            self.output = torch.nn.Linear(config.hidden_size, config.num_labels)

        def forward(self, pooled: Any) -> Any:
            return self.output(between(self.dense(pooled)))

    class PooledClassifier(Wav2Vec2PreTrainedModel):  # type: ignore[misc]
        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.wav2vec2 = Wav2Vec2Model(config)
            self.classifier = TwoLayers(config)
            self.post_init()

        def forward(self, values: Any, attention_mask: Any = None) -> Any:
            hidden = self.wav2vec2(values, attention_mask=attention_mask).last_hidden_state
            return self.classifier(mean_over_time(self, hidden, attention_mask))

    return PooledClassifier


def _library_kind(config: Any, pin: ModelPin) -> Any:
    from transformers.models.auto.modeling_auto import MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING as KINDS

    try:
        return KINDS[type(config)]
    except KeyError:
        raise BrokenInstrument(
            f"the model {pin.repo}",
            [f"transformers has no audio classifier of type {config.model_type!s:.60}"],
            "Name another model.",
        ) from None


def _logits(model: Any, values: Any, mask: Any) -> Any:
    found = model(values, attention_mask=mask)
    return getattr(found, "logits", found)
