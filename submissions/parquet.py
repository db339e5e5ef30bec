"""Tables to parquet bytes and back: the same table always gives the same bytes, versioned and sealed.

The seal is a file's own sha256, taken while the seal's place holds zeros' stand-in. It tells a table
that was changed after it was written from one that was merely written by another parquet library.
"""

import hashlib
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.errors import SchemaError

SCHEMA_VERSION = 1
"""Version of every published table and JSON file; stands in each of them."""

MAX_TABLE_BYTES = 1 << 30
"""Largest table that is read at once, unpacked."""

_VERSION_KEY = b"schema_version"
_SEAL_KEY = b"seal"
_UNSEALED = b"this-place-is-kept-for-the-sha256-of-the-file-while-it-is-made--"
# A file of the Arrow family that is damaged fails in any of these ways.
_DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, IndexError, MemoryError, OverflowError, RecursionError)


def encode_table(table: pa.Table, *, rows_per_group: int | None = None) -> bytes:
    """Return the sealed parquet bytes of a table that fits in memory.

    Args:
        table: any number of rows.
        rows_per_group: most rows of a row group, >= 1; None: all are one group.
    """
    sink = pa.BufferOutputStream()
    with _writer(sink, table.schema, compression="zstd") as writer:
        writer.write_table(table, row_group_size=rows_per_group)
        writer.add_key_value_metadata(_metadata(_UNSEALED.decode()))
    draft: bytes = sink.getvalue().to_pybytes()
    return _filled(draft, hashlib.sha256(draft).hexdigest().encode())


def write_groups(path: Path, schema: pa.Schema, groups: Iterable[pa.Table]) -> None:
    """Write tables as one uncompressed, unsealed file, each as a row group of its own; memory stays at one group."""
    with _writer(path, schema, compression="none") as writer:
        for group in groups:
            writer.write_table(group, row_group_size=max(1, group.num_rows))
        writer.add_key_value_metadata(_metadata(None))


def decode_table(data: bytes, where: str) -> pa.Table:
    """Return the table in parquet bytes.

    Args:
        data: the file.
        where: its path, for messages.

    Raises:
        SchemaError: if it is damaged or of an unknown version.
    """
    try:
        _check_size(pq.read_metadata(pa.BufferReader(data)), where)
        table = pq.read_table(pa.BufferReader(data), use_threads=False)
        table.validate(full=True)
    except _DAMAGE as error:
        raise SchemaError(f"{where}: not a readable parquet file: {_first_line(error)}") from error
    check_version((table.schema.metadata or {}).get(_VERSION_KEY), where)
    return table.replace_schema_metadata(None)


def open_file(source: BufferedReader | pa.BufferReader, where: str) -> pq.ParquetFile:
    """Return an opened parquet file, its version checked; only the parts that are asked for are read.

    Raises:
        SchemaError: if it is damaged or of an unknown version.
    """
    try:
        file = pq.ParquetFile(source)
        metadata = file.metadata.metadata or {}
    except _DAMAGE as error:
        raise SchemaError(f"{where}: not a readable parquet file: {_first_line(error)}") from error
    check_version(metadata.get(_VERSION_KEY), where)
    return file


def read_group(file: pq.ParquetFile, index: int, columns: list[str], where: str) -> pa.Table:
    """Return some columns of one row group.

    Raises:
        SchemaError: if the group is damaged or a column is missing.
    """
    try:
        table = file.read_row_group(index, columns=columns, use_threads=False)
        table.validate(full=True)
    except _DAMAGE as error:
        raise SchemaError(f"{where}: row group {index} cannot be read: {_first_line(error)}") from error
    missing = sorted(set(columns) - set(table.column_names))
    if missing:
        raise SchemaError(f"{where}: columns are missing: {missing}")
    return table


def is_sealed(data: bytes) -> bool:
    """Return whether sealed parquet bytes are still exactly those that were written."""
    try:
        metadata = pq.read_metadata(pa.BufferReader(data)).metadata or {}
    except _DAMAGE:
        return False
    seal = metadata.get(_SEAL_KEY, b"")
    if len(seal) != len(_UNSEALED) or data.rfind(seal) < 0:
        return False
    place = data.rfind(seal)
    draft = data[:place] + _UNSEALED + data[place + len(seal) :]
    return bool(hashlib.sha256(draft).hexdigest().encode() == seal)


def check_version(version: object, where: str) -> None:
    """Refuse any schema version but ours.

    Raises:
        SchemaError: naming the file, the version that came and the one that is known.
    """
    found = version.decode("utf-8", "replace") if isinstance(version, bytes) else version
    if str(found) != str(SCHEMA_VERSION):
        raise SchemaError(
            f"{where}: schema_version is {found!r:.40}, this program knows {SCHEMA_VERSION}. "
            "Update the program, or fetch the file again."
        )


def _check_size(metadata: pq.FileMetaData, where: str) -> None:
    groups = (metadata.row_group(index) for index in range(metadata.num_row_groups))
    n_bytes = sum(group.total_byte_size for group in groups) + 8 * metadata.num_rows
    if n_bytes > MAX_TABLE_BYTES:
        raise SchemaError(f"{where}: unpacks to {n_bytes:,} bytes, allowed are {MAX_TABLE_BYTES:,}")


def _writer(where: Any, schema: pa.Schema, *, compression: str) -> pq.ParquetWriter:
    # Statistics and the Arrow schema would only add bytes that no reader of these tables needs.
    return pq.ParquetWriter(
        where,
        schema,
        compression=compression,
        use_dictionary=compression != "none",
        write_statistics=False,
        store_schema=False,
        version="2.6",
        data_page_version="1.0",
    )


def _metadata(seal: str | None) -> dict[str, str]:
    versioned = {_VERSION_KEY.decode(): str(SCHEMA_VERSION)}
    return versioned if seal is None else {**versioned, _SEAL_KEY.decode(): seal}


def _filled(draft: bytes, seal: bytes) -> bytes:
    # The footer stands last, so the last match is ours whatever text the cells hold.
    place = draft.rfind(_UNSEALED)
    return draft[:place] + seal + draft[place + len(_UNSEALED) :]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
