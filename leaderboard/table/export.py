"""The rows of a table as plain values, named as in the published table: what is downloaded is what is shown. Pure."""

from collections.abc import Mapping, Sequence
from typing import Literal

from leaderboard.table.lines import Line

Kind = Literal["text", "number", "whole", "flag"]
Cells = Mapping[str, str | float | int | bool | None]

_NAME: Mapping[str, Kind] = {"submission": "text", "system": "text", "version": "text"}
_PLAIN: Mapping[str, Mapping[str, Kind]] = {
    "band": {"rank_best": "whole", "rank_worst": "whole"},
    "here": {"rank_here_best": "whole", "rank_here_worst": "whole"},
    "system": {},
    "coverage": {"coverage": "number", "n_items": "whole", "n_declined": "whole"},
    "adherence": {"adherence": "number"},
    "size": {"parameters": "text", "n_parameters": "whole"},
    "judge": {"judge_cost_micro_usd": "whole", "judge_n_calls": "whole"},
    "organisation": {"organisation": "text"},
    "licence": {"licence": "text", "open_weights": "flag"},
    "style": {"instructions_reach_it_as": "text"},
    "date": {"received_at": "text"},
}
_MEANS: Mapping[str, str] = {"score": "score", "gate": "gate_pass_rate"}


def fields(columns: Sequence[str]) -> dict[str, Kind]:
    """Return names and kinds of the values of some columns; who a row is comes first, always."""
    found: dict[str, Kind] = dict(_NAME)
    for column in columns:
        if column in _PLAIN:
            found |= _PLAIN[column]
        else:
            name = _MEANS.get(column, f"mean_{column}")
            found |= {name: "number", f"{name}_low": "number", f"{name}_high": "number"}
    return found


def cells(line: Line, columns: Sequence[str]) -> Cells:
    """Return the values of one row, by the names of `fields`; a value that does not exist is None."""
    row, usage = line.row, line.row.judge_usage
    plain: Mapping[str, Cells] = {
        "band": {"rank_best": row.band.best, "rank_worst": row.band.worst},
        "here": {
            "rank_here_best": None if line.here is None else line.here.best,
            "rank_here_worst": None if line.here is None else line.here.worst,
        },
        "system": {},
        "coverage": {"coverage": line.values.get("coverage"), "n_items": row.n_items, "n_declined": row.n_declined},
        "adherence": {"adherence": line.values.get("adherence")},
        "size": {"parameters": row.parameters or None, "n_parameters": line.size},
        "judge": {
            "judge_cost_micro_usd": None if usage is None else usage.cost_micro_usd,
            "judge_n_calls": None if usage is None else usage.n_calls,
        },
        "organisation": {"organisation": row.organisation or None},
        "licence": {"licence": row.licence or None, "open_weights": row.is_open},
        "style": {"instructions_reach_it_as": line.values.get("style")},
        "date": {"received_at": row.received_at},
    }
    found: dict[str, str | float | int | bool | None] = {
        "submission": row.submission,
        "system": row.system,
        "version": row.version or None,
    }
    for column in columns:
        if column in plain:
            found |= plain[column]
            continue
        name = _MEANS.get(column, f"mean_{column}")
        low, high = line.spreads.get(column, (None, None))
        found |= {name: line.values.get(column), f"{name}_low": low, f"{name}_high": high}
    return found
