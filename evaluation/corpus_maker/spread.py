"""Columns of cards, spread so that every two columns combine as evenly as they can. Pure.

The measure is chi-square over all pairs of columns against what even combining would give. Where two columns may
not combine freely, the even table is the one of greatest entropy with the same margins and zeros at what is
forbidden (iterative proportional fitting).

Source: W. E. Deming and F. F. Stephan, "On a least squares adjustment of a sampled frequency table when the
expected marginal totals are known", Annals of Mathematical Statistics 11 (1940), 427-444.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.corpus_maker.records import CorpusMakerError

_TRIES_PER_CARD = 30
_MAX_TRIES_PER_CARD = 100
_FIT_ROUNDS = 200
_FORBIDDEN = 1e6
"""Weight of one forbidden combination: more than any evenness can outweigh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One card for each item."""

    name: str
    """What the cards say."""
    cards: tuple[str, ...]
    """The card of each item; all columns have the same length."""
    is_fixed: bool = False
    """The cards stay where they are."""


def spread(
    columns: Sequence[Column], forbidden: Sequence[Mapping[int, str]], rng: random.Random
) -> list[tuple[str, ...]]:
    """Return the cards of every column after they changed places; counts stay as they were.

    Args:
        columns: at least one.
        forbidden: for each forbidden combination the card by number of column, two of them.
        rng: decides who changes places.

    Raises:
        CorpusMakerError: if a forbidden combination could not be avoided.
    """
    board = _Board(columns, forbidden)
    movable = [at for at, column in enumerate(columns) if not column.is_fixed]
    n = len(columns[0].cards)
    if movable and n > 1:
        for turn in range(_MAX_TRIES_PER_CARD * n):
            if turn >= _TRIES_PER_CARD * n and not board.n_forbidden():
                break
            for column in movable:
                board.try_swap(column, rng.randrange(n), rng.randrange(n))
    if board.n_forbidden():
        raise CorpusMakerError(
            f"{board.n_forbidden()} contradictory combinations could not be avoided in {n} items: "
            "the table of contradictions leaves too little room; take some out, or make a larger corpus"
        )
    return board.cards()


class _Board:
    """Counts of all pairs of columns, kept up to date while cards change places."""

    def __init__(self, columns: Sequence[Column], forbidden: Sequence[Mapping[int, str]]) -> None:
        self.names = [sorted(set(column.cards)) for column in columns]
        codes = [{card: at for at, card in enumerate(names)} for names in self.names]
        self.rows = [[code[card] for card in column.cards] for code, column in zip(codes, columns, strict=True)]
        self.banned = [
            [(column, codes[column][card]) for column, card in sorted(pair.items())]
            for pair in forbidden
            if all(card in codes[column] for column, card in pair.items())
        ]
        n_columns = len(columns)
        self.counts: dict[tuple[int, int], list[list[int]]] = {}
        self.aims: dict[tuple[int, int], list[list[float]]] = {}
        for first in range(n_columns):
            for second in range(n_columns):
                if first != second:
                    self.counts[first, second] = self._count(first, second)
                    self.aims[first, second] = self._aim(first, second)

    def cards(self) -> list[tuple[str, ...]]:
        """Return the cards by column."""
        return [tuple(names[code] for code in row) for names, row in zip(self.names, self.rows, strict=True)]

    def n_forbidden(self) -> int:
        """Return how many items hold a forbidden combination."""
        return sum(self.counts[first, second][a][b] for (first, a), (second, b) in self.banned)

    def try_swap(self, column: int, one: int, other: int) -> None:
        """Let two items change their cards of a column if that makes the board no less even."""
        row = self.rows[column]
        a, b = row[one], row[other]
        if a != b and self._gain(column, one, other) >= 0:
            self._move(column, one, a, b)
            self._move(column, other, b, a)

    def _gain(self, column: int, one: int, other: int) -> float:
        a, b = self.rows[column][one], self.rows[column][other]
        gain = 0.0
        for at, row in enumerate(self.rows):
            x, y = row[one], row[other]
            if at == column or x == y:
                continue
            counts, aims = self.counts[column, at], self.aims[column, at]
            gain += _cost(counts[a][x], aims[a][x], -1) + _cost(counts[b][x], aims[b][x], 1)
            gain += _cost(counts[b][y], aims[b][y], -1) + _cost(counts[a][y], aims[a][y], 1)
        return -gain

    def _move(self, column: int, item: int, old: int, new: int) -> None:
        for at, row in enumerate(self.rows):
            if at != column:
                for pair, (i, j), (k, m) in (
                    ((column, at), (old, row[item]), (new, row[item])),
                    ((at, column), (row[item], old), (row[item], new)),
                ):
                    self.counts[pair][i][j] -= 1
                    self.counts[pair][k][m] += 1
        self.rows[column][item] = new

    def _count(self, first: int, second: int) -> list[list[int]]:
        seen = Counter(zip(self.rows[first], self.rows[second], strict=True))
        return [[seen[a, b] for b in range(len(self.names[second]))] for a in range(len(self.names[first]))]

    def _aim(self, first: int, second: int) -> list[list[float]]:
        banned = {(a, b) for (at, a), (to, b) in self.banned if (at, to) == (first, second)}
        banned |= {(b, a) for (at, a), (to, b) in self.banned if (to, at) == (first, second)}
        left, right = Counter(self.rows[first]), Counter(self.rows[second])
        table = [[0.0 if (a, b) in banned else 1.0 for b in range(len(right))] for a in range(len(left))]
        for _ in range(_FIT_ROUNDS if banned else 1):
            for a, cells in enumerate(table):
                total = sum(cells) or 1.0
                table[a] = [cell * left[a] / total for cell in cells]
            for b in range(len(right)):
                total = sum(cells[b] for cells in table) or 1.0
                for cells in table:
                    cells[b] *= right[b] / total
        return table


def _cost(count: int, aim: float, step: int) -> float:
    """Return how much a cell gets worse when its count changes by `step`."""
    if aim == 0:
        return _FORBIDDEN * step
    return (1 + 2 * step * (count - aim)) / aim
