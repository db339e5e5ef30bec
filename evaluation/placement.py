"""Where one more system would stand on a board: its rank band and its decisions, by the board's own code. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.decision import Contender, add_system, decide_all, rank_bands
from evaluation.protocol import Constants
from evaluation.records import Decision, RankBand


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The place that a system would take."""

    band: RankBand
    """Best and worst rank that the decisions leave open to it."""
    n_systems: int
    """Systems of the board, itself included."""
    above: str | None
    """Key of the next higher score; None if there is none."""
    below: str | None
    """Key of the next lower score, equal ones included; None if there is none."""
    beats: tuple[str, ...]
    """Keys of those that it beats, best score first."""
    ties: tuple[str, ...]
    """Keys of those that it ties with, best score first."""
    beaten_by: tuple[str, ...]
    """Keys of those that beat it, best score first."""
    decisions: tuple[Decision, ...]
    """Its decision with every other system, best score first."""

    def with_neighbour(self, key: str) -> Decision:
        """Return the decision with the system `key`.

        Raises:
            KeyError: if it is not on the board.
        """
        for decision in self.decisions:
            if key in (decision.challenger, decision.incumbent):
                return decision
        raise KeyError(f"{key} is not on this board")


def place(board: Sequence[Contender], new: Contender, *, constants: Constants) -> Placement:
    """Return where `new` would stand among the systems of `board`.

    Args:
        board: the systems that are there; any number, also none.
        new: the system that comes; same items, a key of its own.
        constants: the protocol's constants.

    Raises:
        ValueError: if its key is on the board, or its items are not the board's.
    """
    decisions = add_system(decide_all(board, constants=constants), new, constants=constants)
    scores = dict(zip(decisions.keys, (int(score) for score in decisions.scores_micro), strict=True))
    others = sorted((one.key for one in board), key=lambda key: (-scores[key], key))
    higher = [key for key in others if scores[key] > scores[new.key]]
    lower = [key for key in others if scores[key] <= scores[new.key]]
    found = {key: decisions.of(new.key, key) for key in others}
    return Placement(
        band=rank_bands(decisions)[new.key],
        n_systems=len(others) + 1,
        above=higher[-1] if higher else None,
        below=lower[0] if lower else None,
        beats=tuple(key for key in others if found[key].is_win and found[key].challenger == new.key),
        ties=tuple(key for key in others if not found[key].is_win),
        beaten_by=tuple(key for key in others if found[key].is_win and found[key].challenger == key),
        decisions=tuple(found.values()),
    )
