"""Routes that tell of repos: whoami, create, info, refs, history, listings."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.hub.people import may_see, whoami_of
from tests.hub.repos import KINDS, REPO, Entry, Stale, pointer
from tests.hub.state import commit_of, refused, repo_of, state_of, user_of, writer_of


async def whoami(request: Request) -> Response:
    """Tell whose token it is."""
    user = user_of(request)
    if user is None:
        raise refused(401, "", "Invalid username or password.")
    return JSONResponse(whoami_of(user))


async def create(request: Request) -> Response:
    """Create a repo; 409 if it is there."""
    asked = await request.json()
    user = user_of(request)
    if user is None:
        raise refused(401, "", "Invalid username or password.")
    kind = asked.get("type") or "model"
    repo_id = f"{asked.get('organization') or user.name}/{asked['name']}"
    if kind not in KINDS or not REPO.fullmatch(repo_id):
        raise refused(400, "", "Invalid repo name")
    if not (user.can_write and may_see(user, repo_id.partition("/")[0])):
        raise refused(403, "", "You don't have the rights to create a repo here")
    is_private = asked.get("visibility") == "private" or asked.get("private") is True
    hub = state_of(request)
    url = f"{hub.endpoint}/{'' if kind == 'model' else kind + 's/'}{repo_id}"
    try:
        repo = hub.repos.create(kind, repo_id, user.name, private=is_private)
    except Stale:
        return JSONResponse({"error": "You already created this repo", "url": url, "name": repo_id}, 409)
    return JSONResponse({"url": url, "name": repo_id, "id": repo.head})


async def delete(request: Request) -> Response:
    """Delete a repo."""
    asked = await request.json()
    user = user_of(request)
    kind = asked.get("type") or "model"
    repo_id = f"{asked.get('organization') or (user.name if user else '')}/{asked['name']}"
    hub = state_of(request)
    repo = hub.repos.get(kind, repo_id)
    if repo is None:
        raise refused(404, "RepoNotFound", "Repository not found")
    writer_of(request, repo)
    hub.repos.delete(kind, repo_id)
    return JSONResponse({})


async def info(request: Request) -> Response:
    """Tell of a repo at a revision."""
    repo = repo_of(request)
    commit = commit_of(request, repo)
    facts: dict[str, Any] = {
        "author": repo.id.partition("/")[0],
        "sha": commit.id,
        "private": repo.private,
        "gated": "auto" if repo.is_gated else False,
        "disabled": False,
        "lastModified": commit.date,
        "createdAt": commit.date,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "siblings": [_sibling(path, entry, "blobs" in request.query_params) for path, entry in commit.files.items()],
    }
    wanted = request.query_params.getlist("expand")
    shown = {key: facts[key] for key in wanted if key in facts} if wanted else facts
    return JSONResponse({"_id": f"id-of-{repo.id}", "id": repo.id, **shown}, headers={"X-Repo-Commit": commit.id})


async def refs(request: Request) -> Response:
    """Tell where the branch is."""
    repo = repo_of(request)
    branch = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head}
    return JSONResponse({"tags": [], "branches": [branch], "converts": [], "pullRequests": []})


async def commits(request: Request) -> Response:
    """Tell the history, the newest first, page by page."""
    repo = repo_of(request)
    shown = [
        {"id": one.id, "title": one.title, "message": one.message, "date": one.date, "authors": [{"user": one.author}]}
        for one in repo.history(commit_of(request, repo).id)
    ]
    return _page(request, shown, state_of(request).commits_page)


async def tree(request: Request) -> Response:
    """List a folder, page by page."""
    repo = repo_of(request)
    commit = commit_of(request, repo)
    below = request.path_params.get("path", "").strip("/")
    folders = repo.folders(commit)
    if below not in folders:
        raise refused(404, "EntryNotFound", f"{below} does not exist on this revision")
    prefix = f"{below}/" if below else ""
    is_deep = request.query_params.get("recursive", "").lower() in ("true", "1")
    listed = [
        _folder(path, oid)
        for path, oid in folders.items()
        if path and path.startswith(prefix) and path != below and (is_deep or "/" not in path[len(prefix) :])
    ]
    listed += [
        _file(path, entry)
        for path, entry in commit.files.items()
        if path.startswith(prefix) and (is_deep or "/" not in path[len(prefix) :])
    ]
    return _page(request, sorted(listed, key=lambda one: one["path"]), state_of(request).tree_page)


async def paths_info(request: Request) -> Response:
    """Tell of some paths; those that are not there are left out."""
    repo = repo_of(request)
    commit = commit_of(request, repo)
    folders = repo.folders(commit)
    form = await request.form()
    asked = [str(path).strip("/") for path in form.getlist("paths")]
    found = [
        _file(path, commit.files[path]) if path in commit.files else _folder(path, folders[path])
        for path in asked
        if path in commit.files or path in folders
    ]
    return JSONResponse(found)


def _page(request: Request, rows: list[dict[str, Any]], size: int) -> Response:
    first = int(request.query_params.get("cursor", "0"))
    headers = {}
    if first + size < len(rows):
        following = request.url.include_query_params(cursor=first + size)
        headers["Link"] = f'<{following}>; rel="next"'
    return JSONResponse(rows[first : first + size], headers=headers)


def _file(path: str, entry: Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": "file", "oid": entry.oid, "size": entry.size, "path": path}
    if entry.lfs:
        n_pointer = len(pointer(entry.lfs, entry.size))
        shown["lfs"] = {"oid": entry.lfs, "size": entry.size, "pointerSize": n_pointer}
    return shown


def _folder(path: str, oid: str) -> dict[str, Any]:
    return {"type": "directory", "oid": oid, "size": 0, "path": path}


def _sibling(path: str, entry: Entry, is_detailed: bool) -> dict[str, Any]:
    if not is_detailed:
        return {"rfilename": path}
    shown: dict[str, Any] = {"rfilename": path, "blobId": entry.oid, "size": entry.size}
    if entry.lfs:
        shown["lfs"] = {"sha256": entry.lfs, "size": entry.size, "pointerSize": len(pointer(entry.lfs, entry.size))}
    return shown


_REPO = "/api/{kind}s/{ns}/{name}"
ROUTES = [
    Route("/api/whoami-v2", whoami),
    Route("/api/repos/create", create, methods=["POST"]),
    Route("/api/repos/delete", delete, methods=["DELETE"]),
    Route(_REPO, info),
    Route(_REPO + "/revision/{rev}", info),
    Route(_REPO + "/refs", refs),
    Route(_REPO + "/commits/{rev}", commits),
    Route(_REPO + "/tree/{rev}", tree),
    Route(_REPO + "/tree/{rev}/{path:path}", tree),
    Route(_REPO + "/paths-info/{rev}", paths_info, methods=["POST"]),
]
