"""What the two published JSON files of a submission hold: card and provenance, and the committed result."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from typing import Any, TypeVar

from evaluation.codec import OPTIONAL, canonical, from_json, to_json
from evaluation.errors import SchemaError
from evaluation.summary import Summary
from submissions.parquet import SCHEMA_VERSION, check_version
from submissions.replies import JudgeUsage

R = TypeVar("R")
CardValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a submission came from."""

    zip_sha256: str
    """sha256 (hex) of the uploaded zip."""
    zip_size_bytes: int
    """Size of the uploaded zip, bytes."""
    received_at: str
    """When it came in, ISO 8601, UTC."""
    code_version: str
    """Version of the program that took it in."""
    warnings: tuple[str, ...]
    """What intake remarked and let pass, one sentence each."""
    source: str | None = field(default=None, metadata=OPTIONAL)
    """Public address at a pinned commit that the zip was fetched from; None if it was uploaded."""
    supersedes: str | None = field(default=None, metadata=OPTIONAL)
    """Id of the submission of the same system and owner that this one is a new version of; None for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFile:
    """What is known of one submission before anything is measured."""

    submission: str
    """Id of the submission."""
    card: Mapping[str, CardValue]
    """The maker's card without the contact; hostile text until it is escaped."""
    provenance: Provenance
    """Where it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One committed row: the summary of a submission under a protocol, and what it was made of."""

    protocol: str
    """Id of the protocol."""
    submission: str
    """Id of the submission."""
    card: Mapping[str, CardValue]
    """Copy of the system's public card."""
    received_at: str
    """Copy of the provenance's time, ISO 8601, UTC."""
    files: Mapping[str, str]
    """sha256 (hex) of the files that it was made of, by path: four, or five with a judge's replies."""
    items_sha256: str
    """sha256 (hex) of the items' canonical JSON; the same for every row of a protocol."""
    summary: Summary
    """Scores, intervals and counts."""
    judge_usage: JudgeUsage | None = field(default=None, metadata=OPTIONAL)
    """What its judging took; None without a judge."""
    supersedes: str | None = field(default=None, metadata=OPTIONAL)
    """Copy of the provenance's: the submission that this one is a new version of; None for the first."""


def encode_system(system: SystemFile) -> bytes:
    """Return the canonical JSON bytes of a system file."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(system)})


def decode_system(data: bytes, where: str) -> SystemFile:
    """Read a system file; raises SchemaError naming `where` if it is damaged or of an unknown version."""
    held = _fields(data, where, SystemFile)
    return SystemFile(
        submission=_text(held, "submission", where),
        card=_card(held, where),
        provenance=_record(Provenance, held["provenance"], where),
    )


def encode_result(result: Result) -> bytes:
    """Return the canonical JSON bytes of a result."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(result)})


@lru_cache(maxsize=2048)
def decode_result(data: bytes, where: str) -> Result:
    """Read a result; raises SchemaError naming `where` if it is damaged or of an unknown version.

    The same bytes give the same record without work: a board of hundreds reads all of them at each new row.
    """
    held = _fields(data, where, Result)
    hashes = held["files"]
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        raise SchemaError(f"{where}: files must give a sha256 for each path")
    texts = {name: _text(held, name, where) for name in ("protocol", "submission", "received_at", "items_sha256")}
    summary = _record(Summary, held["summary"], where)
    usage = _record(JudgeUsage, held["judge_usage"], where) if "judge_usage" in held else None
    older = _text(held, "supersedes", where) if "supersedes" in held else None
    return Result(card=_card(held, where), files=hashes, summary=summary, judge_usage=usage, supersedes=older, **texts)


def _fields(data: bytes, where: str, kind: type[SystemFile] | type[Result]) -> dict[str, Any]:
    try:
        held = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{where}: not readable JSON: {error}") from error
    if not isinstance(held, dict):
        raise SchemaError(f"{where}: expected a JSON object, got {type(held).__name__}")
    check_version(held.pop("schema_version", None), where)
    needed = {"is", *(one.name for one in fields(kind) if one.default is MISSING)}
    known = {"is", *(one.name for one in fields(kind))}
    if not needed <= set(held) <= known or held["is"] != kind.__name__:
        raise SchemaError(f"{where}: the fields of a {kind.__name__} are {sorted(known)}, got {sorted(held)}")
    return held


def _text(held: Mapping[str, Any], name: str, where: str) -> str:
    value = held[name]
    if not isinstance(value, str):
        raise SchemaError(f"{where}: {name} must be text, got {type(value).__name__}")
    return value


def _card(held: Mapping[str, Any], where: str) -> dict[str, CardValue]:
    card = held["card"]
    if not isinstance(card, dict) or not all(isinstance(value, CardValue) for value in card.values()):
        raise SchemaError(f"{where}: card must hold texts, numbers, flags or null")
    return card


def _record(kind: type[R], data: object, where: str) -> R:
    try:
        return from_json(kind, data)
    except SchemaError as error:
        raise SchemaError(f"{where}: {error}") from error
