"""Routes that write: how a file is to be sent, large files, and commits."""

import base64
import binascii
import hashlib
import json
import secrets
from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.hub.repos import Entry, Missing, Repo, Stale, is_large
from tests.hub.state import commit_of, refused, repo_of, state_of, user_of, writer_of


async def preupload(request: Request) -> Response:
    """Tell how each file is to be sent."""
    repo = repo_of(request)
    writer_of(request, repo)
    here = commit_of(request, repo).files
    asked = (await request.json())["files"]
    answer = [
        {
            "path": file["path"],
            "uploadMode": "lfs" if is_large(file["path"], file["size"]) else "regular",
            "shouldIgnore": False,
            "oid": (here[file["path"]].lfs or here[file["path"]].oid) if file["path"] in here else None,
        }
        for file in asked
    ]
    return JSONResponse({"files": answer})


async def batch(request: Request) -> Response:
    """Tell where large files are to be put."""
    repo = repo_of(request)
    writer_of(request, repo)
    asked = await request.json()
    objects = [_action(request, repo, one["oid"], one["size"]) for one in asked["objects"]]
    return JSONResponse({"transfer": "basic", "objects": objects}, media_type="application/vnd.git-lfs+json")


async def put(request: Request) -> Response:
    """Take a large file, or a part of one."""
    repo, name = _large(request)
    temporary = repo.folder / "lfs" / f".{name}.{secrets.token_hex(4)}"
    with temporary.open("wb") as file:
        async for chunk in request.stream():
            file.write(chunk)
    if "-part" not in name and hashlib.sha256(temporary.read_bytes()).hexdigest() != name:
        temporary.unlink()
        raise refused(400, "", "the bytes do not have this sha256")
    temporary.rename(repo.folder / "lfs" / name)
    return Response(headers={"ETag": f'"{name}"'})


async def join(request: Request) -> Response:
    """Make a large file of its parts."""
    repo, name = _large(request)
    parts = (await request.json())["parts"]
    folder = repo.folder / "lfs"
    data = b"".join((folder / f"{name}-part{part['partNumber']}").read_bytes() for part in parts)
    if hashlib.sha256(data).hexdigest() != name:
        raise refused(400, "", "the parts do not have this sha256")
    (folder / name).write_bytes(data)
    return JSONResponse({})


async def verify(request: Request) -> Response:
    """Tell whether a large file arrived."""
    repo, _ = _large(request)
    asked = await request.json()
    if not repo.has_lfs(asked["oid"], asked["size"]):
        raise refused(404, "", "the object did not arrive whole")
    return JSONResponse({})


async def commit(request: Request) -> Response:
    """Make a commit."""
    repo = repo_of(request)
    user = writer_of(request, repo)
    if request.path_params["rev"] != "main" or "create_pr" in request.query_params:
        raise refused(400, "", "only main can be written")
    header: dict[str, Any] = {}
    changed: dict[str, Entry | None] = {}
    for line in (await request.body()).splitlines():
        sent = json.loads(line)
        if sent["key"] == "header":
            header = sent["value"]
        else:
            changed |= _changed(repo, sent["key"], sent["value"])
    try:
        made = repo.commit(
            changed, header["summary"], header.get("description", ""), user.name, header.get("parentCommit")
        )
    except Stale as error:
        raise refused(412, "", "A commit has happened since. Please refresh and try again.") from error
    except Missing as error:
        raise refused(404, *error.args) from error
    url = f"{state_of(request).endpoint}/{repo.kind}s/{repo.id}/commit/{made.id}"
    return JSONResponse({"success": True, "commitOid": made.id, "commitUrl": url, "hookOutput": ""})


async def squash(request: Request) -> Response:
    """Make one commit of the whole history."""
    repo = repo_of(request)
    writer_of(request, repo)
    repo.squash()
    return JSONResponse({})


async def validate_yaml(request: Request) -> Response:
    """Check the front matter of a card."""
    content = (await request.json())["content"]
    parts = content.split("---\n")
    if not content.startswith("---\n") or len(parts) < 3:
        warning = {"message": "empty or missing yaml metadata in repo card"}
        return JSONResponse({"errors": [], "warnings": [warning]})
    try:
        found = yaml.safe_load(parts[1])
    except yaml.YAMLError as error:
        return JSONResponse({"errors": [{"message": str(error)}], "warnings": []}, 400)
    if not isinstance(found, dict):
        return JSONResponse({"errors": [{"message": "metadata must be a mapping"}], "warnings": []}, 400)
    return JSONResponse({"errors": [], "warnings": []})


def _action(request: Request, repo: Repo, oid: str, size: int) -> dict[str, Any]:
    hub = state_of(request)
    if repo.has_lfs(oid, size):
        return {"oid": oid, "size": size}
    base = f"{hub.endpoint}/_lfs/{repo.kind}/{repo.id}/{oid}"
    upload: dict[str, Any] = {"href": base}
    step = hub.multipart_bytes
    if step and size > step:
        parts = {f"{n:05d}": f"{base}-part{n}" for n in range(1, -(-size // step) + 1)}
        upload = {"href": f"{base}/join", "header": {"chunk_size": str(step), **parts}}
    return {"oid": oid, "size": size, "actions": {"upload": upload, "verify": {"href": f"{base}/verify"}}}


def _changed(repo: Repo, key: str, value: dict[str, Any]) -> dict[str, Entry | None]:
    path = value["path"]
    if not path or path.startswith("/") or any(part in ("", "..", ".", ".git") for part in path.rstrip("/").split("/")):
        raise refused(400, "", f"invalid path {path[:80]}")
    match key:
        case "file":
            try:
                return {path: repo.keep(base64.b64decode(value["content"], validate=True))}
            except binascii.Error as error:
                raise refused(400, "", "content must be base64") from error
        case "lfsFile":
            if not repo.has_lfs(value["oid"], value["size"]):
                raise refused(400, "", "Your push was rejected because an LFS pointer pointed to a missing file")
            return {path: repo.keep_large(value["oid"], value["size"])}
        case "deletedFile":
            return {path: None}
        case "deletedFolder":
            return {path.rstrip("/") + "/": None}
    raise refused(400, "", f"unknown operation {key[:40]}")


def _large(request: Request) -> tuple[Repo, str]:
    """Return repo and name of a large file on its way; such an address needs no token, as a signed one of a bucket."""
    values = request.path_params
    repo = state_of(request).repos.get(values["kind"], f"{values['ns']}/{values['name']}")
    name = values["oid"]
    if repo is None or not name.replace("-part", "").isalnum():
        raise refused(404, "", "no such upload")
    user_of(request)
    return repo, name


_REPO = "/api/{kind}s/{ns}/{name}"
_LFS = "/_lfs/{kind}/{ns}/{name}/{oid}"
ROUTES = [
    Route("/api/validate-yaml", validate_yaml, methods=["POST"]),
    Route(_REPO + "/preupload/{rev}", preupload, methods=["POST"]),
    Route(_REPO + "/commit/{rev}", commit, methods=["POST"]),
    Route(_REPO + "/super-squash/{rev}", squash, methods=["POST"]),
    Route("/{kind}s/{ns}/{name}.git/info/lfs/objects/batch", batch, methods=["POST"]),
    Route("/{ns}/{name}.git/info/lfs/objects/batch", batch, methods=["POST"]),
    Route(_LFS, put, methods=["PUT"]),
    Route(_LFS + "/join", join, methods=["POST"]),
    Route(_LFS + "/verify", verify, methods=["POST"]),
]
