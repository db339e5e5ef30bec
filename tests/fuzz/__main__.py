"""`make fuzz`: every target for FUZZ_S seconds, one after the other; inputs that break something are kept and counted.

    python -m tests.fuzz [--seconds N] [--folder DIR] [TARGET ...]

Each target runs in a process of its own. Where it breaks, the input stays in DIR/<target>/crashes, what was wrong
stands in DIR/<target>/failures.txt, and the target goes on with the time that is left. The corpus is kept too, so that
a later run goes on where this one stopped. Ends with 1 if anything broke.
"""

import argparse
import hashlib
import importlib
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TARGETS = ("fuzz_zip", "fuzz_card", "fuzz_audio", "fuzz_folder")
INPUT_TIMEOUT_S = 20
"""A single small input that takes longer counts as a hang."""
RSS_MIB = 1_200
MAX_BREAKS = 30
RUNS_A_PROCESS = 25_000
"""Inputs before a fresh process goes on: what the fuzzer itself remembers must not use up the decoder's memory."""
_STATUS = re.compile(rb"#(\d+)\s+\S+\s.*?cov: (\d+) ft: (\d+) corp: (\d+)")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of one target."""

    n_runs: int = 0
    """Inputs that were run."""
    n_edges: int = 0
    """Edges that were covered."""
    n_features: int = 0
    """Features: edges by how often they were taken, and outcomes."""
    n_corpus: int = 0
    """Inputs worth keeping."""
    n_breaks: int = 0
    """Times that an input broke the target."""
    spent_s: float = 0.0
    """Time that it took, s."""


def main() -> int:
    """Run the targets; return 1 if anything broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"))
    parser.add_argument("targets", nargs="*", default=TARGETS)
    asked = parser.parse_args()
    n_breaks = 0
    for name in asked.targets:
        tally = fuzz(name, (asked.folder / name).resolve(), asked.seconds)
        n_breaks += tally.n_breaks
        print(
            f"{name}: {tally.n_runs:,} inputs in {tally.spent_s:,.0f} s, {tally.n_edges:,} edges,"
            f" {tally.n_features:,} features, {tally.n_corpus:,} inputs kept, {tally.n_breaks} broke something",
            flush=True,
        )
    return 1 if n_breaks else 0


def fuzz(name: str, folder: Path, seconds: int) -> Tally:
    """Run one target for `seconds`, again and again if it breaks; return the figures."""
    corpus, crashes = folder / "corpus", folder / "crashes"
    for place in (corpus, crashes):
        place.mkdir(parents=True, exist_ok=True)
    target = importlib.import_module(f"tests.fuzz.{name}")
    for seed in target.seeds():
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    words = ("".join(rf"\x{byte:02x}" for byte in token) for token in target.TOKENS)
    (folder / "words.dict").write_text("".join(f'"{word}"\n' for word in words), encoding="ascii")
    tally = Tally()
    began = time.monotonic()
    while (left_s := seconds - (time.monotonic() - began)) > 1 and tally.n_breaks < MAX_BREAKS:
        log = folder / "log.txt"
        options = [
            f"-max_total_time={int(left_s)}",
            f"-runs={RUNS_A_PROCESS}",
            f"-max_len={target.MAX_BYTES}",
            f"-timeout={INPUT_TIMEOUT_S}",
            f"-rss_limit_mb={RSS_MIB}",
            f"-artifact_prefix={crashes}/",
            f"-dict={folder}/words.dict",
            "-print_final_stats=1",
            "-close_fd_mask=1",
        ]
        command = [sys.executable, "-m", "tests.fuzz.run_target", name, str(folder), str(corpus), *options]
        with log.open("ab") as out:
            start = out.tell()
            code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
        _count(tally, log.read_bytes()[start:])
        tally.n_breaks += code != 0
    tally.spent_s = time.monotonic() - began
    return tally


def _count(tally: Tally, log: bytes) -> None:
    found = _STATUS.findall(log)
    if found:
        runs, *rest = map(int, found[-1])
        tally.n_runs += runs
        tally.n_edges, tally.n_features, tally.n_corpus = rest


if __name__ == "__main__":
    sys.exit(main())
