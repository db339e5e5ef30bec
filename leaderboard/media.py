"""Routes for files: clips (ranges, validators, caching), per-item tables, prompts, cards and protocols.

Only what is on a board is served, so nothing of a submission can be fetched before it is published.
"""

import gzip
from collections.abc import Callable

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from evaluation import corpus as prompts
from evaluation.cards import encode as encode_card
from evaluation.codec import sha256_of
from evaluation.protocol import encode
from leaderboard import downloads, mirror, ranges
from leaderboard.clips import BLIND_ROUTE, CLIP_ROUTE, ServedClip
from leaderboard.context import Context
from leaderboard.contours import BLIND_CONTOUR_ROUTE, CONTOUR_ROUTE, ServedContour
from leaderboard.ranges import Unsatisfiable
from submissions import layout

FOR_A_WHILE = "public, max-age=300, must-revalidate"
"""For addresses that name their content by its hash: it never changes, but what is hidden or taken back must go soon.
Five minutes let a player seek and play again without asking; then the tag makes asking cheap."""
FOR_NOW = "no-cache"
"""For files that may change or go: ask again each time; the tag makes that cheap."""
SECRET = "private, max-age=600"  # noqa: S105 - a cache rule

_READ = ["GET", "HEAD"]
_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; media-src 'self'"}


def router(context: Context) -> APIRouter:
    """Return the routes of a site's files."""
    routes = APIRouter()
    _add_clips(routes, context)
    _add_contours(routes, context)
    _add_tables(routes, context)
    _add_small_files(routes, context)
    mirror.add_routes(routes, context)
    return routes


def _add_clips(routes: APIRouter, context: Context) -> None:
    @routes.api_route(CLIP_ROUTE + "/{submission}/{item_id}/{digest}.flac", methods=_READ, include_in_schema=False)
    def clip(request: Request, submission: str, item_id: str, digest: str) -> Response:
        found = _published_clip(context, submission, item_id)
        if len(digest) < 8 or not found.sha256.startswith(digest):
            raise HTTPException(404, "this clip has another hash")
        name = f"castboard-{submission}-{item_id}.flac"
        return send_audio(request, found.flac, tag=found.sha256, cache=FOR_A_WHILE, name=name)

    @routes.api_route(BLIND_ROUTE + "/{item_id}/{token}.flac", methods=_READ, include_in_schema=False)
    def blind_clip(request: Request, item_id: str, token: str) -> Response:
        names = {row.submission for board in context.published.boards() for row in board.rows}
        submission = context.clips.unblind(item_id, token, names)
        if submission is None:
            raise HTTPException(404, "no such clip; load the page again")
        clip = _published_clip(context, submission, item_id)
        return send_audio(request, clip.flac, tag=token, cache=SECRET, name=f"castboard-{item_id}.flac")


def _add_contours(routes: APIRouter, context: Context) -> None:
    @routes.api_route(CONTOUR_ROUTE + "/{submission}/{item_id}/{digest}.json", methods=_READ, include_in_schema=False)
    def contour(request: Request, submission: str, item_id: str, digest: str) -> Response:
        found = _published_contour(context, submission, item_id)
        if found is None:
            return _none_yet()
        if len(digest) < 8 or not found.clip_sha256.startswith(digest):
            raise HTTPException(404, "the clip of this contour has another hash")
        return _drawing(request, found.open_json(), cache=FOR_A_WHILE)

    @routes.api_route(BLIND_CONTOUR_ROUTE + "/{item_id}/{token}.json", methods=_READ, include_in_schema=False)
    def blind_contour(request: Request, item_id: str, token: str) -> Response:
        names = {row.submission for board in context.published.boards() for row in board.rows}
        submission = context.clips.unblind(item_id, token, names)
        if submission is None:
            raise HTTPException(404, "no such clip; load the page again")
        found = _published_contour(context, submission, item_id)
        return _none_yet() if found is None else _drawing(request, found.json, cache=SECRET)


