"""Kill a Space at many instants and print the table: `python -m tests.restart --points 100 [--kind folder]`."""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.restart.drill import Point, bench, drill, measure
from tests.restart.kinds import KINDS


def main() -> int:
    """Run the drills; 0 if every outcome is whole."""
    parser = argparse.ArgumentParser(prog="python -m tests.restart")
    parser.add_argument("--points", type=int, default=100, help="kills a kind of store")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", help="only this kind of store")
    parser.add_argument("--seed", type=int, default=0, help="draws the instants")
    options = parser.parse_args()
    points: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="castboard-restart-") as name:
        for kind_name in options.kind or sorted(KINDS):
            points += _of_kind(Path(name) / kind_name, kind_name, options.points, options.seed)
    sys.stdout.write(table(points))
    return 0 if all(point.outcome == "whole" for point in points) else 1


def _of_kind(folder: Path, kind_name: str, n_points: int, seed: int) -> list[Point]:
    folder.mkdir()
    points: list[Point] = []
    with KINDS[kind_name](folder) as kind, bench(folder, kind.zygote_environ()) as shared:
        measure(shared, kind, folder / "undisturbed")
        began, number = time.monotonic(), 0
        while sum(point.n_kills for point in points) < n_points:
            home = folder / str(number)
            point = drill(shared, kind, home, seed * 100_003 + number)
            points.append(point)
            sys.stderr.write(f"{kind_name} {number}: {point.phase}, {point.how}: {point.outcome}\n")
            if point.outcome == "whole":
                shutil.rmtree(home)
            else:
                shutil.copytree(folder, Path(tempfile.gettempdir()) / f"castboard-restart-failed-{kind_name}-{number}")
            number += 1
        sys.stderr.write(f"{kind_name}: {time.monotonic() - began:.0f} s\n")
    return points


def table(points: list[Point]) -> str:
    """Return one line a kind of store and phase: drills, kills, receipts held at the first kill, outcomes."""
    lines = [f"{'store':8} {'killed during':22} {'drills':>6} {'kills':>6} {'receipts':>9} {'sent':>6}  outcomes"]
    for kind, phase in sorted({(point.kind, point.phase) for point in points}):
        here = [point for point in points if (point.kind, point.phase) == (kind, phase)]
        outcomes = ", ".join(f"{n} {what}" for what, n in Counter(point.outcome for point in here).most_common())
        lines.append(
            f"{kind:8} {phase:22} {len(here):6} {sum(p.n_kills for p in here):6} "
            f"{sum(p.n_receipts_before for p in here):9} {sum(p.n_sent for p in here):6}  {outcomes}"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
