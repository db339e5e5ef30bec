"""The state of the board's table as it stands in an address, read leniently, and written back in its shortest form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.protocol import Protocol
from leaderboard.derive.records import Slice
from leaderboard.query import Query, one
from leaderboard.table import amounts
from leaderboard.table.columns import RISING, columns, presets
from leaderboard.table.lines import part_of
from leaderboard.table.styles import STYLES

N_SORT = 3
"""Columns that a table is sorted by at most."""
ANY = "all"
"""Stands in an address for every tier, where a preset would choose one."""
UNKNOWN = "unknown"
_MOST_FIRST = 100_000
_TIERS = {"0": 0, "1": 1, "2": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    """One step of an ordering."""

    column: str
    """Column key."""
    is_descending: bool
    """Largest first."""

    def __str__(self) -> str:
        """Return it as it stands in an address."""
        return ("-" if self.is_descending else "") + self.column


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which rows a reader wants to see."""

    text: str = ""
    """What is searched for, as typed."""
    only_open: bool = False
    """Only systems whose card says that the weights are open."""
    organisation: str = ""
    """Only this organisation; empty for all."""
    licence: str = ""
    """Only this licence, any case; empty for all."""
    size: str = ""
    """Only sizes in this range, or "unknown"; empty for all."""
    since: str = ""
    """Only what came in this year, month or day or later; empty for all."""
    until: str = ""
    """Only what came in this year, month or day or earlier; empty for all."""
    style: str = ""
    """Only systems that instructions reach in this way; empty for all."""
    coverage: float | None = None
    """Only systems with clips of at least this share of the items, 0..1; None for all."""
    only_newest: bool = False
    """Only rows that no later version of the same system supersedes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """Everything that a reader chose."""

    protocol: str = ""
    """Protocol id; empty for the one that the site evaluates."""
    preset: str = ""
    """Key of the preset that the rest departs from; empty for the first."""
    columns: tuple[str, ...]
    """What is shown, pinned ones too, in order."""
    pins: tuple[str, ...]
    """Shown columns that stand still at the left, in order; "system" is always one."""
    sort: tuple[SortKey, ...] = ()
    """Ordering, strongest key first; empty for the published order."""
    filters: Filters = Filters()
    """Which rows."""
    tier: int | None = None
    """Only items of this tier."""
    split: Literal["public", "held_out"] | None = None
    """Only items of this split."""
    trait: str | None = None
    """Dimension that the preset is about."""
    row: str = ""
    """Submission whose row is open; empty for none."""
    first: int = 0
    """Place of the first row that is shown, from 0."""

    @property
    def part(self) -> Slice:
        """The items that the table is about."""
        return part_of(self.tier, self.split)

    def order(self) -> tuple[str, ...]:
        """Return the shown columns as they stand: pinned ones first, the system last of them."""
        pinned = [name for name in self.pins if name != "system"]
        return (*pinned, "system", *(name for name in self.columns if name not in self.pins))


def read(query: Query, protocol: Protocol, protocol_id: str = "") -> TableState:
    """Return the state that an address asks for; what it does not say, or says wrongly, is as the preset has it.

    Args:
        query: of the address.
        protocol: of the board.
        protocol_id: as the address is to name it; empty for the board that needs no name.
    """
    known = columns(protocol)
    named = presets(protocol)
    wanted = one(query, "preset") or one(query, "trait")
    preset = named.get(wanted, named[""])
    shown = preset.arranged(_names(query, "cols", known) or preset.columns, protocol)
    pins = _names(query, "pin", known) or preset.pins
    tier = one(query, "tier")
    return TableState(
        protocol=protocol_id,
        preset=preset.key,
        columns=shown,
        pins=tuple(name for name in shown if name in pins or name == "system"),
        sort=_sort(_long(query, "sort"), known) or _sort(",".join(preset.sort), known),
        filters=_filters(query),
        tier=_TIERS.get(tier, None if tier == ANY else preset.tier),
        split=_split(one(query, "split")),
        trait=preset.trait,
        row=one(query, "row"),
        first=_whole(one(query, "from")),
    )


def told(state: TableState, protocol: Protocol, **changes: object) -> dict[str, str]:
    """Return a state, with some fields changed, as its address has it: what the preset says by itself is left out."""
    state = replace(state, **changes) if changes else state  # type: ignore[arg-type]
    preset = presets(protocol)[state.preset]
    usual = preset.arranged(preset.columns, protocol)
    usual_pins = tuple(name for name in state.columns if name in preset.pins)
    tier = "" if state.tier == preset.tier else ANY if state.tier is None else str(state.tier)
    sort = ",".join(map(str, state.sort))
    found = {
        "protocol": state.protocol,
        "preset": "" if preset.trait else preset.key,
        "trait": preset.trait or "",
        **filters_told(state.filters),
        "tier": tier,
        "split": state.split or "",
        "sort": "" if sort == ",".join(preset.sort) else sort or "-score",
        "cols": "" if state.columns == usual else ",".join(state.columns),
        "pin": "" if state.pins == usual_pins else ",".join(state.pins),
        "row": state.row,
        "from": str(state.first) if state.first else "",
    }
    return {key: value for key, value in found.items() if value}


def filters_told(filters: Filters) -> dict[str, str]:
    """Return filters as an address has them, those that are set."""
    coverage = "" if filters.coverage is None else f"{filters.coverage * 100:.9g}"
    found = {
        "q": filters.text,
        "org": filters.organisation,
        "licence": filters.licence,
        "size": filters.size,
        "since": filters.since,
        "until": filters.until,
        "style": filters.style,
        "coverage": coverage,
        "open": "1" if filters.only_open else "",
        "newest": "1" if filters.only_newest else "",
    }
    return {key: value for key, value in found.items() if value}


def turned(sort: Sequence[SortKey], column: str) -> tuple[SortKey, ...]:
    """Return the order after a click on a column's head: by it alone, or the other way round if it was."""
    now = sort[0] if sort and sort[0].column == column else None
    falls = column not in RISING if now is None else not now.is_descending
    return (SortKey(column=column, is_descending=falls),)


