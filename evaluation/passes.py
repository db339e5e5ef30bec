"""How a protocol's instruments share memory: the light ones are read together, each large model in a pass of its own.

Only the instruments of one pass are in memory at a time. A pass gives readings with what it read and nothing
else; `merge` puts a clip's parts together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from evaluation.records import ClipReadings
from evaluation.traits import TRAITS

Part = TypeVar("Part")

SHARED = "shared"
"""Name of the pass of all instruments that packages carry."""


class PartsDisagree(CastboardError):
    """Two parts of one clip's readings cannot both be true; the clip must be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Instruments that are in memory at the same time."""

    name: str
    """SHARED, or the role of its one instrument."""
    roles: tuple[str, ...]
    """Roles of the protocol that it reads, sorted."""


def passes_of(protocol: Protocol) -> tuple[Pass, ...]:
    """Return the passes of a protocol in the order in which they are read; there is always one."""
    shared = tuple(sorted(role for role, one in protocol.instruments.items() if one.model is None))
    large = {role for role, one in protocol.instruments.items() if one.model is not None}
    known = [trait.name for trait in TRAITS if trait.name in large]
    alone = [Pass(name=role, roles=(role,)) for role in (*known, *sorted(large - set(known)))]
    return (Pass(name=SHARED, roles=shared), *alone) if shared or not alone else tuple(alone)


def merge(parts: Sequence[ClipReadings]) -> ClipReadings:
    """Return the readings of one clip that several passes read.

    Args:
        parts: at least one, all of the same clip.

    Raises:
        PartsDisagree: if they are of several clips, or two of them report the same thing and not alike.
    """
    whole = parts[0]
    for part in parts[1:]:
        if (part.item_id, part.clip_sha256) != (whole.item_id, whole.clip_sha256):
            raise PartsDisagree(f"readings of {part.item_id} and of {whole.item_id} are not of one clip")
        where = whole.item_id
        whole = replace(
            whole,
            acoustics=_either(where, "acoustics", whole.acoustics, part.acoustics),
            transcript=_either(where, "transcript", whole.transcript, part.transcript),
            naturalness=_either(where, "naturalness", whole.naturalness, part.naturalness),
            probes=_both(where, whole.probes, part.probes),
            verdicts=_both(where, whole.verdicts, part.verdicts),
        )
    return whole


def _either(where: str, what: str, one: Part, other: Part) -> Part:
    if one is not None and other is not None and one != other:
        raise PartsDisagree(f"{where}: two passes read {what} differently, and only one of them may read it")
    return other if one is None else one


def _both(where: str, one: Mapping[str, Part], other: Mapping[str, Part]) -> dict[str, Part]:
    for what in one.keys() & other.keys():
        _either(where, what, one[what], other[what])
    return {**one, **other}
