"""Which rows a table shows, in which order. Pure."""

from collections.abc import Sequence

from evaluation.protocol import Protocol
from leaderboard.table import amounts, search
from leaderboard.table.columns import columns
from leaderboard.table.lines import Line
from leaderboard.table.search import Search
from leaderboard.table.state import UNKNOWN, Filters, SortKey

NUMBERS_ONLY = frozenset({"score", "gate", "adherence", "coverage"})


def numbers(protocol: Protocol) -> tuple[str, ...]:
    """Return the columns that a search can ask numbers of."""
    return tuple(name for name in columns(protocol) if name in NUMBERS_ONLY or name in protocol.dimensions)


def searched(filters: Filters, protocol: Protocol) -> Search:
    """Return what the search of a reader looks for."""
    return search.read(filters.text, numbers(protocol))


def chosen(lines: Sequence[Line], filters: Filters, found: Search) -> list[Line]:
    """Return the rows that pass all filters and the search, in the order in which they came."""
    size = amounts.size_range(filters.size)
    licence = filters.licence.casefold()
    return [line for line in lines if _passes(line, filters, size, licence) and found.holds(line)]


def _passes(line: Line, filters: Filters, size: amounts.Range | None, licence: str) -> bool:
    row = line.row
    return (
        (row.is_open is True or not filters.only_open)
        and (not filters.organisation or row.organisation == filters.organisation)
        and (not licence or line.texts["licence"] == licence)
        and (row.superseded_by is None or not filters.only_newest)
        and (not filters.since or line.day >= filters.since)
        and (not filters.until or line.day[: len(filters.until)] <= filters.until)
        and (not filters.style or line.values["style"] == filters.style)
        and (filters.coverage is None or row.coverage >= filters.coverage)
        and (
            not filters.size
            or (line.size is None if filters.size == UNKNOWN else size is None or size.holds(line.size))
        )
    )


def ordered(lines: Sequence[Line], keys: Sequence[SortKey]) -> list[Line]:
    """Return rows by the keys, the first one strongest; rows without a value come last whichever way.

    Equal rows keep the order in which they came.
    """
    done = list(lines)
    for key in reversed(keys):
        known = [line for line in done if line.values.get(key.column) is not None]
        unknown = [line for line in done if line.values.get(key.column) is None]
        known.sort(key=lambda line: line.values[key.column], reverse=key.is_descending)  # type: ignore[arg-type,return-value]
        done = known + unknown
    return done
