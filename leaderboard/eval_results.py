"""A system's figures in the form in which a model's own repo on the Hub keeps evaluation results. Pure.

Format: a YAML list below `.eval_results/` of the model's repo, one entry a task of a benchmark dataset, here of the
board's own. https://huggingface.co/docs/hub/eval-results
"""

from typing import Any
from urllib.parse import urlsplit

import yaml

from leaderboard import display
from leaderboard.views import Board, Row

_HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
_NO_OWNERS = frozenset(
    {"datasets", "spaces", "docs", "blog", "papers", "collections", "organizations", "api", "models", "join", "login"}
)


def hub_model(link: str) -> str | None:
    """Return the model, "org/name", that a system's link leads to on the Hub; None for any other link."""
    address = display.web_address(link)
    if address is None:
        return None
    parts = urlsplit(address)
    path = [part for part in parts.path.split("/") if part]
    if parts.hostname not in _HOSTS or len(path) < 2 or path[0] in _NO_OWNERS:
        return None
    return "/".join(path[:2])


def entries(board: Board, row: Row, *, dataset: str, source: str) -> list[dict[str, Any]]:
    """Return the entries of a system: S first, then the mean of each dimension; what was not scored has none.

    Args:
        board: its board.
        row: its row.
        dataset: the board's dataset repo, "org/name".
        source: address of the system's page.
    """
    recipe = board.protocol
    band = display.band(row.band.best, row.band.worst)
    place = f"Castboard protocol {recipe.name} {board.protocol_id}"
    notes = f"{place}; rank {band} of {len(board.rows)}; S with its 95 % interval "
    ends = display.interval(row.score_low, row.score_high)
    found = [_entry(board, "score", row.score, notes + ends, row)]
    for name, mean in row.means.items():
        low, high = row.spreads.get(name, (None, None))
        notes = f"{place}; mean desirability of {name}; 95 % interval {display.interval(low, high)}"
        found.append(_entry(board, name, mean, notes, row))
    return [
        {"dataset": {"id": dataset, **entry.pop("dataset")}, **entry, "source": {"url": source, "name": "Castboard"}}
        for entry in found
        if entry["value"] is not None
    ]


def to_yaml(found: list[dict[str, Any]]) -> str:
    """Return entries as the text of a file for `.eval_results/`."""
    text: str = yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=1_000)
    return text


def _entry(board: Board, name: str, value: float | None, notes: str, row: Row) -> dict[str, Any]:
    task = {"task_id": f"{board.protocol.name}_{board.protocol_id}_{name}"}
    return {"dataset": task, "value": value, "date": display.day(row.received_at), "notes": notes}
