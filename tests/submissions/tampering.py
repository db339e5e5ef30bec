"""Ways to change a published file a little, as somebody who wants another number would."""

import io
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def flip_digit(path: Path, rng: np.random.Generator) -> str:
    """Put another digit in the place of one digit of a text file; say which."""
    data = bytearray(path.read_bytes())
    place = int(rng.choice([match.start() for match in re.finditer(rb"[0-9]", data)]))
    old = data[place]
    data[place] = ord("0") + (old - ord("0") + int(rng.integers(1, 10))) % 10
    path.write_bytes(data)
    around = bytes(data[max(0, place - 30) : place + 9])
    return f"{path.name}: digit {place} from {chr(old)} to {chr(data[place])}: {around!r}"


def flip_byte(path: Path, rng: np.random.Generator) -> str:
    """Change one byte of a file; say which."""
    data = bytearray(path.read_bytes())
    place = int(rng.integers(0, len(data)))
    old = data[place]
    data[place] = old ^ int(rng.integers(1, 256))
    path.write_bytes(data)
    return f"{path.name}: byte {place} of {len(data)} from {old} to {data[place]}"


def edit_cell(path: Path, column: str, rng: np.random.Generator) -> str:
    """Change one cell of a parquet file and write it again as any tool would; say which."""
    table = pq.read_table(io.BytesIO(path.read_bytes()))
    row = int(rng.integers(0, table.num_rows))
    values = table[column].to_pylist()
    old = values[row]
    values[row] = _changed(old, table.schema.field(column).type)
    index = table.column_names.index(column)
    edited = table.set_column(index, table.schema.field(index), pa.array(values, table.schema.field(column).type))
    pq.write_table(edited.replace_schema_metadata(table.schema.metadata), path, row_group_size=16)
    return f"{path.name}: {column} of row {row} from {old!r:.60} to {values[row]!r:.60}"


def _changed(value: object, kind: pa.DataType) -> object:
    if pa.types.is_boolean(kind):
        return not value
    if pa.types.is_integer(kind):
        return 7 if value is None else int(str(value)) + 1
    if pa.types.is_floating(kind):
        return 0.5 if value is None else float(str(value)) + 1e-6
    if pa.types.is_binary(kind):
        assert isinstance(value, bytes)
        return value[:-1] + bytes([value[-1] ^ 1])
    text = str(value or "")
    return text[:-1] + ("7" if text[-1:] != "7" else "8")
