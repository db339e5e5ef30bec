"""The rows of a board on one part of its items, with every value that a table shows, sorts or searches. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.bootstrap import MICRO, wilson_interval
from evaluation.protocol import Protocol
from evaluation.records import RankBand
from leaderboard.derive.needs import Needs
from leaderboard.derive.records import ABSENT, ALL, Slice
from leaderboard.derive.view import SliceView
from leaderboard.table import amounts
from leaderboard.table.styles import Style
from leaderboard.views import Board, Row

Value = float | str | None

MEASURED = ("score", "gate", "coverage")
"""Columns of measured numbers beside the dimensions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row, ready to be shown, sorted and searched."""

    row: Row
    """The published row."""
    values: Mapping[str, Value]
    """What each column sorts by: a number, lower-case text, or None for nothing."""
    spreads: Mapping[str, tuple[float, float]]
    """Ends of the 95 % interval, by column that has one."""
    best: frozenset[str]
    """Columns in which it is separated from every other system."""
    here: RankBand | None
    """Ranks that the decisions on the part leave open; None for the whole board, whose band is the row's own."""
    place: int | None
    """Its place in the view that ranks here; None if that is not known yet."""
    size: int | None
    """Number of parameters; None if its card says none."""
    day: str
    """Day on which it came, "2026-03-02"."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Lower-case texts by field of a search."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """All rows of a board on one part of its items."""

    part: Slice
    """The part."""
    n_items: int
    """Items of it."""
    lines: tuple[Line, ...]
    """In the order of the board."""
    view: SliceView | None
    """The part, decided; None while that is not known."""
    is_whole: bool = True
    """Whether everything that is asked of it is worked out, and not some dimension still missing."""
    made: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was made of single cells, by submission and column, so that it is made once."""

    def needs(self, line: Line) -> Needs | None:
        """Return what would have to change for the band of a line to move here; None if that is not known yet."""
        return None if self.view is None or line.place is None else self.view.needs.of(line.place)

    def line(self, submission: str) -> Line | None:
        """Return a system's line; None if it has none."""
        return next((line for line in self.lines if line.row.submission == submission), None)


def part_of(tier: int | None, split: str | None) -> Slice:
    """Return which items a table is about."""
    known: Mapping[str | None, Slice] = {
        "public": Slice(tier=tier, split="public"),
        "held_out": Slice(tier=tier, split="held_out"),
    }
    return known.get(split, Slice(tier=tier))


def whole_board(board: Board, views: Mapping[str | None, SliceView]) -> Lines:
    """Return the rows as they are published; `views` decide the whole board (None) and each dimension, if known."""
    at = {name: _places(view) for name, view in views.items()}
    lines = [
        _line(
            row,
            values=_published(board.protocol, row),
            spreads=_published_spreads(row),
            best=_best(row, views, at),
            here=None,
            place=at.get(None, {}).get(row.submission),
        )
        for row in board.rows
    ]
    return Lines(part=ALL, n_items=board.protocol.corpus.n_items, lines=tuple(lines), view=views.get(None))


def part_of_board(board: Board, views: Mapping[str | None, SliceView]) -> Lines:
    """Return the rows with every value worked out on one part of the items.

    Args:
        board: the board.
        views: the part decided by composite (None), and by each dimension; a dimension that is missing has no interval.
    """
    view = views[None]
    at = {name: _places(one) for name, one in views.items()}
    lines = []
    for row in board.rows:
        place = at[None].get(row.submission)
        if place is None:
            continue
        values, spreads = _worked_out(board.protocol, row, place, views, at)
        band = RankBand(best=int(view.best[place]), worst=int(view.worst[place]))
        lines.append(_line(row, values=values, spreads=spreads, best=_best(row, views, at), here=band, place=place))
    return Lines(part=view.part, n_items=view.n_items, lines=tuple(lines), view=view)


def ranked_in(lines: Lines, view: SliceView) -> Lines:
    """Return lines whose band, and what it would need, are those of another view: of a dimension, for example."""
    places = _places(view)
    found = []
    for line in lines.lines:
        place = places.get(line.row.submission)
        band = None if place is None else RankBand(best=int(view.best[place]), worst=int(view.worst[place]))
        values = {**line.values, "here": _rank(band)}
        found.append(replace(line, values=values, here=band, place=place))
    return Lines(part=view.part, n_items=lines.n_items, lines=tuple(found), view=view)


def unranked(lines: Lines) -> Lines:
    """Return lines whose band by a dimension is not worked out yet: none, and not that of the composite instead."""
    told = (replace(line, values={**line.values, "here": None}, here=None, place=None) for line in lines.lines)
    return replace(lines, lines=tuple(told), view=None, made={})


