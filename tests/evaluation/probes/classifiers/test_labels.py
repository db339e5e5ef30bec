"""Labels are matched exactly; probabilities are those of what can be requested."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import ProtocolError
from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument
from evaluation.probes.classifiers.labels import check_labels, labels_of, scores_of
from evaluation.probes.classifiers.options import options_of
from evaluation.traits import trait
from tests.evaluation.probes.classifiers.tiny_models import instrument_for, pin_of

GENDER, AGE, ACCENT = trait("gender"), trait("age"), trait("accent")


@pytest.fixture
def pin(tmp_path) -> ModelPin:
    """Return a pin of a model of gender."""
    return pin_of(tmp_path, "a/b", "transformers_classifier", GENDER)


@pytest.mark.parametrize(
    ("mapping", "labels", "told"),
    [
        ({"male": "male"}, ("female", "male"), "no label of it stands for 'female'"),
        ({"female": "female", "male": "male"}, ("Female", "Male"), "it has no label 'female'"),
        ({"female": "female", "male": "male"}, ("fe male", "male"), "it has no label 'female'"),
        ({"female": "female", "male": "man"}, ("female", "male"), "'man', which no item can request"),
        ({"female": "female", "male": "male"}, ("female", "male", "male"), "same label"),
        ({"LABEL_0": "female", "male": "male"}, ("female", "male"), "it has no label 'LABEL_0'"),
        ({}, ("female", "male"), "no label of it stands for 'female'; no label of it stands for 'male'"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(pin, mapping: dict, labels: tuple, told: str) -> None:
    """In particular "female" is never matched by "male"; the model's own labels are shown."""
    with pytest.raises(BrokenInstrument) as found:
        check_labels(GENDER, replace(pin, labels=mapping), labels)
    assert told in str(found.value)
    assert repr(labels[0]) in str(found.value)


def test_labels_that_no_item_requests_may_stay_unmapped(pin) -> None:
    """They are left out of the arg max."""
    check_labels(GENDER, pin, ("child", "female", "male"))
    scores = scores_of(GENDER, pin, ("child", "female", "male"), np.array([9.0, 1.0, 1.0]), 6)
    assert scores.probabilities == (0.5, 0.5)


def test_labels_of_one_value_are_added_up(pin) -> None:
    """Before the best is chosen."""
    both = replace(pin, labels={"woman": "female", "girl": "female", "man": "male"})
    logits = np.log(np.array([0.3, 0.3, 0.4]))
    assert scores_of(GENDER, both, ("woman", "girl", "man"), logits, 6).probabilities == (0.6, 0.4)


def test_scores_come_in_the_registrys_order(pin) -> None:
    """Whatever the model's order is."""
    assert scores_of(GENDER, pin, ("male", "female"), np.array([5.0, 0.0]), 6).best() == "male"


@given(st.lists(st.floats(-700, 700), min_size=5, max_size=5), st.integers(1, 6))
def test_rounded_probabilities_sum_to_one(logits: list[float], decimals: int) -> None:
    """Exactly, in steps of the last decimal, each within one step of the softmax."""
    pin = replace(EXAMPLE, labels={value: value for value in ACCENT.values})
    scores = scores_of(ACCENT, pin, ACCENT.values, np.array(logits), decimals)
    powers = np.exp(np.array(logits) - max(logits))
    steps = [round(p * 10**decimals) for p in scores.probabilities]
    assert sum(steps) == 10**decimals
    assert scores.probabilities == tuple(step / 10**decimals for step in steps)
    np.testing.assert_allclose(scores.probabilities, powers / powers.sum(), atol=10**-decimals)


EXAMPLE = ModelPin(
    kind="transformers_classifier",
    repo="a/b",
    revision="local",
    files={},
    labels={},
    scale=1.0,
    rate_hz=16_000,
    shortest_s=0.25,
    longest_s=3.0,
    batch_size=1,
    known_accuracy="",
    accuracy_source="",
    is_non_commercial=False,
    canary_sha256="0" * 64,
)


def test_a_number_has_no_labels(pin) -> None:
    """A map for it is a mistake."""
    check_labels(AGE, replace(pin, labels={}), ())
    with pytest.raises(BrokenInstrument, match="is a number"):
        check_labels(AGE, pin, ())


@pytest.mark.parametrize(
    ("kind", "file", "text", "expected"),
    [
        ("transformers_classifier", "config.json", '{"id2label": {"1": "b", "0": "a"}}', ("a", "b")),
        ("speechbrain_classifier", "label_encoder.txt", "'b => c' => 1\n'a' => 0\n=====\n'x' => 5\n", ("a", "b => c")),
        ("embedding_head", "head.json", '{"labels": ["a", "b"]}', ("a", "b")),
    ],
)
def test_labels_are_read_from_the_models_own_file(tmp_path, kind, file: str, text: str, expected: tuple) -> None:
    """Without loading the model."""
    (tmp_path / file).write_text(text)
    pin = pin_of(tmp_path, "a/b", kind, GENDER)
    assert labels_of(pin, options_of(instrument_for(pin)), tmp_path, GENDER) == expected


@pytest.mark.parametrize(
    ("kind", "file", "text"),
    [
        ("transformers_classifier", "config.json", "{}"),
        ("transformers_classifier", "config.json", "[" * 100_000),
        ("transformers_classifier", "config.json", '{"id2label": {"0": "a", "2": "b"}}'),
        ("transformers_classifier", "config.json", '{"id2label": {"0": 1}}'),
        ("transformers_classifier", "other.json", "{}"),
        ("speechbrain_classifier", "label_encoder.txt", "'a' 0"),
        ("speechbrain_classifier", "label_encoder.txt", "__import__('os') => 0"),
        ("speechbrain_classifier", "label_encoder.txt", "'a' => 1"),
        ("embedding_head", "head.json", "[]"),
    ],
)
def test_a_file_without_labels_is_refused(tmp_path, kind, file: str, text: str) -> None:
    """Malformed, hostile or not pinned."""
    (tmp_path / file).write_text(text)
    pin = pin_of(tmp_path, "a/b", kind, GENDER)
    with pytest.raises(BrokenInstrument, match="labels cannot be read"):
        labels_of(pin, options_of(instrument_for(pin)), tmp_path, GENDER)


def test_an_embedding_head_is_one_file(tmp_path) -> None:
    """Two would leave open which one counts."""
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("{}")
    pin = pin_of(tmp_path, "a/b", "embedding_head", GENDER)
    with pytest.raises(ProtocolError, match="one JSON file"):
        labels_of(pin, options_of(instrument_for(pin)), tmp_path, GENDER)
