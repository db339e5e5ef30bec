"""The two-headed model: a wav2vec 2.0 encoder, the mean over time, and a head each for age and gender.

Each head is a dense layer, a tanh, and a second layer; age comes out on 0..1 for 0 to 100 years, gender as three
classes (female, male, child). One protocol may read either trait, or both, from one set of files; each probe asks the
head of its own trait.

Source: F. Burkhardt et al., Speech-based Age and Gender Prediction with Transformers, 2023, arXiv 2306.16962.
"""

from pathlib import Path
from typing import Any

from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import LoadedModel
from evaluation.probes.classifiers.labels import AGE_GENDER_LABELS
from evaluation.probes.classifiers.options import Options
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
    """Return the loaded model: asked for gender if it has `labels`, else for age.

    Raises:
        BrokenInstrument: untrained layers, in either head.
    """
    config = read_config(pin, folder)
    front = read_front(pin, folder, config)
    model = filled(two_headed_kind(), config, pin, folder, options)
    return LoadedModel(
        labels=labels,
        outputs=outputs_of(model, front, _gender if labels else _age),
        is_masked=front.is_masked,
        largest_batch=ANY_BATCH,
        decimals=decimals_of(options),
    )


def two_headed_kind() -> Any:
    """Return the model's class; its weights are called "wav2vec2", "age" and "gender"."""
    load_libraries()
    import torch
    from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2Model, Wav2Vec2PreTrainedModel

    class Head(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, size: int, n_outputs: int) -> None:
            super().__init__()
            self.dense = torch.nn.Linear(size, size)
            self.out_proj = torch.nn.Linear(size, n_outputs)

        def forward(self, pooled: Any) -> Any:
            return self.out_proj(torch.tanh(self.dense(pooled)))

    class AgeGender(Wav2Vec2PreTrainedModel):  # type: ignore[misc]
        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.wav2vec2 = Wav2Vec2Model(config)
            self.age = Head(config.hidden_size, 1)
            self.gender = Head(config.hidden_size, len(AGE_GENDER_LABELS))
            self.post_init()

        def forward(self, values: Any, attention_mask: Any = None) -> tuple[Any, Any]:
            hidden = self.wav2vec2(values, attention_mask=attention_mask).last_hidden_state
            pooled = mean_over_time(self, hidden, attention_mask)
            return self.age(pooled), self.gender(pooled)

    return AgeGender


def _age(model: Any, values: Any, mask: Any) -> Any:
    return model(values, attention_mask=mask)[0]


def _gender(model: Any, values: Any, mask: Any) -> Any:
    return model(values, attention_mask=mask)[1]
