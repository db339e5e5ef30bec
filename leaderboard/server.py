"""The web server: pages and media on one port, the worker and the demo as processes beside it."""

import logging
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from leaderboard.children import Child, Children
from leaderboard.hub_watch import HubWatch
from leaderboard.scratch import passing_folder
from leaderboard.settings import Settings, SettingsError, child_environ, keep_uploads_in
from leaderboard.stores import published_files, work_store

PROGRAM = Path(__file__).resolve().parent.parent / "app.py"
_N_FILES = 8_192
_KEPT_OPEN_S = 75
"""A connection stays open for so long without a request, s; a proxy uses one again for up to a minute."""
_TURN_S = 0.000_5
"""A thread computes for so long while another waits, s. A request asks for its turn after every look at a file, some
sixty times; with the interpreter's own 5 ms a page took 0.4 s whenever a board was worked out beside it."""
_PATIENCE_S = 5
"""An open page keeps a connection for as long as it is open; one that is asked to stop waits no longer for those, s."""


def serve(settings: Settings, *, say: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        settings: where to listen and what to keep where.
        say: tells the person at the terminal something.
    """
    with passing_folder(settings.home / "scratch", "uploads-") as uploads:
        keep_uploads_in(uploads)
        _serve(settings, say)


def _serve(settings: Settings, say: Callable[[str], None]) -> None:
    import uvicorn

    from leaderboard.site import build_site

    _allow_connections()
    sys.setswitchinterval(_TURN_S)
    site = build_site(settings)
    listener = _listen(settings)
    children = Children(_children(settings), program=PROGRAM, environ=child_environ(), logs=settings.home / "logs")
    children.start()
    watch = HubWatch(settings, work_store(settings), published_files(settings)) if settings.hub else None
    if watch is not None:
        watch.start()
    config = uvicorn.Config(
        site,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        log_config=None,  # its lines go where ours go, and are cleaned as ours are
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whom to believe about an address is decided in leaderboard.gates.visitors
        timeout_keep_alive=_KEPT_OPEN_S,
        timeout_graceful_shutdown=_PATIENCE_S,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                site.state.warmer.start()
                say(f"Ready. Data in {settings.home}; stop with Ctrl-C.")

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # Each connection that is cut tells of it with a traceback, and nothing is wrong.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    try:
        Server(config).run([listener])
    finally:
        site.state.warmer.stop()
        if watch is not None:
            watch.stop()
        children.stop()
        listener.close()


def _allow_connections() -> None:
    """Take as many open files as the system grants, up to a bound: 200 browsers keep six connections each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _N_FILES if hard == resource.RLIM_INFINITY else min(_N_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _listen(settings: Settings) -> socket.socket:
    """Take the address before anything is started, so that a second server leaves the first one's home alone."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}. "
            "Stop what listens there, or set CASTBOARD_HOST and CASTBOARD_PORT."
        ) from error


def _children(settings: Settings) -> tuple[Child, ...]:
    if settings.hub is not None and settings.hub.work is None:
        return ()
    worker = Child(name="worker", arguments=("worker", "--child"), is_restarted=True)
    if not _wants_demo(settings):
        return (worker,)
    return worker, Child(name="demo", arguments=("demo", "--child"), is_restarted=False)


def _wants_demo(settings: Settings) -> bool:
    """Tell whether the home is empty, or an earlier demo in it is unfinished."""
    from submissions.demo.status import read_status

    if settings.demo == "0" or settings.hub is not None:  # nobody's public board begins with our demo unasked
        return False
    begun = read_status(settings.home / "demo")
    if begun is not None and not begun.is_finished:
        return True
    return not work_store(settings).submissions()
