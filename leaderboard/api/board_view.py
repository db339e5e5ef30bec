"""Boards, rows, decisions and protocols as the API gives them. Reads kept views alone; the MCP tools use it too."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from evaluation.codec import to_json
from evaluation.protocol import Protocol
from evaluation.records import Decision
from leaderboard.api.models import (
    DecisionRow,
    Former,
    JudgeCost,
    LeaderboardRow,
    MeanCell,
    ProtocolAnswer,
    ProtocolEntry,
    ProtocolsAnswer,
    SystemEntry,
)
from leaderboard.api.params import SystemsParams
from leaderboard.api.problems import refused
from leaderboard.api.table_view import chosen_systems
from leaderboard.context import Context
from leaderboard.decision_map import DecisionRows
from leaderboard.views import Board, Row
from submissions.board import MODELS_SEPARATOR, USAGE, leaderboard_schema

_FORMERLY = ("formerly_system", "formerly_organisation")


def board_of(context: Context, protocol: str) -> Board:
    """Return the board of a protocol, the default one for an empty id.

    Raises:
        Refused: 404 naming the protocols that there are.
    """
    boards = context.published.boards()
    found = next((board for board in boards if board.protocol_id == protocol), None if protocol else boards[0])
    if found is None:
        known = ", ".join(board.protocol_id for board in boards)
        raise refused(404, "protocol", "There is no board of such a protocol.", allowed=known, got=protocol)
    return found


def row_of(context: Context, board: Board, submission: str, *, where: str = "system") -> Row:
    """Return a system's row.

    Raises:
        Refused: 404 if it has none, with the operator's reason if it is hidden.
    """
    row = board.row(submission)
    if row is not None:
        return row
    hidden = context.moderated.sentence(submission)
    if hidden is not None:
        raise refused(404, where, hidden, got=submission)
    what = f"This system has no row on the board of protocol {board.protocol_id}."
    raise refused(404, where, what, allowed="what /api/v1/systems lists", got=submission)


def leaderboard_row(row: Row, shown: Mapping[str, Any] | None = None) -> LeaderboardRow:
    """Return one row of a board; `shown` is what the table shows of it, if a view of it was asked for."""
    gate_low, gate_high = row.spreads.get("gate_pass_rate", (None, None))
    usage = row.judge_usage
    return LeaderboardRow(
        **names(row),
        rank_best=row.band.best,
        rank_worst=row.band.worst,
        score=row.score,
        score_low=row.score_low,
        score_high=row.score_high,
        gate_pass_rate=row.gate_pass_rate,
        gate_low=gate_low,
        gate_high=gate_high,
        coverage=row.coverage,
        n_items=row.n_items,
        n_declined=row.n_declined,
        dimensions={name: _mean(row, name) for name in row.means},
        judge=None if usage is None else JudgeCost(**asdict(usage)),
        results_sha256=row.results_sha256,
        shown=None if shown is None else dict(shown),
    )


def names(row: Row) -> dict[str, Any]:
    """Return who a row's system is, as the fields of `SystemName`."""
    return {
        "submission": row.submission,
        "system": row.system,
        **{name: getattr(row, name) or None for name in ("version", "organisation", "licence", "parameters", "link")},
        "open_weights": row.is_open,
        "received_at": row.received_at,
        "supersedes": row.supersedes,
        "superseded_by": row.superseded_by,
        "formerly": _former(row),
    }


def leaderboard_table(protocol: Protocol, rows: Sequence[Row]) -> pa.Table:
    """Return rows of a board as the published table has them, with what follows for them from files beside it."""
    has_versions = any(row.supersedes or row.superseded_by for row in rows)
    schema = leaderboard_schema(protocol, has_versions=has_versions)
    beside = (["superseded_by"] if has_versions else []) + (list(_FORMERLY) if any(row.rename for row in rows) else [])
    for name in beside:
        schema = schema.append(pa.field(name, pa.string()))
    return pa.Table.from_pylist([_cells(row) for row in rows], schema=schema)


def chosen_decisions(context: Context, board: Board, a: str, b: str) -> DecisionRows:
    """Return the decisions of a board, of one system, or of a pair.

    Raises:
        Refused: 404 for a system that has no row, 422 for `b` without `a` or twice the same.
    """
    if b and not a:
        raise refused(422, "b", "It is the other one of a pair.", allowed="together with a", got=b)
    for where, name in (("a", a), ("b", b)):
        if name:
            row_of(context, board, name, where=where)
    if a and a == b:
        raise refused(422, "b", "A system is not compared with itself.", allowed="another system", got=b)
    if a and b:
        return board.decisions.between(a, b)
    return board.decisions.rows.of(a) if a else board.decisions.rows


