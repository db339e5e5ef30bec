"""Two systems compared: the decision with its arithmetic, by the board's code, or a what-if that is marked as one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.analysis import LABEL, Material, analyse
from evaluation.decision import contender, decide
from evaluation.errors import CastboardError
from evaluation.paired import Paired, paired
from evaluation.protocol import Constants, Protocol
from evaluation.records import Decision, SampleScore
from leaderboard.contestants import Contestant, only
from leaderboard.local_board import samples_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that is said of two systems."""

    label: str
    """"decision", or what it is instead; to be shown wherever its numbers are."""
    protocol: str
    """Id of the protocol."""
    names: Mapping[str, str]
    """What the two are called, by the keys of the decision; the first one's first."""
    n_items: int
    """Items that both were scored on."""
    is_whole: bool
    """Whether these are all items that either has."""
    weights: Mapping[str, float]
    """Weight of each dimension."""
    constants: Constants
    """The constants that were used."""
    decision: Decision
    """Who wins, with the arithmetic."""
    differences: Paired
    """The first less the second, by dimension and by item."""


def compare(
    protocol: Protocol,
    a: Contestant,
    b: Contestant,
    *,
    weights: Mapping[str, float] | None = None,
    constants: Mapping[str, float] | None = None,
) -> Comparison:
    """Return the comparison of two systems, over the items that both have.

    Args:
        protocol: the protocol of both.
        a: the first.
        b: the second.
        weights: of some dimensions; None or empty for those of the board.
        constants: values of some constants; None or empty for those of the board.

    Raises:
        CastboardError: if they have no item in common, or weights or constants are none.
    """
    shared = {item.id for item in a.evidence.items} & {item.id for item in b.evidence.items}
    if not shared:
        raise CastboardError("the two have no item in common")
    is_whole = len(shared) == len(a.evidence.items) == len(b.evidence.items)
    if not is_whole:
        a, b = (replace(one, evidence=only(one.evidence, shared)) for one in (a, b))
    if {item.id: item for item in a.evidence.items} != {item.id: item for item in b.evidence.items}:
        raise CastboardError("the two were scored on different items of the same ids: their corpora differ")
    if a.key == b.key:
        raise CastboardError(f"{a.name} cannot be compared with itself")
    is_analysis = bool(weights or constants)
    try:
        found = _what_if(protocol, a, b, weights, constants) if is_analysis else _decided(protocol, a, b)
    except ValueError as error:
        raise CastboardError(str(error)) from error
    decision, samples, used, weighed = found
    return Comparison(
        label=LABEL if is_analysis else "decision" if is_whole else "over some items, not a ranking",
        protocol=protocol.id,
        names={a.key: a.name, b.key: b.name},
        n_items=len(shared),
        is_whole=is_whole,
        weights=weighed,
        constants=used,
        decision=decision,
        differences=paired(protocol, *samples),
    )


_Found = tuple[Decision, tuple[tuple[SampleScore, ...], tuple[SampleScore, ...]], Constants, Mapping[str, float]]


def _decided(protocol: Protocol, a: Contestant, b: Contestant) -> _Found:
    ours, theirs = samples_of(protocol, a.evidence), samples_of(protocol, b.evidence)
    decision = decide(contender(a.key, ours), contender(b.key, theirs), constants=protocol.constants)
    return decision, (ours, theirs), protocol.constants, dict.fromkeys(protocol.dimensions, 1.0)


def _what_if(
    protocol: Protocol,
    a: Contestant,
    b: Contestant,
    weights: Mapping[str, float] | None,
    constants: Mapping[str, float] | None,
) -> _Found:
    systems = {one.key: Material(readings=one.evidence.readings, declined=one.evidence.declined) for one in (a, b)}
    found = analyse(protocol, a.evidence.items, systems, weights=weights, constants=constants)
    samples = found.samples[a.key], found.samples[b.key]
    return found.decisions.of(a.key, b.key), samples, found.constants, found.weights
