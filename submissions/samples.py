"""One submission's per-sample table: items, clips, readings and scores as columns, and back to records.

Everything that scoring needs stands in the table, so it alone gives every score again. Columns, in order:

- the item: item_id, tier (0..2), split, instruction, script, requested_<trait> for all eight traits
- the clip, null if declined: is_declined, clip_sha256, duration_s, rate_hz, bit_depth, source_format, source_channels
- acoustics: acoustics_duration_s, speech_start_s, speech_end_s, pause_s, level_dbfs, peak_dbfs, f0_hz, voiced_share
- transcript, transcript_setting; gender_<value> (probabilities); mos (1..5)
- for each of the four instruments: <instrument>_unread, _unread_fault, _unread_detail (why it read nothing; else null)
- for each dimension of the protocol: measured_, quantity_, desirability_ (0..1) and reason_<dimension>
- n_words, wer, substitutions, deletions, insertions, passed_gate
- composite_micro (millionths, exact) and composite (the same, 0..1)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from evaluation.bootstrap import MICRO
from evaluation.errors import SchemaError
from evaluation.records import (
    Acoustics,
    ClassScores,
    Clip,
    ClipReadings,
    Item,
    ItemId,
    PredictedMos,
    SampleScore,
    Transcript,
    Unread,
)
from evaluation.traits import TRAITS, Kind, trait

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_MAX_TIER = 2
_GENDERS = trait("gender").values

_CLIP = {
    "clip_sha256": _TEXT,
    "duration_s": _NUMBER,
    "rate_hz": _COUNT,
    "bit_depth": _COUNT,
    "source_format": _TEXT,
    "source_channels": _COUNT,
}
_ACOUSTICS = {
    "acoustics_duration_s": "duration_s",
    **{name: name for name in ("speech_start_s", "speech_end_s", "pause_s", "level_dbfs", "peak_dbfs")},
    **{name: name for name in ("f0_hz", "voiced_share")},
}
_READ = {
    "acoustics": dict.fromkeys(_ACOUSTICS, _NUMBER),
    "transcript": {"transcript": _TEXT, "transcript_setting": _TEXT},
    "gender": {f"gender_{value}": _NUMBER for value in _GENDERS},
    "mos": {"mos": _NUMBER},
}
"""Columns of each instrument's reading, by the prefix of its unread columns."""
_UNREAD = {"_unread": "reason", "_unread_fault": "fault", "_unread_detail": "detail"}

