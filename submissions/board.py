"""The derived tables of a protocol's board, from results and composites alone; can be rebuilt at any time.

leaderboard.parquet has one row a system, best score first, with what judging it took if the protocol has a judge;
decisions.parquet one row a pair. What a column means: `column_meanings`.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from evaluation.bootstrap import Interval
from evaluation.codec import sha256_of
from evaluation.decision import Contender, Decisions, decide_all, rank_bands
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from evaluation.records import Decision, RankBand
from submissions import layout, parquet
from submissions.dataset_card import write_card
from submissions.result import CardValue, Result, decode_result
from submissions.store.base import PublishedFiles

_CARD = ("system", "version", "organisation", "licence", "open_weights", "parameters", "link")
"""Columns that are copied from the card."""

USAGE = ("n_calls", "n_malformed", "input_tokens", "audio_tokens", "output_tokens", "cost_micro_usd")
"""Counts of what a judging took, in the leaderboard of a protocol with a judge."""
MODELS_SEPARATOR = "; "

DECISIONS_SCHEMA = pa.schema(
    [
        pa.field("challenger", pa.string(), nullable=False),
        pa.field("incumbent", pa.string(), nullable=False),
        pa.field("n_items", pa.int64(), nullable=False),
        *(pa.field(name, pa.float64(), nullable=False) for name in ("challenger_score", "incumbent_score")),
        *(pa.field(name, pa.float64(), nullable=False) for name in ("lcb", "margin")),
        pa.field("is_win", pa.bool_(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One committed submission, as a board sees it."""

    result: Result
    """Its result."""
    results_sha256: str
    """sha256 (hex) of the result file's bytes."""
    contender: Contender
    """Its composites, as the decisions take them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardTables:
    """Both derived tables."""

    leaderboard: pa.Table
    """One row a submission."""
    decisions: pa.Table
    """One row a pair."""


def rebuild_board(files: PublishedFiles, protocol_id: str) -> None:
    """Write both tables of a protocol's board anew from its recipe, results and per-sample tables, then the card.

    Takes no lock: each file is replaced whole, and the same sources always give the same bytes.

    Raises:
        CastboardError: naming the file, if a source is damaged.
        FileNotFoundError: if a source is missing.
    """
    path = layout.protocol_path(protocol_id)
    protocol = layout.decode_protocol(files.read(path), path)
    rows = [_read_row(files, protocol_id, submission) for submission in layout.committed(files, protocol_id)]
    tables = board_tables(protocol, rows)
    files.write(layout.decisions_path(protocol_id), parquet.encode_table(tables.decisions))
    files.write(layout.leaderboard_path(protocol_id), parquet.encode_table(tables.leaderboard))
    write_card(files)


def board_tables(protocol: Protocol, rows: Sequence[Row]) -> BoardTables:
    """Return both tables of a board.

    Raises:
        SchemaError: if two rows were scored on different items.
    """
    _refuse_different_items(rows)
    decisions = decide_all([row.contender for row in rows], constants=protocol.constants)
    bands = rank_bands(decisions)
    best_first = sorted(rows, key=lambda row: (-(row.result.summary.overall.score.mean or 0.0), row.result.submission))
    records = [_leaderboard_row(protocol, row, bands[row.contender.key]) for row in best_first]
    return BoardTables(
        leaderboard=pa.Table.from_pylist(
            records, schema=leaderboard_schema(protocol, has_versions=any("supersedes" in record for record in records))
        ),
        decisions=_decisions_table(decisions),
    )


def leaderboard_schema(protocol: Protocol, *, has_versions: bool = False) -> pa.Schema:
    """Return the schema of a protocol's leaderboard; `has_versions` if any row is a new version of another one."""
    numbers = ["score", "gate_pass_rate", *(f"mean_{dimension}" for dimension in protocol.dimensions)]
    fields = [pa.field(name, pa.int64(), nullable=False) for name in ("rank_best", "rank_worst")]
    fields.append(pa.field("submission", pa.string(), nullable=False))
    fields += [pa.field(name, pa.bool_() if name == "open_weights" else pa.string()) for name in _CARD]
    fields.append(pa.field("received_at", pa.string(), nullable=False))
    fields += _interval_fields(numbers[0])
    fields += [pa.field(name, pa.int64(), nullable=False) for name in ("n_items", "n_declined")]
    fields.append(pa.field("coverage", pa.float64(), nullable=False))
    fields += [field for name in numbers[1:] for field in _interval_fields(name)]
    if protocol.judge is not None:
        fields += [pa.field(f"judge_{name}", pa.int64()) for name in USAGE]
        fields.append(pa.field("judge_models", pa.string()))
    fields.append(pa.field("results_sha256", pa.string(), nullable=False))
    return pa.schema([*fields, pa.field("supersedes", pa.string())] if has_versions else fields)


