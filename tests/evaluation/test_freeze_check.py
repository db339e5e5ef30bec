"""A recipe that could change under its id is told apart from one that cannot."""

import dataclasses

import pytest

from evaluation.freeze_check import moving_name, unpinned
from evaluation.pins import Anchor, JudgeRecipe, ModelPin
from evaluation.protocol import Instrument, Protocol, load_shipped

SHA256, COMMIT = "ab" * 32, "0123456789" * 4

PIN = ModelPin(
    kind="transformers_classifier",
    repo="maker/moods",
    revision=COMMIT,
    files={"model.safetensors": SHA256},
    labels={"calm": "calm", "angry": "angry"},
    scale=1.0,
    rate_hz=16_000,
    shortest_s=0.5,
    longest_s=20.0,
    batch_size=4,
    known_accuracy="unknown",
    accuracy_source="nowhere",
    is_non_commercial=False,
    canary_sha256=SHA256,
)
ANCHOR = Anchor(name="First 1.0", submission="s00000000001", clips={"vb-00000": SHA256})
JUDGE = JudgeRecipe(
    backend="gemini",
    model="gemini-2.5-pro",
    dimensions=("tone",),
    is_combined=True,
    votes=1,
    prompt="v1",
    texts={"rubrics/v1/tone.md": SHA256},
    preparation={"rate": "24000 Hz"},
    temperature=0.0,
    max_output_tokens=2048,
    n_asks=3,
    anchor=ANCHOR,
)


def protocol(pin: ModelPin = PIN, judge: JudgeRecipe = JUDGE, **instrument: object) -> Protocol:
    """Return a protocol with that model and judge."""
    emotion = Instrument(
        name="moods",
        reads="emotion",
        package="transformers",
        version="5.24.0",
        licence="MIT",
        weights={},
        needs={"torch": "2.13.0"},
        settings={},
        model=pin,
    )
    emotion = dataclasses.replace(emotion, **instrument)  # type: ignore[arg-type]
    lite = load_shipped("lite")
    return dataclasses.replace(lite, instruments={**lite.instruments, "emotion": emotion}, judge=judge)


def test_pinned_protocols_leave_nothing_open() -> None:
    """What ships is pinned, and so is a full recipe."""
    assert unpinned(load_shipped("lite")) == ()
    assert unpinned(protocol()) == ()
    assert unpinned(protocol(dataclasses.replace(PIN, revision="local"))) == ()


def test_spoken_forms_of_a_corpus_are_named_by_their_sha256() -> None:
    """Anything else names no file."""
    plain = protocol()
    for forms, is_pinned in ((SHA256, True), ("newest", False), ("", False)):
        changed = dataclasses.replace(plain, corpus=dataclasses.replace(plain.corpus, forms_sha256=forms))
        found = [why for why in unpinned(changed) if "the sha256 of its spoken forms must be 64 hex digits" in why]
        assert (not found) is is_pinned


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"revision": "main"}, "emotion: the revision of maker/moods must be a commit of 40 hex digits"),
        ({"revision": COMMIT[:12]}, "must be a commit of 40 hex digits"),
        ({"files": {}}, "no file of maker/moods is pinned"),
        ({"files": {"model.safetensors": ""}}, "sha256 of the file of maker/moods model.safetensors must be 64"),
        ({"canary_sha256": ""}, "no canary of maker/moods is pinned"),
        ({"canary_sha256": "?"}, "the sha256 of the canary of maker/moods must be 64 hex digits"),
    ],
)
def test_model_that_can_move_is_named(change: dict[str, object], message: str) -> None:
    """The role, the model and what is missing are told."""
    (why,) = unpinned(protocol(dataclasses.replace(PIN, **change)))  # type: ignore[arg-type]
    assert message in why


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "gemini-flash-latest"}, "judge: the model 'gemini-flash-latest' is not pinned"),
        ({"texts": {}}, "the wording and the rubrics are not pinned"),
        ({"texts": {"rubrics/v1/tone.md": "?"}}, "rubrics/v1/tone.md must be 64 hex digits"),
        ({"preparation": {}}, "how clips are prepared"),
        ({"anchor": dataclasses.replace(ANCHOR, clips={})}, "the clips of the anchor are not pinned"),
        ({"anchor": dataclasses.replace(ANCHOR, clips={"a": "?", "b": SHA256})}, "clip of the anchor a must"),
        ({"anchor": dataclasses.replace(ANCHOR, submission="")}, "no anchor is pinned"),
        ({"anchor": dataclasses.replace(ANCHOR, clips={f"i{n}": SHA256 for n in range(497)})}, "the corpus 496 items"),
    ],
)
def test_judge_that_can_move_is_named(change: dict[str, object], message: str) -> None:
    """Model, texts, preparation and anchor are all held to."""
    (why,) = unpinned(protocol(judge=dataclasses.replace(JUDGE, **change)))  # type: ignore[arg-type]
    assert message in why


@pytest.mark.parametrize("version", ["", ">=5", "*", "latest"])
def test_library_of_any_version_is_named(version: str) -> None:
    """One exact version runs a model."""
    assert unpinned(protocol(version=version)) == (
        f"emotion: the version of transformers must be one exact version, got {version!r}",
    )


def test_everything_is_told_at_once() -> None:
    """Nobody mends a recipe a line at a time."""
    pin = dataclasses.replace(PIN, revision="main", files={}, canary_sha256="")
    judge = dataclasses.replace(JUDGE, model="", texts={}, preparation={}, anchor=dataclasses.replace(ANCHOR, clips={}))
    open_corpus = dataclasses.replace(load_shipped("lite").corpus, file_sha256="", canonical_sha256="?")
    assert len(unpinned(dataclasses.replace(protocol(pin, judge), corpus=open_corpus, normaliser=""))) == 10


@pytest.mark.parametrize(
    ("backend", "model", "is_fixed"),
    [
        ("gemini", "gemini-2.5-pro", True),
        ("gemini", "models/gemini-flash-latest", False),
        ("gemini", "gemini-experimental", False),
        ("openai", "gpt-audio", False),
        ("openai", "gpt-audio-2025-08-28", True),
        ("openai", "Qwen/Qwen2.5-Omni-7B", True),
        ("openai", "openrouter/auto", False),
        ("openai", "  ", False),
        ("embedded", "distillmos-0.9.1", True),
    ],
)
def test_names_that_providers_move_are_known(backend: str, model: str, is_fixed: bool) -> None:
    """A name that means another model tomorrow is no pin; a word inside another word is no such name."""
    assert (moving_name(backend, model) is None) == is_fixed
    assert moving_name("openai", "platest-automatic-1") is None