Row = Mapping[str, Any]
Reading = Acoustics | Transcript | ClassScores | PredictedMos


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the scores of one submission are made of."""

    items: tuple[Item, ...]
    """All items of the corpus, in its order."""
    clips: Mapping[ItemId, Clip]
    """Canonical clip of every item that is not declined."""
    readings: Mapping[ItemId, ClipReadings]
    """Readings of the same clips."""
    declined: frozenset[ItemId]
    """Items that the system refused."""


def sample_schema(dimensions: Sequence[str]) -> pa.Schema:
    """Return the schema of the per-sample table of a protocol with these dimensions."""
    fields = [*_item_fields(), *((name, kind, True) for name, kind in _CLIP.items())]
    for prefix, columns in _READ.items():
        fields += [(name, kind, True) for name, kind in columns.items()]
        fields += [(prefix + suffix, _TEXT, True) for suffix in _UNREAD]
    for dimension in dimensions:
        kinds = {"measured": _TEXT, "quantity": _NUMBER, "desirability": _NUMBER, "reason": _TEXT}
        fields += [(f"{name}_{dimension}", kind, True) for name, kind in kinds.items()]
    fields += [("n_words", _COUNT, True), ("wer", _NUMBER, True)]
    fields += [(name, _COUNT, True) for name in ("substitutions", "deletions", "insertions")]
    fields += [("passed_gate", _FLAG, False), ("composite_micro", _COUNT, False), ("composite", _NUMBER, False)]
    return pa.schema([pa.field(name, kind, nullable=nullable) for name, kind, nullable in fields])


def sample_table(dimensions: Sequence[str], evidence: Evidence, samples: Sequence[SampleScore]) -> pa.Table:
    """Return the per-sample table, one row an item in the order of the items.

    Args:
        dimensions: the protocol's dimensions, in order.
        evidence: what the scores were made of.
        samples: the scores, in the order of the items.
    """
    rows = [_row(item, evidence, sample) for item, sample in zip(evidence.items, samples, strict=True)]
    return pa.Table.from_pylist(rows, schema=sample_schema(dimensions))


def read_evidence(table: pa.Table, where: str = "per_sample table") -> Evidence:
    """Return items, clips, readings and declined items of a per-sample table; its scores are not looked at.

    Raises:
        SchemaError: naming `where`, row and column, for a missing column or a value that no publisher writes.
    """
    expected = sample_schema(())
    for field in expected:
        if field.name not in table.column_names or table.schema.field(field.name).type != field.type:
            raise SchemaError(f"{where}: column {field.name} must be there and of type {field.type}")
    rows = table.select(expected.names).to_pylist()
    items: list[Item] = []
    clips: dict[ItemId, Clip] = {}
    readings: dict[ItemId, ClipReadings] = {}
    declined: set[ItemId] = set()
    for index, row in enumerate(rows):
        place = f"{where}, row {index} ({row['item_id']})"
        _check_numbers(row, place)
        item = _item(row, place)
        items.append(item)
        if row["is_declined"]:
            declined.add(item.id)
            continue
        clips[item.id] = _clip(item.id, row, place)
        readings[item.id] = _clip_readings(clips[item.id], row, place)
    if len({item.id for item in items}) != len(items):
        raise SchemaError(f"{where}: an item_id occurs twice")
    return Evidence(items=tuple(items), clips=clips, readings=readings, declined=frozenset(declined))


def read_readings(table: pa.Table) -> dict[ItemId, ClipReadings]:
    """Return the readings of a per-sample table by item; raises as `read_evidence` does."""
    return dict(read_evidence(table).readings)


def read_items(table: pa.Table) -> tuple[Item, ...]:
    """Return the items of a per-sample table, in its order; raises as `read_evidence` does."""
    return read_evidence(table).items


def _item_fields() -> list[tuple[str, pa.DataType, bool]]:
    names = {"item_id": _TEXT, "tier": _COUNT, "split": _TEXT, "instruction": _TEXT, "script": _TEXT}
    names |= {f"requested_{trait.name}": _TEXT for trait in TRAITS}
    return [(name, kind, False) for name, kind in {**names, "is_declined": _FLAG}.items()]


def _row(item: Item, evidence: Evidence, sample: SampleScore) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item_id": item.id,
        "tier": item.tier,
        "split": item.split,
        "instruction": item.instruction,
        "script": item.script,
        **{f"requested_{trait.name}": item.requested[trait.name] for trait in TRAITS},
        "is_declined": sample.is_declined,
        "passed_gate": sample.passed_gate,
        "composite_micro": sample.composite_micro,
        "composite": sample.composite_micro / MICRO,
    }
    if item.id in evidence.clips:
        clip, readings = evidence.clips[item.id], evidence.readings[item.id]
        row |= {name: getattr(clip, name) for name in _CLIP if name != "clip_sha256"} | {"clip_sha256": clip.sha256}
        row |= _reading_cells("acoustics", readings.acoustics) | _reading_cells("transcript", readings.transcript)
        row |= _reading_cells("gender", readings.gender) | _reading_cells("mos", readings.naturalness)
    for score in sample.dimensions:
        for name in ("measured", "quantity", "desirability", "reason"):
            row[f"{name}_{score.dimension}"] = getattr(score, name)
    if sample.word_errors is not None:
        counts = ("n_words", "wer", "substitutions", "deletions", "insertions")
        row |= {name: getattr(sample.word_errors, name) for name in counts}
    return row


def _reading_cells(prefix: str, reading: Reading | Unread | None) -> dict[str, Any]:
    match reading:
        case None:
            return {}
        case Unread():
            return {prefix + suffix: getattr(reading, field) for suffix, field in _UNREAD.items()}
        case Acoustics():
            return {column: getattr(reading, field) for column, field in _ACOUSTICS.items()}
        case Transcript():
            return {"transcript": reading.text, "transcript_setting": reading.setting}
        case ClassScores():
            return {f"gender_{name}": p for name, p in zip(reading.labels, reading.probabilities, strict=True)}
        case PredictedMos():
            return {"mos": reading.mos}


def _check_numbers(row: Row, place: str) -> None:
    for column, value in row.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise SchemaError(f"{place}: {column} must be a finite number, got {value}")


def _item(row: Row, place: str) -> Item:
    requested = {trait.name: row[f"requested_{trait.name}"] for trait in TRAITS}
    for one in TRAITS:
        value = requested[one.name]
        if not (value.isascii() and value.isdigit()) if one.kind is Kind.NUMERIC else value not in one.values:
            raise SchemaError(f"{place}: requested_{one.name} must be one of {one.values}, got {value!r:.40}")
    if row["tier"] not in range(_MAX_TIER + 1) or row["split"] not in ("public", "held_out"):
        raise SchemaError(f"{place}: tier or split is none of the known: {row['tier']}, {row['split']!r:.40}")
    return Item(
        id=ItemId(row["item_id"]),
        instruction=row["instruction"],
        script=row["script"],
        requested=requested,
        tier=row["tier"],
        split=row["split"],
    )


def _clip(item_id: ItemId, row: Row, place: str) -> Clip:
    absent = [column for column in _CLIP if row[column] is None]
    if absent:
        raise SchemaError(f"{place}: it was not declined, so these columns must hold a value: {absent}")
    facts = {column: row[column] for column in _CLIP if column != "clip_sha256"}
    return Clip(item_id=item_id, sha256=row["clip_sha256"], **facts)


def _clip_readings(clip: Clip, row: Row, place: str) -> ClipReadings:
    acoustics = _unread("acoustics", row, place) or _acoustics(row, place)
    transcript = _unread("transcript", row, place) or _transcript(row, place)
    naturalness = None if row["mos"] is None else PredictedMos(mos=row["mos"])
    return ClipReadings(
        item_id=clip.item_id,
        clip_sha256=clip.sha256,
        acoustics=acoustics,
        transcript=transcript,
        gender=_unread("gender", row, place) or _gender(row),
        naturalness=_unread("mos", row, place) or naturalness,
    )


def _unread(prefix: str, row: Row, place: str) -> Unread | None:
    reason, fault, detail = (row[prefix + suffix] for suffix in _UNREAD)
    if reason is None:
        if fault is not None or detail is not None:
            raise SchemaError(f"{place}: {prefix}_unread is empty, but fault or detail is not")
        return None
    if any(row[column] is not None for column in _READ[prefix]):
        raise SchemaError(f"{place}: {prefix} was unread, but its reading is not empty")
    if fault not in ("clip", "instrument") or detail is None:
        raise SchemaError(f"{place}: {prefix}_unread_fault must be clip or instrument, got {fault!r:.40}")
    return Unread(reason=reason, fault=fault, detail=detail)


def _acoustics(row: Row, place: str) -> Acoustics | None:
    values = {field: row[column] for column, field in _ACOUSTICS.items()}
    if all(value is None for value in values.values()):
        return None
    absent = [field for field, value in values.items() if value is None and field != "f0_hz"]
    if absent:
        raise SchemaError(f"{place}: acoustics without {absent}")
    if not values["speech_start_s"] < values["speech_end_s"] or not (values["f0_hz"] is None or values["f0_hz"] > 0):
        raise SchemaError(f"{place}: speech must end after it starts, and f0_hz must be above 0")
    return Acoustics(**values)


def _transcript(row: Row, place: str) -> Transcript | None:
    text, setting = row["transcript"], row["transcript_setting"]
    if (text is None) != (setting is None):
        raise SchemaError(f"{place}: transcript and transcript_setting must both stand, or neither")
    return None if text is None else Transcript(text=text, setting=setting)


def _gender(row: Row) -> ClassScores | None:
    labels = tuple(value for value in _GENDERS if row[f"gender_{value}"] is not None)
    if not labels:
        return None
    return ClassScores(labels=labels, probabilities=tuple(row[f"gender_{value}"] for value in labels))
