"""What batching by length is worth on this machine: a tiny model, and one of base size with random weights.

Clips of many lengths are read in batches of like length, in batches as they come, and one by one, with one thread as in
a worker; times are those of the processor. Run: python -m tests.bench.classifiers
"""

import dataclasses
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evaluation.probes.classifiers import transformers_audio
from evaluation.probes.classifiers.base import RATE_HZ, LoadedModel, Samples
from evaluation.probes.classifiers.options import options_of
from evaluation.probes.classifiers.reading import ModelProbe
from evaluation.traits import trait
from tests.evaluation.probes.classifiers import tiny_models

TRAIT = trait("emotion")
N_CLIPS = {"tiny": 96, "base": 12}
SHORTEST_S, LONGEST_S = 1.5, 8.0
BATCH = 4


def main() -> None:
    """Print a line a model."""
    with tempfile.TemporaryDirectory(prefix="castboard-bench-") as name:
        models = Path(name)
        for size, n_clips in N_CLIPS.items():
            _print(size, _probe(models, size), _clips(n_clips))


def _print(size: str, probe: ModelProbe, clips: Sequence[Samples]) -> None:
    alone = dataclasses.replace(probe, pin=dataclasses.replace(probe.pin, batch_size=1))
    probe.read_many(clips[:2])
    (by_length, one), (one_by_one, other) = _taken(probe, clips), _taken(alone, clips)
    as_they_come = _as_they_come(probe.model, clips)
    assert one == other, "a reading depends on its company"
    seconds = sum(clip.size for clip in clips) / RATE_HZ
    print(
        f"{size} wav2vec 2.0, {len(clips)} clips, {seconds:.0f} s: "
        f"by length {by_length:6.2f} s ({seconds / by_length:5.1f} times real time), "
        f"one by one {one_by_one:6.2f} s, ratio {one_by_one / by_length:4.2f}; "
        f"as they come {as_they_come:6.2f} s, ratio {as_they_come / by_length:4.2f}"
    )


def _probe(models: Path, size: str) -> ModelProbe:
    import torch

    pin = tiny_models.build_transformers(models, TRAIT, repo="tiny/encoder")
    if size == "base":
        pin = _build_base(models)
    pin = dataclasses.replace(pin, longest_s=LONGEST_S, batch_size=BATCH)
    instrument = tiny_models.instrument_for(pin)
    options = options_of(instrument)
    folder = models / pin.repo.replace("/", "--")
    torch.set_num_threads(1)
    model = transformers_audio.load(pin, options, folder, tuple(TRAIT.values))
    return ModelProbe(trait=TRAIT, pin=pin, options=options, model=model)


def _build_base(models: Path) -> tiny_models.ModelPin:
    """Save a model of the base size whose weights nobody trained; what it hears means nothing."""
    import torch
    import transformers

    torch.manual_seed(3)
    labels = dict(enumerate(TRAIT.values))
    config = transformers.Wav2Vec2Config(
        feat_extract_norm="layer",
        do_stable_layer_norm=True,
        conv_bias=True,
        id2label=labels,
        label2id={label: i for i, label in labels.items()},
    )
    folder = tiny_models.folder_in(models, "random/base")
    transformers.Wav2Vec2ForSequenceClassification(config).save_pretrained(folder)
    tiny_models._write_extractor(folder, is_masked=True)
    return tiny_models.pin_of(folder, "random/base", "transformers_classifier", TRAIT)


def _clips(n_clips: int) -> list[Samples]:
    rng = np.random.default_rng(3)
    lengths = rng.uniform(SHORTEST_S, LONGEST_S, n_clips)
    values = rng.integers(0, len(TRAIT.values), n_clips)
    return [
        tiny_models.tone_of(TRAIT, TRAIT.values[value], seed=number, seconds=length)
        for number, (value, length) in enumerate(zip(values, lengths, strict=True))
    ]


def _taken(probe: ModelProbe, clips: Sequence[Samples]) -> tuple[float, object]:
    start = time.process_time()
    readings = probe.read_many(clips)
    return time.process_time() - start, readings


def _as_they_come(model: LoadedModel, clips: Sequence[Samples]) -> float:
    start = time.process_time()
    for first in range(0, len(clips), BATCH):
        model.outputs(clips[first : first + BATCH])
    return time.process_time() - start


if __name__ == "__main__":
    main()
