"""Routes that give away the published layout as it lies, so that anybody can keep a copy and verify it.

`/published/index.json` lists every file of every row on a board, and the cards, reports and duels beside it;
`/published/<path>` sends one of them. Nothing else below the folder can be fetched: no other file, and nothing of a
submission that has no row yet.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import PurePosixPath

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from leaderboard import ranges
from leaderboard.context import Context
from leaderboard.published import Kept
from leaderboard.ranges import ByteRange, Unsatisfiable
from leaderboard.views import Board
from submissions import layout
from submissions.result import decode_result
from submissions.store.base import PublishedFiles

ROUTE = "/published"
SCHEMA_VERSION = 1
"""Version of the index."""
CHUNK_BYTES = 1 << 18
"""Read and sent at a time; a file is never held whole."""

_N_TRIES = 5
_READ = ["GET", "HEAD"]
_HEADERS = {
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'",
}
_KINDS = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
N_HASHES = 4096
"""Tables of contours of which the hash is remembered."""
Index = dict[str, "Entry"]
Hashes = Kept[dict[str, str | None]]
"""Hashes of files by path, each by the version of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of the index."""

    path: str
    """Where it lies in the published layout."""
    n_bytes: int
    """Its size."""
    sha256: str | None
    """sha256 (hex) that it must have; None if its row's result cannot be read."""


def add_routes(routes: APIRouter, context: Context) -> None:
    """Add the index and the files to a router."""
    kept: Kept[Index] = Kept(1)
    drawn: Hashes = Kept(N_HASHES)

    def index() -> Index:
        try:
            boards = context.published.boards()
        except CastboardError as error:  # a row is being published at this very moment
            raise HTTPException(503, str(error), headers={"Retry-After": "2"}) from error
        beside = "".join(context.published.beside_revision(board) for board in boards)
        revision = (
            "".join(board.protocol_id + board.revision for board in boards)
            + beside
            + context.moderated.revision()
            + context.files.version("contours")
        )
        return kept.get("all", revision, lambda: make_index(context.files, boards, drawn))

    @routes.api_route(f"{ROUTE}/index.json", methods=_READ, include_in_schema=False)
    def listed() -> Response:
        return JSONResponse(to_json(index()), headers=_HEADERS)

    @routes.api_route(ROUTE + "/{path:path}", methods=_READ, include_in_schema=False)
    def file(request: Request, path: str) -> Response:
        if not layout.is_published(path) or path not in index():
            hidden = context.moderated.sentence(PurePosixPath(path).stem)
            raise HTTPException(404, hidden or "no such file in the published index")
        return _send(request, context.files, path)


def make_index(files: PublishedFiles, boards: tuple[Board, ...], drawn: Hashes | None = None) -> Index:
    """Return every file of the boards and of their rows by path; what is gone meanwhile is left out.

    Args:
        files: the published layout.
        boards: all boards.
        drawn: remembers the hashes of contours, so that each version of one is read once; None: nothing is.
    """
    known = drawn or Kept(1)
    hashes: dict[str, str | None] = {}
    for board in boards:
        derived = (layout.leaderboard_path(board.protocol_id), layout.decisions_path(board.protocol_id))
        for path in (layout.protocol_path(board.protocol_id), *derived):
            hashes |= _hashed(files, path)
        for path in layout.additions(files, board.protocol_id):
            hashes |= _hashed(files, path)
        for row in board.rows:
            hashes |= _row_files(files, board, row.submission)
            path = layout.contours_path(row.submission)  # no result names its hash
            hashes |= known.get(path, files.version(path), partial(_hashed, files, path))
            hashes |= _hashed(files, layout.rename_path(row.submission)) if row.rename else {}
    if boards:
        hashes |= _hashed(files, layout.DATASET_CARD)
        hashes |= _hashed(files, layout.MODERATION)
    entries = (_entry(files, path, digest) for path, digest in sorted(hashes.items()))
    return {entry.path: entry for entry in entries if entry is not None}


def to_json(index: Index) -> dict[str, object]:
    """Return the index as the JSON object that is sent."""
    listed = [{"path": entry.path, "bytes": entry.n_bytes, "sha256": entry.sha256} for entry in index.values()]
    return {"schema_version": SCHEMA_VERSION, "files": listed}


def _hashed(files: PublishedFiles, path: str) -> dict[str, str | None]:
    try:
        return {path: sha256_of(files.read(path))}
    except FileNotFoundError:
        return {}


def _row_files(files: PublishedFiles, board: Board, submission: str) -> dict[str, str | None]:
    """Return the hashes of a row's files: its sources as its result names them, so that no clip is read."""
    path = layout.result_path(board.protocol_id, submission)
    is_judged = board.protocol.judge is not None
    sources = layout.source_paths(board.protocol_id, submission, is_judged=is_judged)
    try:
        data = files.read(path)
    except FileNotFoundError:  # withdrawn since the board was read
        return {}
    try:
        named = decode_result(data, path).files
    except SchemaError:
        named = {}
    return {path: sha256_of(data), **{source: named.get(source) for source in sources}}


def _entry(files: PublishedFiles, path: str, digest: str | None) -> Entry | None:
    try:
        n_bytes = files.size(path)
    except FileNotFoundError:
        return None
    return Entry(path=path, n_bytes=n_bytes, sha256=digest)


def _send(request: Request, files: PublishedFiles, name: str) -> Response:
    opened, etag = _opened(files, name)
    n_bytes = opened.seek(0, io.SEEK_END)
    kind = _KINDS[name.rpartition(".")[2]]
    headers = {**_HEADERS, "ETag": etag, "Accept-Ranges": "bytes", "Content-Type": kind}
    headers["Content-Disposition"] = f'attachment; filename="castboard-{name.replace("/", "-")}"'
    if ranges.matches(request.headers.get("if-none-match"), etag):
        opened.close()
        return Response(status_code=304, headers=headers)
    is_whole = request.method == "HEAD" or request.headers.get("if-range", etag) != etag
    try:
        part = ranges.parse(None if is_whole else request.headers.get("range"), n_bytes)
    except Unsatisfiable:
        opened.close()
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{n_bytes}"})
    sent = part or ByteRange(first=0, last=n_bytes - 1)
    headers["Content-Length"] = str(sent.last - sent.first + 1)
    if request.method == "HEAD":
        opened.close()
        return Response(status_code=200, headers=headers)
    if part is not None:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{n_bytes}"
    return StreamingResponse(_chunks(opened, sent), status_code=206 if part else 200, headers=headers)


def _opened(files: PublishedFiles, name: str) -> tuple[BufferedReader, str]:
    """Return a file and its tag, which belongs to the very file that is open though a writer replaced it meanwhile."""
    for _ in range(_N_TRIES):
        before = files.version(name)
        try:
            opened = files.open(name)
        except FileNotFoundError as error:
            raise HTTPException(404, "this file has just been taken back; read the index again") from error
        if files.version(name) == before:
            return opened, f'"{before}"'
        opened.close()
    raise HTTPException(503, "this file is being written; ask again in a moment", headers={"Retry-After": "2"})


def _chunks(opened: BufferedReader, part: ByteRange) -> Iterator[bytes]:
    with opened:
        opened.seek(part.first)
        n_left = part.last - part.first + 1
        while n_left > 0 and (chunk := opened.read(min(CHUNK_BYTES, n_left))):
            n_left -= len(chunk)
            yield chunk
