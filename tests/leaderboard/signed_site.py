"""A small site where people sign in with accounts of the hub double, served on the loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from leaderboard import settings
from leaderboard.context import Context
from leaderboard.identity import Identity
from leaderboard.secret import Secret
from leaderboard.settings import OAuthSettings
from leaderboard.site import mount
from submissions.quota import Limits
from tests.hub.double import HubDouble
from tests.hub.oauth import CLIENT_ID, CLIENT_SECRET
from tests.leaderboard.cast import Part, make_corpus, make_site

QUOTA = Limits(person=2, organisation=2)


def oauth_settings(hub: HubDouble) -> OAuthSettings:
    """Return how people sign in with accounts of a hub double."""
    return OAuthSettings(
        client=CLIENT_ID,
        secret=Secret(CLIENT_SECRET),
        scopes="openid profile",
        provider=hub.endpoint,
        is_framed=False,
    )


def signed_context(home: Path, parts: tuple[Part, ...] = (), *, now: datetime | None = None) -> Context:
    """Return a site of two items where people sign in, with a quota of two."""
    home.mkdir(parents=True, exist_ok=True)
    made = make_site(home, parts, make_corpus(home, 2 if not parts else 12))
    clock = made.clock if now is None else lambda: now
    return replace(made, identity=Identity(has_sign_in=True), quota=QUOTA, clock=clock)


@contextmanager
def served(context: Context, hub: HubDouble, uploads: Path) -> Iterator[str]:
    """Serve a site in a thread and give its address."""
    import uvicorn

    settings.keep_uploads_in(uploads)
    site = mount(context, oauth=oauth_settings(hub))
    server = uvicorn.Server(
        uvicorn.Config(site, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = server.force_exit = True
    thread.join(10)