def _add_tables(routes: APIRouter, context: Context) -> None:
    @routes.api_route("/download/samples/{protocol}/{submission}.{kind}", methods=_READ, include_in_schema=False)
    def samples(request: Request, protocol: str, submission: str, kind: str) -> Response:
        _require_row(context, protocol, submission)
        if kind not in ("csv", "json", "parquet"):
            raise HTTPException(404, "per-item tables come as csv, json or parquet")
        name = f"castboard-{protocol}-{submission}.{kind}"
        if kind == "parquet":
            data = _file(context, layout.samples_path(protocol, submission))
            return _attachment(request, data, "application/vnd.apache.parquet", name)
        table = layout.read_samples(context.files, protocol, submission)
        if kind == "csv":
            text = downloads.to_csv(table.column_names, table.to_pylist())
            return _attachment(request, text.encode(), "text/csv; charset=utf-8", name)
        return _attachment(request, downloads.to_json(table.to_pylist()).encode(), "application/json", name)

    @routes.api_route("/download/board/{protocol}.csv", methods=_READ, include_in_schema=False)
    def board(request: Request, protocol: str) -> Response:
        found = next((board for board in context.published.boards() if board.protocol_id == protocol), None)
        if found is None:
            raise HTTPException(404, "no such board")
        text = downloads.board_csv(found)
        return _attachment(request, text.encode(), "text/csv; charset=utf-8", f"castboard-{protocol}.csv")


def _add_small_files(routes: APIRouter, context: Context) -> None:
    @routes.api_route("/download/results/{protocol}/{submission}.json", methods=_READ, include_in_schema=False)
    def results(request: Request, protocol: str, submission: str) -> Response:
        _require_row(context, protocol, submission)
        data = _file(context, layout.result_path(protocol, submission))
        return _attachment(request, data, "application/json", f"castboard-{protocol}-{submission}-summary.json")

    @routes.api_route("/download/system/{submission}.json", methods=_READ, include_in_schema=False)
    def system(request: Request, submission: str) -> Response:
        if context.published.home_of(submission, "")[1] is None:
            raise HTTPException(404, context.moderated.sentence(submission) or "no such system on any board")
        data = _file(context, layout.system_path(submission))
        return _attachment(request, data, "application/json", f"castboard-{submission}-card.json")

    @routes.api_route("/download/protocol/{protocol}.json", methods=_READ, include_in_schema=False)
    def recipe(request: Request, protocol: str) -> Response:
        found = next((board for board in context.published.boards() if board.protocol_id == protocol), None)
        if found is None:
            raise HTTPException(404, "no such protocol")
        return _attachment(request, encode(found.protocol), "application/json", f"castboard-protocol-{protocol}.json")

    @routes.api_route("/download/instrument/{protocol}/{trait}.json", methods=_READ, include_in_schema=False)
    def instrument_card(request: Request, protocol: str, trait: str) -> Response:
        found = next((board for board in context.published.boards() if board.protocol_id == protocol), None)
        card = None if found is None else context.published.cards(found).get(trait)
        if card is None:
            raise HTTPException(404, "no card of such an instrument")
        name = f"castboard-card-{protocol}-{card.trait}.json"
        return _attachment(request, encode_card(card), "application/json", name)

    _add_prompts(routes, context, "jsonl", "application/x-ndjson; charset=utf-8", prompts.prompts_jsonl)
    _add_prompts(routes, context, "csv", "text/csv; charset=utf-8", prompts.prompts_csv)


def _add_prompts(
    routes: APIRouter, context: Context, kind: str, media_type: str, make: Callable[[prompts.Corpus], str]
) -> None:
    @routes.api_route(f"/download/prompts.{kind}", methods=_READ, include_in_schema=False)
    def send(request: Request) -> Response:
        name = f"castboard-prompts-{context.corpus.pin.name}.{kind}"
        return _attachment(request, make(context.corpus).encode(), media_type, name)


