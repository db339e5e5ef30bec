"""How long a board of 500 systems takes to decide, against the corpus package's function pair by pair.

Prints whether both aims are met: 300 times the package, and one system more in under 100 ms.
"""

import time
from types import SimpleNamespace

import numpy as np
from vocencebench.decide import decide as oracle_decide

from evaluation.decision import Contender, add_system, decide_all, rank_bands
from evaluation.protocol import load_shipped

N_SYSTEMS, N_ITEMS, N_ORACLE_PAIRS = 500, 496, 50


def board():
    """Systems that rise slowly in strength on items of unequal difficulty; a tenth of clips fail the gate."""
    rng = np.random.default_rng(11)
    easy = rng.uniform(0.2, 0.8, N_ITEMS)
    systems = []
    for i in range(N_SYSTEMS + 1):
        values = easy + 0.3 * i / N_SYSTEMS + rng.normal(0, 0.15, N_ITEMS)
        values = np.where(rng.random(N_ITEMS) < 0.1, 0.0, np.clip(values, 0.01, 1.0))
        row = tuple(int(value) for value in np.round(values * 1e6))
        systems.append(Contender(key=f"system-{i:03}", composites_micro=row))
    return systems


def oracle_records(a, b):
    """The pair as the oracle takes it: one desirability an item that is the composite itself."""
    return [
        {
            "objective": [{"trait": "pace", "a": {"score": x / 1e6}, "b": {"score": y / 1e6}}],
            "gate_a": int(x > 0),
            "gate_b": int(y > 0),
        }
        for x, y in zip(a.composites_micro, b.composites_micro, strict=True)
    ]


def seconds_of(task, times=1):
    """Median wall seconds of a task."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        task()
        taken.append(time.perf_counter() - start)
    return sorted(taken)[times // 2]


def main():
    """Print the two figures."""
    constants = load_shipped("lite").constants
    *systems, new = board()
    rng = np.random.default_rng(12)
    picked = [rng.choice(N_SYSTEMS, 2, replace=False) for _ in range(N_ORACLE_PAIRS)]
    pairs = [(systems[i], systems[j]) for i, j in picked]
    prepared = [(a.key, b.key, oracle_records(a, b)) for a, b in pairs]
    heads = [SimpleNamespace(label_a=a, label_b=b, per_sample=rows) for a, b, rows in prepared]
    theirs = []
    oracle_s = seconds_of(lambda: theirs.extend(oracle_decide(head) for head in heads)) / N_ORACLE_PAIRS
    whole_s = seconds_of(lambda: rank_bands(decide_all(systems, constants=constants)))
    decisions = decide_all(systems, constants=constants)
    add_s = seconds_of(lambda: add_system(decisions, new, constants=constants), times=7)
    same = sum(
        decisions.of(a.key, b.key).is_win == (their.winner != "tie")
        for (a, b), their in zip(pairs, theirs, strict=True)
    )
    n_pairs = N_SYSTEMS * (N_SYSTEMS - 1) // 2
    print(f"pairs: {n_pairs}, items: {N_ITEMS}; outcomes equal to the oracle's: {same} of {N_ORACLE_PAIRS}")
    print(f"oracle: {oracle_s * 1e3:.1f} ms a pair, so {oracle_s * n_pairs:.0f} s for the matrix (extrapolated)")
    print(f"whole matrix with rank bands: {whole_s:.2f} s, {oracle_s * n_pairs / whole_s:.0f}x (needs 300x)")
    print(f"one system added to {N_SYSTEMS}: {add_s * 1e3:.1f} ms (needs < 100 ms)")


if __name__ == "__main__":
    main()
