"""What the page of a pair knows of its duel: the committed one, or how far an ordered one is."""

import logging
from dataclasses import dataclass

from evaluation.errors import SchemaError
from leaderboard.context import Context
from leaderboard.views import Board
from submissions.duel_contest import Published, read_duel
from submissions.duel_orders import Order

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duelling:
    """The duel of one pair."""

    held: Published | None
    """The committed duel and its verdicts; None if there is none."""
    order: Order | None
    """What was ordered; None if nothing was."""
    is_damaged: bool
    """There is one, and its files cannot be read."""
    has_operator: bool
    """Whether this site has operator's buttons."""

    @property
    def is_under_way(self) -> bool:
        """Whether a page should look again soon."""
        return self.held is None and self.order is not None and not self.order.is_ended

    @property
    def may_be_ordered(self) -> bool:
        """Whether an operator may order it here and now."""
        return self.has_operator and self.held is None and not self.is_damaged and not self.is_under_way


def duelling(context: Context, board: Board, one: str, other: str) -> Duelling | None:
    """Return what is known of a pair's duel; None if the two are no pair of the board."""
    if one == other or board.row(one) is None or board.row(other) is None:
        return None
    has_operator = context.operator is not None
    try:
        held = read_duel(context.files, board.protocol_id, one, other)
        order = None if held else context.duel_orders.read(board.protocol_id, one, other)
    except SchemaError as error:
        log.warning("duel.unreadable", extra={"protocol": board.protocol_id, "why": str(error)})
        return Duelling(held=None, order=None, is_damaged=True, has_operator=has_operator)
    except ValueError:  # ids that no duel can have
        return None
    return Duelling(held=held, order=order, is_damaged=False, has_operator=has_operator)