def with_styles(lines: Lines, styles: Mapping[str, Style]) -> Lines:
    """Return lines that know how instructions reach each system."""
    told = (
        replace(line, values={**line.values, "style": styles.get(line.row.submission, "unknown")})
        for line in lines.lines
    )
    return replace(lines, lines=tuple(told), made={})


def with_adherence(lines: Lines, found: Mapping[str, float]) -> Lines:
    """Return lines that know how well each system follows instructions, apart from how it sounds."""
    told = (replace(line, values={**line.values, "adherence": found.get(line.row.submission)}) for line in lines.lines)
    return replace(lines, lines=tuple(told), made={})


def unknown(board: Board, part: Slice) -> Lines:
    """Return the rows of a part that is not worked out yet: who they are, and no value that would be of the part."""
    nothing: dict[str, Value] = dict.fromkeys((*board.protocol.dimensions, *MEASURED))
    lines = [_line(row, values=nothing, spreads={}, best=frozenset(), here=None, place=None) for row in board.rows]
    return Lines(part=part, n_items=0, lines=tuple(lines), view=None)


def _line(
    row: Row,
    *,
    values: Mapping[str, Value],
    spreads: Mapping[str, tuple[float, float]],
    best: frozenset[str],
    here: RankBand | None,
    place: int | None,
) -> Line:
    size = amounts.size(row.parameters)
    texts = {
        "system": row.system.casefold(),
        "version": row.version.casefold(),
        "org": row.organisation.casefold(),
        "licence": row.licence.casefold(),
        "id": row.submission.casefold(),
    }
    values = {
        "adherence": None,
        **values,
        "band": row.band.best + row.band.worst / 10_000,
        "here": _rank(here),
        "system": row.name.casefold(),
        "organisation": row.organisation.casefold() or None,
        "licence": row.licence.casefold() or None,
        "size": size,
        "style": None,
        "date": row.received_at,
        "judge": None if row.judge_usage is None else row.judge_usage.cost_micro_usd,
    }
    return Line(
        row=row,
        values=values,
        spreads=spreads,
        best=best,
        here=here,
        place=place,
        size=size,
        day=row.received_at[:10],
        texts=texts,
    )


def _published(protocol: Protocol, row: Row) -> dict[str, Value]:
    return {
        **{name: row.means[name] for name in protocol.dimensions},
        "score": row.score,
        "gate": row.gate_pass_rate,
        "coverage": row.coverage,
    }


def _published_spreads(row: Row) -> dict[str, tuple[float, float]]:
    found = {("gate" if name == "gate_pass_rate" else name): ends for name, ends in row.spreads.items()}
    if row.score_low is not None and row.score_high is not None:
        found["score"] = (row.score_low, row.score_high)
    return found


def _worked_out(
    protocol: Protocol,
    row: Row,
    place: int,
    views: Mapping[str | None, SliceView],
    at: Mapping[str | None, Mapping[str, int]],
) -> tuple[dict[str, Value], dict[str, tuple[float, float]]]:
    view = views[None]
    n_declined, n_passed = int(view.n_declined[place]), int(view.n_passed[place])
    n_clips = view.n_items - n_declined
    means = {name: _number(int(view.means_micro[name][place])) for name in protocol.dimensions}
    values: dict[str, Value] = {
        **means,
        "score": int(view.scores_micro[place]) / MICRO if view.n_items else None,
        "gate": n_passed / n_clips if n_clips else None,
        "coverage": n_clips / view.n_items if view.n_items else None,
    }
    spreads = {}
    gate = wilson_interval(n_passed, n_clips, alpha=protocol.constants.alpha) if n_clips else None
    if gate is not None:
        spreads["gate"] = (gate.low, gate.high)
    # A dimension's mean is over clips, its decided view counts a refused item as 0: the same only if none was refused.
    names = [None, *(protocol.dimensions if not n_declined else ())]
    for name in names:
        one = views.get(name)
        there = at.get(name, {}).get(row.submission)
        if one is not None and there is not None and int(one.high_micro[there]) != ABSENT:
            spreads[name or "score"] = (int(one.low_micro[there]) / MICRO, int(one.high_micro[there]) / MICRO)
    return values, spreads


def _best(
    row: Row, views: Mapping[str | None, SliceView], at: Mapping[str | None, Mapping[str, int]]
) -> frozenset[str]:
    found = set()
    for name, view in views.items():
        place = at[name].get(row.submission)
        if place is not None and len(view.submissions) > 1 and int(view.worst[place]) == 1:
            found.add(name or "score")
    return frozenset(found)


def _places(view: SliceView) -> dict[str, int]:
    return {submission: place for place, submission in enumerate(view.submissions)}


def _rank(band: RankBand | None) -> float | None:
    return None if band is None else band.best + band.worst / 10_000


def _number(micro: int) -> float | None:
    return None if micro == ABSENT else micro / MICRO
