"""A figure from a site: asks for what it shows, and draws it once all of it is worked out."""

from collections.abc import Mapping
from dataclasses import replace

from evaluation.bootstrap import MICRO
from evaluation.traits import NATURALNESS
from leaderboard.context import Context
from leaderboard.derive import adherence as following
from leaderboard.derive.rates import trait_rates
from leaderboard.derive.records import ABSENT, ALL, Slice
from leaderboard.derive.view import SliceView
from leaderboard.figures import adherence, forest, matrix, overview, profile, sizes, tiers, timeline, values
from leaderboard.figures.records import N_COMPARED, N_SHOWN, Asked, Field, Figure, Point
from leaderboard.views import Board, Row
from leaderboard.why.grid import Grid, of_view

_N_BESIDE = 3
"""Systems of a profile that nobody chose."""
_TIERS = (0, 1, 2)


def figure_of(context: Context, board: Board, asked: Asked) -> Figure | None:
    """Return a figure; None: what it shows is being worked out."""
    return _MAKERS[asked.name](context, board, asked)


def field_of(context: Context, board: Board, part: Slice) -> Field | None:
    """Return all systems on a part of a board; None: not yet. The whole board is there at once."""
    view = context.slices.view(board, part)
    if part == ALL:
        points = _published(context, board)
        n_items = max((row.n_items for row in board.rows), default=0)
    elif view is None:
        return None
    else:
        points = _derived(board, view)
        n_items = view.n_items
    gap = None if view is None or view.gap is None else view.gap.typical
    return Field(protocol=board.protocol, part=part, points=points, n_items=n_items, needed=gap)


def _published(context: Context, board: Board) -> tuple[Point, ...]:
    grid = context.whys.grid(board)
    beaten = dict(zip(grid.keys, (grid.outcomes[0] == 1).tolist(), strict=True)) if grid.keys else {}
    return tuple(
        Point(
            row=row,
            score=row.score,
            low=row.score_low,
            high=row.score_high,
            best=row.band.best,
            worst=row.band.worst,
            is_tied=not beaten[row.submission],
        )
        for row in board.rows
        if row.score is not None
    )


def _derived(board: Board, view: SliceView) -> tuple[Point, ...]:
    rows, order = _rows(board), view.order()
    if view.n_items == 0:
        return ()
    return tuple(
        Point(
            row=rows[view.submissions[place]],
            score=int(view.scores_micro[place]) / MICRO,
            low=_number(int(view.low_micro[place])),
            high=_number(int(view.high_micro[place])),
            best=int(view.best[place]),
            worst=int(view.worst[place]),
            is_tied=int(view.outcomes[order[0], place]) != 1,
        )
        for place in order
        if view.submissions[place] in rows
    )


def _number(micro: int) -> float | None:
    return None if micro == ABSENT else micro / MICRO


def _rows(board: Board) -> dict[str, Row]:
    return {row.submission: row for row in board.rows}


def _forest(context: Context, board: Board, asked: Asked) -> Figure | None:
    field = field_of(context, board, asked.part)
    return None if field is None else forest.forest(field, asked)


def _time(context: Context, board: Board, asked: Asked) -> Figure | None:
    field = field_of(context, board, asked.part)
    return None if field is None else timeline.timeline(field, asked)


def _size(context: Context, board: Board, asked: Asked) -> Figure | None:
    field = field_of(context, board, asked.part)
    return None if field is None else sizes.sizes(field, asked)


def _matrix(context: Context, board: Board, asked: Asked) -> Figure | None:
    grid: Grid
    if asked.part == ALL:
        grid = context.whys.grid(board)
    else:
        view = context.slices.view(board, asked.part)
        if view is None:
            return None
        grid = of_view(view)
    return matrix.matrix(grid, _rows(board), asked)


def _profile(context: Context, board: Board, asked: Asked) -> Figure | None:
    dimensions = board.protocol.dimensions
    rows = _rows(board)
    chosen = [rows[name] for name in asked.systems] or list(board.rows[:_N_BESIDE])
    if asked.part.tier is None:
        found = [_whole(row, dimensions) for row in chosen[:N_COMPARED]]
    else:
        views = {name: context.slices.view(board, replace(asked.part, trait=name)) for name in dimensions}
        ready = {name: view for name, view in views.items() if view is not None}
        if len(ready) < len(views):
            return None
        found = [_in_part(row, ready) for row in chosen[:N_COMPARED]]
    return profile.profile(dimensions, found, asked)


def _whole(row: Row, dimensions: tuple[str, ...]) -> profile.Profile:
    means, spreads = tuple(row.means.get(name) for name in dimensions), tuple(map(row.spreads.get, dimensions))
    return profile.Profile(row=row, means=means, spreads=spreads)


def _in_part(row: Row, views: Mapping[str, SliceView]) -> profile.Profile:
    """Return means over the items of a tier, on which a refused item counts 0, with their intervals."""
    means: list[float | None] = []
    spreads: list[tuple[float, float] | None] = []
    for view in views.values():
        one = view.row(row.submission)
        means.append(None if one is None else one.score)
        ends = None if one is None else one.interval
        spreads.append(None if ends is None else (ends.low, ends.high))
    return profile.Profile(row=row, means=tuple(means), spreads=tuple(spreads))


def _adherence(context: Context, board: Board, asked: Asked) -> Figure | None:
    table = context.slices.table(board)
    if table is None:
        return None
    is_whole = asked.part == ALL
    spreads = {
        row.submission: row.spreads[NATURALNESS] for row in board.rows if is_whole and NATURALNESS in row.spreads
    }
    standings = following.standings(table, part=asked.part) if board.rows else ()
    known = _rows(board)
    return adherence.adherence([one for one in standings if one.submission in known], known, asked, spreads=spreads)


def _values(context: Context, board: Board, asked: Asked) -> Figure | None:
    table = context.slices.table(board)
    if table is None:
        return None
    traits = [name for name in board.protocol.dimensions if name in table.items.requested and name != NATURALNESS]
    part = replace(asked.part, trait=None)
    if asked.part.trait in traits:
        return values.values(trait_rates(table, asked.part.trait, part), _rows(board), _shown(board, asked))
    if asked.part.trait is not None:
        return overview.overview(())
    return overview.overview([trait_rates(table, name, part) for name in traits])


def _tiers(context: Context, board: Board, asked: Asked) -> Figure | None:
    scores: dict[int, dict[str, tiers.TierScore]] = {}
    for tier in _TIERS:
        view = context.slices.view(board, replace(asked.part, tier=tier))
        if view is None:
            return None
        if view.n_items:
            scores[tier] = {
                view.submissions[place]: tiers.TierScore(
                    score=int(view.scores_micro[place]) / MICRO,
                    low=_number(int(view.low_micro[place])),
                    high=_number(int(view.high_micro[place])),
                    n_items=view.n_items,
                )
                for place in range(len(view.submissions))
            }
    field = Field(protocol=board.protocol, part=asked.part, points=(), n_items=0, needed=None)
    return tiers.tiers(board.rows, scores, shown=_shown(board, asked), what=forest.named(field))


def _shown(board: Board, asked: Asked) -> tuple[str, ...]:
    names = tuple(row.submission for row in board.rows)
    if asked.systems:
        return asked.systems
    return names if asked.has_all else names[asked.first : asked.first + N_SHOWN]


_MAKERS = {
    "forest": _forest,
    "matrix": _matrix,
    "profile": _profile,
    "time": _time,
    "adherence": _adherence,
    "values": _values,
    "tiers": _tiers,
    "size": _size,
}
