"""How fast the read API answers on a board of 500 systems with 496 items, from kept views, in this process.

Prints medians; the aim is a kept answer of 500 rows in under 20 ms and a 304 in under 5 ms.
"""

import random
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from fastapi.testclient import TestClient

from leaderboard.api.app import build
from submissions import layout, parquet
from submissions.board import DECISIONS_SCHEMA
from tests.leaderboard import cast

N_SYSTEMS, N_ITEMS, TIMES = 500, 496, 15
ONE = cast.SIX[0].id


def crowded(home):
    """A site with one real system and a board that lists it 500 times under other ids."""
    corpus = cast.make_corpus(home, N_ITEMS)
    site = cast.make_site(home, cast.SIX[:1], corpus)
    protocol = site.protocols[0].id
    (line,) = layout.read_leaderboard(site.files, protocol).to_pylist()
    rng = random.Random(1)
    names = [ONE, *(f"x{number:011d}" for number in range(1, N_SYSTEMS))]
    scores = sorted((round(rng.random(), 6) for _ in names), reverse=True)
    rows = [line | {"submission": name, "score": score} for name, score in zip(names, scores, strict=True)]
    table = layout.read_leaderboard(site.files, protocol)
    site.files.write(
        layout.leaderboard_path(protocol), parquet.encode_table(pa.Table.from_pylist(rows, schema=table.schema))
    )
    pairs = [
        (one, other, N_ITEMS, high, low, round(high - low - 0.01, 6), 0.02, high - low > 0.03)
        for at, (one, high) in enumerate(zip(names, scores, strict=True))
        for other, low in zip(names[at + 1 :], scores[at + 1 :], strict=True)
    ]
    columns = dict(zip(DECISIONS_SCHEMA.names, map(list, zip(*pairs, strict=True)), strict=True))
    decisions = pa.Table.from_pydict(columns, schema=DECISIONS_SCHEMA)
    site.files.write(layout.decisions_path(protocol), parquet.encode_table(decisions))
    return site


def median_ms(task):
    """Median wall milliseconds of a task."""
    taken = []
    for _ in range(TIMES):
        start = time.perf_counter()
        task()
        taken.append((time.perf_counter() - start) * 1e3)
    return sorted(taken)[TIMES // 2]


def main():
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        client = TestClient(build(crowded(Path(name))))
        start = time.perf_counter()
        answer = client.get("/leaderboard?limit=500")
        cold_ms = (time.perf_counter() - start) * 1e3
        tag = {"If-None-Match": answer.headers["etag"]}
        print(f"board of {N_SYSTEMS}, {len(answer.content) / 1e3:.0f} KB; first answer {cold_ms:.0f} ms, reading files")
        counted = iter(range(10_000))
        figures = {
            "the same, kept (needs < 20 ms)": lambda: client.get("/leaderboard?limit=500"),
            "the same, unchanged: 304 (needs < 5 ms)": lambda: client.get("/leaderboard?limit=500", headers=tag),
            "another order, rows made": lambda: client.get(
                f"/leaderboard?limit=500&sort=-pitch&q={' ' * next(counted)}"
            ),
            "page of 500 decisions of 124,750, made": lambda: client.get(
                f"/decisions?limit={500 - next(counted) % 20}"
            ),
            "items of one system, page of 496, made": lambda: client.get(f"/per-sample?system={ONE}&limit=500"),
            "board as parquet": lambda: client.get("/leaderboard?format=parquet"),
            "one system": lambda: client.get(f"/systems/{ONE}"),
        }
        for what, task in figures.items():
            print(f"{what}: {median_ms(task):.1f} ms")
        start = time.perf_counter()
        n_bytes = len(client.get("/decisions?format=csv").content)
        print(f"all 124,750 decisions as CSV, {n_bytes / 1e6:.1f} MB: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
