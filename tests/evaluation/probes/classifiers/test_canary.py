"""The canary stops a model that answers at random, or always the same, or cannot be tried."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument
from evaluation.probes.classifiers.load import check_probe, load_probe
from evaluation.traits import Trait
from tests.evaluation.probes.classifiers.conftest import AGE, EMOTION, GENDER
from tests.evaluation.probes.classifiers.tiny_models import build_canary, folder_in, instrument_for, pin_of, sha256


def with_head(shelf, models: Path, trait: Trait, name: str, weights, bias) -> ModelPin:
    """Return a head over the packaged embedding, with its canary, in a folder of the test's own."""
    source = json.loads((folder_in(shelf.models, shelf.pin("head").repo) / "head.json").read_text())
    labels = [] if trait is AGE else list(trait.values)
    folder = folder_in(models, name)
    (folder / "head.json").write_text(
        json.dumps({**source, "labels": labels, "weights": np.asarray(weights).tolist(), "bias": list(bias)})
    )
    return pin_of(folder, name, "embedding_head", trait, canary=build_canary(models, trait))


def test_a_constant_answer_is_refused(shelf, tmp_path) -> None:
    """However sure the model is."""
    pin = with_head(shelf, tmp_path, EMOTION, "t/a", np.zeros((8, 256)), [0, 0, 9, 0, 0, 0, 0, 0])
    with pytest.raises(BrokenInstrument, match=r'16 canary clips its answer is always "happy"'):
        load_probe(EMOTION, instrument_for(pin), tmp_path)


def test_answers_near_chance_are_refused(shelf, tmp_path) -> None:
    """The signature of a head that was never trained; both figures are told."""
    weights = np.random.default_rng(1).normal(0, 0.05, (8, 256))
    pin = with_head(shelf, tmp_path, EMOTION, "t/a", weights, np.zeros(8))
    with pytest.raises(
        BrokenInstrument, match=r"probability of 0\.1\d+ on average, where 0\.1875 is the least and 0\.1250"
    ):
        load_probe(EMOTION, instrument_for(pin), tmp_path)


def test_a_constant_number_is_refused(shelf, tmp_path) -> None:
    """A regressor that hears 40 years in everything."""
    pin = with_head(shelf, tmp_path, AGE, "t/a", np.full((1, 256), 1e-5), [0.4])
    with pytest.raises(BrokenInstrument, match=r"answers lie between 40.* and 40.* years.*at least 1\.4"):
        load_probe(AGE, instrument_for(pin), tmp_path)


def test_a_head_that_gives_no_number_is_refused(shelf, tmp_path) -> None:
    """An overflow is not an age."""
    pin = with_head(shelf, tmp_path, AGE, "t/a", np.full((1, 256), 1e308), [0.4])
    with np.errstate(all="ignore"), pytest.raises(BrokenInstrument, match="no numbers"):
        load_probe(AGE, instrument_for(pin), tmp_path)


def rewritten(shelf, tmp_path: Path, change) -> ModelPin:
    """Return the pin of a head whose canary's manifest was changed, hash and all."""
    source = shelf.models / "canaries" / shelf.canaries["gender"]
    lines = change([json.loads(line) for line in (source / "manifest.jsonl").read_text().splitlines()])
    data = "\n".join(json.dumps(line) for line in lines).encode()
    folder = shelf.models / "canaries" / sha256(data)
    folder.mkdir(exist_ok=True)
    for clip in source.glob("*.flac"):
        (folder / clip.name).write_bytes(clip.read_bytes())
    (folder / "manifest.jsonl").write_bytes(data)
    return replace(shelf.pin("head"), canary_sha256=sha256(data))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:-1], "2 clips of each class; too few of male"),
        (lambda lines: [{**line, "label": "woman"} for line in lines], "'woman' is no value of gender"),
        (lambda lines: [{k: v for k, v in line.items() if k != "sha256"} for line in lines], "must have its sha256"),
        (lambda lines: [{**line, "sha256": "0" * 64} for line in lines], "another sha256 than the manifest"),
    ],
)
def test_a_canary_that_proves_little_is_refused(shelf, tmp_path, change, told: str) -> None:
    """Two clips a class, exact labels, every clip pinned; seen before anything is loaded."""
    with pytest.raises(ProtocolError, match=told):
        check_probe(GENDER, instrument_for(rewritten(shelf, tmp_path, change)), shelf.models)


def test_the_canary_of_a_number_has_low_and_high_clips(shelf) -> None:
    """Else a constant could pass; and its labels are numbers."""
    age = shelf.pin("age")
    old = build_canary(shelf.models, AGE, label_of=lambda _: "70")
    words = build_canary(shelf.models, AGE, label_of=lambda _: "nan")
    for canary, told in ((old, "2 clips below"), (words, "must be numbers")):
        with pytest.raises(ProtocolError, match=told):
            check_probe(AGE, instrument_for(replace(age, canary_sha256=canary)), shelf.models)


def test_a_changed_manifest_is_refused(shelf, tmp_path) -> None:
    """Its hash is its name."""
    pin = rewritten(shelf, tmp_path, lambda lines: lines[::-1])
    path = shelf.models / "canaries" / pin.canary_sha256 / "manifest.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ProtocolError, match="another sha256 than its folder"):
        check_probe(GENDER, instrument_for(pin), shelf.models)


@pytest.mark.parametrize("canary", ["", "../" * 20, "x" * 63])
def test_a_pin_without_a_canary_is_refused(shelf, canary: str) -> None:
    """No model is believed untried."""
    with pytest.raises(ProtocolError, match="canary_sha256"):
        check_probe(GENDER, instrument_for(replace(shelf.pin("head"), canary_sha256=canary)), shelf.models)
