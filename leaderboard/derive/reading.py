"""From published per-sample tables to arrays: the only part of deriving that opens a published file."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.bootstrap import MICRO
from evaluation.desirability import predicted_mos
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from evaluation.traits import NATURALNESS, Kind, trait
from leaderboard.derive.records import ABSENT, Codes, Items, Micro, ScoreTable
from submissions import layout, parquet
from submissions.columns import REQUESTED, probe_columns
from submissions.store.base import PublishedFiles

MOST_WER = 2_000.0
"""Word-error rates above are kept as this."""
_PASSED, _DECLINED, _COMPOSITE, _WER = "passed", "declined", "composite", "wer"
_FLAGS = (_PASSED, _DECLINED)


def coded(protocol: Protocol) -> tuple[str, ...]:
    """Return the dimensions whose measured value is one of a few that an item may ask for."""
    names = (name for name in protocol.dimensions if name != NATURALNESS and name not in protocol.judged)
    return tuple(name for name in names if trait(name).kind in (Kind.ORDINAL, Kind.CATEGORICAL))


def seconded(protocol: Protocol) -> tuple[str, ...]:
    """Return the judged dimensions that another instrument reads too."""
    return tuple(
        name
        for name in protocol.judged
        if name in protocol.instruments and (name == NATURALNESS or probe_columns(name))
    )


def lines_of(protocol: Protocol) -> tuple[str, ...]:
    """Return what the lines of a system's array are."""
    return (
        _COMPOSITE,
        _WER,
        _PASSED,
        _DECLINED,
        *(f"desirability_{name}" for name in protocol.dimensions),
        *(f"is_unread_{name}" for name in protocol.dimensions),
        *(f"measured_{name}" for name in coded(protocol)),
        *(f"second_{name}" for name in seconded(protocol)),
    )


def read_items(files: PublishedFiles, protocol: Protocol, protocol_id: str, submission: str) -> Items:
    """Return the items of a board from the table of one of its systems.

    Raises:
        FileNotFoundError: if there is no such table.
        SchemaError: if it is damaged.
    """
    names = [one.name for one in protocol.traits]
    path = layout.samples_path(protocol_id, submission)
    table = _read(files, path, ["item_id", "tier", "split", *(REQUESTED + name for name in names)])
    asked = {name: table[REQUESTED + name].to_pylist() for name in names}
    values = {name: _values(name, set(asked[name])) for name in names}
    return Items(
        ids=tuple(table["item_id"].to_pylist()),
        tiers=table["tier"].to_numpy().astype(np.int8),
        is_held_out=np.array([split == "held_out" for split in table["split"].to_pylist()], dtype=np.bool_),
        values=values,
        requested={name: _codes(table[REQUESTED + name], values[name]) for name in names},
    )


def read_lines(
    files: PublishedFiles, protocol: Protocol, protocol_id: str, submission: str, items: Items
) -> npt.NDArray[np.int32]:
    """Return a system's array, (lines, n), as `lines_of` names them.

    Raises:
        FileNotFoundError: if its table is not there.
        SchemaError: if it is damaged, is of other items, or lacks a score.
    """
    path = layout.samples_path(protocol_id, submission)
    table = _read(files, path, _columns(protocol))
    if tuple(table["item_id"].to_pylist()) != items.ids:
        raise SchemaError(f"{path}: its items are not those of the board's other tables")
    lines = [
        table["composite_micro"].to_numpy().astype(np.int32),
        _micro(table["wer"], most=MOST_WER),
        *(table[name].to_numpy().astype(np.int32) for name in ("passed_gate", "is_declined")),
        *(_micro(table[f"desirability_{name}"]) for name in protocol.dimensions),
        *(_is_there(table[f"reason_{name}"]).astype(np.int32) for name in protocol.dimensions),
        *(_codes(table[f"measured_{name}"], items.values[name]).astype(np.int32) for name in coded(protocol)),
        *(_second(table, name, items) for name in seconded(protocol)),
    ]
    found = np.stack(lines)
    _refuse_holes(path, protocol, found)
    return found


