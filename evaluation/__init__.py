"""Readings and scores, and a small Python interface to them for a researcher's own machine.

The names below can be imported from here; each is loaded when it is first used, so `import evaluation` costs nothing.

Example:
    >>> import evaluation
    >>> corpus = evaluation.load_corpus("benchmark_v1")
    >>> len(corpus.items), corpus.items[0].id
    (496, 'vb-00000')
    >>> evaluation.load_protocol("lite").id
    '00343e71819c'
    >>> gate = evaluation.load_gate("lite")
    >>> gate.check("It costs $5.", "it costs five dollars").passed
    True

    Two systems, each a callable `(text, instruction) -> wav bytes`, on the first twenty items:

    >>> found = evaluation.benchmark(corpus, mine, theirs, items=20)  # doctest: +SKIP
    >>> print(found.scores, found.pairs[0].reason)  # doctest: +SKIP

Scripts that measure must guard their start with `if __name__ == "__main__":`, since instruments run in processes of
their own. `evaluation.adapters` makes callables of files and of speech endpoints.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.api import Gate, Probes, load_corpus, load_gate, load_probes, load_protocol
    from evaluation.benchmarking import Benchmark, benchmark
    from evaluation.judge.compare import Judge

__all__ = [
    "Benchmark",
    "Gate",
    "Judge",
    "Probes",
    "benchmark",
    "load_corpus",
    "load_gate",
    "load_probes",
    "load_protocol",
]

_HOMES = {
    "Benchmark": "evaluation.benchmarking",
    "benchmark": "evaluation.benchmarking",
    "Judge": "evaluation.judge.compare",
    **dict.fromkeys(("Gate", "Probes", "load_corpus", "load_gate", "load_probes", "load_protocol"), "evaluation.api"),
}


def __getattr__(name: str) -> Any:
    """Return a name of the interface, importing its module the first time."""
    if name == "adapters":
        return importlib.import_module("evaluation.adapters")
    if name not in _HOMES:
        raise AttributeError(f"module 'evaluation' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the names of the interface."""
    return [*__all__, "adapters"]
