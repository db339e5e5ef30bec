"""Every kind of model hears what it was fitted to; a model with a broken, foreign or dangerous file is refused."""

import json
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from evaluation.errors import MissingDependency, ProtocolError, WeightsMismatch
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument
from evaluation.probes.classifiers.load import check_probe, load_probe
from evaluation.records import ClassScores, Estimate
from evaluation.traits import Kind, Trait, trait
from tests.evaluation.probes.classifiers.conftest import AGE, BUILDERS, EMOTION, SETTINGS, TRAIT_OF
from tests.evaluation.probes.classifiers.tiny_models import folder_in, instrument_for, pin_of, tone_of

State = dict[str, Any]


def loaded(shelf, name: str, pin: ModelPin | None = None, models: Path | None = None):
    """Load a model of the shelf, or another pin of its kind from another folder."""
    instrument = instrument_for(pin or shelf.pin(name), **SETTINGS.get(name, {}))
    return load_probe(TRAIT_OF.get(name, EMOTION), instrument, models or shelf.models)


@pytest.fixture
def copied(shelf, tmp_path) -> Callable[[str], tuple[Path, Path]]:
    """Return a function that copies a model (and the canaries) to a folder of the test's own."""

    def copy(name: str) -> tuple[Path, Path]:
        source = folder_in(shelf.models, shelf.pin(name).repo)
        shutil.copytree(shelf.models / "canaries", tmp_path / "canaries", dirs_exist_ok=True)
        shutil.copytree(source, tmp_path / source.name)
        return tmp_path, tmp_path / source.name

    return copy


def repinned(shelf, name: str, folder: Path) -> ModelPin:
    """Return a model's pin with the hashes of its changed files."""
    pin = shelf.pin(name)
    return replace(pin, files=pin_of(folder, pin.repo, pin.kind, TRAIT_OF.get(name, EMOTION)).files)


def restate(folder: Path, change: Callable[[State], State]) -> None:
    """Change the weights that a folder holds."""
    path = folder / "model.safetensors"
    save_file({key: value.clone() for key, value in change(load_file(path)).items()}, path, metadata={"format": "pt"})


@pytest.mark.parametrize("name", list(BUILDERS))
def test_every_kind_hears_its_trait(shelf, name: str) -> None:
    """Tones that it was not fitted to are heard as their values, in the registry's words and order."""
    heard: Trait = TRAIT_OF.get(name, EMOTION)
    clips = [(value, tone_of(heard, value, seed=50 + n)) for value in heard.values for n in range(2)]
    readings = loaded(shelf, name).read_many([clip for _, clip in clips])
    if heard.kind is Kind.NUMERIC:
        errors = [abs(reading.value - float(value)) for (value, _), reading in zip(clips, readings, strict=True)]
        assert all(isinstance(reading, Estimate) for reading in readings)
        assert np.mean(errors) < 12
        return
    assert all(isinstance(reading, ClassScores) and reading.labels == heard.values for reading in readings)
    assert all(sum(round(p * 1e6) for p in reading.probabilities) == 1_000_000 for reading in readings)
    right = [reading.best() == value for (value, _), reading in zip(clips, readings, strict=True)]
    assert np.mean(right) > 0.7


@pytest.mark.parametrize("name", ["wav2vec2-layer", "pooled", "age", "gender"])
def test_a_head_that_was_never_saved_is_refused(shelf, copied, name: str) -> None:
    """A checkpoint of the encoder alone would answer at random."""
    models, folder = copied(name)
    restate(folder, lambda state: {key: value for key, value in state.items() if key.startswith("wav2vec2.")})
    with pytest.raises(BrokenInstrument, match=r"no weights for .*(classifier|age)\..*answer at random"):
        loaded(shelf, name, repinned(shelf, name, folder), models)


