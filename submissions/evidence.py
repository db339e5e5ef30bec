"""What the scores of one submission are made of, read back from its per-sample table with every value checked.

A forged table is refused here, by row and column, so that scoring may trust what it is given.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa

from evaluation.errors import SchemaError
from evaluation.gate.normalisers import LITE_1, NEWEST
from evaluation.records import (
    Acoustics,
    ClassScores,
    Clip,
    ClipReadings,
    Doubt,
    Hearing,
    Item,
    ItemId,
    PredictedMos,
    Transcript,
    Unread,
)
from evaluation.traits import TRAITS, Kind
from submissions.columns import ACOUSTICS, CLIP, GENDERS, READ, UNREAD, sample_schema

_MAX_TIER = 2

Row = Mapping[str, Any]


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


def read_evidence(table: pa.Table, where: str = "per_sample table") -> Evidence:
    """Return items, clips, readings and declined items of a per-sample table; its scores are not looked at.

    Raises:
        SchemaError: naming `where`, row and column, for a missing column or a value that no publisher writes.
    """
    # Tables of the first normaliser lack the columns of later ones.
    expected = sample_schema((), NEWEST if "normaliser" in table.column_names else LITE_1)
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
    absent = [column for column in CLIP if row[column] is None]
    if absent:
        raise SchemaError(f"{place}: it was not declined, so these columns must hold a value: {absent}")
    facts = {column: row[column] for column in CLIP if column != "clip_sha256"}
    return Clip(item_id=item_id, sha256=row["clip_sha256"], **facts)


def _clip_readings(clip: Clip, row: Row, place: str) -> ClipReadings:
    acoustics = _unread("acoustics", row, place) or _acoustics(row, place)
    transcript = _unread("transcript", row, place) or read_transcript(row, place)
    naturalness = None if row["mos"] is None else PredictedMos(mos=row["mos"])
    gender = _unread("gender", row, place) or _gender(row)
    return ClipReadings(
        item_id=clip.item_id,
        clip_sha256=clip.sha256,
        acoustics=acoustics,
        transcript=transcript,
        naturalness=_unread("mos", row, place) or naturalness,
        probes={} if gender is None else {"gender": gender},
    )


def _unread(prefix: str, row: Row, place: str) -> Unread | None:
    reason, fault, detail = (row[prefix + suffix] for suffix in UNREAD)
    if reason is None:
        if fault is not None or detail is not None:
            raise SchemaError(f"{place}: {prefix}_unread is empty, but fault or detail is not")
        return None
    if any(row[column] is not None for column in READ[prefix]):
        raise SchemaError(f"{place}: {prefix} was unread, but its reading is not empty")
    if fault not in ("clip", "instrument") or detail is None:
        raise SchemaError(f"{place}: {prefix}_unread_fault must be clip or instrument, got {fault!r:.40}")
    return Unread(reason=reason, fault=fault, detail=detail)


def _acoustics(row: Row, place: str) -> Acoustics | None:
    values = {field: row[column] for column, field in ACOUSTICS.items()}
    if all(value is None for value in values.values()):
        return None
    absent = [field for field, value in values.items() if value is None and field != "f0_hz"]
    if absent:
        raise SchemaError(f"{place}: acoustics without {absent}")
    if not values["speech_start_s"] < values["speech_end_s"] or not (values["f0_hz"] is None or values["f0_hz"] > 0):
        raise SchemaError(f"{place}: speech must end after it starts, and f0_hz must be above 0")
    return Acoustics(**values)


def read_transcript(row: Row, place: str) -> Transcript | None:
    """Return the transcript of a row of a per-sample table; raises SchemaError, naming `place`, for a forged one."""
    text, setting = row["transcript"], row["transcript_setting"]
    if (text is None) != (setting is None):
        raise SchemaError(f"{place}: transcript and transcript_setting must both stand, or neither")
    doubt = row.get("transcript_doubt")
    again, second = (_hearing(name, row, place) for name in ("transcript_again", "transcript_second"))
    if (doubt is None) != (again is None and second is None) or (text is None and doubt is not None):
        raise SchemaError(f"{place}: a clip was heard again if, and only if, its first transcript was in doubt")
    if doubt is not None and doubt not in get_args(Doubt):
        raise SchemaError(f"{place}: transcript_doubt must be one of {get_args(Doubt)}, got {doubt!r:.40}")
    return None if text is None else Transcript(text=text, setting=setting, doubt=doubt, again=again, second=second)


def _hearing(name: str, row: Row, place: str) -> Hearing | None:
    text, setting = row.get(name), row.get(f"{name}_setting")
    if text is not None and setting is not None:
        return Hearing(text=text, setting=setting)
    if text is not None or setting is not None:
        raise SchemaError(f"{place}: {name} and {name}_setting must both stand, or neither")
    return None


def _gender(row: Row) -> ClassScores | None:
    labels = tuple(value for value in GENDERS if row[f"gender_{value}"] is not None)
    if not labels:
        return None
    return ClassScores(labels=labels, probabilities=tuple(row[f"gender_{value}"] for value in labels))
