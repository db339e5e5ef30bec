"""The judge's texts: what a recipe pins is what is read."""

from dataclasses import replace

import pytest

from evaluation import traits
from evaluation.errors import ProtocolError
from evaluation.judge import rubrics
from evaluation.traits import TRAITS
from tests.evaluation.judge.judges import item, recipe

CATEGORIES = ("emotion", "general", "paralinguistics", "pronunciation", "questions", "syntax")


def test_every_file_of_a_version_is_hashed() -> None:
    """A recipe pins the wording and every rubric."""
    hashes = rubrics.hashes()
    assert {f"rubrics/v1/naturalness_{category}.md" for category in CATEGORIES} <= hashes.keys()
    assert {"rubrics/v1/prompt.md", "rubrics/v1/tone.md"} <= hashes.keys()
    assert all(len(value) == 64 for value in hashes.values())


def test_a_recipe_with_other_texts_is_refused() -> None:
    """A changed, a missing and an extra file are each named."""
    here = rubrics.hashes()
    changed = {**here, "rubrics/v1/tone.md": "0" * 64, "rubrics/v1/more.md": "1" * 64}
    del changed["rubrics/v1/prompt.md"]
    with pytest.raises(ProtocolError, match=r"rubrics/v1/more.md, rubrics/v1/prompt.md, rubrics/v1/tone.md"):
        rubrics.of_recipe(recipe(texts=changed))


@pytest.mark.parametrize("version", ["v99", "../v1", "", "v1/.."])
def test_an_unknown_version_is_refused(version: str) -> None:
    """No path leaves the rubrics' folder, and the versions that exist are named."""
    with pytest.raises(ProtocolError, match="there are: v1"):
        rubrics.load(version)


def test_every_trait_and_category_has_a_rubric() -> None:
    """All that the registry knows can be judged on request."""
    texts = rubrics.load()
    for trait in TRAITS:
        assert rubrics.rubric_name(trait.name, "general", texts) in texts.rubrics
    assert rubrics.categories(texts) == CATEGORIES


def test_a_ninth_trait_needs_no_new_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trait that is only registered is judged by the rubric of its kind."""
    ninth = replace(TRAITS[-1], name="charm", question="Is the voice charming?")
    monkeypatch.setattr(rubrics, "TRAITS", (*traits.TRAITS, ninth))
    assert rubrics.rubric_name("charm", "general", rubrics.load()) == "trait_judged"


def test_what_nobody_knows_cannot_be_judged() -> None:
    """An unknown dimension or category is refused with what there is."""
    with pytest.raises(ProtocolError, match="there are: gender"):
        rubrics.of_recipe(recipe(dimensions=("sparkle",)))
    with pytest.raises(ProtocolError, match=r"\['opera'\]; there are: emotion"):
        rubrics.check_categories(rubrics.load(), [item(category="opera")])


def test_every_rubric_has_four_levels() -> None:
    """Each level of 0..3 is described in every rubric."""
    for name, text in rubrics.load().rubrics.items():
        assert [f"\n- {level}: " in text for level in range(4)] == [True] * 4, name
