"""Figures as files: plotly's data and layout, and the numbers alone; made once for a revision."""

import gzip
import json
import logging
from typing import Any

import pyarrow as pa
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError
from leaderboard import downloads, query, ranges, words
from leaderboard.api.answers import parquet_of
from leaderboard.context import Context
from leaderboard.figures import asked as asking
from leaderboard.figures.records import Figure, Table
from leaderboard.published import Kept
from leaderboard.query import Query
from leaderboard.reading.figure_data import figure_of
from leaderboard.reading.sparing import Spared, Sparing

log = logging.getLogger(__name__)

KINDS = {
    "json": "application/json",
    "data.json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
_N_KEPT = 96
"""Files that are kept, packed; the largest has some 100 KiB."""
_LEVEL = 6
_WAIT_S = 2
_HEADERS = {
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'",
}


def router(context: Context, sparing: Sparing | None = None) -> APIRouter:
    """Return the route of these files; `sparing` bounds what is made, None for one of its own."""
    routes = APIRouter()
    spare = sparing or Sparing()
    kept: Kept[tuple[str, bytes]] = Kept(_N_KEPT)

    @routes.api_route(asking.ROUTE + "/{file}", methods=["GET", "HEAD"], include_in_schema=False)
    def send(request: Request, file: str) -> Response:
        name, _, kind = file.partition(".")
        if name not in words.FIGURES or kind not in KINDS:
            raise HTTPException(404, "no such figure; the page of figures links to all of them")
        asked = query.joined(request.query_params.multi_items()) | {"figure": name}
        try:
            revision = context.published.revision() + context.slices.stamp()
            key = (file, tuple(sorted(asked.items())))
            etag, packed = kept.get(
                key, revision, lambda: spare.make(request.scope, lambda: _made(context, asked, kind))
            )
        except Spared as spared:
            raise HTTPException(spared.status, spared.sentence, spared.headers) from spared
        except _NotYet as waiting:
            raise HTTPException(503, words.FIGURE_WAIT, {"Retry-After": str(_WAIT_S)}) from waiting
        except CastboardError as error:
            log.warning("figure.refused", extra={"figure": name, "reason": str(error)})
            raise HTTPException(503, words.FIGURE_FAILING, {"Retry-After": str(_WAIT_S)}) from error
        return _sent(request, packed, etag, name=f"castboard-{name}.{kind}", kind=kind)

    return routes


class _NotYet(Exception):
    """What a figure shows is still being worked out."""


def _made(context: Context, asked: Query, kind: str) -> tuple[str, bytes]:
    board = context.published.board(query.one(asked, "protocol"))
    figure = figure_of(context, board, asking.read(asked, board))
    if figure is None:
        raise _NotYet
    data = _bytes_of(figure, board.protocol_id, kind)
    return f'"{sha256_of(data)[:32]}"', gzip.compress(data, _LEVEL, mtime=0)


def _bytes_of(figure: Figure, protocol_id: str, kind: str) -> bytes:
    if kind == "parquet":
        return parquet_of(columns_of(figure.table))
    if kind == "json":
        text = plotly_json(figure, protocol_id)
    elif kind == "csv":
        text = downloads.to_csv(figure.table.columns, lines_of(figure.table))
    else:
        text = downloads.to_json(lines_of(figure.table))
    return text.encode("utf-8", "replace")


def lines_of(table: Table) -> list[dict[str, Any]]:
    """Return a table as one mapping a line."""
    return [dict(zip(table.columns, line, strict=True)) for line in table.lines]


def columns_of(table: Table) -> pa.Table:
    """Return a table's columns, each with the type of its values."""
    columns = zip(*table.lines, strict=True) if table.lines else ((),) * len(table.columns)
    return pa.table(dict(zip(table.columns, (pa.array(list(one)) for one in columns), strict=True)))


def plotly_json(figure: Figure, protocol_id: str) -> str:
    """Return a figure as JSON: `data` and `layout` are plotly's, the rest says what they are."""
    whole = {
        "figure": figure.name,
        "protocol": protocol_id,
        "sentence": figure.sentence,
        "alt": figure.alt,
        "opens": figure.opens,
        "keys": figure.table.keys if figure.opens == "pair" else (),
        "data": figure.data,
        "layout": figure.layout,
        "phone": figure.phone,
    }
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _sent(request: Request, packed: bytes, etag: str, *, name: str, kind: str) -> Response:
    headers = {**_HEADERS, "ETag": f"W/{etag}"}
    if kind != "json":
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if ranges.matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=KINDS[kind], headers={**headers, "Content-Encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type=KINDS[kind], headers=headers)
