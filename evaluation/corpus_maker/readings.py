"""The accepted spoken forms of a corpus, as files that a person can review. Pure.

Two files: the forms that other normalisers propose beyond our rules, as the gate's freezer writes them, and for
every script what the gate expects to hear: its plain reading, and the accepted readings of each unit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.gate import frozen
from evaluation.gate.frozen import Frozen
from evaluation.gate.lattice import Lattice, compiled, plain_words
from evaluation.gate.reading import PLAIN, Fragment, fragments
from evaluation.gate.spoken import NORMALISER
from evaluation.records import Item

_SCHEMA_VERSION = 1
_MAX_SHOWN = 24
"""A telephone number alone has thousands of readings."""


def extra_forms(items: Iterable[Item], proposals: Mapping[str, Sequence[str]]) -> Frozen:
    """Return the forms beyond our rules that whole `proposals` (by item id) need; none without proposals."""
    return frozen.freeze(items, proposals)


def readings(items: Iterable[Item], extra: Frozen) -> bytes:
    """Return the JSON file of what the gate accepts for each script."""
    record = {
        "schema_version": _SCHEMA_VERSION,
        "is": "AcceptedReadings",
        "normaliser": NORMALISER,
        "max_shown": _MAX_SHOWN,
        "items": {item.id: _item(item, extra) for item in sorted(items, key=lambda item: item.id)},
    }
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def ways(lattice: Lattice) -> Iterator[str]:
    """Return every way to say what a lattice holds, the plain one first, lazily."""
    paths: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while paths:
        node, said = paths.pop()
        if node in lattice.accepting:
            yield " ".join(said)
        paths += [(edge[0], (*said, edge[2])) for edge in reversed(lattice.edges[node])]


def _item(item: Item, extra: Frozen) -> dict[str, object]:
    pieces = fragments(item.script, is_heard=False)
    forms = extra.get(item.id, ("", ()))[1]
    return {
        "plain": " ".join(plain_words(item.script)),
        "units": [_unit(item.script, piece) for piece in pieces if piece.kind != PLAIN],
        "extra": [{"start": form.start, "end": form.end, "words": form.words} for form in forms],
    }


def _unit(script: str, piece: Fragment) -> dict[str, object]:
    shown: dict[str, None] = {}
    has_more = False
    for way in ways(compiled([piece])):
        if way not in shown and len(shown) == _MAX_SHOWN:
            has_more = True
            break
        shown[way] = None
    return {
        "start": piece.start,
        "end": piece.end,
        "text": script[piece.start : piece.end],
        "class": piece.kind,
        "accepted": list(shown),
        "has_more": has_more,
    }
