"""A few lines of Python that load exactly what a page shows. Pure."""

from collections.abc import Mapping
from typing import Any

from leaderboard.api.words import PREFIX
from leaderboard.query import address
from leaderboard.stamps import Stamp

SITE_ADDRESS = "https://this-site"
"""Stands for the site's own address until the browser, which knows it, has put that in its place."""
_NAMES: Mapping[str, str] = {
    "/leaderboard": "board",
    "/decisions": "decisions",
    "/per-sample": "items",
    "/replies": "replies",
    "/systems": "systems",
}
_TABLES: Mapping[str, str] = {
    "/leaderboard": "board/{protocol}/leaderboard.parquet",
    "/decisions": "board/{protocol}/decisions.parquet",
    "/per-sample": "per_sample/{protocol}/{system}.parquet",
    "/replies": "replies/{protocol}/{system}.parquet",
}
"""The published table that a route reads, by its path in the dataset."""
_PROTOCOL = "{protocol}"


def of_api(route: str, **state: Any) -> str:
    """Return a program that loads what a route of the read API gives, every row of it.

    Args:
        route: for example "/leaderboard".
        state: query of the route; what is shown is what is loaded.
    """
    name = _NAMES.get(route, "view")
    url = SITE_ADDRESS + address(PREFIX + route, **state, format="parquet")
    table = SITE_ADDRESS + address(PREFIX + route, **state, format="csv")
    return f'import pandas as pd\n\n{name} = pd.read_parquet("{url}")\n# the same as text: pd.read_csv("{table}")\n'


def table_of(route: str, **state: Any) -> str | None:
    """Return the path of the table behind a route, "{protocol}" where the board decides; None without one of its own.

    Example:
        >>> table_of("/per-sample", protocol="", system="s1", gate="vetoed")
        'per_sample/{protocol}/s1.parquet'
    """
    path = _TABLES.get(route)
    system = str(state.get("system") or "")
    if path is None or ("{system}" in path and not (system.isascii() and system.isalnum())):
        return None
    protocol = str(state.get("protocol") or "")
    known = protocol if protocol.isascii() and protocol.isalnum() else _PROTOCOL
    return path.replace("{system}", system).replace(_PROTOCOL, known)


def of_dataset(table: str, stamp: Stamp) -> str | None:
    """Return a program that loads a whole table at the revision that a page shows; None if the board is in no repo."""
    if stamp.repo is None:
        return None
    path = table.replace(_PROTOCOL, stamp.protocol_id)
    name = path.rsplit("/", 1)[-1] if path.startswith("board/") else path.split("/", 1)[0]
    return (
        "from datasets import load_dataset\n\n"
        f"{name.removesuffix('.parquet')} = load_dataset(\n"
        f'    "{stamp.repo}", data_files="{path}", revision="{stamp.revision}", split="train"\n)\n'
    )
