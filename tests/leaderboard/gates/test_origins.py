"""Only our own pages, and programs that are no browsers, may change something."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.gates.origins import OriginGate

SITE = "https://org-board.hf.space"


@pytest.fixture
def client() -> TestClient:
    """A site known by an address, behind the gate."""

    def home(_: Request) -> Response:
        return PlainTextResponse("here")

    app = Starlette(routes=[Route("/{path:path}", home, methods=["GET", "POST", "DELETE"])])
    return TestClient(OriginGate(app, site_url=SITE), base_url="http://10.0.0.7:7860")


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({}, True),
        ({"Origin": SITE}, True),
        ({"Origin": "http://10.0.0.7:7860"}, True),
        ({"Origin": "https://huggingface.co"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "https://org-board.hf.space.evil.example"}, False),
        ({"Origin": "https://org-board.hf.space:444"}, False),
        ({"Origin": "http://10.0.0.7"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "http://[bad"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Referer": f"{SITE}/submit"}, True),
        ({"Referer": "https://evil.example/org-board.hf.space"}, False),
        ({"Referer": ""}, False),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"}, False),
    ],
)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_who_may_change_something(client: TestClient, headers: dict[str, str], passes: bool, method: str) -> None:
    """A foreign page is refused with a sentence; everybody may read."""
    answer = client.request(method, "/gradio_api/queue/join", headers=headers)
    assert answer.status_code == (200 if passes else 403)
    assert passes or "another site" in answer.json()["detail"]
    assert client.get("/api/v1/leaderboard", headers=headers).status_code == 200


def test_no_foreign_page_signs_anybody_out(client: TestClient) -> None:
    """Signing out is a plain link of ours, and refused to all others."""
    assert client.get("/logout", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.get("/logout", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert client.get("/login/callback", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "passes"),
    [
        ("localhost:7860", True),
        ("LOCALHOST", True),
        ("board.localhost", True),
        ("127.0.0.1:7860", True),
        ("[::1]:7860", True),
        ("192.168.1.7", True),
        ("evil.example:7860", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("[bad", False),
    ],
)
def test_no_page_gives_this_machine_a_name_of_its_own(client: TestClient, host: str, passes: bool) -> None:
    """A private site does and tells nothing for a page that had its own name lead to this machine."""
    own = {"Host": host, "Origin": f"http://{host}"}
    private = TestClient(OriginGate(client.app, is_private=True))
    for answer in (private.post("/gradio_api/queue/join", headers=own), private.get("/queue", headers={"Host": host})):
        assert answer.status_code == (200 if passes else 421)
    assert client.get("/queue", headers={"Host": host}).status_code == 200, "a public one has any name"
