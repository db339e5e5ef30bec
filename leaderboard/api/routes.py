"""How a route of the API is added: documented for GET, answering HEAD."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response
from pydantic import BaseModel

from leaderboard.api.problems import Problems
from leaderboard.api.words import ROUTES

_FILES = {"text/csv": {"schema": {"type": "string"}}, "application/vnd.apache.parquet": {}}
WRONG: dict[int | str, dict[str, Any]] = {
    404: {"model": Problems, "description": "What was asked for is not on the board."},
    422: {"model": Problems, "description": "The request is wrong; every problem at once."},
    503: {"model": Problems, "description": "The board cannot be read at this moment; ask again."},
}
_STALE: dict[int | str, dict[str, Any]] = {
    410: {"model": Problems, "description": "The board has changed since the cursor was given; begin again."}
}


def reads(api: FastAPI, path: str, model: type[BaseModel], *, is_list: bool = False) -> Callable[..., Any]:
    """Return a decorator that adds a route.

    Args:
        api: where to.
        path: one of those of `words.ROUTES`.
        model: what it answers.
        is_list: whether it gives pages, and all rows as a file.
    """
    documented: dict[int | str, dict[str, Any]] = dict(_STALE) if is_list else {}
    documented[304] = {"description": "What If-None-Match names is still what would be sent."}
    if is_list:
        documented[200] = {"content": dict(_FILES)}

    def add(handler: Callable[..., Response]) -> Callable[..., Response]:
        name = handler.__name__
        api.add_api_route(
            path,
            handler,
            methods=["GET"],
            response_model=model,
            responses=documented,
            summary=ROUTES[path].summary,
            description=ROUTES[path].description,
            operation_id=name,
        )
        api.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False, response_model=None)
        return handler

    return add
