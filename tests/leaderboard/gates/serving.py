"""Serves a site over a real connection, and lists every route that it answers."""

import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from starlette.types import ASGIApp


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve an application on a free port of this machine, as the real server does, and give its address."""
    import uvicorn

    with warnings.catch_warnings(), socket.create_server(("127.0.0.1", 0)) as door:
        warnings.simplefilter("ignore")
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


class Strangers(httpx.Auth):
    """Lets every request of a client look like another visitor's first one, for a site behind a proxy."""

    def __init__(self) -> None:
        """Begin with the first address."""
        self._n_asked = 0

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:
        """Name the next address."""
        self._n_asked += 1
        high, low = divmod(self._n_asked, 250)
        request.headers["x-forwarded-for"] = f"8.8.{high}.{low + 1}"
        yield request


def routes_of(app: Any) -> frozenset[tuple[str, str]]:
    """Return method and path of every route of an application, whatever is mounted or included in it."""
    return frozenset(_walk(app.routes, ""))


def _walk(routes: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _walk(included.routes, prefix + route.include_context.prefix)
        elif getattr(route, "routes", None):
            yield from _walk(route.routes, prefix + route.path)
        else:
            for method in sorted(getattr(route, "methods", None) or {"GET", "POST"}):
                yield method, prefix + route.path


def ask(address: str, raw: bytes, *, patience_s: float = 20.0) -> bytes:
    """Send bytes over a connection of its own and return all that comes back until it is closed."""
    host, _, port = address.removeprefix("http://").partition(":")
    told = bytearray()
    with socket.create_connection((host, int(port)), timeout=patience_s) as line:
        line.sendall(raw)
        try:
            while piece := line.recv(65_536):
                told += piece
        except ConnectionResetError:  # it was closed while more was on its way
            pass
    return bytes(told)
