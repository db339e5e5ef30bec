"""The front matter of the dataset card: which tables `datasets.load_dataset` and the hub's viewer find, and how. Pure.

Nothing that a maker wrote stands in it: names of protocols' ids and of our own tables alone.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import yaml

from submissions.column_meanings import Table
from submissions.dataset_boards import Board
from submissions.layout import CLIPS_PER_GROUP, CLIPS_SCHEMA

SPLIT = "train"
"""The one split of every configuration; the hub's viewer is known to stumble over any other lone name."""
_AUDIO = "flac"
_ROWS_AT_ONCE = 1_000
"""Without it the library reads as many rows at a time as the first file has, and fails at a table without rows."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MORE = "1M<n<10M"


def config_name(table: Table, board: Board, *, is_newest: bool) -> str:
    """Return what a board's table is called: the table's own name for the newest protocol, else with its id behind."""
    return table if is_newest else f"{table}-{board.protocol_id}"


def front_matter(boards: Sequence[Board], shared: Sequence[Table]) -> str:
    """Return the YAML between the lines of dashes, with those lines.

    Args:
        boards: all boards, the newest protocol first.
        shared: tables that belong to no board; none without a row.
    """
    configs = [
        {
            "config_name": config_name(table, board, is_newest=place == 0),
            "data_files": [{"split": SPLIT, "path": path}],
            "batch_size": _ROWS_AT_ONCE,
            **({"default": True} if place == 0 and table == "leaderboard" else {}),
        }
        for place, board in enumerate(boards)
        for table, path in board.tables()
    ]
    beside = [
        {
            "config_name": table,
            "data_files": [{"split": SPLIT, "path": f"{table}/*.parquet"}],
            "batch_size": CLIPS_PER_GROUP,
        }
        for table in shared
    ]
    held: dict[str, Any] = {
        "pretty_name": "Castboard",
        "license": "other",
        "license_name": "one-for-each-system",
        "language": ["en"],
        "task_categories": ["text-to-speech"],
        "tags": ["leaderboard", "benchmark", "audio", "text-to-speech", "castboard"],
        "size_categories": [_size(boards)],
    }
    if shared:
        held["configs"] = [*configs, *beside]
        held["dataset_info"] = [{"config_name": "clips", "features": _features()}]
    return f"---\n{yaml.safe_dump(held, sort_keys=False, allow_unicode=True, width=120)}---\n"


def _features() -> list[dict[str, str]]:
    return [{"name": field.name, "dtype": _dtype(field)} for field in CLIPS_SCHEMA]


def _dtype(field: pa.Field) -> str:
    if field.name == _AUDIO:
        return "audio"
    return "float64" if field.type == pa.float64() else str(field.type)


def _size(boards: Sequence[Board]) -> str:
    n_rows = max((board.n_rows * board.protocol.corpus.n_items for board in boards), default=0)
    return next((name for limit, name in _SIZES if n_rows < limit), _MORE)