def table_of(
    protocol: Protocol,
    protocol_id: str,
    items: Items,
    systems: Sequence[tuple[str, str, npt.NDArray[np.int32]]],
    *,
    left_out: tuple[str, ...] = (),
) -> ScoreTable:
    """Return the table of a board from its systems: submission, sha256 of its result, array."""
    names = lines_of(protocol)
    places = {name: place for place, name in enumerate(names)}
    n_items = len(items.ids)

    def line(name: str, kind: type[np.generic]) -> npt.NDArray[np.generic]:
        whole = np.empty((len(systems), n_items), dtype=kind)
        for row, (_, _, lines) in enumerate(systems):
            whole[row] = lines[places[name]]
        return whole

    def lines(prefix: str, of: Sequence[str], kind: type[np.generic]) -> dict[str, npt.NDArray[np.generic]]:
        return {name: line(f"{prefix}_{name}", kind) for name in of}

    return ScoreTable(
        protocol=protocol,
        protocol_id=protocol_id,
        submissions=tuple(submission for submission, _, _ in systems),
        shas=tuple(sha256 for _, sha256, _ in systems),
        items=items,
        composites=line(_COMPOSITE, np.int32),  # type: ignore[arg-type]
        desirabilities=lines("desirability", protocol.dimensions, np.int32),  # type: ignore[arg-type]
        is_unread=lines("is_unread", protocol.dimensions, np.bool_),  # type: ignore[arg-type]
        measured=lines("measured", coded(protocol), np.int8),  # type: ignore[arg-type]
        second=lines("second", seconded(protocol), np.int32),  # type: ignore[arg-type]
        passed=line(_PASSED, np.bool_),  # type: ignore[arg-type]
        declined=line(_DECLINED, np.bool_),  # type: ignore[arg-type]
        wer_micro=line(_WER, np.int32),  # type: ignore[arg-type]
        left_out=left_out,
    )


def _columns(protocol: Protocol) -> list[str]:
    seconds = (["mos"] if name == NATURALNESS else probe_columns(name) for name in seconded(protocol))
    return [
        "item_id",
        "composite_micro",
        "wer",
        "passed_gate",
        "is_declined",
        *(f"{prefix}_{name}" for prefix in ("desirability", "reason") for name in protocol.dimensions),
        *(f"measured_{name}" for name in coded(protocol)),
        *(column for columns in seconds for column in columns),
    ]


def _read(files: PublishedFiles, path: str, columns: list[str]) -> pa.Table:
    """Return some columns of a table, in ascending order of item id, each item once."""
    with layout.opened(files, path) as file:
        groups = [parquet.read_group(file, index, columns, path) for index in range(file.num_row_groups)]
    if not groups:
        raise SchemaError(f"{path}: holds no rows")
    table = pa.concat_tables(groups).combine_chunks()
    ids = table["item_id"].to_pylist()
    if len(set(ids)) != len(ids):
        raise SchemaError(f"{path}: an item_id occurs twice")
    return table.take(sorted(range(len(ids)), key=ids.__getitem__))


def _values(name: str, asked: set[str]) -> tuple[str, ...]:
    known = trait(name).values
    others = asked - set(known)
    return (*known, *(sorted(others, key=float) if trait(name).kind is Kind.NUMERIC else sorted(others)))


def _codes(column: pa.ChunkedArray, values: Sequence[str]) -> Codes:
    found = pc.index_in(column, value_set=pa.array(values, type=pa.string()))
    return np.asarray(pc.fill_null(found, ABSENT).to_numpy()).astype(np.int8)


def _is_there(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.is_valid(column).to_numpy())


def _numbers(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    return np.asarray(pc.fill_null(column, 0.0).to_numpy()).astype(np.float64)


def _micro(column: pa.ChunkedArray, *, most: float = 1.0) -> Micro:
    rounded = np.rint(np.clip(_numbers(column), 0.0, most) * MICRO).astype(np.int32)
    return np.where(_is_there(column), rounded, ABSENT).astype(np.int32)


def _second(table: pa.Table, name: str, items: Items) -> Micro:
    """Return the desirability of what another instrument than the judge reads of a dimension."""
    if name == NATURALNESS:
        shares = [None if mos is None else predicted_mos(mos) for mos in table["mos"].to_pylist()]
        return _micro(pa.chunked_array([shares], type=pa.float64()))
    columns = probe_columns(name)
    is_there = _is_there(table[columns[0]])
    if trait(name).kind is Kind.NUMERIC:
        wanted = np.array([float(value) for value in items.values[name]])[items.requested[name]]
        beyond = np.maximum(0.0, np.abs(_numbers(table[columns[0]]) - wanted) - trait(name).tolerance)
        share = np.maximum(0.0, 1.0 - beyond / trait(name).tolerance)
    else:
        heard = np.stack([_numbers(table[column]) for column in columns]).argmax(axis=0)
        share = (heard == items.requested[name]).astype(np.float64)
    return np.where(is_there, np.rint(share * MICRO), ABSENT).astype(np.int32)


def _refuse_holes(path: str, protocol: Protocol, lines: npt.NDArray[np.int32]) -> None:
    places: Mapping[str, int] = {name: place for place, name in enumerate(lines_of(protocol))}
    is_clip = lines[places[_DECLINED]] == 0
    for name in protocol.dimensions:
        if (lines[places[f"desirability_{name}"]][is_clip] == ABSENT).any():
            raise SchemaError(f"{path}: a clip has no desirability of {name}, and a missing reading is never a 0")
    composites = lines[places[_COMPOSITE]]
    if composites.size and not 0 <= composites.min() <= composites.max() <= MICRO:
        raise SchemaError(f"{path}: a composite is not within 0..{MICRO} millionths")
