"""What figures are made of and what they are. Plain values; nothing is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.protocol import Protocol
from leaderboard.derive.records import Slice
from leaderboard.views import Row

Cell = str | int | float | bool | None
"""A value of a table; None where there is none."""
Trace = dict[str, Any]
"""What plotly draws as one thing."""

N_SHOWN = 40
"""Systems in one window of a figure with a line for each."""
N_SMALL = 12
"""Systems in a figure on another page."""
N_COMPARED = 4
"""Systems that are laid over each other at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which figure an address asks for, and of what."""

    name: str
    """Name of the figure, a key of `words.FIGURES`."""
    protocol: str = ""
    """Protocol id; empty for the board that the site shows first."""
    part: Slice = field(default_factory=Slice)
    """Items, and the dimension that is compared; the whole board by default."""
    systems: tuple[str, ...] = ()
    """Submissions that the reader picked, in order; all are on the board."""
    first: int = 0
    """Place of the first system in view, from 0."""
    has_all: bool = False
    """Whether every system is in view at once."""
    has_lines: bool = False
    """Whether a profile is drawn as parallel lines with intervals and not as a radar."""
    is_small: bool = False
    """Whether it stands on another page, in short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One system on one part of a board."""

    row: Row
    """The system, as on the whole board."""
    score: float
    """What is compared: S, or the mean desirability of one dimension, 0..1."""
    low: float | None
    """Lower end of its 95 % interval; None if there is none."""
    high: float | None
    """Upper end."""
    best: int
    """Best rank that the decisions on this part leave open."""
    worst: int
    """Worst rank."""
    is_tied: bool
    """The system with the highest mean does not beat it; true of that system itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """All systems on one part of a board, the best mean first."""

    protocol: Protocol
    """The recipe."""
    part: Slice
    """The part; only the whole board ranks."""
    points: tuple[Point, ...]
    """One for each system with a score."""
    n_items: int
    """Items that all are compared on."""
    needed: float | None
    """Difference of means that the test typically needs here, 0..1; None if that is not known."""

    @property
    def n_tied(self) -> int:
        """Systems that the one with the highest mean does not beat, itself among them."""
        return sum(point.is_tied for point in self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The numbers of a figure."""

    columns: tuple[str, ...]
    """Names of the columns."""
    lines: tuple[tuple[Cell, ...], ...]
    """One value a column."""
    keys: tuple[str, ...] = ()
    """Submission of each line, to lead to its page; empty if lines are no systems."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Figure:
    """One figure, drawn and told."""

    name: str
    """Its name."""
    data: Sequence[Trace]
    """What plotly draws; nothing if there is nothing to draw."""
    layout: Mapping[str, Any]
    """How plotly lays it out; colours are named as variables of the page, which knows whether it is dark."""
    sentence: str
    """What to see, in one sentence or two; as it is, not escaped."""
    alt: str
    """What is drawn, for those who cannot see it."""
    table: Table
    """Its numbers."""
    phone: Mapping[str, Any] = field(default_factory=dict)
    """What differs on a narrow screen, by dotted path into the layout, or into the traces after "data"."""
    opens: str = "system"
    """What a click on a mark opens: "system" by its custom data, "pair" by place in `table.keys`, or nothing."""
    note: str = ""
    """A remark below the figure."""


def nothing(name: str, sentence: str) -> Figure:
    """Return the figure that says why there is nothing to draw."""
    return Figure(name=name, data=(), layout={}, sentence=sentence, alt=sentence, table=Table(columns=(), lines=()))
