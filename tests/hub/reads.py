"""Routes that send files: resolve, and the other host that large files come from."""

import re

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tests.hub.repos import Entry, Repo
from tests.hub.state import commit_of, refused, repo_of, state_of, user_of

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


async def resolve(request: Request) -> Response:
    """Send a file, or the way to it."""
    repo = repo_of(request)
    commit = commit_of(request, repo)
    if repo.is_gated and user_of(request) is None:
        raise refused(401, "GatedRepo", "Access to this dataset is restricted.")
    entry = commit.files.get(request.path_params["path"])
    if entry is None:
        raise refused(404, "EntryNotFound", "Entry not found")
    hub = state_of(request)
    etag = entry.lfs or entry.oid
    headers = {"X-Repo-Commit": commit.id, "ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
    if not entry.lfs:
        return _send(request, repo, entry, headers)
    headers |= {"X-Linked-Etag": f'"{entry.lfs}"', "X-Linked-Size": str(entry.size)}
    if not hub.has_cdn:
        return _send(request, repo, entry, headers)
    # Another origin, as on the real hub: a client must not send its token there.
    elsewhere = hub.endpoint.replace("127.0.0.1", "localhost")
    return RedirectResponse(f"{elsewhere}/_cdn/{repo.kind}/{repo.id}/{entry.lfs}", 302, headers)


async def cdn(request: Request) -> Response:
    """Send a large file."""
    values = request.path_params
    if "authorization" in request.headers:
        raise refused(400, "", "only one way of authorization is allowed")
    repo = state_of(request).repos.get(values["kind"], f"{values['ns']}/{values['name']}")
    sha256 = values["oid"]
    if repo is None or not sha256.isalnum() or not (path := repo.folder / "lfs" / sha256).is_file():
        raise refused(403, "", "no such object")
    entry = Entry("", path.stat().st_size, sha256)
    return _send(request, repo, entry, {"ETag": f'"{sha256}"', "Accept-Ranges": "bytes"})


def _send(request: Request, repo: Repo, entry: Entry, headers: dict[str, str]) -> Response:
    kind = "application/octet-stream"
    wanted = _RANGE.fullmatch(request.headers.get("range", ""))
    if request.method == "HEAD":
        return Response(headers={**headers, "Content-Length": str(entry.size)}, media_type=kind)
    with repo.read(entry).open("rb") as file:
        if wanted is None:
            return Response(file.read(), headers=headers, media_type=kind)
        first, last = wanted[1], wanted[2]
        start = int(first) if first else max(0, entry.size - int(last or 0))
        end = min(int(last), entry.size - 1) if first and last else entry.size - 1
        if start >= entry.size or start > end:
            return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{entry.size}"})
        file.seek(start)
        data = file.read(end - start + 1)
    return Response(data, 206, {**headers, "Content-Range": f"bytes {start}-{end}/{entry.size}"}, kind)


_READ = ["GET", "HEAD"]
ROUTES = [
    Route("/_cdn/{kind}/{ns}/{name}/{oid}", cdn, methods=_READ),
    Route("/{kind}s/{ns}/{name}/resolve/{rev}/{path:path}", resolve, methods=_READ),
    Route("/{ns}/{name}/resolve/{rev}/{path:path}", resolve, methods=_READ),
]
