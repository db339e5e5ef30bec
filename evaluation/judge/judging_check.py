"""Whether a judge's recipe can be followed by this installation on these items; asked before anything is paid for."""

from collections.abc import Sequence

from evaluation.errors import ProtocolError
from evaluation.judge import panel, preparation, prompt, rubrics
from evaluation.judge.injection import script_addresses_judge
from evaluation.pins import JudgeRecipe
from evaluation.records import Item
from evaluation.traits import NATURALNESS

_MOST_NAMED = 5


def check_recipe(recipe: JudgeRecipe, items: Sequence[Item]) -> rubrics.Texts:
    """Return the texts that a recipe pins, if the recipe and the items are fit to be judged.

    Raises:
        ProtocolError: the texts or the preparation are not this version's; votes, asks or dimensions make no sense; an
            item has a category without a rubric, requests no value of a judged trait, or speaks to a judge itself.
    """
    panel.check_counts(recipe)
    texts = rubrics.of_recipe(recipe)
    check_preparation(recipe)
    if NATURALNESS in recipe.dimensions:
        rubrics.check_categories(texts, items)
    check_items(recipe.dimensions, items)
    return texts


def check_preparation(recipe: JudgeRecipe) -> None:
    """Return if clips are prepared for the judge here as the recipe pins it.

    Raises:
        ProtocolError: naming every setting that differs, with both values.
    """
    here, pinned = preparation.settings(), recipe.preparation
    differing = [
        f"{name}: {pinned.get(name, 'nothing')!r:.120} there, {here.get(name, 'nothing')!r} here"
        for name in sorted(here.keys() | pinned.keys())
        if here.get(name) != pinned.get(name)
    ]
    if differing:
        raise ProtocolError(
            f"clips would not be prepared for the judge as the protocol says ({'; '.join(differing)}). "
            "Install the version of Castboard that it was frozen with, or freeze a protocol for this one."
        )


def check_items(dimensions: Sequence[str], items: Sequence[Item]) -> None:
    """Return if every item requests what is judged, and none speaks to the judge.

    Raises:
        ProtocolError: naming the first few items that do not.
    """
    faults = []
    for item in items:
        phrase = script_addresses_judge(item.script) or script_addresses_judge(item.instruction)
        if phrase is not None:
            faults.append(f'{item.id} speaks to a judge: "{phrase}"')
        try:
            for dimension in dimensions:
                if dimension != NATURALNESS:
                    prompt.requested_value(item.requested.get(dimension), dimension)
        except ProtocolError as error:
            faults.append(f"{item.id}: {error}")
    if faults:
        more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
        raise ProtocolError(f"these items cannot be judged: {'; '.join(faults[:_MOST_NAMED])}{more}")