def contender_of(submission: str, composites: Mapping[str, int]) -> Contender:
    """Return a submission as a decision takes it: composites (millionths, by item id) in order of item id."""
    return Contender(key=submission, composites_micro=tuple(composites[item] for item in sorted(composites)))


def _read_row(files: PublishedFiles, protocol_id: str, submission: str) -> Row:
    path = layout.result_path(protocol_id, submission)
    data = files.read(path)
    return Row(
        result=decode_result(data, path),
        results_sha256=sha256_of(data),
        contender=contender_of(submission, layout.read_composites(files, protocol_id, submission)),
    )


def _refuse_different_items(rows: Sequence[Row]) -> None:
    by_items = {row.result.items_sha256: row.result for row in rows}
    if len(by_items) > 1:
        paths = sorted(layout.result_path(result.protocol, result.submission) for result in by_items.values())
        raise SchemaError(f"rows of one protocol must be scored on the same items; these are not: {', '.join(paths)}")


def _leaderboard_row(protocol: Protocol, row: Row, band: RankBand) -> dict[str, Any]:
    summary = row.result.summary
    overall = summary.overall
    cells: dict[str, Any] = {
        "rank_best": band.best,
        "rank_worst": band.worst,
        "submission": row.result.submission,
        **{name: _cell(name, row.result.card.get(name)) for name in _CARD},
        "received_at": row.result.received_at,
        **_interval_cells("score", overall.score.mean, overall.score.interval),
        "n_items": summary.n_items,
        "n_declined": summary.n_declined,
        "coverage": summary.coverage,
        **_interval_cells("gate_pass_rate", overall.gate.rate, overall.gate.interval),
        "results_sha256": row.results_sha256,
    }
    if row.result.supersedes is not None:
        cells["supersedes"] = row.result.supersedes
    if row.result.judge_usage is not None:
        usage = row.result.judge_usage
        cells |= {f"judge_{name}": getattr(usage, name) for name in USAGE}
        cells["judge_models"] = MODELS_SEPARATOR.join(usage.models)
    for dimension in protocol.dimensions:
        mean = overall.dimensions[dimension]
        cells |= _interval_cells(f"mean_{dimension}", mean.mean, mean.interval)
    return cells


def _decisions_table(decisions: Decisions) -> pa.Table:
    records = list(decisions.pairs())
    names = [field.name for field in dataclasses.fields(Decision)]
    columns = {name: [getattr(record, name) for record in records] for name in names}
    return pa.Table.from_pydict(columns, schema=DECISIONS_SCHEMA)


def _interval_fields(name: str) -> list[pa.Field]:
    # Null: nothing was scored, or too little for an interval.
    return [pa.field(column, pa.float64()) for column in (name, f"{name}_low", f"{name}_high")]


def _interval_cells(name: str, value: float | None, interval: Interval | None) -> dict[str, float | None]:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _cell(name: str, value: CardValue) -> str | bool | None:
    if name == "open_weights":
        return value if isinstance(value, bool) else None
    return None if value is None else str(value)
