"""The columns of a board: which there are, which stand there at first, and the presets that choose some. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from evaluation.protocol import Protocol
from evaluation.traits import NATURALNESS

TEXTS = frozenset({"system", "organisation", "licence", "style", "date"})
"""Columns of words."""
RISING = frozenset({*TEXTS, "band", "here"}) - {"date"}
"""Columns whose first click puts the smallest first."""
N_WIDE = 7
"""With more dimensions than this, licence and size stand in the table only if asked for."""
_BESIDE = ("licence", "size")
HARD = 2
"""The tier of the preset "hard"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A view of the board that has a name."""

    key: str
    """As in an address; empty for the first."""
    columns: tuple[str, ...]
    """What it shows."""
    sort: tuple[str, ...] = ()
    """Its order, as in an address; empty for the published one."""
    tier: int | None = None
    """Only items of this tier."""
    trait: str | None = None
    """Dimension that it is about."""

    @property
    def pins(self) -> tuple[str, ...]:
        """What stands still at the left unless a reader says otherwise: the rank that it is about, and who it is."""
        return ("here" if "here" in self.columns else "band", "system")

    def arranged(self, names: Collection[str], protocol: Protocol) -> tuple[str, ...]:
        """Return columns in the order in which they stand: its own first, then others as usual; the system is one."""
        wanted = {*names, "system"}
        return tuple(name for name in dict.fromkeys((*self.columns, *columns(protocol))) if name in wanted)


def traits(protocol: Protocol) -> tuple[str, ...]:
    """Return the scored dimensions but for naturalness."""
    return tuple(name for name in protocol.dimensions if name != NATURALNESS)


def columns(protocol: Protocol) -> tuple[str, ...]:
    """Return the keys of every column that a board may show, in their usual order."""
    natural = (NATURALNESS,) if NATURALNESS in protocol.dimensions else ()
    cost = ("judge",) if protocol.judge is not None else ()
    measured = ("score", "gate", *natural, *traits(protocol), "adherence", "coverage")
    return ("band", "here", "system", *measured, "size", *cost, "organisation", "licence", "style", "date")


def presets(protocol: Protocol) -> Mapping[str, Preset]:
    """Return every preset of a board by its key; the first is the board itself."""
    names = traits(protocol)
    has_natural = NATURALNESS in protocol.dimensions
    natural = (NATURALNESS,) if has_natural else ()
    beside = _BESIDE if len(protocol.dimensions) <= N_WIDE else ()
    whole = ("band", "system", "score", "gate", *natural, *names, "coverage", *beside)
    found = [
        Preset(key="", columns=whole),
        Preset(key="adherence", columns=("band", "system", "adherence", *names, "score"), sort=("-adherence",)),
        Preset(
            key="hard",
            columns=("here", "band", "system", "score", "gate", *natural, *names, "coverage"),
            sort=("-score",),
            tier=HARD,
        ),
    ]
    if has_natural:
        found.insert(2, _single(NATURALNESS))
    found += [_single(name) for name in names]
    return {preset.key: preset for preset in found}


def _single(name: str) -> Preset:
    shown = ("here", "band", "system", name, "score", "gate", "coverage", "organisation", "style", "size", "date")
    return Preset(key=name, columns=shown, sort=(f"-{name}",), trait=name)
