"""The board's table as the API is asked for it: the same words as the page's address, and the same rows.

A page reads an address leniently; a program is told what of it means nothing, all at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from leaderboard.api.params import LeaderboardParams, SystemsParams
from leaderboard.api.problems import Problem, Refused, cut, refused
from leaderboard.context import Context
from leaderboard.derive.records import ALL
from leaderboard.table import amounts, choose, columns, export, search
from leaderboard.table.lines import Line, Lines
from leaderboard.table.state import UNKNOWN, Filters, TableState, read
from leaderboard.table.styles import STYLES
from leaderboard.views import Board

_ARROW = {"text": pa.string(), "number": pa.float64(), "whole": pa.int64(), "flag": pa.bool_()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a program asks of a board's table."""

    state: TableState
    """As the page would read it."""
    lines: tuple[Line, ...]
    """Rows that pass, in order."""
    is_view: bool
    """Whether columns, a preset or a part of the items were asked for, so that the answer is what the table shows."""

    def columns(self) -> tuple[str, ...]:
        """Return what the table shows, in order."""
        return tuple(name for name in self.state.order() if name != "system")


def asked(context: Context, board: Board, params: LeaderboardParams) -> Asked:
    """Return the rows of a board that are asked for, in the order asked for: what its page shows for the same query.

    Raises:
        Refused: 422 with everything that means nothing here, 503 while a part of the items is being worked out.
    """
    query = {name: value for name, value in _texts(params).items() if value}
    problems = [*_wrong_names(board, params), *_wrong_filters(board, params)]
    if problems:
        raise Refused(422, problems)
    state = read(query, board.protocol)
    has_styles = bool(state.filters.style) or search.needs_styles(params.q) or "style" in state.columns
    has_styles = has_styles or any(key.column == "style" for key in state.sort)
    lines = context.tables.lines(board, state.part, trait=state.trait, has_styles=has_styles)
    if lines.view is None and (state.part != ALL or state.trait):
        raise refused(503, "tier", "This part of the board is being worked out. Ask again in a minute.")
    names = ("preset", "trait", "cols", "tier", "split")
    is_view = any(getattr(params, name) for name in names)
    return Asked(state=state, lines=tuple(_chosen(board, lines, state)), is_view=is_view)


def revision_of(context: Context, board: Board, params: LeaderboardParams) -> str:
    """Return what changes whenever the answer to `params` may."""
    found = board.protocol_id + board.revision
    names = ("preset", "trait", "cols", "tier", "split", "sort")
    if not any(getattr(params, name) for name in names):
        return found
    state = read({name: value for name, value in _texts(params).items() if value}, board.protocol)
    return board.protocol_id + context.tables.revision(board, state.part, state.trait)


def chosen_systems(context: Context, board: Board, params: SystemsParams) -> tuple[Line, ...]:
    """Return the rows of a board whose systems are asked for, in its order.

    Raises:
        Refused: 422 with what of the search means nothing.
    """
    problems = _wrong_search(board, params.q)
    if problems:
        raise Refused(422, problems)
    filters = Filters(
        text=params.q, only_open=params.is_open, organisation=params.org.strip(), only_newest=params.is_newest
    )
    lines = context.tables.lines(board, ALL, has_styles=search.needs_styles(params.q))
    return tuple(choose.chosen(lines.lines, filters, choose.searched(filters, board.protocol)))


def table_of(lines: Sequence[Line], names: Sequence[str]) -> pa.Table:
    """Return rows as a table of the columns that are shown."""
    fields = export.fields(names)
    schema = pa.schema([pa.field(name, _ARROW[kind]) for name, kind in fields.items()])
    return pa.Table.from_pylist([dict(export.cells(line, names)) for line in lines], schema=schema)


def _chosen(board: Board, lines: Lines, state: TableState) -> list[Line]:
    found = choose.searched(state.filters, board.protocol)
    return choose.ordered(choose.chosen(lines.lines, state.filters, found), state.sort)


def _texts(params: LeaderboardParams) -> dict[str, str]:
    plain = ("q", "org", "licence", "size", "since", "until", "style", "sort", "cols", "tier", "split")
    found = {name: str(getattr(params, name)).strip() for name in (*plain, "preset", "trait")}
    coverage = "" if params.coverage is None else f"{params.coverage:.9g}"
    return {
        **found,
        "coverage": coverage,
        "open": "1" if params.is_open else "",
        "newest": "1" if params.is_newest else "",
    }


def _wrong_names(board: Board, params: LeaderboardParams) -> Iterable[Problem]:
    keys = columns.columns(board.protocol)
    for where, text in (("sort", params.sort), ("cols", params.cols), ("pin", params.pin)):
        given = [part.strip() for part in text.split(",") if part.strip()]
        names = [name.removeprefix("-") if where == "sort" else name for name in given]
        wrong = next((name for name in names if name not in keys), None)
        if wrong is not None:
            what = "The board has no such column."
            yield Problem(where=where, what=what, allowed=", ".join(keys), got=cut(wrong))
    presets = columns.presets(board.protocol)
    for where, text in (("preset", params.preset), ("trait", params.trait)):
        if text and text not in presets:
            allowed = ", ".join(key for key in presets if key)
            yield Problem(where=where, what="The board has no such view.", allowed=allowed, got=cut(text))


def _wrong_filters(board: Board, params: LeaderboardParams) -> Iterable[Problem]:
    size = params.size.strip()
    if size and size != UNKNOWN and amounts.size_range(size) is None:
        yield Problem(where="size", what="This is no size.", allowed=">1B, 100M-1B, unknown", got=cut(size))
    for where, text in (("since", params.since.strip()), ("until", params.until.strip())):
        if text and amounts.day(text) is None:
            yield Problem(where=where, what="This is no day.", allowed="2026, 2026-01 or 2026-01-31", got=cut(text))
    if params.style and params.style not in STYLES:
        yield Problem(where="style", what="There is no such kind.", allowed=", ".join(STYLES), got=cut(params.style))
    yield from _wrong_search(board, params.q)


def _wrong_search(board: Board, text: str) -> list[Problem]:
    found = search.read(text, choose.numbers(board.protocol))
    return [
        Problem(where="q", what="A part of the search is not understood.", allowed=allowed, got=cut(got))
        for got, allowed in found.wrong
    ]