@pytest.mark.parametrize(
    ("gone", "kept"),
    [
        ("gender.out_proj.bias", "age"),
        ("wav2vec2.feature_projection.projection.weight", "projection"),
        ("wav2vec2.encoder.layers.0.attention.q_proj.weight", "q_proj"),
        ("wav2vec2.encoder.pos_conv_embed.conv.parametrizations.weight.original0", "original0"),
    ],
)
def test_one_missing_layer_is_enough(shelf, copied, gone: str, kept: str) -> None:
    """In either head, in the projection, in the encoder, in the positional convolution."""
    models, folder = copied("age")
    restate(folder, lambda state: {key: value for key, value in state.items() if key != gone})
    with pytest.raises(BrokenInstrument) as found:
        loaded(shelf, "age", repinned(shelf, "age", folder), models)
    assert gone in str(found.value)


def test_weights_of_another_shape_are_refused(shelf, copied) -> None:
    """With both shapes."""
    models, folder = copied("wav2vec2-layer")
    restate(folder, lambda state: {**state, "classifier.weight": torch.zeros(5, 24)})
    with pytest.raises(BrokenInstrument, match=r"another shape for classifier\.weight \(\(5, 24\) for \(8, 24\)\)"):
        loaded(shelf, "wav2vec2-layer", repinned(shelf, "wav2vec2-layer", folder), models)


def test_a_head_of_another_layout_is_refused_by_the_librarys_class(shelf, capfd) -> None:
    """The layout that fooled others: the library makes a random head for it, and would say so only in a warning.

    Its warning, which advises to train the model, is not shown beside ours.
    """
    with pytest.raises(BrokenInstrument, match=r"no weights for .*projector.*no layer takes .*classifier\.dense"):
        load_probe(EMOTION, instrument_for(shelf.pin("pooled")), shelf.models)
    assert capfd.readouterr() == ("", "")


def test_a_two_headed_model_is_no_plain_regressor(shelf) -> None:
    """The same for the age model under the wrong kind."""
    with pytest.raises(BrokenInstrument, match="no weights for classifier"):
        load_probe(AGE, instrument_for(replace(shelf.pin("age"), kind="transformers_classifier")), shelf.models)


@pytest.mark.parametrize("name", ["wav2vec2-layer", "age"])
def test_old_names_of_the_positional_convolution_are_the_same_model(shelf, copied, name: str) -> None:
    """As checkpoints of older libraries hold them, in an older format; leftovers of pretraining do not matter."""
    models, folder = copied(name)
    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    renamed = {
        key.replace("parametrizations.weight.original0", "weight_g").replace(
            "parametrizations.weight.original1", "weight_v"
        ): value
        for key, value in state.items()
        if not key.endswith("masked_spec_embed")
    }
    assert any(key.endswith("weight_g") for key in renamed)
    torch.save({**renamed, "quantizer.codevectors": torch.zeros(3)}, folder / "pytorch_model.bin")
    clips = [tone_of(TRAIT_OF.get(name, EMOTION), TRAIT_OF.get(name, EMOTION).values[0])]
    there = loaded(shelf, name, repinned(shelf, name, folder), models).read_many(clips)
    assert there == loaded(shelf, name).read_many(clips)


def test_a_file_that_is_not_pinned_is_not_opened(shelf, copied) -> None:
    """Even if the library would prefer it."""
    models, folder = copied("wav2vec2-layer")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    pin = repinned(shelf, "wav2vec2-layer", folder)
    (folder / "model.safetensors").write_bytes(b"not pinned")
    (folder / "adapter_config.json").write_text("{}")
    assert loaded(shelf, "wav2vec2-layer", pin, models)


class Bomb:
    """What a pickle can do."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Write a file when it is read."""
        return (Path.write_text, (Path("exploded"), "x"))


