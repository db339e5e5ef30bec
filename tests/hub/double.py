"""The double itself: a real HTTP server on a free port of the loopback, in a thread of the test."""

import asyncio
import hashlib
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from tests.hub import api, control, oauth, reads, writes
from tests.hub.failures import Cut, Failure, Middleware, Seen
from tests.hub.people import User
from tests.hub.repos import Commit, Entry, Repo, Repos, is_large
from tests.hub.state import State

OPERATOR = "ohm"
"""Account, and namespace, of the site in tests."""
TOKEN = "hf_" + "made-up-for-tests"
"""Its token."""


class HubDouble:
    """A hub on the loopback.

    `with HubDouble(tmp_path / "hub") as hub: HfApi(endpoint=hub.endpoint, token=hub.token)`. The account `ohm` with
    `TOKEN` is there from the beginning.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        """Keep repos in `folder`; listen on `port`, 0 for a free one."""
        self.state = State(folder=folder, repos=Repos(folder))
        self.add_user(OPERATOR, TOKEN)
        self.token = TOKEN
        self._port = port
        self._connections: dict[tuple[str, int], Any] = {}
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def endpoint(self) -> str:
        """Address, without a slash at the end; the same after `stop` and `start`."""
        return self.state.endpoint

    def start(self) -> Self:
        """Listen."""
        listener = self._listen()
        server = self._server = self._make_server()
        self._thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        self._thread.start()
        while not server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the hub double did not start")
            threading.Event().wait(0.005)
        return self

    def stop(self) -> None:
        """Listen no more: whoever connects is refused. What is kept stays, and `start` brings it back."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = self._server.force_exit = True
            for transport in list(self._connections.values()):
                self._server.loop.call_soon_threadsafe(transport.abort)  # type: ignore[attr-defined]
            self._thread.join(10)
        self._server = self._thread = None

    def run(self, announce: Any) -> None:
        """Serve in this thread until the process ends; `announce` is called with the address first."""
        listener = self._listen()
        announce(self.endpoint)
        self._make_server().run([listener])

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # What a test arranges.

    def add_user(self, name: str, token: str, *, organisations: tuple[str, ...] = (), can_write: bool = True) -> None:
        """Add an account, or another token of one."""
        self.state.people.add(User(name=name, organisations=organisations, can_write=can_write), token)

    def sign_in_as(self, name: str) -> None:
        """Let this account consent when a site asks who is there; empty: nobody does."""
        self.state.people.consenting = name

    def create(self, repo_id: str, *, kind: str = "dataset", private: bool = False) -> Repo:
        """Create a repo without asking over HTTP."""
        return self.state.repos.create(kind, repo_id, OPERATOR, private=private)

    def put(
        self, repo_id: str, files: Mapping[str, bytes | None], title: str = "by hand", kind: str = "dataset"
    ) -> str:
        """Commit files (None removes one) as another writer would, without asking over HTTP; returns the commit."""
        repo = self.repo(repo_id, kind)
        changed = {path: None if data is None else _kept(repo, path, data) for path, data in files.items()}
        return repo.commit(changed, title, "", "somebody", None).id

    def squash(self, repo_id: str) -> str:
        """Rewrite a history to one commit, as its owner may; returns it."""
        return self.repo(repo_id).squash().id

    def delete(self, repo_id: str) -> None:
        """Delete a repo, as its owner may."""
        self.state.repos.delete("dataset", repo_id)

    def repo(self, repo_id: str, kind: str = "dataset") -> Repo:
        """Return a repo."""
        found = self.state.repos.get(kind, repo_id)
        if found is None:
            raise KeyError(repo_id)
        return found

    def read(self, repo_id: str, path: str, revision: str = "main", kind: str = "dataset") -> bytes:
        """Return a file; raises KeyError if it is not there."""
        repo = self.repo(repo_id, kind)
        return repo.read(repo.commit_of(revision).files[path]).read_bytes()

    def paths(self, repo_id: str, revision: str = "main", kind: str = "dataset") -> list[str]:
        """Return all paths of a revision, sorted."""
        return sorted(self.repo(repo_id, kind).commit_of(revision).files)

    def history(self, repo_id: str, kind: str = "dataset") -> list[Commit]:
        """Return all commits, the newest first."""
        return list(self.repo(repo_id, kind).history())

    # What goes wrong, and what was asked.

    def fail(
        self,
        pattern: str,
        *,
        status: int | None = None,
        retry_after_s: int | None = None,
        cut: Cut | None = None,
        delay_s: float = 0.0,
        drip_s: float = 0.0,
        skip: int = 0,
        every: int = 1,
        times: int | None = 1,
    ) -> None:
        """Let requests fail whose "METHOD /path?query" matches `pattern`; see `failures.Failure`."""
        how = Failure(
            pattern=pattern,
            status=status,
            retry_after_s=retry_after_s,
            cut=cut,
            delay_s=delay_s,
            drip_s=drip_s,
            skip=skip,
            every=every,
            times=times,
        )
        self.state.failures.plan(how)

    def down(self) -> None:
        """Cut every connection at once, until `calm`."""
        self.state.failures.is_down = True

    def calm(self) -> None:
        """Forget every planned failure and be up."""
        self.state.failures.calm()

    def seen(self, kind: str | None = None, repo: str | None = None) -> list[Seen]:
        """Return the requests until now, of a kind (see `failures.Seen`) and of a repo."""
        return self.state.failures.seen(kind, repo)

    def forget_seen(self) -> None:
        """Count from zero again."""
        self.state.failures.forget_seen()

    def _listen(self) -> socket.socket:
        # Without its name the protocol's connections wait for acknowledgements, 40 ms an answer.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        listener.listen(128)
        self._port = listener.getsockname()[1]
        self.state.endpoint = f"http://127.0.0.1:{self._port}"
        return listener

    def _make_server(self) -> uvicorn.Server:
        app = make_app(self.state)
        wrapped = Middleware(app, self.state.failures, self._abort)
        protocol = _noting(self._connections)
        config = uvicorn.Config(
            wrapped, http=protocol, log_config=None, log_level="critical", access_log=False, lifespan="off", ws="none"
        )
        return _Server(config)

    def _abort(self, scope: Any) -> None:
        transport = self._connections.get(tuple(scope["client"]))
        if transport is not None:
            transport.abort()


class _Server(uvicorn.Server):
    """A server that tells its loop, so that another thread can cut connections."""

    def install_signal_handlers(self) -> None:
        """Leave signals to the test."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Remember the loop."""
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)


def make_app(state: State) -> Starlette:
    """Return all routes of the hub."""
    routes = [*control.ROUTES, *oauth.ROUTES, *api.ROUTES, *writes.ROUTES, *reads.ROUTES]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _error})
    app.state.hub = state
    return app


def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


def _noting(connections: dict[tuple[str, int], Any]) -> type[H11Protocol]:
    class Noting(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            connections[tuple(transport.get_extra_info("peername"))] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            connections.pop(tuple(self.client or ("", 0)), None)
            super().connection_lost(exc)

    return Noting


def _kept(repo: Repo, path: str, data: bytes) -> Entry:
    if not is_large(path, len(data)):
        return repo.keep(data)
    sha256 = hashlib.sha256(data).hexdigest()
    (repo.folder / "lfs" / sha256).write_bytes(data)
    return repo.keep_large(sha256, len(data))
