"""The catalogue of models: true to what is installed, permissive by default, and enough to make an instrument."""

import importlib.metadata
import json
from dataclasses import replace

import pytest

from evaluation.errors import ProtocolError, SchemaError
from evaluation.probes.classifiers.catalogue import (
    FOLDER,
    default_for,
    instrument_of,
    load_catalogue,
    wanted_files,
)
from evaluation.probes.classifiers.labels import check_labels
from evaluation.probes.classifiers.options import options_of
from evaluation.traits import Kind, trait

CANDIDATES = load_catalogue()
COMMIT, CANARY = "a" * 40, "b" * 64


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda candidate: candidate.name)
def test_a_candidate_makes_a_sound_instrument(candidate) -> None:
    """Its settings are known, its labels reach every value, its libraries are those that are installed."""
    files = dict.fromkeys((*candidate.files, *candidate.weights, "README.md"), "0" * 64)
    instrument = instrument_of(candidate, COMMIT, files, CANARY)
    options_of(instrument)
    read = trait(candidate.trait)
    assert instrument.model is not None
    check_labels(read, instrument.model, () if read.kind is Kind.NUMERIC else tuple(candidate.labels))
    assert "README.md" not in instrument.model.files
    assert (instrument.model.revision, instrument.model.canary_sha256) == (COMMIT, CANARY)
    for package, version in {candidate.package: candidate.version, **candidate.needs}.items():
        assert importlib.metadata.version(package).partition("+")[0] == version


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda candidate: candidate.name)
def test_a_candidate_says_what_is_known_and_what_is_not(candidate) -> None:
    """Reason, evidence with its source, and what was not tried, in sentences."""
    for text in (candidate.why, candidate.not_tried, candidate.known_accuracy, candidate.reads, candidate.licence):
        assert len(text) > 2
    assert candidate.why.endswith(".")
    assert candidate.not_tried.endswith(".")
    assert "http" in candidate.accuracy_source or "arXiv" in candidate.accuracy_source


def test_defaults_are_permissive() -> None:
    """A licence that forbids commercial use is the default only where there is no other."""
    for name in ("gender", "emotion", "accent"):
        assert not default_for(name, CANDIDATES).is_non_commercial
    assert default_for("age", CANDIDATES).is_non_commercial
    with pytest.raises(ProtocolError, match="no default for pace; name a candidate, it has no model"):
        default_for("pace", CANDIDATES)


def test_two_defaults_are_none() -> None:
    """An operator's own that claims to be the default takes the place of nothing; both are named."""
    shipped = default_for("accent", CANDIDATES)
    with pytest.raises(ProtocolError, match=f"2 defaults for accent; name a candidate, it has {shipped.name}, mine"):
        default_for("accent", (*CANDIDATES, replace(shipped, name="mine")))


def test_safe_weights_come_first() -> None:
    """A pickle is pinned only if a repository holds nothing better."""
    candidate = next(candidate for candidate in CANDIDATES if candidate.weights)
    there = {*candidate.files, *candidate.weights}
    assert wanted_files(candidate, there)[-1] == "model.safetensors"
    assert wanted_files(candidate, there - {"model.safetensors"})[-1] == "pytorch_model.bin"
    with pytest.raises(ProtocolError, match=r"lacks config\.json, model\.safetensors or pytorch_model\.bin"):
        wanted_files(replace(candidate, files=("config.json",)), ())


def test_a_wrong_catalogue_is_refused(tmp_path) -> None:
    """Another name than its file, two defaults, an unknown key, another version."""
    source = json.loads((FOLDER / "accent-commonaccent-ecapa.json").read_text())
    for file, change, told in (
        ("other", {}, "called as its candidate"),
        (source["name"], {"colour": "red"}, "unknown fields"),
        (source["name"], {"schema_version": 2}, "schema_version must be 1"),
    ):
        path = tmp_path / f"{file}.json"
        path.write_text(json.dumps({**source, **change}))
        with pytest.raises(SchemaError, match=told):
            load_catalogue(tmp_path)
        path.unlink()
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({**source, "name": name}))
    with pytest.raises(SchemaError, match="more than one default for accent"):
        load_catalogue(tmp_path)