@pytest.mark.parametrize(("name", "file"), [("wav2vec2-layer", "pytorch_model.bin"), ("ecapa", "classifier.ckpt")])
def test_a_pickle_runs_no_code(shelf, copied, monkeypatch, name: str, file: str) -> None:
    """Only tensors are read from it."""
    models, folder = copied(name)
    monkeypatch.chdir(models)
    (folder / "model.safetensors").unlink(missing_ok=True)
    torch.save({"classifier.weight": Bomb()}, folder / file)
    with pytest.raises(BrokenInstrument, match=f"{file} holds no plain weights"):
        loaded(shelf, name, repinned(shelf, name, folder), models)
    (folder / file).write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(BrokenInstrument, match=f"{file} holds no plain weights"):
        loaded(shelf, name, repinned(shelf, name, folder), models)
    assert not (models / "exploded").exists()


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "preprocessor_config.json"])
def test_a_tampered_file_is_refused_before_anything_is_loaded(shelf, copied, file: str) -> None:
    """Weights or configuration: one more byte is another file."""
    models, folder = copied("wav2vec2-layer")
    (folder / file).write_bytes((folder / file).read_bytes() + b" ")
    for use in (check_probe, load_probe):
        with pytest.raises(WeightsMismatch, match=file):
            use(EMOTION, instrument_for(shelf.pin("wav2vec2-layer")), models)


@pytest.mark.parametrize("file", ["config.json", "preprocessor_config.json", "model.safetensors"])
def test_every_file_that_is_needed_must_be_pinned(shelf, file: str) -> None:
    """Nothing is guessed where a file is not named."""
    pin = shelf.pin("wav2vec2-layer")
    pin = replace(pin, files={name: sha256 for name, sha256 in pin.files.items() if name != file})
    with pytest.raises((ProtocolError, BrokenInstrument), match=f"{file} must be pinned|no weight file is pinned"):
        load_probe(EMOTION, instrument_for(pin), shelf.models)


def test_a_non_commercial_model_needs_consent(shelf) -> None:
    """It is refused in a clear sentence unless the operator has opted in."""
    instrument = replace(instrument_for(replace(shelf.pin("age"), is_non_commercial=True)), licence="CC-BY-NC-SA-4.0")
    for use in (check_probe, load_probe):
        with pytest.raises(ProtocolError, match=r"CC-BY-NC-SA-4\.0, which forbids commercial use"):
            use(AGE, instrument, shelf.models)
    check_probe(AGE, instrument, shelf.models, allows_non_commercial=True)
    assert load_probe(AGE, instrument, shelf.models, allows_non_commercial=True)


def test_a_check_loads_nothing_but_finds_what_is_missing(shelf, tmp_path) -> None:
    """Model and canary are asked for by name, before a run."""
    with pytest.raises(MissingDependency, match="tiny--wav2vec2-layer"):
        check_probe(EMOTION, instrument_for(shelf.pin("wav2vec2-layer")), tmp_path)
    with pytest.raises(MissingDependency, match=r"canary of .* copy its clips"):
        check_probe(EMOTION, instrument_for(replace(shelf.pin("wav2vec2-layer"), canary_sha256="1" * 64)), shelf.models)


def test_a_judged_trait_has_no_probe(shelf) -> None:
    """Tone is heard by a judge, pace is counted."""
    for name in ("tone", "pace"):
        with pytest.raises(ProtocolError, match="no model of classes or numbers"):
            check_probe(trait(name), instrument_for(shelf.pin("wav2vec2-layer")), shelf.models)


@pytest.mark.parametrize(
    ("changes", "settings", "told"),
    [
        ({"rate_hz": 8_000}, {}, "rate_hz must be 16000"),
        ({"shortest_s": 0.01}, {}, "lengths must obey"),
        ({"longest_s": 0.2}, {}, "lengths must obey"),
        ({}, {"repeated_to_s": "9"}, "lengths must obey"),
        ({}, {"repeated_to_s": "nan"}, "lengths must obey"),
        ({}, {"repeated_to_s": "long"}, "must be a number"),
        ({}, {"precision": "float16"}, "precision must be float64 or float32"),
        ({}, {"head": "sigmoid"}, "head must be"),
        ({}, {"colour": "red"}, "unknown settings colour"),
        ({"batch_size": 0}, {}, "batch_size"),
        ({"scale": float("nan")}, {}, "scales"),
    ],
)
def test_settings_that_mean_nothing_are_refused(shelf, changes: dict, settings: dict, told: str) -> None:
    """Before anything is loaded."""
    with pytest.raises(ProtocolError, match=told):
        check_probe(EMOTION, instrument_for(replace(shelf.pin("wav2vec2-layer"), **changes), **settings), shelf.models)