def added(sort: Sequence[SortKey], column: str) -> tuple[SortKey, ...]:
    """Return the order after a Shift-click on a head: by it too, then the other way round, then without it."""
    at = next((place for place, key in enumerate(sort) if key.column == column), None)
    if at is None:
        return (*sort, SortKey(column=column, is_descending=column not in RISING))[-N_SORT:]
    first_way = column not in RISING
    if sort[at].is_descending == first_way:
        return (*sort[:at], SortKey(column=column, is_descending=not first_way), *sort[at + 1 :])
    return (*sort[:at], *sort[at + 1 :])


def _filters(query: Query) -> Filters:
    size, style = one(query, "size"), one(query, "style")
    since, until = one(query, "since"), one(query, "until")
    return Filters(
        text=one(query, "q"),
        only_open=one(query, "open") == "1",
        organisation=one(query, "org"),
        licence=one(query, "licence"),
        size=size if size == UNKNOWN or amounts.size_range(size) is not None else "",
        since=amounts.day(since) or "",
        until=amounts.day(until) or "",
        style=style if style in STYLES else "",
        coverage=_share(one(query, "coverage")),
        only_newest=one(query, "newest") == "1",
    )


def _share(text: str) -> float | None:
    value = amounts.number(text.removesuffix("%"))
    if value is None or not 0 < value <= 100:
        return None
    return round(value / 100, 6) or None


def _split(text: str) -> Literal["public", "held_out"] | None:
    return "public" if text == "public" else "held_out" if text == "held_out" else None


def _whole(text: str) -> int:
    return min(int(text), _MOST_FIRST) if text.isascii() and text.isdecimal() and len(text) <= 9 else 0


def _long(query: Query, key: str) -> str:
    return str(query.get(key, ""))


def _names(query: Query, key: str, known: Sequence[str]) -> tuple[str, ...]:
    given = (part.strip() for part in _long(query, key).split(","))
    return tuple(dict.fromkeys(name for name in given if name in known))


def _sort(text: str, known: Sequence[str]) -> tuple[SortKey, ...]:
    kept: dict[str, SortKey] = {}
    for part in text.split(","):
        column = part.strip().removeprefix("-")
        if column in known and column not in kept and len(kept) < N_SORT:
            kept[column] = SortKey(column=column, is_descending=part.strip().startswith("-"))
    return tuple(kept.values())
