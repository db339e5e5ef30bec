"""Tiny models, built once for all tests of the classifiers."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from evaluation.pins import ModelPin
from evaluation.traits import trait
from tests.evaluation.probes.classifiers import tiny_models

EMOTION, AGE, GENDER, ACCENT = (trait(name) for name in ("emotion", "age", "gender", "accent"))


class Shelf:
    """A models folder whose models are built when they are first asked for, and then only read."""

    def __init__(self, models: Path) -> None:
        """Keep models below `models`."""
        self.models = models
        self.pins: dict[str, ModelPin] = {}
        self.canaries = {it.name: tiny_models.build_canary(models, it) for it in (EMOTION, AGE, GENDER, ACCENT)}

    def pin(self, name: str) -> ModelPin:
        """Return the pin of a model that `BUILDERS` lists."""
        if name not in self.pins:
            self.pins[name] = BUILDERS[name](self)
        return self.pins[name]


def _waveform(architecture: str, norm: str) -> Callable[[Shelf], ModelPin]:
    return lambda shelf: tiny_models.build_transformers(
        shelf.models,
        EMOTION,
        canary=shelf.canaries["emotion"],
        architecture=architecture,  # type: ignore[arg-type]
        norm=norm,  # type: ignore[arg-type]
        repo=f"tiny/{architecture}-{norm}",
    )


BUILDERS: dict[str, Callable[[Shelf], ModelPin]] = {
    **{
        f"{kind}-{norm}": _waveform(kind, norm)
        for kind in ("wav2vec2", "hubert", "wavlm")
        for norm in ("layer", "group")
    },
    "regressor": lambda shelf: tiny_models.build_transformers(
        shelf.models, AGE, canary=shelf.canaries["age"], repo="tiny/regressor"
    ),
    "pooled": lambda shelf: tiny_models.build_pooled(shelf.models, EMOTION, canary=shelf.canaries["emotion"]),
    "age": lambda shelf: tiny_models.build_age_gender(
        shelf.models, AGE, GENDER, AGE, canary=shelf.canaries["age"], repo="tiny/age"
    ),
    "gender": lambda shelf: tiny_models.build_age_gender(
        shelf.models, AGE, GENDER, GENDER, canary=shelf.canaries["gender"], repo="tiny/gender"
    ),
    "ecapa": lambda shelf: tiny_models.build_speechbrain(shelf.models, ACCENT, canary=shelf.canaries["accent"]),
    "head": lambda shelf: tiny_models.build_embedding_head(shelf.models, GENDER, canary=shelf.canaries["gender"]),
}
TRAIT_OF = {"regressor": AGE, "age": AGE, "gender": GENDER, "ecapa": ACCENT, "head": GENDER}
SETTINGS = {"pooled": {"head": "tanh"}, "ecapa": {"logit_scale": "30"}}


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Return the shelf that all tests share; a test that breaks a model copies it first."""
    torch.set_num_threads(1)  # as evaluator processes do; tiny models only lose by more
    return Shelf(tmp_path_factory.mktemp("models"))
