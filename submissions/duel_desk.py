"""What ordered duels are carried out with: a part of a worker's station."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from submissions.duel_orders import DuelOrders
from submissions.duel_work import OpenJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelDesk:
    """What ordered duels are carried out with."""

    orders: DuelOrders
    """The orders."""
    find_protocol: Callable[[str], Protocol]
    """Finds a protocol by its id."""
    recipe_of: Callable[[Protocol], JudgeRecipe]
    """Says which judge hears the duels of a protocol's board."""
    open_judge: OpenJudge
    """Opens it."""
    n_parallel: int
    """Calls at once, >= 1."""
