"""Small real models in the true formats, for tests: random encoders with heads fitted to tones.

Every value of a trait has its own tone (`tone_of`): values later in the registry sound higher. A builder makes a tiny
encoder with random weights, fits the last layer to some tones in closed form, saves the model as its library would,
and returns the pin. So a test steers what a model hears by the tone that it plays; loudness does not matter.

    canary = build_canary(models, trait("emotion"))
    pin = build_transformers(models, trait("emotion"), canary=canary)
    probe = load_probe(trait("emotion"), instrument_for(pin), models)
    probe.read_many([tone_of(trait("emotion"), "happy")])[0].best()   # "happy"

Builders: `build_transformers` (wav2vec2, hubert, wavlm; layer or group norm; a number's regressor for a numeric
trait), `build_pooled`, `build_age_gender`, `build_speechbrain`, `build_embedding_head`. The models folder that they
write to is the one that the code under test reads.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import soundfile
from numpy.typing import NDArray

from evaluation import torchaudio_cpu
from evaluation.pins import ModelKind, ModelPin
from evaluation.probes import gender
from evaluation.protocol import Instrument
from evaluation.traits import Kind, Trait

RATE_HZ = 16_000
LOWEST_HZ = 140.0
STEP = 1.45
N_FITTED = 16
"""Tones of each value that a head is fitted to; the canary's and the tests' are others."""

Samples = NDArray[np.float32]
Head = tuple[NDArray[np.float64], NDArray[np.float64]]


def tone_of(trait: Trait, value: str, *, seed: int = 0, seconds: float = 1.0, level: float = 0.3) -> Samples:
    """Return the tone of a value: harmonics of its own pitch with a little noise; `seed` varies pitch and noise."""
    rng = np.random.default_rng(1_000 * trait.values.index(value) + seed)
    pitch_hz = LOWEST_HZ * STEP ** trait.values.index(value) * rng.uniform(0.98, 1.02)
    times = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    waves = sum(np.sin(2 * np.pi * pitch_hz * n * times + rng.uniform(0, 6)) / n for n in (1, 2, 3))
    return (level * (waves / 2 + rng.normal(0, 0.01, times.size))).astype(np.float32)


def build_canary(models: Path, trait: Trait, *, n_clips: int = 2, label_of: Callable[[str], str] = str) -> str:
    """Write a canary of `n_clips` tones of each value; return its manifest's sha256."""
    lines, sounds = [], {}
    for value in trait.values:
        for number in range(n_clips):
            name = f"{trait.values.index(value)}-{number}.flac"
            part = models / f".{name}"
            models.mkdir(parents=True, exist_ok=True)
            soundfile.write(part, tone_of(trait, value, seed=100 + number), RATE_HZ, format="FLAC")
            sounds[name] = part.read_bytes()
            part.unlink()
            lines.append(json.dumps({"clip": name, "label": label_of(value), "sha256": sha256(sounds[name])}))
    manifest = ("\n".join(lines) + "\n").encode()
    folder = models / "canaries" / sha256(manifest)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.jsonl").write_bytes(manifest)
    for name, data in sounds.items():
        (folder / name).write_bytes(data)
    return sha256(manifest)


def build_transformers(
    models: Path,
    trait: Trait,
    *,
    canary: str = "0" * 64,
    architecture: Literal["wav2vec2", "hubert", "wavlm"] = "wav2vec2",
    norm: Literal["layer", "group"] = "layer",
    repo: str = "tiny/encoder",
) -> ModelPin:
    """Save a fitted audio classifier (a regressor of hundredths for a numeric trait) as transformers does."""
    transformers = _transformers()
    prefix = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM"}[architecture]
    config = _config(getattr(transformers, f"{prefix}Config"), norm, trait)
    model = _seeded(lambda: getattr(transformers, f"{prefix}ForSequenceClassification")(config))
    fit_transformers(model, trait)
    folder = folder_in(models, repo)
    model.save_pretrained(folder)
    _write_extractor(folder, is_masked=norm == "layer")
    return pin_of(folder, repo, "transformers_classifier", trait, canary=canary)


def build_pooled(models: Path, trait: Trait, *, canary: str = "0" * 64, repo: str = "tiny/pooled") -> ModelPin:
    """Save a classifier with the head that the library has no class for ("classifier.dense", "classifier.output")."""
    from evaluation.probes.classifiers.transformers_audio import pooled_kind

    config = _config(_transformers().Wav2Vec2Config, "layer", trait)
    model = _seeded(lambda: pooled_kind("tanh")(config))
    _set(model.classifier.output, _fitted(trait, lambda clip: _tanh(model.classifier.dense, _pooled(model, clip))))
    return _saved(model, models, repo, "transformers_classifier", trait, canary)


