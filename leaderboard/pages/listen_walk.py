"""Ordered walks through the items worth hearing, and why each item is in its walk. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.protocol import Protocol
from leaderboard import words
from leaderboard.derive import walks
from leaderboard.derive.reading import seconded
from leaderboard.derive.records import ScoreTable
from leaderboard.display import percent
from leaderboard.query import ListenQuery
from leaderboard.views import Row

N_MOST = 50
"""Items of a walk, at most."""
ANY = "any"
"""Split of an address that lets held-out items into a walk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One item of a walk."""

    item_id: str
    """The item."""
    why: str
    """One sentence: why it is in the walk; names systems, so it waits for the reveal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Items in the order in which they are worth hearing."""

    what: str
    """One sentence: what the walk leads through; names no system."""
    stops: tuple[Stop, ...]
    """The items, the most telling first."""
    is_waiting: bool = False
    """The board's tables are still being read."""


def choices(protocol: Protocol) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return what can be walked along: groups of (value of the address, label)."""
    composite = ("widest", f"{words.WALK_APART}: {words.WALK_COMPOSITE.lower()}")
    apart = tuple((f"widest:{name}", f"{words.WALK_APART}: {_label(name)}") for name in protocol.dimensions)
    others = [name for name in protocol.dimensions if name not in protocol.judged]
    disputes = tuple(
        (f"dispute:{judged}:{other}", f"{words.WALK_JUDGE}: {_label(judged)}, {_label(other)}")
        for judged in protocol.judged
        for other in others
    )
    same = tuple((f"dispute:{name}", f"{words.WALK_JUDGE}: {_label(name)}") for name in seconded(protocol))
    groups = [(words.WALK_WIDEST, (composite, *apart))]
    if protocol.judged:
        groups.append((words.WALK_DISPUTE, (*same, *disputes)))
    return (*groups, (words.WALK_VETOED, (("vetoed", words.WALK_VETOED_ONLY),)))


def has_held_out(state: ListenQuery) -> bool:
    """Say whether a walk may lead to held-out items."""
    return state.split in (ANY, "held_out")


def walk(table: ScoreTable | None, state: ListenQuery, rows: Sequence[Row], allowed: Collection[str]) -> Walk | None:
    """Return the walk that an address asks for; None if it asks for none.

    Args:
        table: the board's scores; None while they are being read.
        state: kind of the walk, its dimension, and whether held-out items are let in.
        rows: the systems that are heard, in the reader's order.
        allowed: items that pass the other filters.
    """
    if not state.walk:
        return None
    if table is None:
        return Walk(what=words.WALK_WAITING, stops=(), is_waiting=True)
    makers = {"widest": _widest, "dispute": _dispute, "vetoed": _vetoed}
    found = makers[state.walk](table, state, rows)
    stops = tuple(stop for stop in found.stops if stop.item_id in allowed)[:N_MOST]
    return Walk(what=found.what, stops=stops)


def _label(name: str) -> str:
    return words.header(name).label.lower()


def _widest(table: ScoreTable, state: ListenQuery, rows: Sequence[Row]) -> Walk:
    if len(rows) < 2:
        return Walk(what=words.WALK_NEEDS_TWO, stops=())
    a, b = rows[:2]
    name = state.along if state.along in table.protocol.dimensions else None
    found = walks.widest(
        table, a.submission, b.submission, name, has_held_out=has_held_out(state), n_most=len(table.items.ids)
    )
    what = _label(name) if name else words.WALK_COMPOSITE.lower()
    return Walk(
        what=words.WALK_WIDEST_WHAT.format(what=what),
        stops=tuple(
            Stop(
                item_id=one.item_id,
                why=f"{a.name} has {one.a:.3f} and {b.name} {one.b:.3f}: {abs(one.difference):.3f} apart in {what}.",
            )
            for one in found
        ),
    )


def _dispute(table: ScoreTable, state: ListenQuery, rows: Sequence[Row]) -> Walk:
    pairs = walks.dispute_pairs(table)
    if not pairs or not rows:
        return Walk(what=words.WALK_NO_JUDGE, stops=())
    judged, _, second = state.along.partition(":")
    asked = (judged, second or None)
    near = next((pair for pair in pairs if pair[0] == judged), pairs[0])
    name, other = asked if asked in pairs else near
    row = rows[0]
    found = walks.disputes(
        table, row.submission, name, other, has_held_out=has_held_out(state), n_most=len(table.items.ids)
    )
    against = _label(other) if other else words.WALK_SECOND
    return Walk(
        what=words.WALK_DISPUTE_WHAT.format(judged=_label(name), other=against),
        stops=tuple(
            Stop(
                item_id=one.item_id,
                why=f"{row.name}: the judge gives {_label(name)} {one.a:.2f}, the probe gives {against} {one.b:.2f}.",
            )
            for one in found
        ),
    )


def _vetoed(table: ScoreTable, state: ListenQuery, rows: Sequence[Row]) -> Walk:
    worst: dict[str, tuple[float, list[str]]] = {}
    for row in rows:
        for one in walks.vetoed(table, row.submission, has_held_out=has_held_out(state)):
            rate, told = worst.get(one.item_id, (0.0, []))
            share = percent(one.wer) if one.wer <= 1 else f"{one.wer * 100:.0f}%"
            worst[one.item_id] = (max(rate, one.wer), [*told, f"{row.name} (WER {share})"])
    ranked = sorted(worst.items(), key=lambda pair: (-pair[1][0], pair[0]))
    stops = tuple(Stop(item_id=item, why=f"The gate vetoed {', '.join(told)}.") for item, (_, told) in ranked)
    return Walk(what=words.WALK_VETOED_WHAT, stops=stops)
