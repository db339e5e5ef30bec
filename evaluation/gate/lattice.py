"""All accepted ways to say a text as one graph whose edges are words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.gate.forms.abbreviations import TITLES
from evaluation.gate.forms.form import AnyOf, Form, Graph, plain
from evaluation.gate.forms.words import key
from evaluation.gate.reading import PLAIN, Fragment, fragments
from evaluation.records import ExtraForm

Edge = tuple[int, str, str, int]
"""To which node, what is compared, the word, index of its fragment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """Words along every walk from node 0 to an accepting node are one way to say the text."""

    edges: tuple[tuple[Edge, ...], ...]
    """Edges that leave each node."""
    accepting: frozenset[int]
    """Nodes at which the text may end."""
    inner: tuple[int, ...]
    """For each node the fragment that it lies within; -1 between fragments."""
    fragments: tuple[Fragment, ...]
    """Pieces of the text that the edges refer to."""
    keys: frozenset[str]
    """All words, as they are compared."""


@lru_cache(maxsize=4096)
def script_lattice(script: str, extra: tuple[ExtraForm, ...] = ()) -> Lattice:
    """Return the lattice of a script, with `extra` accepted forms."""
    return compiled(_merged(fragments(script, is_heard=False), extra))


def heard_lattice(transcript: str) -> Lattice:
    """Return the lattice of what a transcriber may have meant by what it wrote."""
    return compiled(fragments(transcript, is_heard=True))


def plain_words(text: str) -> tuple[str, ...]:
    """Return the plain reading of a text, folded as words are compared but spelled as written."""
    return tuple(word for fragment in fragments(text, is_heard=False) for word in _words(fragment.form))


def _words(form: Form) -> list[str]:
    return [said for word in plain(form) for said in plain(TITLES.get(word.lower(), word.lower()))]


def compiled(pieces: Sequence[Fragment]) -> Lattice:
    """Return the lattice of fragments said one after the other."""
    builder = _Builder()
    node = 0
    for index, piece in enumerate(pieces):
        node = builder.fragment(piece.form, node, index)
    edges, accepting = builder.closed(node)
    keys = frozenset(edge[1] for ways in builder.edges for edge in ways)
    return Lattice(
        edges=edges,
        accepting=accepting,
        inner=tuple(builder.inner),
        fragments=tuple(pieces),
        keys=keys,
    )


@lru_cache(maxsize=16384)
def beginnings(key: str) -> frozenset[str]:
    """Return all beginnings of a word, short of the whole word."""
    return frozenset(key[:n] for n in range(1, len(key)))


class _Builder:
    """Collects edges; ways that say nothing are taken out at the end."""

    def __init__(self) -> None:
        self.edges: list[list[Edge]] = [[]]
        self.silent: dict[int, list[int]] = {}
        self.inner: list[int] = [-1]

    def fragment(self, form: Form, start: int, index: int) -> int:
        if isinstance(form, str) and key(form) and " " not in form:
            self.edges[start].append((len(self.edges), key(form), form.lower(), index))
            self.edges.append([])
            self.inner.append(-1)
            return len(self.edges) - 1
        end = self._node(-1)
        self._emit(form, start, end, index)
        return end

    def _node(self, index: int) -> int:
        self.edges.append([])
        self.inner.append(index)
        return len(self.edges) - 1

    def _emit(self, form: Form, start: int, end: int, index: int) -> None:
        if isinstance(form, str):
            self._string(form.split(), start, end, index)
        elif isinstance(form, AnyOf):
            for way in form.forms:
                self._emit(way, start, end, index)
        elif isinstance(form, Graph):
            nodes = [start, *(self._node(index) for _ in range(form.n_nodes - 2)), end]
            for at, to, way in form.edges:
                self._emit(way, nodes[at], nodes[to], index)
        else:
            parts = [part for part in form if part]
            if not parts:
                self._string([], start, end, index)
            for part in parts[:-1]:
                middle = self._node(index)
                self._emit(part, start, middle, index)
                start = middle
            if parts:
                self._emit(parts[-1], start, end, index)

    def _string(self, words: list[str], start: int, end: int, index: int) -> None:
        said = [word for word in words if key(word)]  # a lone apostrophe is nothing to say
        if not said:
            self.silent.setdefault(start, []).append(end)
            return
        for word in said[:-1]:
            middle = self._node(index)
            self.edges[start].append((middle, key(word), word.lower(), index))
            start = middle
        self.edges[start].append((end, key(said[-1]), said[-1].lower(), index))

    def closed(self, last: int) -> tuple[tuple[tuple[Edge, ...], ...], frozenset[int]]:
        """Return the edges of every node, those behind silent ways included, and where the text may end."""
        reach: dict[int, frozenset[int]] = {}

        def reached(node: int) -> frozenset[int]:
            if node not in reach:
                found = {node}
                for to in self.silent.get(node, ()):
                    found |= reached(to)
                reach[node] = frozenset(found)
            return reach[node]

        edges = [tuple(ways) for ways in self.edges]
        accepting = {last}
        for node in self.silent:
            behind = reached(node)
            edges[node] = tuple(dict.fromkeys(edge for at in sorted(behind) for edge in self.edges[at]))
            if last in behind:
                accepting.add(node)
        return tuple(edges), frozenset(accepting)


def _merged(pieces: list[Fragment], extra: tuple[ExtraForm, ...]) -> list[Fragment]:
    """Return the fragments with every stretch that has extra forms, and its overlaps, as one fragment."""
    if not extra:
        return pieces
    spans = sorted({_covered(pieces, form) for form in extra} - {None}, key=lambda span: span or (0, 0))
    groups: list[tuple[int, int]] = []
    for first, last in (span for span in spans if span):
        if groups and first <= groups[-1][1]:
            groups[-1] = (groups[-1][0], max(last, groups[-1][1]))
        else:
            groups.append((first, last))
    out, done = [], 0
    for first, last in groups:
        out += [*pieces[done:first], _group(pieces, first, last, extra)]
        done = last + 1
    return out + pieces[done:]


def _covered(pieces: list[Fragment], form: ExtraForm) -> tuple[int, int] | None:
    inside = [at for at, piece in enumerate(pieces) if piece.start < form.end and piece.end > form.start]
    return (inside[0], inside[-1]) if inside else None


def _group(pieces: list[Fragment], first: int, last: int, extra: tuple[ExtraForm, ...]) -> Fragment:
    members = pieces[first : last + 1]
    edges: list[tuple[int, int, Form]] = [(at, at + 1, piece.form) for at, piece in enumerate(members)]
    for form in extra:
        span = _covered(pieces, form)
        if span and first <= span[0] and span[1] <= last:
            edges.append((span[0] - first, span[1] - first + 1, form.words))
    kind = next((piece.kind for piece in members if piece.kind != PLAIN), PLAIN)
    return Fragment(start=members[0].start, end=members[-1].end, kind=kind, form=Graph(len(members) + 1, tuple(edges)))
