"""What the read API answers when it cannot give what was asked for: every problem at once, in one form."""

import logging
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from evaluation.errors import CastboardError

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
"""Version of every answer of the API; fields may be added under it, none goes or changes its meaning."""
_N_SHOWN = 80
_RETRY_AFTER_S = 2
_SAFE = {"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}


class Problem(BaseModel):
    """One thing that is wrong with a request."""

    model_config = ConfigDict(frozen=True)

    where: str = Field(description="Parameter or part of the address.", examples=["limit"])
    what: str = Field(description="What is wrong with it, in one sentence.")
    allowed: str = Field(description="What is allowed; empty if there is no choice.", examples=["1 to 500"])
    got: str = Field(description="What came, cut to 80 characters.", examples=["0"])


class Problems(BaseModel):
    """The answer to a request that cannot be served."""

    model_config = ConfigDict(frozen=True)

    schema_version: int = Field(default=SCHEMA_VERSION, description="Version of this form.")
    status: int = Field(description="The HTTP status code.", examples=[422])
    problems: tuple[Problem, ...] = Field(description="Everything that is wrong, at once.")


class Refused(Exception):
    """A request that cannot be served, with all that is wrong."""

    def __init__(self, status: int, problems: Sequence[Problem]) -> None:
        """Refuse with an HTTP status code."""
        super().__init__("; ".join(one.what for one in problems))
        self.status = status
        self.problems = tuple(problems)


def refused(status: int, where: str, what: str, *, allowed: str = "", got: str = "") -> Refused:
    """Return a refusal for one problem."""
    return Refused(status, [Problem(where=where, what=what, allowed=allowed, got=cut(got))])


def cut(text: object) -> str:
    """Return what came, cut to a length that is safe to repeat."""
    return str(text)[:_N_SHOWN]


def answer(
    request: Request, status: int, problems: Sequence[Problem], headers: Mapping[str, str] | None = None
) -> Response:
    """Return the problems as the response to a request."""
    body = Problems(status=status, problems=tuple(problems)).model_dump_json()
    is_head = request.method == "HEAD"
    return Response(
        None if is_head else body, status, headers={**_SAFE, **(headers or {})}, media_type="application/json"
    )


def no_parameter_twice(request: Request) -> None:
    """Refuse a request that gives a parameter more than once: it could be read in two ways.

    Raises:
        Refused: naming each of them.
    """
    counts = Counter(name for name, _ in request.query_params.multi_items())
    twice = [name for name, n in counts.items() if n > 1]
    if twice:
        raise Refused(
            422,
            [
                Problem(where=cut(name), what="It is given twice.", allowed="once", got=str(counts[name]))
                for name in twice
            ],
        )


def install(api: FastAPI) -> None:
    """Let every error of an application be answered as `Problems`."""

    def on_refused(request: Request, error: Exception) -> Response:
        return answer(request, error.status, error.problems) if isinstance(error, Refused) else _bug(request, error)

    def on_invalid(request: Request, error: Exception) -> Response:
        found = error.errors() if isinstance(error, RequestValidationError) else []
        known = ", ".join(_parameters(api, request)) or "none"
        return answer(request, 422, [_problem(one, known) for one in found])

    def on_http(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return answer(request, status, [_of_http(status, request)])

    def on_store(request: Request, error: Exception) -> Response:
        log.warning("api.unavailable", extra={"why": str(error)})
        what = "The board cannot be read at this moment. Ask again in some seconds."
        problem = Problem(where="board", what=what, allowed="", got="")
        return answer(request, 503, [problem], {"Retry-After": str(_RETRY_AFTER_S)})

    api.add_exception_handler(Refused, on_refused)
    api.add_exception_handler(RequestValidationError, on_invalid)
    api.add_exception_handler(HTTPException, on_http)
    api.add_exception_handler(CastboardError, on_store)
    api.add_exception_handler(Exception, _bug)


def _bug(request: Request, error: Exception) -> Response:
    reference = secrets.token_hex(6)
    log.error("api.bug", exc_info=error, extra={"reference": reference})
    what = f"This has failed by our fault. The log knows it as {reference}."
    return answer(request, 500, [Problem(where="server", what=what, allowed="", got="")])


def _problem(error: Mapping[str, Any], known: str) -> Problem:
    where = cut(error["loc"][-1])
    got = cut(error["input"]) if isinstance(error.get("input"), str | int | float) else ""
    if error["type"] == "extra_forbidden":
        return Problem(where=where, what="There is no such parameter.", allowed=known, got=got)
    if error["type"] == "missing":
        return Problem(where=where, what="It is needed.", allowed="", got="")
    what, allowed = _WORDS.get(error["type"], ("It is not one of those.", ""))
    return Problem(where=where, what=what, allowed=_allowed(error.get("ctx") or {}) or allowed, got=got)


_RANGE = ("It is out of range.", "")
_WORDS: Mapping[str, tuple[str, str]] = {
    "bool_parsing": ("It is neither true nor false.", "true, false"),
    "int_parsing": ("It is no whole number.", "a whole number"),
    "float_parsing": ("It is no number.", "a number"),
    "finite_number": ("It is no number.", "a number"),
    "string_too_long": ("It is too long.", ""),
    "greater_than_equal": _RANGE,
    "less_than_equal": _RANGE,
}
"""What is wrong and what is allowed, by the kind of mistake."""


def _allowed(bounds: Mapping[str, Any]) -> str:
    said = {"ge": "at least {}", "le": "at most {}", "max_length": "at most {} characters", "expected": "{}"}
    return ", ".join(text.format(bounds[key]) for key, text in said.items() if key in bounds)


def _of_http(status: int, request: Request) -> Problem:
    path = cut(request.url.path)
    if status == 405:
        return Problem(where="method", what="This API is for reading.", allowed="GET, HEAD", got=request.method)
    what = "There is nothing at this address." if status == 404 else "This request cannot be served."
    return Problem(where="path", what=what, allowed="what /api/v1/openapi.json lists", got=path)


def _parameters(api: FastAPI, request: Request) -> list[str]:
    path = getattr(request.scope.get("route"), "path", "")
    described = api.openapi()["paths"].get(path, {}).get("get", {}).get("parameters", [])
    return [one["name"] for one in described if one["in"] == "query"]