def _published_clip(context: Context, submission: str, item_id: str) -> ServedClip:
    if context.published.home_of(submission, "")[1] is None:
        raise HTTPException(404, context.moderated.sentence(submission) or "no such system on any board")
    try:
        return context.clips.read(submission, item_id)
    except (KeyError, FileNotFoundError) as error:
        raise HTTPException(404, "this system has no clip of that item") from error


def _published_contour(context: Context, submission: str, item_id: str) -> ServedContour | None:
    """Return the contour of a clip that can be asked for; None if it is not drawn yet."""
    if context.published.home_of(submission, "")[1] is None:
        raise HTTPException(404, context.moderated.sentence(submission) or "no such system on any board")
    if all(item.id != item_id for item in context.corpus.items):
        raise HTTPException(404, "no such item")
    return context.contours.read(submission, item_id)


def _none_yet() -> Response:
    # A page that asks in good faith must not log an error; what is drawn later is to be seen at once.
    return Response(status_code=204, headers={"Cache-Control": FOR_NOW, **_SAFE})


def _drawing(request: Request, data: bytes, *, cache: str) -> Response:
    etag = f'W/"{sha256_of(data)[:32]}"'
    headers = {"ETag": etag, "Cache-Control": cache, "Vary": "Accept-Encoding", **_SAFE}
    if ranges.matches(request.headers.get("if-none-match"), etag.removeprefix("W/")):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        data, headers["Content-Encoding"] = gzip.compress(data, 5, mtime=0), "gzip"
    return _whole(request, data, "application/json", headers)


def _require_row(context: Context, protocol: str, submission: str) -> None:
    boards = {board.protocol_id: board for board in context.published.boards()}
    if protocol not in boards or boards[protocol].row(submission) is None:
        raise HTTPException(404, context.moderated.sentence(submission) or "no such row on that board")


def _file(context: Context, path: str) -> bytes:
    try:
        return context.files.read(path)
    except FileNotFoundError as error:
        raise HTTPException(404, "no such file") from error


def send_audio(request: Request, flac: bytes, *, tag: str, cache: str, name: str) -> Response:
    """Return a FLAC file, or the part of it that is asked for, as the response to a request.

    Args:
        request: what is asked for.
        flac: the whole file.
        tag: changes whenever the file does.
        cache: how long it may be kept.
        name: what a browser calls it.
    """
    etag = f'"{tag}"'
    headers = {"ETag": etag, "Cache-Control": cache, "Accept-Ranges": "bytes", **_SAFE}
    headers["Content-Disposition"] = f'inline; filename="{name}"'
    if ranges.matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    n_bytes = len(flac)
    wants_part = request.headers.get("if-range", etag) == etag and request.method == "GET"
    try:
        part = ranges.parse(request.headers.get("range") if wants_part else None, n_bytes)
    except Unsatisfiable:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{n_bytes}"})
    if part is None:
        return _whole(request, flac, "audio/flac", headers)
    headers["Content-Range"] = f"bytes {part.first}-{part.last}/{n_bytes}"
    return Response(flac[part.first : part.last + 1], status_code=206, media_type="audio/flac", headers=headers)


def _attachment(request: Request, data: bytes, media_type: str, name: str) -> Response:
    etag = f'"{sha256_of(data)[:32]}"'
    headers = {"ETag": etag, "Cache-Control": FOR_NOW, "Content-Disposition": f'attachment; filename="{name}"', **_SAFE}
    if ranges.matches(request.headers.get("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    return _whole(request, data, media_type, headers)


def _whole(request: Request, data: bytes, media_type: str, headers: dict[str, str]) -> Response:
    if request.method == "HEAD":
        return Response(status_code=200, media_type=media_type, headers={**headers, "Content-Length": str(len(data))})
    return Response(data, media_type=media_type, headers=headers)
