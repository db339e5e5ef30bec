"""What Gradio keeps of each open page stays little, however long the pages are."""

import json
import uuid
from typing import Any

from fastapi.testclient import TestClient

from leaderboard.context import Context
from leaderboard.site import mount


def test_no_session_remembers_a_page(hostile: Context) -> None:
    """A visitor's page is sent and forgotten; what was chosen in a form would be kept."""
    site = mount(hostile)
    with TestClient(site) as client:
        config = client.get("/config").json()
        loads = [one for one in config["dependencies"] if any(target[1] == "load" for target in one["targets"])]
        session = uuid.uuid4().hex
        sent = "".join(_answer(client, load["id"], session) for load in loads if not load["inputs"])
    assert "page-submit" in sent and "page-stamp" in sent
    kept = _sessions(site)[session]
    assert kept.config_values == {}
    shared = kept.blocks_config.blocks
    assert not any("page-stamp" in str(getattr(block, "value", "")) for block in shared.values())


def _answer(client: TestClient, number: int, session: str) -> str:
    body = {"data": [], "fn_index": number, "session_hash": session}
    assert client.post("/gradio_api/queue/join", json=body).status_code == 200
    with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        for line in lines.iter_lines():
            message = json.loads(line.removeprefix("data:")) if line else {}
            if message.get("msg") == "process_completed":
                return json.dumps(message)
    raise AssertionError("the queue never answered")


def _sessions(site: Any) -> dict[str, Any]:
    (holder,) = [app.state_holder for app in _apps(site) if hasattr(app, "state_holder")]
    found: dict[str, Any] = holder.session_data
    return found


def _apps(app: Any) -> list[Any]:
    below = [found for route in getattr(app, "routes", ()) if hasattr(route, "app") for found in _apps(route.app)]
    return [app, *below]
