"""One evaluation on somebody's own machine, as files in a folder of its own: written here, read again here.

`result.json` is written last: without it the folder holds an evaluation that is under way. The per-sample table and
the table of replies are byte for byte those that a worker would publish of the same clips.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation import protocol as recipe
from evaluation.codec import canonical, from_json, sha256_of, to_json
from evaluation.errors import CastboardError, SchemaError
from evaluation.judge.replies import JudgeReply
from evaluation.protocol import Protocol
from evaluation.scoring import Scored
from evaluation.summary import Summary, summarise
from submissions import parquet
from submissions.evidence import Evidence, read_evidence
from submissions.replies import JudgeUsage, arranged, replies_table, usage_of
from submissions.samples import sample_table
from submissions.store import atomic

RESULT = "result.json"
SAMPLES = "per_sample.parquet"
SAMPLES_CSV = "per_sample.csv"
READINGS = "readings.jsonl"
REPLIES = "replies.parquet"
PROTOCOL = "protocol.json"
_SCHEMA_VERSION = 1

ToCsv = Callable[[list[str], list[Mapping[str, object]]], str]
"""Columns and rows to CSV text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalResult:
    """What came of an evaluation that was not published."""

    name: str
    """What the system is called here."""
    protocol: str
    """Id of the protocol."""
    source_sha256: str
    """sha256 (hex) of the zip, or of the names and hashes of a folder's files."""
    is_partial: bool
    """Whether items of the corpus are left out; then its S is that of no board."""
    n_corpus_items: int
    """Items of the corpus."""
    warnings: tuple[str, ...]
    """What the check remarked and let pass."""
    files: Mapping[str, str]
    """sha256 (hex) of the other files of the folder, by name."""
    summary: Summary
    """Scores, intervals and counts, as a board would publish them."""
    judge_usage: JudgeUsage | None
    """What the judging took, by the provider's own count; None without a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A finished evaluation with everything that its scores are made of."""

    result: LocalResult
    """Its result."""
    protocol: Protocol
    """What it was evaluated under."""
    evidence: Evidence
    """Items, clips and readings."""


def write(
    folder: Path,
    *,
    name: str,
    protocol: Protocol,
    evidence: Evidence,
    scored: Scored,
    replies: tuple[JudgeReply, ...],
    source_sha256: str,
    n_corpus_items: int,
    warnings: tuple[str, ...],
    to_csv: ToCsv,
) -> Evaluation:
    """Write all files of an evaluation, the result last, and return it.

    Args:
        folder: where they go.
        name: what the system is called.
        protocol: what it was evaluated under.
        evidence: what was scored.
        scored: its scores.
        replies: raw replies of the judge, in any order.
        source_sha256: what was evaluated.
        n_corpus_items: items of the corpus, more than those of `evidence` if it is partial.
        warnings: remarks of the check.
        to_csv: writes a CSV file that no spreadsheet runs.
    """
    table = sample_table(protocol, evidence, scored.samples)
    lines = [canonical(to_json(evidence.readings[item.id])) for item in evidence.items if item.id in evidence.readings]
    files = {
        PROTOCOL: recipe.encode(protocol),
        SAMPLES: parquet.encode_table(table),
        SAMPLES_CSV: to_csv(table.column_names, table.to_pylist()).encode("utf-8"),
        READINGS: b"".join(line.rstrip(b"\n") + b"\n" for line in lines),
    }
    if protocol.judge is not None:
        voiced = [item for item in evidence.items if item.id in evidence.clips]
        files[REPLIES] = parquet.encode_table(replies_table(arranged(protocol, voiced, replies)))
    for path, data in files.items():
        atomic.replace(folder / path, data)
    result = LocalResult(
        name=name,
        protocol=protocol.id,
        source_sha256=source_sha256,
        is_partial=len(evidence.items) < n_corpus_items,
        n_corpus_items=n_corpus_items,
        warnings=warnings,
        files={path: sha256_of(data) for path, data in files.items()},
        summary=summarise(protocol, evidence.items, scored, evidence.readings),
        judge_usage=None if protocol.judge is None else usage_of(replies),
    )
    atomic.replace(folder / RESULT, canonical({"schema_version": _SCHEMA_VERSION, **to_json(result)}))
    return Evaluation(result=result, protocol=protocol, evidence=evidence)


def read(folder: Path) -> Evaluation:
    """Return a finished evaluation.

    Raises:
        CastboardError: if the folder holds none that is finished.
        SchemaError: naming the file that is damaged, or is not the one that the result was made of.
        ProtocolError: if its protocol is damaged.
    """
    path = folder / RESULT
    try:
        held = json.loads(path.read_bytes())
        if not isinstance(held, dict) or held.pop("schema_version", None) != _SCHEMA_VERSION:
            raise SchemaError(f"schema_version must be {_SCHEMA_VERSION}")
        result = from_json(LocalResult, held)
        data = {name: (folder / name).read_bytes() for name in (PROTOCOL, SAMPLES)}
    except OSError as error:
        raise CastboardError(
            f"{folder} holds no finished evaluation ({Path(error.filename).name}: {error.strerror}); run "
            "`app.py evaluate` on its clips again"
        ) from error
    except (ValueError, RecursionError, SchemaError) as error:
        raise SchemaError(f"{path}: {error}") from error
    for name, content in data.items():
        if result.files.get(name) != sha256_of(content):
            raise SchemaError(f"{folder / name} is not the file that {RESULT} was made of; evaluate the clips again")
    protocol = recipe.decode(data[PROTOCOL], str(folder / PROTOCOL))
    table = parquet.decode_table(data[SAMPLES], str(folder / SAMPLES))
    return Evaluation(result=result, protocol=protocol, evidence=read_evidence(table, str(folder / SAMPLES)))


def is_finished(folder: Path) -> bool:
    """Say whether a folder holds a finished evaluation."""
    return (folder / RESULT).is_file()