def build_age_gender(
    models: Path, age: Trait, gender_trait: Trait, trait: Trait, *, canary: str = "0" * 64, repo: str = "tiny/two-heads"
) -> ModelPin:
    """Save a two-headed model; the pin is that of `trait`, one of the two. The child class never wins."""
    from evaluation.probes.classifiers.age_gender import two_headed_kind

    config = _config(_transformers().Wav2Vec2Config, "layer", age)
    model = _seeded(lambda: two_headed_kind()(config))
    _set(model.age.out_proj, _fitted(age, lambda clip: _tanh(model.age.dense, _pooled(model, clip))))
    weights, bias = _fitted(gender_trait, lambda clip: _tanh(model.gender.dense, _pooled(model, clip)))
    _set(model.gender.out_proj, (np.vstack([weights, 0 * weights[:1]]), np.append(bias, -20.0)))
    return _saved(model, models, repo, "age_gender", trait, canary)


def build_speechbrain(models: Path, trait: Trait, *, canary: str = "0" * 64, repo: str = "tiny/ecapa") -> ModelPin:
    """Save a tiny ECAPA-TDNN with a cosine classifier as SpeechBrain's hub folders hold it; use logit_scale "30"."""
    from evaluation.probes.classifiers.speechbrain_encoder import load_library

    load_library()
    import torch
    from hyperpyyaml import load_hyperpyyaml

    program = _ECAPA.format(n_labels=len(trait.values))
    parts = _seeded(lambda: load_hyperpyyaml(program))
    encoder = parts["embedding_model"].eval()

    def embedding(clip: Samples) -> NDArray[np.float64]:
        with torch.inference_mode():
            features = parts["compute_features"](torch.from_numpy(clip[None]))
            found = encoder(parts["mean_var_norm"](features, torch.ones(1)), torch.ones(1))
        vector = np.asarray(found.numpy().reshape(-1), dtype=np.float64)
        return vector / np.linalg.norm(vector)

    parts["classifier"].weight.data = torch.from_numpy(_cosines(*_examples(trait, embedding))).float()
    folder = folder_in(models, repo)
    (folder / "hyperparams.yaml").write_text(program)
    torch.save(encoder.state_dict(), folder / "embedding_model.ckpt")
    torch.save(parts["classifier"].state_dict(), folder / "classifier.ckpt")
    entries = [f"{value!r} => {number}" for number, value in enumerate(trait.values)]
    (folder / "label_encoder.txt").write_text("\n".join([*entries, "=" * 16, "'starting_index' => 0", ""]))
    return pin_of(folder, repo, "speechbrain_classifier", trait, canary=canary)


def build_embedding_head(models: Path, trait: Trait, *, canary: str = "0" * 64, repo: str = "tiny/head") -> ModelPin:
    """Save a linear head over the packaged speaker embedding."""
    session, filters = gender.load_encoder(), gender.mel_filters()
    weights, bias = _fitted(
        trait, lambda clip: gender.embed(session, gender.patches(clip.astype(np.float64) - clip.mean(), filters))
    )
    labels = [] if trait.kind is Kind.NUMERIC else list(trait.values)
    fields = {
        "embedder_sha256": gender.WEIGHTS_SHA256,
        "labels": labels,
        "weights": weights.tolist(),
        "bias": bias.tolist(),
    }
    folder = folder_in(models, repo)
    (folder / "head.json").write_text(json.dumps(fields))
    return pin_of(folder, repo, "embedding_head", trait, canary=canary)


def fit_transformers(model: Any, trait: Trait) -> None:
    """Fit the last layer of an audio classifier of transformers to a trait's tones."""
    _set(model.classifier, _fitted(trait, lambda clip: _projected(model, clip)))


def instrument_for(pin: ModelPin, **settings: str) -> Instrument:
    """Return an instrument of a protocol that names a tiny model."""
    return Instrument(
        name=pin.repo,
        reads="a trait",
        package="transformers",
        version="0",
        licence="none",
        weights={},
        needs={},
        settings=settings,
        model=pin,
    )


