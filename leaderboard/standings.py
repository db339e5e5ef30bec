"""What a board says, worked out from its rows and decisions. Pure: no page, no file."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from evaluation.records import Decision
from leaderboard.views import Board, Row, Sample

Outcome = Literal["win", "tie", "loss", "self"]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the matrix, seen from its row's system."""

    row: str
    """Submission of the row."""
    column: str
    """Submission of the column."""
    outcome: Outcome
    """Whether the row's system wins, ties or loses."""
    decision: Decision | None
    """The arithmetic; None on the diagonal."""


def organisations(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return every organisation once, in alphabetical order."""
    return tuple(sorted({row.organisation for row in rows if row.organisation}, key=str.casefold))


def between(decisions: Mapping[Pair, Decision], one: str, other: str) -> Decision | None:
    """Return the decision of a pair, whichever challenged."""
    return decisions.get((one, other)) or decisions.get((other, one))


def outcome(decision: Decision, of: str) -> Outcome:
    """Return a decision's outcome as seen from one of its two systems."""
    if not decision.is_win:
        return "tie"
    return "win" if decision.challenger == of else "loss"


def matrix(board: Board, first_row: int, first_column: int, n_shown: int) -> tuple[tuple[Cell, ...], ...]:
    """Return the cells row by row for a window of the board, in the board's order.

    Args:
        board: the board.
        first_row: place of the first row's system, from 0.
        first_column: place of the first column's system, from 0.
        n_shown: systems in the window, each way.

    Raises:
        KeyError: if the board lacks the decision of a pair.
    """
    rows = board.rows[first_row : first_row + n_shown]
    columns = board.rows[first_column : first_column + n_shown]
    return tuple(tuple(_cell(board, row.submission, column.submission) for column in columns) for row in rows)


def record(board: Board, submission: str) -> tuple[int, int, int]:
    """Return a system's wins, ties and losses against the whole board."""
    cells = [_cell(board, submission, other.submission) for other in board.rows]
    return tally(cells)


def tally(cells: Iterable[Cell]) -> tuple[int, int, int]:
    """Return how many cells are wins, ties and losses."""
    found = [cell.outcome for cell in cells]
    return found.count("win"), found.count("tie"), found.count("loss")


def widest_gaps(
    one: Mapping[str, Sample], other: Mapping[str, Sample], *, n_most: int
) -> tuple[tuple[str, float, float], ...]:
    """Return the items on which two systems differ most: id, composite of the first, of the second.

    Args:
        one: samples of the first system by item.
        other: samples of the second.
        n_most: how many at most.
    """
    shared = [(item, one[item].composite, other[item].composite) for item in one if item in other]
    shared.sort(key=lambda row: (-abs(row[1] - row[2]), row[0]))
    return tuple(row for row in shared if row[1] != row[2])[:n_most]


def best_and_worst(samples: Mapping[str, Sample], *, n_each: int) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """Return the clips with the highest and the lowest composite; among equals, fewer word errors are better."""
    clips = [sample for sample in samples.values() if not sample.is_declined]
    clips.sort(key=lambda sample: (-sample.composite, math.inf if sample.wer is None else sample.wer, sample.item_id))
    n_worst = min(n_each, max(0, len(clips) - n_each))
    return tuple(clips[:n_each]), tuple(reversed(clips[len(clips) - n_worst :] if n_worst else []))


def _cell(board: Board, row: str, column: str) -> Cell:
    if row == column:
        return Cell(row=row, column=column, outcome="self", decision=None)
    decision = between(board.decisions, row, column)
    if decision is None:
        raise KeyError(f"no decision of {row} and {column}")
    return Cell(row=row, column=column, outcome=outcome(decision, row), decision=decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardTotals:
    """What the gate's detail of a system adds up to."""

    n_units: int
    """Numbers, dates, addresses and the like in the scripts of its clips; 0 under the first normaliser."""
    n_units_right: int
    """Those of them that were read right."""
    n_again: int
    """Clips that were heard again because the transcriber was in doubt."""
    n_disputed: int
    """Those of them whose hearings give other word errors."""


def heard_totals(samples: Iterable[Sample]) -> HeardTotals:
    """Return the totals of a system's samples."""
    known = list(samples)
    details = [sample.gate for sample in known if sample.gate is not None]
    return HeardTotals(
        n_units=sum(detail.n_units or 0 for detail in details),
        n_units_right=sum(detail.n_units_right or 0 for detail in details),
        n_again=sum(sample.transcript is not None and sample.transcript.doubt is not None for sample in known),
        n_disputed=sum(detail.is_disputed for detail in details),
    )
