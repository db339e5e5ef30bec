"""Labels of several raters, read from CSV tables that strangers filled in; every problem at once, with its line."""

import csv
import io
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evaluation.errors import CastboardError
from evaluation.people.comparisons import Answer

MAX_BYTES = 16 << 20
MAX_SCORE = 3.0
_LONGEST_RATER = 64
_SHOWN = 30
_NEEDED = ("comparison", "rater", "winner")
_SCORES = ("score_a", "score_b")
_ANSWERS: Mapping[str, Answer] = {"a": "a", "b": "b", "tie": "tie"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one rater said of one comparison."""

    comparison: str
    """Id of the comparison."""
    rater: str
    """Who, in small letters, so that "Ann" and "ann" are one person; text of a stranger, never published."""
    winner: Answer
    """Which clip is better."""
    score_a: float | None
    """0..3; None if not given."""
    score_b: float | None
    """0..3; None if not given; given if, and only if, the other one is."""


class LabelsRefused(CastboardError):
    """Labels cannot be taken in; nothing of them is used.

    Attributes:
        problems: every problem, each with its file and line.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        """Show the first problems and count the rest."""
        more = f"\n- and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        listed = "".join(f"\n- {problem}" for problem in problems[:_SHOWN])
        super().__init__(f"{len(problems)} things are wrong with the labels:{listed}{more}")
        self.problems = tuple(problems)


def read_labels(tables: Sequence[tuple[str, bytes]], known: Collection[str]) -> tuple[Label, ...]:
    """Return all labels of some tables, by comparison and rater.

    Columns other than those of a label are not looked at; a line without a winner and scores was not labelled yet.

    Args:
        tables: name and bytes of each CSV file, UTF-8, with a line of column names.
        known: ids of the comparisons that were asked about.

    Raises:
        LabelsRefused: with every problem of every table: what is no table, a column that is missing, a comparison that
            nobody asked about or that a rater answers twice, an answer that is none, a score outside 0..3.
    """
    problems: list[str] = []
    found: dict[tuple[str, str], Label] = {}
    for name, data in tables:
        for place, cells in _lines(name, data, problems):
            label = _label(cells, known, place, problems)
            if label is None:
                continue
            if (label.comparison, label.rater) in found:
                problems.append(f"{place}: {label.rater!r:.80} has answered {label.comparison} already")
            found.setdefault((label.comparison, label.rater), label)
    if not found and not problems:
        problems.append("no line has a winner")
    if problems:
        raise LabelsRefused(problems)
    return tuple(found[key] for key in sorted(found))


def _lines(name: str, data: bytes, problems: list[str]) -> list[tuple[str, dict[str, str]]]:
    """Return place and cells of every line that holds an answer."""
    name = repr(name)[1:-1]
    if len(data) > MAX_BYTES:
        problems.append(f"{name}: a table of labels must be at most {MAX_BYTES >> 20} MiB")
        return []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(f"{name}: must be UTF-8 text, got another byte at {error.start}")
        return []
    table = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[tuple[str, dict[str, str]]] = []
    try:
        columns = [column.strip().lower() for column in next(table, [])]
        faults = [f'{name}, line 1: the column "{column}" is missing' for column in _NEEDED if column not in columns]
        faults += [
            f'{name}, line 1: the column "{column}" stands twice'
            for column in (*_NEEDED, *_SCORES)
            if columns.count(column) > 1
        ]
        problems += faults
        if faults:
            return []
        for row in table:
            cells = {column: cell.strip() for column, cell in zip(columns, row, strict=False)}
            if any(cells.get(column) for column in ("winner", *_SCORES)):
                lines.append((f"{name}, line {table.line_num}", cells))
    except csv.Error as error:
        problems.append(f"{name}, line {table.line_num}: not a CSV table: {error}")
    return lines


def _label(cells: Mapping[str, str], known: Collection[str], place: str, problems: list[str]) -> Label | None:
    comparison, rater, winner = (cells.get(column, "") for column in _NEEDED)
    faults = []
    if comparison not in known:
        faults.append(f"nobody was asked about the comparison {comparison!r:.80}")
    if not rater or len(rater) > _LONGEST_RATER or not rater.isprintable():
        faults.append(f"rater must be 1 to {_LONGEST_RATER} visible signs, got {rater!r:.80}")
    answer = _ANSWERS.get(winner.lower())
    if answer is None:
        faults.append(f"winner must be a, b or tie, got {winner!r:.80}")
    scores = [_score(column, cells.get(column, ""), faults) for column in _SCORES]
    if bool(cells.get("score_a")) != bool(cells.get("score_b")):
        faults.append("score_a and score_b must both stand, or neither")
    problems += [f"{place}: {fault}" for fault in faults]
    if faults or answer is None:
        return None
    return Label(
        comparison=comparison,
        rater=" ".join(rater.casefold().split()),
        winner=answer,
        score_a=scores[0],
        score_b=scores[1],
    )


def _score(column: str, text: str, faults: list[str]) -> float | None:
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not 0.0 <= score <= MAX_SCORE:
        faults.append(f"{column} must be a number of 0 to {MAX_SCORE:g}, got {text!r:.80}")
        return None
    return score