def decision_row(decision: Decision) -> DecisionRow:
    """Return one decision."""
    return DecisionRow(**asdict(decision))


def systems(context: Context, params: SystemsParams) -> tuple[SystemEntry, ...]:
    """Return every system that is asked for once, with the boards that it is on.

    Raises:
        Refused: 404 for a protocol without a board.
    """
    boards = (board_of(context, params.protocol),) if params.protocol else context.published.boards()
    found: dict[str, tuple[Row, list[str]]] = {}
    for board in boards:
        for row in (line.row for line in chosen_systems(context, board, params)):
            found.setdefault(row.submission, (row, []))[1].append(board.protocol_id)
    return tuple(SystemEntry(**names(row), protocols=tuple(ids)) for row, ids in found.values())


def protocols(context: Context) -> ProtocolsAnswer:
    """Return every protocol in short."""
    return ProtocolsAnswer(protocols=tuple(_entry(context, board) for board in context.published.boards()))


def protocol(context: Context, protocol_id: str) -> ProtocolAnswer:
    """Return one protocol with its recipe.

    Raises:
        Refused: 404 naming those that there are.
    """
    board = board_of(context, protocol_id)
    return ProtocolAnswer(protocol=_entry(context, board), recipe=to_json(board.protocol))


def _entry(context: Context, board: Board) -> ProtocolEntry:
    recipe = board.protocol
    return ProtocolEntry(
        id=board.protocol_id,
        name=recipe.name,
        track=recipe.track,
        corpus=recipe.corpus.name,
        n_items=recipe.corpus.n_items,
        dimensions=recipe.dimensions,
        not_measured=dict(recipe.not_measured),
        judge=recipe.judge.model if recipe.judge else None,
        n_systems=len(board.rows),
        is_default=board.protocol == context.protocols[0],
    )


def _mean(row: Row, name: str) -> MeanCell:
    low, high = row.spreads.get(name, (None, None))
    return MeanCell(mean=row.means[name], low=low, high=high)


def _former(row: Row) -> Former | None:
    found = row.rename
    if found is None:
        return None
    return Former(system=found.was.system, organisation=found.was.organisation, at=found.at, reason=found.reason)


def _formerly(former: Former | None) -> dict[str, str | None]:
    """Return the names of before as the cells of a table."""
    names_then = (None, None) if former is None else (former.system, former.organisation)
    return dict(zip(_FORMERLY, names_then, strict=True))


def _cells(row: Row) -> dict[str, object]:
    usage = row.judge_usage
    gate_low, gate_high = row.spreads.get("gate_pass_rate", (None, None))
    told = names(row)
    cells: dict[str, object] = {
        **told,
        **_formerly(told.pop("formerly")),
        "rank_best": row.band.best,
        "rank_worst": row.band.worst,
    }
    cells |= {name: getattr(row, name) for name in ("score", "score_low", "score_high", "n_items", "n_declined")}
    cells |= {"coverage": row.coverage, "results_sha256": row.results_sha256, "gate_pass_rate": row.gate_pass_rate}
    cells |= {"gate_pass_rate_low": gate_low, "gate_pass_rate_high": gate_high}
    for name in row.means:
        low, high = row.spreads.get(name, (None, None))
        cells |= {f"mean_{name}": row.means[name], f"mean_{name}_low": low, f"mean_{name}_high": high}
    if usage is not None:
        cells |= {f"judge_{name}": getattr(usage, name) for name in USAGE}
        cells["judge_models"] = MODELS_SEPARATOR.join(usage.models)
    return cells


def systems_table(entries: Sequence[SystemEntry]) -> pa.Table:
    """Return systems as a table; the protocols of each are joined by commas."""
    texts = ("submission", "system", "version", "organisation", "licence", "parameters", "link", "received_at")
    fields = [*(pa.field(name, pa.string()) for name in texts), pa.field("open_weights", pa.bool_())]
    fields += [pa.field(name, pa.string()) for name in ("supersedes", "superseded_by", *_FORMERLY, "protocols")]
    schema = pa.schema(fields)
    lines = [
        {**entry.model_dump(exclude={"formerly"}), **_formerly(entry.formerly), "protocols": ",".join(entry.protocols)}
        for entry in entries
    ]
    return pa.Table.from_pylist(lines, schema=schema)
