"""How an answer is sent: a strong tag and 304, headers that let any page read it, pages with links, tables as files."""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

from leaderboard import downloads, ranges
from leaderboard.api import paging
from leaderboard.api.paging import Paged
from leaderboard.api.params import FileParams, Format, PagedParams
from leaderboard.api.problems import SCHEMA_VERSION, Problem, Refused
from leaderboard.published import Kept
from submissions.version import VERSION

T = TypeVar("T")
Links = Mapping[str, str | None]

HEADERS = {
    "Cache-Control": "no-cache",  # a withdrawn row must go at once; the tag makes asking again cheap
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Content-Disposition",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
KINDS: Mapping[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
N_BODIES = 32
"""Answers that are kept, each at most some 500 KiB."""
_PAGING = ("cursor", "limit")
_Bodies = Kept[tuple[bytes, Mapping[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list that can be asked for in pages or as a file."""

    rows: Sequence[Any]
    """All of it."""
    to_page: Callable[[Paged[Any], Mapping[str, Any]], BaseModel]
    """Makes the answer of one page, of its rows and of the fields that every page has."""
    to_table: Callable[[], pa.Table]
    """Makes the table of all rows."""
    name: str
    """Name of the file, without its ending."""


def tag(request: Request, revision: str) -> str:
    """Return the strong tag of what a request gives: the same bytes as long as board and program are the same."""
    asked = urlencode(sorted(request.query_params.multi_items()))
    text = "\n".join((VERSION, str(SCHEMA_VERSION), request.url.path, asked, revision))
    return f'"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


def send(
    request: Request,
    revision: str,
    make: Callable[[], tuple[bytes, Mapping[str, str]]],
    *,
    media_type: str = KINDS["json"],
    kept: _Bodies | None = None,
) -> Response:
    """Return the response to a request; nothing is made for whoever has it already.

    Args:
        request: what is asked for.
        revision: changes whenever the answer may.
        make: gives the body and further headers.
        media_type: kind of the body.
        kept: keeps what was made; None to make it each time.
    """
    etag = tag(request, revision)
    headers = {**HEADERS, "ETag": etag}
    if ranges.matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    body, more = make() if kept is None else kept.get((request.url.path, etag), etag, make)
    headers |= more
    if request.method == "HEAD":
        return Response(status_code=200, media_type=media_type, headers={**headers, "Content-Length": str(len(body))})
    return Response(body, media_type=media_type, headers=headers)


def send_record(request: Request, revision: str, make: Callable[[], BaseModel]) -> Response:
    """Return one record as the response to a request."""
    return send(request, revision, lambda: (make().model_dump_json().encode(), {}))


def send_list(
    request: Request, params: FileParams, revision: str, make: Callable[[], Listed], *, kept: _Bodies | None = None
) -> Response:
    """Return a page of a list, or all of it as a file.

    Raises:
        Refused: 422 for a cursor that is none, 410 for one of an older board, 422 for pages of a file.
    """
    if params.format != "json":
        _refuse_pages(params)
        kind = params.format
        return send(request, revision, lambda: _file(make(), kind), media_type=KINDS[kind])
    asked = urlencode(sorted((name, value) for name, value in request.query_params.items() if name not in _PAGING))
    at = paging.place(f"{request.url.path}?{asked}", revision, params.cursor)

    def body() -> tuple[bytes, Mapping[str, str]]:
        listed = make()
        page = paging.page(listed.rows, at, params.limit)
        links = {"next": _address(request, page.next_cursor), "prev": _address(request, page.prev_cursor)}
        answer = listed.to_page(page, {"n_total": page.n_total, **links})
        return answer.model_dump_json().encode(), _link_header(links)

    return send(request, revision, body, kept=kept)


def csv_of(table: pa.Table) -> bytes:
    """Return a table as CSV in which no cell runs as a formula."""
    return downloads.to_csv(table.column_names, table.to_pylist()).encode()


def parquet_of(table: pa.Table) -> bytes:
    """Return a table as parquet."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _refuse_pages(params: PagedParams) -> None:
    given = [name for name in _PAGING if name in params.model_fields_set and getattr(params, name)]
    if given:
        what = "A file holds every row."
        raise Refused(422, [Problem(where=name, what=what, allowed="only with format=json", got="") for name in given])


def _file(listed: Listed, kind: Format) -> tuple[bytes, Mapping[str, str]]:
    table = listed.to_table()
    name = f'attachment; filename="{listed.name}.{kind}"'
    return (csv_of(table) if kind == "csv" else parquet_of(table)), {"Content-Disposition": name}


def _address(request: Request, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    return f"{request.url.path}?{urlencode([*kept, ('cursor', cursor)])}"


def _link_header(links: Links) -> dict[str, str]:
    told = [f'<{address}>; rel="{name}"' for name, address in links.items() if address]
    return {"Link": ", ".join(told)} if told else {}
