"""A table that cannot be compared is refused, never filled up."""

import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest

from evaluation.errors import SchemaError
from leaderboard.context import Context
from leaderboard.derive.reading import read_items, read_lines
from submissions import layout, parquet
from submissions.store.folder import PublishedFolder


def test_other_items(six: Context) -> None:
    """A table of other items than the board's is refused."""
    board = six.published.boards()[0]
    name = board.rows[0].submission
    items = read_items(six.files, board.protocol, board.protocol_id, name)
    assert list(items.ids) == sorted(items.ids)
    other = dataclasses.replace(items, ids=(*items.ids[:-1], "it-999"))
    with pytest.raises(SchemaError, match="items are not those"):
        read_lines(six.files, board.protocol, board.protocol_id, name, other)


def test_hole(six: Context, tmp_path: Path) -> None:
    """A clip without a desirability is a hole, not a 0; a refused item has none and is no hole."""
    board = six.published.boards()[0]
    name = next(row.submission for row in board.rows if row.n_declined)
    table = layout.read_samples(six.files, board.protocol_id, name)
    items = read_items(six.files, board.protocol, board.protocol_id, name)
    read_lines(six.files, board.protocol, board.protocol_id, name, items)
    place = table.column_names.index("desirability_pace")
    holed = table.set_column(place, table.schema.field(place), pa.array([None] * table.num_rows, type=pa.float64()))
    files = PublishedFolder(tmp_path)
    files.write(layout.samples_path(board.protocol_id, name), parquet.encode_table(holed))
    with pytest.raises(SchemaError, match="no desirability of pace"):
        read_lines(files, board.protocol, board.protocol_id, name, items)
