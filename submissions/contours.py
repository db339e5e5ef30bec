"""The published table of contours: what is needed to draw a submission's clips, a row a clip, and how it is read.

It is made of the clips alone, so it can be made again at any time; no row of a board is made of it, and no result names
its hash. Each row names the sha256 of the clip that it was read from.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.errors import SchemaError
from evaluation.probes import contour as drawing
from evaluation.probes.contour import FULL_SCALE, LOWEST_DBFS, MOST_BINS, Contour
from submissions import layout, parquet
from submissions.store.base import PublishedFiles

CLIPS_PER_GROUP = 32
"""Most rows of one row group: what must be read to draw one clip."""
MOST_GROUP_BYTES = 16 << 20
"""Largest row group that is read, unpacked."""
MOST_HZ = 24_000.0
MOST_DURATION_S = 86_400.0


def _bins(kind: pa.DataType, *, can_lack: bool = False) -> pa.ListType:
    return pa.list_(pa.field("element", kind, nullable=can_lack))


CONTOURS_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("clip_sha256", pa.string(), nullable=False),
        pa.field("duration_s", pa.float64(), nullable=False),
        pa.field("bin_s", pa.float64(), nullable=False),
        pa.field("low", _bins(pa.int8()), nullable=False),
        pa.field("high", _bins(pa.int8()), nullable=False),
        pa.field("level_dbfs", _bins(pa.float64(), can_lack=True), nullable=False),
        pa.field("f0_hz", _bins(pa.float64(), can_lack=True), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnClip:
    """One row of the table."""

    item_id: str
    """Item that the clip reads."""
    clip_sha256: str
    """sha256 (hex) of the clip's FLAC bytes."""
    contour: Contour
    """What is drawn of it."""


def encode_contours(rows: Iterable[DrawnClip]) -> bytes:
    """Return the bytes of a table of contours, in the order in which they come."""
    table = pa.Table.from_pylist([_line(row) for row in rows], schema=CONTOURS_SCHEMA)
    return parquet.encode_table(table, rows_per_group=CLIPS_PER_GROUP)


def contour_rows(file: pq.ParquetFile, where: str) -> Iterator[DrawnClip]:
    """Yield every row of an opened table, a row group in memory at a time.

    Raises:
        SchemaError: if it is damaged, or holds what no contour can be.
    """
    for index in range(file.num_row_groups):
        yield from read_rows(file, index, where)


def read_rows(file: pq.ParquetFile, index: int, where: str) -> tuple[DrawnClip, ...]:
    """Return the rows of one row group; raises SchemaError as `contour_rows` does."""
    facts = file.metadata.row_group(index)
    if facts.total_byte_size > MOST_GROUP_BYTES or facts.num_rows > CLIPS_PER_GROUP:
        raise SchemaError(
            f"{where}: row group {index} must be at most {CLIPS_PER_GROUP} rows and {MOST_GROUP_BYTES:,} bytes, got "
            f"{facts.num_rows} rows and {facts.total_byte_size:,} bytes"
        )
    table = parquet.read_group(file, index, CONTOURS_SCHEMA.names, where)
    if table.schema.remove_metadata() != CONTOURS_SCHEMA:
        raise SchemaError(f"{where}: row group {index} must have the known columns of the known kinds")
    return tuple(_row(line, where) for line in table.to_pylist())


def places(file: pq.ParquetFile, where: str) -> dict[str, int]:
    """Return the row group of every item, reading one column only; raises SchemaError if it cannot be read."""
    found: dict[str, int] = {}
    for index in range(file.num_row_groups):
        if file.metadata.row_group(index).num_rows > CLIPS_PER_GROUP:
            raise SchemaError(f"{where}: row group {index} must be at most {CLIPS_PER_GROUP} rows")
        items = parquet.read_group(file, index, ["item_id"], where)["item_id"].to_pylist()
        found |= {str(item): index for item in items}
    return found


def read_contours(files: PublishedFiles, submission: str) -> Iterator[DrawnClip]:
    """Yield all contours of a submission's clips.

    Raises:
        FileNotFoundError: if there are none yet.
        SchemaError: if the table is damaged or of an unknown version.
    """
    where = layout.contours_path(submission)
    with layout.opened(files, where) as file:
        yield from contour_rows(file, where)


def _line(row: DrawnClip) -> dict[str, object]:
    drawn = row.contour
    return {
        "item_id": row.item_id,
        "clip_sha256": row.clip_sha256,
        "duration_s": drawn.duration_s,
        "bin_s": drawn.bin_s,
        "low": drawn.low,
        "high": drawn.high,
        "level_dbfs": drawn.level_dbfs,
        "f0_hz": drawn.f0_hz,
    }


def _row(line: Mapping[str, Any], where: str) -> DrawnClip:
    row = DrawnClip(
        item_id=line["item_id"],
        clip_sha256=line["clip_sha256"],
        contour=Contour(
            duration_s=line["duration_s"],
            bin_s=line["bin_s"],
            low=tuple(line["low"]),
            high=tuple(line["high"]),
            level_dbfs=tuple(line["level_dbfs"]),
            f0_hz=tuple(line["f0_hz"]),
        ),
    )
    fault = _fault(row.contour)
    if fault:
        raise SchemaError(f"{where}, row {row.item_id!r:.80}: {fault}")
    return row


def _fault(drawn: Contour) -> str | None:
    """Return why numbers are no contour, or None."""
    if not 0 < drawn.duration_s <= MOST_DURATION_S:
        return f"duration_s must be above 0 and at most {MOST_DURATION_S:g}, got {drawn.duration_s!r}"
    if drawn.bin_s != drawing.bin_length_s(drawn.duration_s):
        return f"bin_s must be {drawing.bin_length_s(drawn.duration_s)}, got {drawn.bin_s!r}"
    n_bins = drawing.n_bins(drawn.duration_s, drawn.bin_s)
    counts = {len(drawn.low), len(drawn.high), len(drawn.level_dbfs), len(drawn.f0_hz)}
    if counts != {n_bins} or n_bins > MOST_BINS:
        return f"every column must have {n_bins} bins, got {sorted(counts)}"
    if any(not -FULL_SCALE <= low <= high <= FULL_SCALE for low, high in zip(drawn.low, drawn.high, strict=True)):
        return f"low and high must lie within -{FULL_SCALE}..{FULL_SCALE}, low first"
    if not all(level is None or LOWEST_DBFS <= level <= 0 for level in drawn.level_dbfs):
        return f"level_dbfs must lie within {LOWEST_DBFS:g}..0"
    if not all(f0 is None or (math.isfinite(f0) and 0 < f0 <= MOST_HZ) for f0 in drawn.f0_hz):
        return f"f0_hz must be above 0 and at most {MOST_HZ:g}"
    return None
