"""Budgets: what a visitor may use, who a visitor is, and that neither can be talked out of it or grow without bound."""

import dataclasses
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Scope

from leaderboard.gates.limits import WEB_LIMITS, Budget, Use
from leaderboard.gates.order import person_of_session
from leaderboard.gates.rates import RateGate, Rates, use_of
from leaderboard.gates.visitors import address_of


def _scope(client: str | None = "10.0.0.1", told: str = "", method: str = "GET", path: str = "/") -> Scope:
    headers = [(b"x-forwarded-for", told.encode())] if told else []
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": headers,
        "client": (client, 1) if client else None,
    }


@pytest.mark.parametrize(
    ("client", "told", "is_behind_proxy", "expected"),
    [
        ("203.0.113.9", "8.8.8.8", False, "203.0.113.9"),
        ("10.0.0.1", "8.8.8.8", True, "8.8.8.8"),
        ("10.0.0.1", "1.1.1.1, 8.8.8.8", True, "8.8.8.8"),
        ("10.0.0.1", "1.1.1.1, 8.8.8.8, 10.1.2.3", True, "8.8.8.8"),
        ("10.0.0.1", "1.1.1.1, nonsense, 10.1.2.3", True, "10.1.2.3"),
        ("10.0.0.1", "nonsense", True, "10.0.0.1"),
        ("10.0.0.1", "", True, "10.0.0.1"),
        ("10.0.0.1", "8.8.8.8:4711", True, "8.8.8.8"),
        ("10.0.0.1", "[2606:4700::1111]:80", True, "2606:4700::/64"),
        ("2606:4700:0:0:aaaa::1", "", False, "2606:4700::/64"),
        ("::ffff:8.8.8.8", "", False, "8.8.8.8"),
        (None, "", False, "unknown"),
    ],
)
def test_the_address_that_counts(client: str | None, told: str, is_behind_proxy: bool, expected: str) -> None:
    """The nearest outside address that a proxy of ours vouches for; an IPv6 one is its network."""
    assert address_of(_scope(client, told), is_behind_proxy=is_behind_proxy) == expected


@given(some.text(alphabet="0123456789abcdef.:, []%x", max_size=80))
def test_whatever_a_stranger_writes_before_the_last_hop_changes_nothing(told: str) -> None:
    """Only the end of the list is believed."""
    assert address_of(_scope(told=f"{told}, 8.8.4.4"), is_behind_proxy=True) == "8.8.4.4"


@pytest.mark.parametrize(
    ("method", "path", "use"),
    [
        ("GET", "/", Use.PAGE),
        ("GET", "/assets/x.js", Use.ASSET),
        ("GET", "/media/clip/a/b/c.flac", Use.FILE),
        ("POST", "/mcp", Use.FILE),
        ("POST", "/gradio_api/run/predict", Use.PAGE),
        ("POST", "/gradio_api/queue/join", Use.WORK),
        ("POST", "/gradio_api/call/on_check", Use.WORK),
        ("POST", "/anything/new", Use.WORK),
        ("POST", "/gradio_api/upload", Use.UPLOAD),
        ("GET", "/gradio_api/queue/data", Use.PAGE),
    ],
)
def test_what_a_request_uses(method: str, path: str, use: Use) -> None:
    """Acts that are not known to be cheap count as work."""
    assert use_of(_scope(method=method, path=path)) is use


def test_a_bucket_empties_and_fills() -> None:
    """A burst, then the long run's rate, with the time to wait told; another visitor's is untouched."""
    now = [0.0]
    rates, budget = Rates(10, clock=lambda: now[0]), Budget(burst=3, per_s=0.5)
    assert [rates.wait_s("a", Use.WORK, budget) for _ in range(4)] == [0, 0, 0, 2.0]
    assert rates.wait_s("b", Use.WORK, budget) == 0
    assert rates.wait_s("a", Use.PAGE, budget) == 0
    now[0] = 2.0
    assert [rates.wait_s("a", Use.WORK, budget) for _ in range(2)] == [0, 2.0]


def test_the_table_is_bounded_and_forgets_who_was_not_seen_longest() -> None:
    """Ten thousand strangers take no more room than the table has; a visitor who keeps coming stays known."""
    rates, budget = Rates(5, clock=lambda: 0.0), Budget(burst=1, per_s=0.001)
    rates.wait_s("regular", Use.WORK, budget)
    for number in range(10_000):
        rates.wait_s(f"stranger {number}", Use.PAGE, budget)
        assert rates.wait_s("regular", Use.WORK, budget) > 0
    assert len(rates) == 5


def _gated(budgets: Mapping[Use, Budget], session: Mapping[str, object] | None = None, n_open: int = 800) -> TestClient:
    def home(_: Request) -> Response:
        return PlainTextResponse("here")

    app = Starlette(routes=[Route("/{path:path}", home, methods=["GET", "POST"])])
    limits = dataclasses.replace(WEB_LIMITS, address=WEB_LIMITS.address, person=budgets, n_open_visitor=n_open)
    gate = RateGate(app, limits=limits, is_behind_proxy=True, person_of=person_of_session, clock=lambda: 0.0)

    async def with_session(scope: Scope, receive: object, send: object) -> None:
        await gate({**scope, "session": session or {}}, receive, send)  # type: ignore[arg-type]

    return TestClient(with_session)  # type: ignore[arg-type]


def test_a_person_with_many_addresses_is_one_person() -> None:
    """429 with a sentence and the time to wait, whatever address comes next; a page is still open to them."""
    session = {"oauth_info": {"userinfo": {"sub": "account"}}}
    client = _gated({Use.WORK: Budget(burst=2, per_s=0.1)}, session)
    answers = [client.post("/gradio_api/queue/join", headers={"X-Forwarded-For": f"8.8.8.{at}"}) for at in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1].headers["retry-after"] == "10"
    assert answers[-1].json()["detail"].endswith("Try again in 10 seconds.")
    assert client.get("/").status_code == 200


def test_nobody_signed_in_has_no_budget_of_a_person() -> None:
    """Strangers are not counted together."""
    client = _gated({Use.WORK: Budget(burst=1, per_s=0.1)})
    for at in range(5):
        assert client.post("/x", headers={"X-Forwarded-For": f"8.8.8.{at}"}).status_code == 200


def test_too_many_open_requests_of_one_address_are_refused() -> None:
    """None may be open beyond the limit."""
    assert _gated({}, n_open=0).get("/").status_code == 429


def test_a_conference_room_behind_one_address_can_read() -> None:
    """Two hundred first visits at once, and half an hour of queue pages, pass; a flood does not."""
    now = [0.0]
    rates = Rates(10, clock=lambda: now[0])
    page, asset = WEB_LIMITS.address[Use.PAGE], WEB_LIMITS.address[Use.ASSET]
    assert not any(rates.wait_s("room", Use.PAGE, page) for _ in range(200 * 4))
    assert not any(rates.wait_s("room", Use.ASSET, asset) for _ in range(200 * 60))
    for _ in range(600):
        now[0] += 3.0
        assert not any(rates.wait_s("room", Use.PAGE, page) for _ in range(90))
    assert any(rates.wait_s("room", Use.PAGE, page) for _ in range(5_000))
