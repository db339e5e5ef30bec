"""How long the gate takes on a text of 41 words with ten ambiguous tokens, against jiwer on the plain words.

Run: python tests/bench/gate.py
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jiwer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evaluation.gate.spoken import spoken_words
from evaluation.gate.wer import read_gate

SCRIPT = (
    "On March 3rd, 2021, at 10:45 AM, Dr. Hale paid £3,860.45 for lot #318-C, then wrote to desk_40@north-kiln.co.uk "
    "that 12.5% of the 1,904 vases in room 314B were chipped, and that nobody else would ever be told about it by them."
)
READINGS = {
    "as written": SCRIPT,
    "in words": " ".join(spoken_words(SCRIPT)),
    "another careful reading": (
        "on the third of march two thousand and twenty one at quarter to eleven a m doctor hale paid three "
        "thousand eight hundred and sixty pounds and forty five pence for lot number three eighteen c then "
        "wrote to desk underscore four zero at north hyphen kiln dot co dot u k that twelve point five per "
        "cent of the nineteen hundred and four vases in room three hundred and fourteen b were chipped and "
        "that nobody else would ever be told about it by them"
    ),
}
READINGS["five wrong words"] = (
    READINGS["another careful reading"]
    .replace("pounds", "dollars")
    .replace("hale", "hill")
    .replace("vases", "cases")
    .replace("never", "ever")
    .replace("chipped", "shipped")
    .replace("kiln", "mill")
)
READINGS["another text"] = " ".join(reversed(READINGS["another careful reading"].split()))
N_ROUNDS = 200


def median_ms(task: Callable[[], object]) -> float:
    """Median wall milliseconds of a task."""
    taken = []
    for _ in range(N_ROUNDS):
        start = time.perf_counter()
        task()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def main() -> None:
    """Print a line for each kind of transcript."""
    plain = " ".join(spoken_words(SCRIPT))
    print(f"script: {len(SCRIPT.split())} words as written")
    for name, transcript in READINGS.items():
        wer = read_gate(SCRIPT, transcript).errors.wer
        ours = median_ms(lambda text=transcript: read_gate(SCRIPT, text))
        said = " ".join(spoken_words(transcript))
        peer = median_ms(lambda text=said: jiwer.process_words(plain, text))
        print(f"{name:24} WER {wer:.3f}  {ours:6.2f} ms, jiwer on plain words {peer:5.2f} ms, ratio {ours / peer:5.1f}")


if __name__ == "__main__":
    main()
