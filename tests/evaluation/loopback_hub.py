"""A hub on the loopback that speaks the real hub's protocol, as far as reading a model goes."""

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What the hub holds and what it was asked."""

    models: Mapping[str, Mapping[str, bytes]]
    """Content by path, by the model's id."""
    large: frozenset[str]
    """Files that it stores as LFS objects."""
    branches: Mapping[str, str] = field(default_factory=lambda: {"main": COMMIT})
    """Commit of each branch or tag."""
    asked: list[str] = field(default_factory=list)
    """Method and path of every request."""
    tokens: list[str | None] = field(default_factory=list)
    """Authorization of every request."""
    endpoint: str = ""
    """Its address."""


@contextlib.contextmanager
def serve(hub: Hub) -> Iterator[Hub]:
    """Serve `hub` inside the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_HEAD(self) -> None:
            self._answer()

        def log_message(self, *_: Any) -> None:
            pass

        def _answer(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append(f"{self.command} {path}")
            hub.tokens.append(self.headers.get("authorization"))
            for repo, files in hub.models.items():
                if path.startswith(f"/api/models/{repo}"):
                    return self._info(repo, files, path.removeprefix(f"/api/models/{repo}"))
                if path.startswith(f"/{repo}/resolve/"):
                    return self._file(files, path.removeprefix(f"/{repo}/resolve/"))
            return self._refuse("RepoNotFound")

        def _info(self, repo: str, files: Mapping[str, bytes], rest: str) -> None:
            commit = _commit(hub, rest.removeprefix("/revision/") or "main")
            if commit is None:
                return self._refuse("RevisionNotFound")
            siblings = [_sibling(name, data, is_large=name in hub.large) for name, data in files.items()]
            body = {"id": repo, "modelId": repo, "sha": commit, "siblings": siblings, "tags": []}
            return self._send(json.dumps(body).encode(), {"Content-Type": "application/json"})

        def _file(self, files: Mapping[str, bytes], rest: str) -> None:
            revision, _, name = rest.partition("/")
            commit = _commit(hub, revision)
            if commit is None:
                return self._refuse("RevisionNotFound")
            if name not in files:
                return self._refuse("EntryNotFound")
            etag = f'"{hashlib.sha256(files[name]).hexdigest()}"'
            return self._send(files[name], {"ETag": etag, "X-Repo-Commit": commit})

        def _refuse(self, code: str) -> None:
            self._send(b"", {"X-Error-Code": code}, status=404)

        def _send(self, body: bytes, headers: Mapping[str, str], status: int = 200) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _commit(hub: Hub, revision: str) -> str | None:
    return hub.branches.get(revision) or (revision if revision in hub.branches.values() else None)


def _sibling(name: str, data: bytes, *, is_large: bool) -> dict[str, Any]:
    sha256 = hashlib.sha256(data).hexdigest()
    lfs = {"sha256": sha256, "size": len(data), "pointerSize": 134}
    return {"rfilename": name, "size": len(data), "blobId": sha256[:40], **({"lfs": lfs} if is_large else {})}
