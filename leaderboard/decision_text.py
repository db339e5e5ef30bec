"""A decision and a place as sentences with their whole arithmetic. Pure."""

from collections.abc import Callable, Iterator

from evaluation.placement import Placement
from evaluation.records import Decision
from leaderboard.display import band, count, exact

NameOf = Callable[[str], str]
"""Key of a system to what it is called; hostile text may come out."""


def sentence(decision: Decision, name_of: NameOf) -> str:
    """Return who wins and by what: both means, the lower bound and the margin."""
    one, other = name_of(decision.challenger), name_of(decision.incumbent)
    who = f"{one} beats {other}" if decision.is_win else f"{one} and {other} tie"
    side = "above" if decision.is_win else "not above"
    return (
        f"{who}: S {exact(decision.challenger_score)} against {exact(decision.incumbent_score)}, "
        f"lower bound {decision.lcb:+.6f} {side} the margin {exact(decision.margin)}."
    )


def place_sentence(placement: Placement) -> str:
    """Return the rank band and how many systems are on each side of it."""
    wins, ties, losses = len(placement.beats), len(placement.ties), len(placement.beaten_by)
    return (
        f"Rank {band(placement.band.best, placement.band.worst)} of {placement.n_systems}: "
        f"it would beat {count(wins, 'system')}, tie with {ties} and be beaten by {losses}."
    )


def neighbour_sentences(placement: Placement, name_of: NameOf) -> Iterator[tuple[str, str]]:
    """Yield "Just above" and "Just below", each with the decision, where there is such a neighbour."""
    for label, key in (("Just above", placement.above), ("Just below", placement.below)):
        if key is not None:
            yield label, sentence(placement.with_neighbour(key), name_of)
