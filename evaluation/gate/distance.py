"""The cheapest way to turn one lattice into another: which accepted reading was said, and where it went wrong. Pure.

Shortest path (Dijkstra 1959) over pairs of nodes, one of each lattice. A wrong, missing or added word costs one
error; among ways with equally many errors the shorter script path wins, then the one with fewer replaced words.
Words whose letters run on across their spaces are equal: "web site" is "website".
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain
from typing import Literal

from evaluation.gate.lattice import Edge, Lattice, beginnings

Edit = Literal["equal", "substitute", "delete", "insert"]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a lattice or of both."""

    script: Edge | None
    """Word of the script; None: only heard."""
    heard: Edge | None
    """Word that was heard; None: not heard here."""
    is_equal: bool
    """The letters agree, here or together with neighbouring steps."""
    at: int
    """Node of the script lattice at which the step begins."""


_Back = tuple[int, Edge | None, Edge | None, bool, int]


class _Search:
    """One search; states below n_script * n_heard are pairs of nodes, the others hold half a word as well."""

    def __init__(self, script: Lattice, heard: Lattice, *, joins: bool) -> None:
        self.script, self.heard, self.joins = script.edges, heard.edges, joins
        self.n_heard = len(heard.edges)
        self.n_plain = len(script.edges) * self.n_heard
        self.ends = {i * self.n_heard + j for i in script.accepting for j in heard.accepting}
        bits = (len(script.edges) + 1).bit_length() + 1
        self.word, self.error = 1 << bits, 1 << (2 * bits)
        self.halves: dict[tuple[int, int, bool, str], int] = {}
        self.half_states: list[tuple[int, int, bool, str]] = []
        self.best: dict[int, int] = {0: 0}
        self.back: dict[int, _Back] = {}
        self.shift = (self.n_plain * 4 + 4096).bit_length()
        self.heap = [0]
        self.lattices = (script, heard)
        self.loners: frozenset[str] = frozenset()

    def run(self) -> list[Step]:
        heap, best, shift, n_plain = self.heap, self.best, self.shift, self.n_plain
        mask = (1 << shift) - 1
        settled: list[tuple[int, int]] = []
        while heap:
            item = heappop(heap)
            state, cost = item & mask, item >> shift
            if cost == best[state]:
                if state in self.ends:
                    return self._steps(state)
                if state >= n_plain:
                    self._from_half(state, cost)
                else:
                    self._match(state, cost)
                    settled.append((state, cost))
            if not heap:
                # Only now, for whoever gets through with the errors so far needs none of these steps.
                self.loners = self.loners or _loners(*self.lattices)
                for state, cost in settled:
                    self._err(state, cost)
                settled.clear()
        raise AssertionError("a lattice has no accepting node")

    def _reach(self, state: int, cost: int, back: _Back) -> None:
        if cost < self.best.get(state, cost + 1):
            self.best[state] = cost
            self.back[state] = back
            heappush(self.heap, cost << self.shift | state)

    def _match(self, state: int, cost: int) -> None:
        """Take all steps without an error."""
        n, ahead, reach = self.n_heard, cost + self.word, self._reach
        i, j = divmod(state, n)
        heard = self.heard[j]
        for ours in self.script[i]:
            mine = ours[1]
            for theirs in heard:
                other = theirs[1]
                if mine == other:
                    reach(ours[0] * n + theirs[0], ahead, (state, ours, theirs, True, i))
                elif mine[0] == other[0] and self.joins:
                    self._join(ours, theirs, ahead, (state, ours, theirs, True, i))

    def _err(self, state: int, cost: int) -> None:
        """Take all steps with an error."""
        n = self.n_heard
        i, j = divmod(state, n)
        wrong, script, heard = cost + self.error, self.script[i], self.heard[j]
        if len(script) == 1 == len(heard) and script[0][1] == heard[0][1] and script[0][1] in self.loners:
            # Both must go on with this one word, and it joins with no other: an error here saves none later.
            return
        best, back, heap, shift = self.best, self.back, self.heap, self.shift
        # Written out, for nine of ten steps are taken here.
        for ours in (*script, None):
            row, ahead = (ours[0] * n, wrong + self.word) if ours else (i * n, wrong)
            for theirs in (None, *heard) if ours else heard:
                to = row + (theirs[0] if theirs else j)
                costs = ahead + 1 if ours and theirs else ahead
                if costs < best.get(to, costs + 1) and not (ours and theirs and ours[1] == theirs[1]):
                    best[to] = costs
                    back[to] = (state, ours, theirs, False, i)
                    heappush(heap, costs << shift | to)

    def _join(self, ours: Edge, theirs: Edge, cost: int, back: _Back) -> None:
        mine, other = ours[1], theirs[1]
        if mine.startswith(other):
            self._reach(self._half(ours[0], theirs[0], True, mine[len(other) :]), cost, back)
        elif other.startswith(mine):
            self._reach(self._half(ours[0], theirs[0], False, other[len(mine) :]), cost, back)

    def _from_half(self, state: int, cost: int) -> None:
        i, j, is_script, left = self.half_states[state - self.n_plain]
        for edge in self.heard[j] if is_script else self.script[i]:
            if is_script:
                to_i, to_j, ahead = i, edge[0], cost
                back: _Back = (state, None, edge, True, i)
            else:
                to_i, to_j, ahead = edge[0], j, cost + self.word
                back = (state, edge, None, True, i)
            if edge[1] == left:
                self._reach(to_i * self.n_heard + to_j, ahead, back)
            elif left.startswith(edge[1]):
                self._reach(self._half(to_i, to_j, is_script, left[len(edge[1]) :]), ahead, back)
            elif edge[1].startswith(left):
                self._reach(self._half(to_i, to_j, not is_script, edge[1][len(left) :]), ahead, back)

    def _half(self, i: int, j: int, is_script: bool, left: str) -> int:
        name = (i, j, is_script, left)
        state = self.halves.get(name)
        if state is None:
            state = self.halves[name] = self.n_plain + len(self.half_states)
            self.half_states.append(name)
        return state

    def _steps(self, state: int) -> list[Step]:
        steps: list[Step] = []
        while state:
            state, ours, theirs, is_equal, at = self.back[state]
            steps.append(Step(ours, theirs, is_equal, at))
        return steps[::-1]


def _loners(script: Lattice, heard: Lattice) -> frozenset[str]:
    """Return the words of both that can join with no other: none begins with them, and what they begin with ends."""
    follows: dict[str, set[str]] = {}
    for edges in (script.edges, heard.edges):
        for to, key, _, _ in chain.from_iterable(edges):
            follows.setdefault(key, set()).update(edge[1] for edge in edges[to])
    begun = set(chain.from_iterable(map(beginnings, follows)))
    return frozenset(
        key
        for key in script.keys & heard.keys
        if key not in begun
        and not any(_goes_on(follows[part], key[len(part) :]) for part in beginnings(key) & follows.keys())
    )


def _goes_on(following: set[str], rest: str) -> bool:
    return any(rest.startswith(word) or word.startswith(rest) for word in following)


def align(script: Lattice, heard: Lattice, *, joins: bool = True) -> list[Step]:
    """Return the steps of the cheapest alignment, in reading order.

    Args:
        script: what may be said.
        heard: what may have been heard.
        joins: words may run together; False compares word by word.
    """
    return _Search(script, heard, joins=joins).run()
