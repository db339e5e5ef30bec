"""Which figure an address asks for, read leniently; and the address of a figure. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from leaderboard import query, words
from leaderboard.derive.records import Slice, slice_of
from leaderboard.figures.records import N_COMPARED, N_SHOWN, Asked
from leaderboard.query import Query
from leaderboard.views import Board

ROUTE = "/figure"
"""Where the files of figures are."""
_MOST_PICKED = 12

CONTROLS: Mapping[str, frozenset[str]] = {
    "forest": frozenset({"trait", "tier", "split", "systems", "window"}),
    "matrix": frozenset({"trait", "tier", "split", "systems", "window"}),
    "profile": frozenset({"tier", "systems", "lines"}),
    "time": frozenset({"trait", "tier", "split", "systems"}),
    "adherence": frozenset({"tier", "split", "systems"}),
    "values": frozenset({"trait", "tier", "split", "systems", "window"}),
    "tiers": frozenset({"trait", "systems", "window"}),
    "size": frozenset({"trait", "tier", "split", "systems"}),
}
"""What a reader chooses in each figure."""


def read(asked: Query, board: Board, protocol: str = "") -> Asked:
    """Return what an address asks for; what means nothing here is passed over.

    Args:
        asked: the address.
        board: the board that it names.
        protocol: id that links keep; empty on a site with one board.
    """
    name = query.one(asked, "figure")
    name = name if name in words.FIGURES else next(iter(words.FIGURES))
    has = CONTROLS[name]
    part = slice_of(
        board.protocol,
        tier=query.one(asked, "tier") if "tier" in has else "",
        split=query.one(asked, "split") if "split" in has else "",
        trait=query.one(asked, "trait") if "trait" in has else "",
    )
    on_board = {row.submission for row in board.rows}
    given = (one.strip() for one in str(asked.get("systems", "")).split(","))
    systems = tuple(dict.fromkeys(one for one in given if one in on_board))
    first = query.one(asked, "from")
    place = int(first) if first.isascii() and first.isdecimal() else 0
    return Asked(
        name=name,
        protocol=protocol,
        part=part,
        systems=systems[: N_COMPARED if name == "profile" else _MOST_PICKED],
        first=place // N_SHOWN * N_SHOWN if place < len(board.rows) else 0,
        has_all=query.one(asked, "show") == "all",
        has_lines=query.one(asked, "as") == "lines" and "lines" in has,
        is_small=query.one(asked, "small") == "1",
    )


def address(path: str, asked: Asked) -> str:
    """Return the address of a figure's page or file in a state."""
    part: Slice = asked.part
    return query.address(
        path,
        protocol=asked.protocol,
        **({} if path.startswith(f"{ROUTE}/") else {"figure": asked.name}),
        trait=part.trait,
        tier="" if part.tier is None else str(part.tier),
        split=part.split,
        systems=",".join(asked.systems),
        **{"from": str(asked.first) if asked.first and not asked.has_all else ""},
        show="all" if asked.has_all else "",
        **{"as": "lines" if asked.has_lines else ""},
        small=asked.is_small,
    )


def file_address(asked: Asked, kind: str = "json") -> str:
    """Return where a figure is as a file: "json" (plotly's), or its numbers as "data.json", "csv" or "parquet"."""
    return address(f"{ROUTE}/{asked.name}.{kind}", asked)


def turned(asked: Asked, name: str) -> Asked:
    """Return the same choice for another figure, as far as it has it."""
    has, part = CONTROLS[name], asked.part
    kept = Slice(
        tier=part.tier if "tier" in has else None,
        split=part.split if "split" in has else None,
        trait=part.trait if "trait" in has else None,
    )
    systems = asked.systems[: N_COMPARED if name == "profile" else _MOST_PICKED]
    return replace(asked, name=name, part=kept, systems=systems, first=0, has_all=False, has_lines=False)
