"""The dataset card, README.md of the published layout: what makes `datasets.load_dataset` and the hub's viewer work.

It is derived from recipes and boards like the tables of a board, written in the same change, and no row is made of it.
The same files always give the same card; one that another version of the program wrote may have other words.
"""

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa

from evaluation.errors import SchemaError
from submissions import layout
from submissions.column_meanings import Table
from submissions.contours import CONTOURS_SCHEMA
from submissions.dataset_boards import Board, read_boards, shared_tables
from submissions.dataset_card_front import front_matter
from submissions.dataset_card_text import body
from submissions.layout import CLIPS_SCHEMA, DATASET_CARD
from submissions.store.base import PublishedFiles

_SHARED: Mapping[Table, pa.Schema] = {"clips": CLIPS_SCHEMA, "contours": CONTOURS_SCHEMA}
_REPO = re.compile(r'^repo = "([\w.-]{1,96}/[\w.-]{1,96})"', re.ASCII | re.MULTILINE)


def write_card(files: PublishedFiles) -> None:
    """Write the card anew from the boards that are published."""
    files.write(DATASET_CARD, encode_card(files, files.repo()))


def encode_card(files: PublishedFiles, repo: str | None = None) -> bytes:
    """Return the bytes that the card of these files has.

    Args:
        files: the published layout.
        repo: dataset repo that its commands name, "org/name"; None if it is kept in none.

    Raises:
        StoreUnavailable: if the files cannot be fetched now.
    """
    boards = read_boards(files)
    shared = shared_tables(files, boards)
    columns = _schemas(files, boards[0], shared) if boards else {}
    return f"{front_matter(boards, shared)}\n{body(boards, shared, columns, repo)}".encode()


def card_note(files: PublishedFiles) -> str | None:
    """Return what should be known of a published card in one sentence, or None if it is the one that these files have.

    It is no difference: no number is made of it, and its words change with the program that wrote it.
    """
    try:
        held = files.read(DATASET_CARD)
    except FileNotFoundError:
        return None
    named = _REPO.search(held.decode(errors="replace"))  # a copy lies elsewhere than what its card names
    if held == encode_card(files, named[1] if named else None):
        return None
    return (
        f"{DATASET_CARD}: not the card that this program writes for these files; another version wrote it, or somebody "
        "edited it. No number depends on it, but what `load_dataset` finds does."
    )


def _schemas(files: PublishedFiles, board: Board, shared: Sequence[Table]) -> dict[Table, pa.Schema]:
    """Return the schema of every table that the newest board has, as its files say."""
    protocol_id = board.protocol_id
    first = min((str(row["submission"]) for row in board.rows), default=None)
    paths: dict[Table, str] = {
        "leaderboard": layout.leaderboard_path(protocol_id),
        "decisions": layout.decisions_path(protocol_id),
    }
    if first is not None:
        paths["per_sample"] = layout.samples_path(protocol_id, first)
        if board.protocol.judge is not None:
            paths["replies"] = layout.replies_path(protocol_id, first)
    found = {table: schema for table, path in paths.items() if (schema := _schema(files, path)) is not None}
    return {**found, **{table: _SHARED[table] for table in shared if first is not None}}


def _schema(files: PublishedFiles, path: str) -> pa.Schema | None:
    """Return the schema of a table; None if it cannot be read, which hinders no row of another board."""
    try:
        with layout.opened(files, path) as file:
            return file.schema_arrow
    except (SchemaError, FileNotFoundError):
        return None
