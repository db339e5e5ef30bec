"""`make bench`: every figure, each in a process of its own so that none warms or burdens another."""

import subprocess
import sys

BENCHES = (
    "tests.bench.matrix",
    "tests.bench.acoustic",
    "tests.bench.lite",
    "tests.bench.gate",
    "tests.bench.judge",
    "tests.bench.classifiers",
    "tests.bench.duplicates",
    "tests.bench.api",
)

if __name__ == "__main__":
    codes = []
    for bench in BENCHES:
        print(f"== {bench.rpartition('.')[2]}", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", bench], check=False).returncode)
    sys.exit(max(codes))
