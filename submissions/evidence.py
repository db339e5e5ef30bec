"""What the scores of one submission are made of, read back from its per-sample table with every value checked.

A forged table is refused here, by row and column, so that scoring may trust what it is given.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import pyarrow as pa

from evaluation.corpus import CATEGORIES, GENERAL, MAX_TIER
from evaluation.errors import SchemaError
from evaluation.records import Clip, ClipReadings, Item, ItemId, Split
from evaluation.traits import may_request, trait
from submissions.cells import Row, read_acoustics, read_heard, read_naturalness, read_probes, read_verdicts
from submissions.columns import CLIP, REQUESTED, Shape, sample_schema, shape_in
from submissions.forms_cells import read_forms


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
    shape = shape_in(table.column_names)
    _refuse_columns(table, shape, where)
    rows = table.select(sample_schema(shape).names).to_pylist()
    items: list[Item] = []
    clips: dict[ItemId, Clip] = {}
    readings: dict[ItemId, ClipReadings] = {}
    declined: set[ItemId] = set()
    for index, row in enumerate(rows):
        place = f"{where}, row {index} ({row['item_id']})"
        _check_numbers(row, place)
        item = _item(row, shape, place)
        items.append(item)
        if row["is_declined"]:
            declined.add(item.id)
            continue
        clips[item.id] = _clip(item.id, row, place)
        readings[item.id] = _clip_readings(clips[item.id], row, shape, place)
    if len({item.id for item in items}) != len(items):
        raise SchemaError(f"{where}: an item_id occurs twice")
    return Evidence(items=tuple(items), clips=clips, readings=readings, declined=frozenset(declined))


def read_readings(table: pa.Table) -> dict[ItemId, ClipReadings]:
    """Return the readings of a per-sample table by item; raises as `read_evidence` does."""
    return dict(read_evidence(table).readings)


def read_items(table: pa.Table) -> tuple[Item, ...]:
    """Return the items of a per-sample table, in its order; raises as `read_evidence` does."""
    return read_evidence(table).items


def _refuse_columns(table: pa.Table, shape: Shape, where: str) -> None:
    requested = {REQUESTED + name for name in shape.traits}
    unknown = sorted(name for name in table.column_names if name.startswith(REQUESTED) and name not in requested)
    if unknown:
        raise SchemaError(f"{where}: this program knows no trait of the columns {unknown!r:.200}")
    if len(set(table.column_names)) != len(table.column_names):
        raise SchemaError(f"{where}: a column occurs twice")
    for field in sample_schema(shape):
        if field.name not in table.column_names or table.schema.field(field.name).type != field.type:
            raise SchemaError(f"{where}: column {field.name} must be there and of type {field.type}")


def _check_numbers(row: Row, place: str) -> None:
    for column, value in row.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise SchemaError(f"{place}: {column} must be a finite number, got {value}")


def _item(row: Row, shape: Shape, place: str) -> Item:
    requested = {name: row[REQUESTED + name] for name in shape.traits}
    for name, value in requested.items():
        if not may_request(trait(name), value):
            raise SchemaError(f"{place}: requested_{name} must be one of {trait(name).values}, got {value!r:.40}")
    if row["tier"] not in range(MAX_TIER + 1) or row["split"] not in get_args(Split):
        raise SchemaError(f"{place}: tier or split is none of the known: {row['tier']}, {row['split']!r:.40}")
    category = row.get("category", GENERAL)
    if category not in CATEGORIES:
        raise SchemaError(f"{place}: category must be one of {CATEGORIES}, got {category!r:.40}")
    return Item(
        id=ItemId(row["item_id"]),
        instruction=row["instruction"],
        script=row["script"],
        requested=requested,
        tier=row["tier"],
        split=row["split"],
        category=category,
        spoken_forms=read_forms(row.get("spoken_forms"), row["script"], place),
    )


def _clip(item_id: ItemId, row: Row, place: str) -> Clip:
    absent = [column for column in CLIP if row[column] is None]
    if absent:
        raise SchemaError(f"{place}: it was not declined, so these columns must hold a value: {absent}")
    facts = {column: row[column] for column in CLIP if column != "clip_sha256"}
    return Clip(item_id=item_id, sha256=row["clip_sha256"], **facts)


def _clip_readings(clip: Clip, row: Row, shape: Shape, place: str) -> ClipReadings:
    return ClipReadings(
        item_id=clip.item_id,
        clip_sha256=clip.sha256,
        acoustics=read_acoustics(row, place),
        transcript=read_heard(row, place),
        naturalness=read_naturalness(row, place),
        probes=read_probes(row, shape, place),
        verdicts=read_verdicts(row, shape, place),
    )
