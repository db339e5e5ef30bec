"""A small site where people sign in with accounts of the hub double, and ways to press its buttons."""

import json
import socket
import threading
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from fastapi.testclient import TestClient

from leaderboard import settings
from leaderboard.context import Context
from leaderboard.identity import Identity
from leaderboard.outside import OAuthSettings
from leaderboard.secret import Secret
from leaderboard.site import mount
from submissions.quota import Limits
from tests.hub.double import HubDouble
from tests.hub.oauth import CLIENT_ID, CLIENT_SECRET
from tests.leaderboard.cast import Part, make_corpus, make_site

QUOTA = Limits(person=2, organisation=2)


def oauth_settings(hub: HubDouble, **changes: Any) -> OAuthSettings:
    """Return how people sign in with accounts of a hub double."""
    made = OAuthSettings(
        client=CLIENT_ID,
        secret=Secret(CLIENT_SECRET),
        scopes="openid profile",
        provider=hub.endpoint,
        is_framed=False,
    )
    return replace(made, **changes)


def signed_context(home: Path, parts: tuple[Part, ...] = ()) -> Context:
    """Return a site where people sign in, with a quota of two; of two items if nothing is published."""
    home.mkdir(parents=True, exist_ok=True)
    made = make_site(home, parts, make_corpus(home, 12 if parts else 2))
    return replace(made, identity=Identity(has_sign_in=True), quota=QUOTA)


def sign_in(client: TestClient, hub: HubDouble, name: str, page: str = "/submit") -> httpx.Response:
    """Let an account of the hub consent, and go the whole way; return the site's last answer."""
    hub.sign_in_as(name)
    asked = client.get("/login/huggingface", params={"_target_url": page}, follow_redirects=False)
    back = httpx.get(asked.headers["location"], follow_redirects=False)
    return client.get(back.headers["location"], follow_redirects=False)


def press(client: TestClient, button: str, data: list[object], asked: Mapping[str, str] | None = None) -> str:
    """Call the handler of a button as a browser does, whoever may see the button; return all that came back."""
    session = uuid.uuid4().hex
    body = {"data": data, "fn_index": _button(client, button)["id"], "session_hash": session}
    answer = client.post("/gradio_api/queue/join", json=body, params=dict(asked or {}))
    assert answer.status_code == 200, answer.text
    with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        for line in lines.iter_lines():
            message = json.loads(line.removeprefix("data:")) if line else {}
            if message.get("msg") == "process_completed":
                return json.dumps(message["output"])
    raise AssertionError("the queue never answered")


def form(client: TestClient, organisation: object) -> list[object]:
    """Return what the submit form sends that has no file: all that the page sends, in its order."""
    names = {one["id"]: one["props"].get("elem_id") for one in client.get("/config").json()["components"]}
    values = {"submit-zip": None, "card-organisation": organisation, "card-open_weights": "not said"}
    return [values.get(names[one], "") for one in _button(client, "on_send")["inputs"]]


def _button(client: TestClient, name: str) -> dict[str, Any]:
    [found] = [one for one in client.get("/config").json()["dependencies"] if one["api_name"] == name]
    return dict(found)


@contextmanager
def served(context: Context, hub: HubDouble, uploads: Path) -> Iterator[str]:
    """Serve a site on a free port of this machine and give its address."""
    import uvicorn

    settings.keep_uploads_in(uploads)
    with warnings.catch_warnings(), socket.create_server(("127.0.0.1", 0)) as door:
        warnings.simplefilter("ignore")
        site = mount(context, oauth=oauth_settings(hub))
        server = uvicorn.Server(uvicorn.Config(site, log_level="critical", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = server.force_exit = True
        thread.join(30)
