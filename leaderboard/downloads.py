"""Per-item tables as files that people open: CSV with formulas defused, JSON. Pure."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from leaderboard.display import csv_cell
from leaderboard.views import Board, Row
from submissions.board import MODELS_SEPARATOR, USAGE

Line = Mapping[str, Any]


def to_csv(columns: Iterable[str], lines: Iterable[Line]) -> str:
    """Return RFC 4180 CSV with a header; no cell can run as a formula, and None is empty."""
    names = list(columns)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([csv_cell(name) for name in names])
    writer.writerows([_cell(line[name]) for name in names] for line in lines)
    return out.getvalue()


def to_json(lines: Iterable[Line]) -> str:
    """Return the lines as a JSON array, values as they were published."""
    return json.dumps(list(lines), ensure_ascii=False, allow_nan=False, indent=1)


def board_csv(board: Board) -> str:
    """Return a board as CSV, one line a system, best score first."""
    names = ["rank_best", "rank_worst", "system", "version", "organisation", "score", "score_low", "score_high"]
    names += ["gate_pass_rate", *(f"mean_{name}" for name in board.protocol.dimensions), "coverage"]
    if board.protocol.judge is not None:
        names += [f"judge_{name}" for name in (*USAGE, "models")]
    names += ["licence", "open_weights", "parameters", "link", "received_at", "submission", "protocol"]
    return to_csv(names, (_board_line(board, at) for at in range(len(board.rows))))


def _board_line(board: Board, at: int) -> dict[str, Any]:
    row = board.rows[at]
    return {
        "rank_best": row.band.best,
        "rank_worst": row.band.worst,
        "system": row.system,
        "version": row.version,
        "organisation": row.organisation,
        "score": row.score,
        "score_low": row.score_low,
        "score_high": row.score_high,
        "gate_pass_rate": row.gate_pass_rate,
        **{f"mean_{name}": mean for name, mean in row.means.items()},
        "coverage": row.coverage,
        **_usage_cells(row),
        "licence": row.licence,
        "open_weights": row.is_open,
        "parameters": row.parameters,
        "link": row.link,
        "received_at": row.received_at,
        "submission": row.submission,
        "protocol": board.protocol_id,
    }


def _usage_cells(row: Row) -> dict[str, Any]:
    usage = row.judge_usage
    cells = {f"judge_{name}": None if usage is None else getattr(usage, name) for name in USAGE}
    return {**cells, "judge_models": None if usage is None else MODELS_SEPARATOR.join(usage.models)}


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_cell(value)
