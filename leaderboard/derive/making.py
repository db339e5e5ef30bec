"""Tables and slices of a board, from what is kept on disk as far as that goes and from the published files else."""

import contextlib
import hashlib
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from leaderboard.derive import reading
from leaderboard.derive.records import Items, ScoreTable, Slice, prepared
from leaderboard.derive.shelf import Shelf
from leaderboard.derive.slicing import Bounds, decide_slice
from leaderboard.derive.view import SliceView
from leaderboard.views import Board, Row
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)

VERSION = 1
"""To be raised whenever what is kept on disk changes its meaning."""
N_KEPT = 12
"""Boards that are kept on disk; one of 500 systems has some 80 MB."""
_ITEMS = "items"


class Maker:
    """Makes what follows from a board, and keeps on disk what the next revision can take over."""

    def __init__(self, files: PublishedFiles, folder: Path) -> None:
        """Read `files`, and keep what was made below `folder`."""
        self._files = files
        self._folder = folder

    def table(self, board: Board) -> ScoreTable:
        """Return the table of a board; a row that cannot be read is left out and named.

        Raises:
            StoreUnavailable: if the published files cannot be reached now.
        """
        shelf = self._shelf(board.protocol_id, "rows")
        items: Items | None = None
        systems, left_out = [], []
        for row in board.rows:
            try:
                items = items or self._items(shelf, board, row)
                systems.append((row.submission, row.results_sha256, self._lines(shelf, board, row, items)))
            except (FileNotFoundError, SchemaError) as error:  # withdrawn meanwhile, or damaged
                log.warning("derived.left_out", extra={"submission": row.submission, "why": str(error)})
                left_out.append(row.submission)
        return reading.table_of(
            board.protocol,
            board.protocol_id,
            items or _no_items(board.protocol),
            systems,
            left_out=tuple(left_out),
        )

    def view(self, table: ScoreTable, part: Slice, *, is_kept: bool = True) -> SliceView:
        """Return a slice of a table; `is_kept`: pairs are taken over from disk, and put there."""
        if not is_kept:
            return decide_slice(table, part)[0]
        shelf = self._shelf(table.protocol_id, "slices")
        earlier = _bounds(shelf, part)
        view, bounds = decide_slice(table, part, earlier)
        if earlier is None or earlier.systems != bounds.systems:
            shelf.put(
                part.key, {"version": VERSION, "systems": bounds.systems}, np.vstack([bounds.ends, bounds.bounds])
            )
        return view

    def tidy(self, table: ScoreTable) -> None:
        """Remove from disk what belongs to no row of this table's board, and boards not worked on for long."""
        rows = {_row_name(sha256) for sha256 in table.shas} | {_ITEMS}
        self._shelf(table.protocol_id, "rows").keep_only(rows)
        self._shelf(table.protocol_id, "slices").keep_only({part.key for part in prepared(table.protocol)})
        with contextlib.suppress(OSError):  # a folder that is not there, or is gone meanwhile
            os.utime(self._folder / table.protocol_id)
            others = [path for path in self._folder.iterdir() if path.name != table.protocol_id]
            others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            for path in others[N_KEPT - 1 :]:
                shutil.rmtree(path, ignore_errors=True)

    def _shelf(self, protocol_id: str, kind: str) -> Shelf:
        return Shelf(self._folder / protocol_id / kind)

    def _items(self, shelf: Shelf, board: Board, row: Row) -> Items:
        found = shelf.get(_ITEMS)
        if found is not None and found[0].get("version") == VERSION:
            return _decode_items(*found)
        items = reading.read_items(self._files, board.protocol, board.protocol_id, row.submission)
        shelf.put(_ITEMS, *_encode_items(items))
        return items

    def _lines(self, shelf: Shelf, board: Board, row: Row, items: Items) -> npt.NDArray[np.int32]:
        name, told = _row_name(row.results_sha256), _told(board.protocol, items)
        found = shelf.get(name)
        if found is not None and found[0] == told:
            return found[1].astype(np.int32, copy=False)
        lines = reading.read_lines(self._files, board.protocol, board.protocol_id, row.submission, items)
        shelf.put(name, told, lines)
        return lines


def _row_name(sha256: str) -> str:
    # What came from a table is hostile until it is known to be a hash.
    return hashlib.sha256(sha256.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _told(protocol: Protocol, items: Items) -> dict[str, Any]:
    digest = hashlib.sha256("\n".join(items.ids).encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": VERSION, "lines": list(reading.lines_of(protocol)), "items": digest}


def _bounds(shelf: Shelf, part: Slice) -> Bounds | None:
    found = shelf.get(part.key)
    if found is None or found[0].get("version") != VERSION:
        return None
    systems = tuple((submission, sha256) for submission, sha256 in found[0]["systems"])
    if found[1].shape != (len(systems) + 2, len(systems)):
        return None
    whole = found[1].astype(np.int64, copy=False)
    return Bounds(systems=systems, bounds=whole[2:], ends=whole[:2])


def _encode_items(items: Items) -> tuple[dict[str, Any], npt.NDArray[np.int32]]:
    said = {
        "version": VERSION,
        "ids": items.ids,
        "values": dict(items.values),
        "traits": list(items.requested),
    }
    lines = [items.tiers, items.is_held_out, *items.requested.values()]
    return said, np.stack([line.astype(np.int32) for line in lines])


def _decode_items(said: dict[str, Any], lines: npt.NDArray[Any]) -> Items:
    return Items(
        ids=tuple(said["ids"]),
        tiers=lines[0].astype(np.int8),
        is_held_out=lines[1].astype(np.bool_),
        values={name: tuple(values) for name, values in said["values"].items()},
        requested={name: lines[2 + place].astype(np.int8) for place, name in enumerate(said["traits"])},
    )


def _no_items(protocol: Protocol) -> Items:
    nothing = np.zeros(0, dtype=np.int8)
    names = [one.name for one in protocol.traits]
    return Items(
        ids=(),
        tiers=nothing,
        is_held_out=nothing.astype(np.bool_),
        values=dict.fromkeys(names, ()),
        requested=dict.fromkeys(names, nothing),
    )