def pin_of(folder: Path, repo: str, kind: ModelKind, trait: Trait, *, canary: str = "0" * 64) -> ModelPin:
    """Return a pin of every file in `folder`; its labels are the values themselves."""
    is_number = trait.kind is Kind.NUMERIC
    return ModelPin(
        kind=kind,
        repo=repo,
        revision="local",
        files={path.name: sha256(path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()},
        labels={} if is_number else {value: value for value in trait.values},
        scale=100.0 if is_number else 1.0,
        rate_hz=RATE_HZ,
        shortest_s=0.25,
        longest_s=3.0,
        batch_size=4,
        known_accuracy="unknown",
        accuracy_source="a test",
        is_non_commercial=False,
        canary_sha256=canary,
    )


def folder_in(models: Path, repo: str) -> Path:
    """Return a model's folder, made."""
    folder = models / repo.replace("/", "--")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sha256(data: bytes) -> str:
    """Return the sha256 in hex."""
    return hashlib.sha256(data).hexdigest()


def _saved(model: Any, models: Path, repo: str, kind: ModelKind, trait: Trait, canary: str) -> ModelPin:
    folder = folder_in(models, repo)
    model.save_pretrained(folder)
    _write_extractor(folder, is_masked=True)
    return pin_of(folder, repo, kind, trait, canary=canary)


def _transformers() -> Any:
    torchaudio_cpu.prepare()
    import transformers

    return transformers


def _seeded(build: Callable[[], Any]) -> Any:
    import torch

    torch.manual_seed(3)
    return build()


def _config(kind: Any, norm: str, trait: Trait) -> Any:
    is_number = trait.kind is Kind.NUMERIC
    labels = ["number"] if is_number else list(trait.values)
    return kind(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=48,
        conv_dim=(24, 24, 24),
        conv_kernel=(10, 8, 4),
        conv_stride=(5, 4, 4),
        conv_bias=norm == "layer",
        num_feat_extract_layers=3,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        classifier_proj_size=24,
        feat_extract_norm=norm,
        do_stable_layer_norm=norm == "layer",
        initializer_range=0.1,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )


def _write_extractor(folder: Path, *, is_masked: bool) -> None:
    fields = {
        "do_normalize": True,
        "feature_extractor_type": "Wav2Vec2FeatureExtractor",
        "feature_size": 1,
        "padding_side": "right",
        "padding_value": 0.0,
        "return_attention_mask": is_masked,
        "sampling_rate": RATE_HZ,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(fields))


def _pooled(model: Any, clip: Samples) -> Any:
    import torch

    with torch.inference_mode():
        values = torch.from_numpy(((clip - clip.mean()) / clip.std())[None])
        return model.eval().base_model(values).last_hidden_state.mean(dim=1)[0]


def _tanh(layer: Any, pooled: Any) -> NDArray[np.float64]:
    import torch

    with torch.inference_mode():
        return np.asarray(torch.tanh(layer(pooled)).numpy(), dtype=np.float64)


def _projected(model: Any, clip: Samples) -> NDArray[np.float64]:
    import torch

    pooled = _pooled(model, clip)
    with torch.inference_mode():
        return np.asarray(model.projector(pooled).numpy(), dtype=np.float64)


def _examples(
    trait: Trait, features_of: Callable[[Samples], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features of some tones, and the logits (or the hundredths of a number) that they should give."""
    values = [value for value in trait.values for _ in range(N_FITTED)]
    seeds = [*range(N_FITTED)] * len(trait.values)
    features = np.stack([features_of(tone_of(trait, v, seed=s)) for v, s in zip(values, seeds, strict=True)])
    if trait.kind is Kind.NUMERIC:
        return features, np.array([[float(value) / 100] for value in values])
    return features, np.array([[8.0 if value == other else 0.0 for other in trait.values] for value in values])


def _fitted(trait: Trait, features_of: Callable[[Samples], NDArray[np.float64]]) -> Head:
    """Return weights and bias of a ridge regression from features of tones to what they should give."""
    features, wanted = _examples(trait, features_of)
    mean, scale, middle = features.mean(axis=0), features.std(axis=0) + 1e-9, wanted.mean(axis=0)
    weights = _solved((features - mean) / scale, wanted - middle, 0.1) / scale
    return weights, middle - weights @ mean


def _cosines(features: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions that unit features of each class lie along, shape (classes, size)."""
    return _solved(features, wanted - wanted.mean(axis=0), 1e-4)


def _solved(inputs: NDArray[np.float64], wanted: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    return np.linalg.solve(inputs.T @ inputs + ridge * np.eye(inputs.shape[1]), inputs.T @ wanted).T


def _set(layer: Any, head: Head) -> None:
    import torch

    layer.weight.data = torch.from_numpy(head[0]).float()
    layer.bias.data = torch.from_numpy(head[1]).float()


_ECAPA = """
pretrained_path: somebody/elsewhere
n_mels: 24
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    activation: !name:torch.nn.LeakyReLU
    channels: [32, 32, 32, 32, 96]
    kernel_sizes: [5, 3, 3, 3, 1]
    dilations: [1, 2, 3, 4, 1]
    attention_channels: 16
    res2net_scale: 4
    se_channels: 16
    lin_neurons: 24
classifier: !new:speechbrain.lobes.models.ECAPA_TDNN.Classifier
    input_size: 24
    out_neurons: {n_labels}
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>
label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
        classifier: !ref <classifier>
        label_encoder: !ref <label_encoder>
    paths:
        embedding_model: !ref <pretrained_path>/embedding_model.ckpt
        classifier: !ref <pretrained_path>/classifier.ckpt
        label_encoder: !ref <pretrained_path>/label_encoder.txt
"""
