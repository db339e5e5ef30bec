"""Before a run: can the judge of a recipe be asked about every item? Whether it is pinned, `freeze_check` tells."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from evaluation.errors import ProtocolError
from evaluation.judge import panel, rubrics
from evaluation.judge.judging_check import check_items, check_preparation
from evaluation.pins import JudgeRecipe
from evaluation.records import Item
from evaluation.traits import NATURALNESS

_N_SHOWN = 5


def judge_checks(recipe: JudgeRecipe, items: Sequence[Item] | None) -> Iterator[Callable[[], object]]:
    """Yield every check of a recipe; each returns if all is well and raises ProtocolError if it is not.

    Args:
        recipe: the judge's part of a protocol.
        items: all items of the corpus; None: what concerns them is not looked at.
    """
    yield partial(rubrics.of_recipe, recipe)
    yield partial(panel.check_counts, recipe)
    yield partial(check_preparation, recipe)
    if items is not None:
        yield partial(_check_categories, recipe, items)
        yield partial(_check_anchor, recipe, items)
        yield partial(check_items, recipe.dimensions, items)


def _check_categories(recipe: JudgeRecipe, items: Sequence[Item]) -> None:
    if NATURALNESS in recipe.dimensions:
        rubrics.check_categories(rubrics.load(recipe.prompt), items)


def _check_anchor(recipe: JudgeRecipe, items: Sequence[Item]) -> None:
    absent = [item.id for item in items if item.id not in recipe.anchor.clips]
    strangers = sorted(recipe.anchor.clips.keys() - {item.id for item in items})
    if absent or strangers:
        raise ProtocolError(
            f"the anchor {recipe.anchor.name} must have a clip of every item of the corpus and no other: "
            f"{len(absent)} are missing ({_listed(absent)}), {len(strangers)} are of no item ({_listed(strangers)})"
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _N_SHOWN} more" if len(names) > _N_SHOWN else ""
    return (", ".join(names[:_N_SHOWN]) or "none") + more
