"""The gate's own record: how many readings by real voices it let pass, and what a person found behind its vetoes."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from evaluation.bootstrap import Interval, wilson_interval
from evaluation.codec import from_json, to_json
from evaluation.errors import SchemaError
from evaluation.records import ItemId

SCHEMA_VERSION = 1
FILE = Path(__file__).resolve().parents[2] / "assets" / "gate_trial" / "benchmark_v1.json"
"""The shipped record."""
WAYS = ("strip", "whisper", "gate")
"""Ways to compare: lower case and bare letters, the Whisper normaliser, this gate."""
_ALPHA = 0.05

Cause = Literal["transcriber", "voice", "gate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One voice, tier and transcriber."""

    engine: str
    """Key of the voice."""
    tier: int
    """0 easy, 1 normal, 2 hard."""
    transcriber: str
    """Who heard it."""
    n: int
    """Clips."""
    passed: tuple[int, ...]
    """Clips with a word-error rate within the limit, for each of WAYS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a person found behind one veto of the gate, script in one hand and transcript in the other."""

    item_id: ItemId
    """The item."""
    engine: str
    """The voice."""
    cause: Cause
    """What the veto hangs on: without the transcriber's mishearing the clip would pass; or the voice said other words;
    or the gate refused a right reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial."""

    corpus: str
    """Name of the corpus."""
    normaliser: str
    """Version of the gate's normaliser that was tried."""
    wer_limit: float
    """Word-error rate up to which a clip passes."""
    transcriber: str
    """The transcriber whose vetoes were checked by hand."""
    cells: tuple[Cell, ...]
    """Every voice, tier and transcriber."""
    verdicts: tuple[Verdict, ...]
    """A random draw of that transcriber's vetoes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """An estimated share of all clips."""

    share: float
    """0..1."""
    interval: Interval
    """Two-sided 95 %: of the hand-checked draw; that so many clips were vetoed is counted, not estimated."""


def vetoes(trial: Trial) -> tuple[int, int]:
    """Return how many clips the gate vetoed under the checked transcriber, and of how many."""
    cells = [cell for cell in trial.cells if cell.transcriber == trial.transcriber]
    n = sum(cell.n for cell in cells)
    return n - sum(cell.passed[WAYS.index("gate")] for cell in cells), n


def rate_of(trial: Trial, *causes: Cause) -> Rate | None:
    """Return the share of all clips that are vetoed for one of `causes`; None without a checked veto.

    Example:
        Of 500 clips 100 are vetoed; of 40 checked ones 10 were misheard: 100 / 500 * 10 / 40 = 0.05.
    """
    if not trial.verdicts:
        return None
    n_vetoes, n = vetoes(trial)
    hits = sum(verdict.cause in causes for verdict in trial.verdicts)
    found = wilson_interval(hits, len(trial.verdicts), alpha=_ALPHA)
    if found is None:
        return None
    scale = n_vetoes / n
    return Rate(
        share=scale * hits / len(trial.verdicts),
        interval=Interval(low=scale * found.low, high=scale * found.high),
    )


def encode(trial: Trial) -> bytes:
    """Return the bytes of a record's file, one cell or verdict a line."""
    fields = {"schema_version": SCHEMA_VERSION, **to_json(trial)}
    lines = []
    for key, value in fields.items():
        if isinstance(value, list):
            members = ",\n".join("  " + json.dumps(member, sort_keys=True) for member in value)
            lines.append(f" {json.dumps(key)}: [\n{members}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")


def load(path: Path) -> Trial:
    """Read a record.

    Raises:
        SchemaError: if the file is not one.
    """
    try:
        fields = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SchemaError(f"{path}: not a readable record of a trial: {error}") from error
    if not isinstance(fields, dict) or fields.pop("schema_version", None) != SCHEMA_VERSION:
        raise SchemaError(f"{path}: schema_version must be {SCHEMA_VERSION}")
    return from_json(Trial, fields)


@cache
def shipped() -> Trial:
    """Return the shipped record; raises as `load` does."""
    return load(FILE)