def test_another_front_end_is_refused(shelf, copied) -> None:
    """A model of spectrograms, or of another rate, would be fed the wrong thing."""
    models, folder = copied("wav2vec2-layer")
    path = folder / "preprocessor_config.json"
    fields = json.loads(path.read_text())
    for change, told in (
        ({"sampling_rate": 8_000}, "hears 8000 Hz"),
        ({"feature_extractor_type": "ASTFeatureExtractor"}, "does not hear a waveform"),
    ):
        path.write_text(json.dumps({**fields, **change}))
        with pytest.raises(BrokenInstrument, match=told):
            loaded(shelf, "wav2vec2-layer", repinned(shelf, "wav2vec2-layer", folder), models)


@pytest.mark.parametrize(
    "line",
    [
        "x: !apply:os.system ['touch exploded']",
        'x: ["#", !apply:os.system ["touch exploded"]]',
        "x: !new:torch.nn.modules.module.torch.hub.load [a, b]",
        "x: !name:os.system",
        "x: !module:os",
        "x: !include:other.yaml",
        "x: !<!apply:os.system> ['touch exploded']",
        "x: !!python/object/apply:os.system ['touch exploded']",
        "x: !%61pply:os.system ['touch exploded']",
    ],
)
def test_a_speechbrain_program_may_only_build_layers(shelf, copied, monkeypatch, line: str) -> None:
    """Whatever else it asks for is refused before it is read as a program."""
    models, folder = copied("ecapa")
    monkeypatch.chdir(models)
    path = folder / "hyperparams.yaml"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(BrokenInstrument, match="which is not allowed"):
        loaded(shelf, "ecapa", repinned(shelf, "ecapa", folder), models)
    assert not (models / "exploded").exists()


def test_a_speechbrain_model_leaves_no_trace(shelf, copied, monkeypatch, tmp_path) -> None:
    """Neither in the folder where the program runs nor in the model's own."""
    models, folder = copied("ecapa")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    before = sorted(folder.iterdir())
    loaded(shelf, "ecapa", None, models)
    assert sorted(folder.iterdir()) == before
    assert list((tmp_path / "here").iterdir()) == []


def test_a_speechbrain_layer_without_weights_is_refused(shelf, copied) -> None:
    """Whether its file lacks them or no file is named for it; the library would only warn."""
    models, folder = copied("ecapa")
    path = folder / "hyperparams.yaml"
    program = path.read_text()
    path.write_text(program.replace("        classifier: !ref <classifier>\n        label", "        label"))
    with pytest.raises(BrokenInstrument, match=r"no weights for classifier\.weight"):
        loaded(shelf, "ecapa", repinned(shelf, "ecapa", folder), models)
    path.write_text(program)
    state = torch.load(folder / "embedding_model.ckpt", weights_only=True)
    torch.save(
        {key: value for key, value in state.items() if not key.startswith("fc.")}, folder / "embedding_model.ckpt"
    )
    with pytest.raises(BrokenInstrument, match=r"in its embedding_model, .*no weights for fc\."):
        loaded(shelf, "ecapa", repinned(shelf, "ecapa", folder), models)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"embedder_sha256": "0" * 64}, "another encoder"),
        ({"weights": [[0.0] * 256]}, "must have the shape"),
        ({"bias": [0.0, float("inf")]}, "finite"),
        ({"more": 1}, "no other"),
    ],
)
def test_a_head_of_our_own_is_checked_too(shelf, copied, change: dict, told: str) -> None:
    """Its encoder, its shape, its numbers."""
    models, folder = copied("head")
    fields = json.loads((folder / "head.json").read_text())
    (folder / "head.json").write_text(json.dumps({**fields, **change}))
    with pytest.raises(BrokenInstrument, match=told):
        loaded(shelf, "head", repinned(shelf, "head", folder), models)
