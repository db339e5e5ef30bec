"""The cheapest way to turn one lattice into another: which accepted reading was said, and where it went wrong. Pure.

Shortest path (Dijkstra 1959) over pairs of nodes, one of each lattice. A wrong, missing or added word costs one
error; among ways with equally many errors the shorter script path wins, then the one with fewer replaced words.
Words whose letters run on across their spaces are equal: "web site" is "website".
"""

import heapq
from dataclasses import dataclass
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
        self.loners = _loners(script, heard)
        bits = (len(script.edges) + 1).bit_length() + 1
        self.word, self.error = 1 << bits, 1 << (2 * bits)
        self.halves: dict[tuple[int, int, bool, str], int] = {}
        self.half_states: list[tuple[int, int, bool, str]] = []
        self.best: dict[int, int] = {0: 0}
        self.back: dict[int, _Back] = {}
        self.shift = (self.n_plain * 4 + 4096).bit_length()
        self.heap = [0]

    def run(self) -> list[Step]:
        heap, best, shift, n_plain = self.heap, self.best, self.shift, self.n_plain
        mask = (1 << shift) - 1
        while heap:
            item = heapq.heappop(heap)
            state, cost = item & mask, item >> shift
            if cost > best[state]:
                continue
            if state in self.ends:
                return self._steps(state)
            if state < n_plain:
                self._from_pair(state, cost)
            else:
                self._from_half(state, cost)
        raise AssertionError("a lattice has no accepting node")

    def _reach(self, state: int, cost: int, back: _Back) -> None:
        if cost < self.best.get(state, cost + 1):
            self.best[state] = cost
            self.back[state] = back
            heapq.heappush(self.heap, cost << self.shift | state)

    def _from_pair(self, state: int, cost: int) -> None:
        n, word, reach = self.n_heard, self.word, self._reach
        i, j = divmod(state, n)
        script, heard = self.script[i], self.heard[j]
        if len(script) == 1 == len(heard) and script[0][1] == heard[0][1] and script[0][1] in self.loners:
            # Both must go on with this one word, and it joins with no other: taking it now never costs more.
            reach(script[0][0] * n + heard[0][0], cost + word, (state, script[0], heard[0], True, i))
            return
        wrong = cost + self.error
        for ours in script:
            row, mine = ours[0] * n, ours[1]
            reach(row + j, wrong + word, (state, ours, None, False, i))
            for theirs in heard:
                other = theirs[1]
                if mine == other:
                    reach(row + theirs[0], cost + word, (state, ours, theirs, True, i))
                    continue
                reach(row + theirs[0], wrong + word + 1, (state, ours, theirs, False, i))
                if self.joins and mine[0] == other[0]:
                    self._join(ours, theirs, cost + word, (state, ours, theirs, True, i))
        for theirs in heard:
            reach(i * n + theirs[0], wrong, (state, None, theirs, False, i))

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
    """Return the words of both that neither begin another word of either nor begin with one."""
    common = script.keys & heard.keys
    return frozenset(
        key
        for key in common
        if key not in script.beginnings
        and key not in heard.beginnings
        and script.keys.isdisjoint(beginnings(key))
        and heard.keys.isdisjoint(beginnings(key))
    )


def align(script: Lattice, heard: Lattice, *, joins: bool = True) -> list[Step]:
    """Return the steps of the cheapest alignment, in reading order.

    Args:
        script: what may be said.
        heard: what may have been heard.
        joins: words may run together; False compares word by word.
    """
    return _Search(script, heard, joins=joins).run()
