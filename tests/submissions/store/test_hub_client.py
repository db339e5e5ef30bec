"""The client that a process asks hubs through: waits that end, and no way out for what was told to stay offline."""

import httpx2
import pytest

from submissions.store import hub_client
from submissions.store.hub_client import Patience

SHORT = Patience(connect_s=1.0, answer_s=2.0, whole_s=3.0)


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {"retry-after": "17"}, 17.0),
        (503, {"retry-after": " 2 "}, 2.0),
        (429, {"ratelimit": '"api";r=0;t=55', "ratelimit-policy": '"fixed window";"api";q=500;w=300'}, 55.0),
        (429, {"ratelimit": '"api";r=3;t=55'}, None),
        (429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        (500, {"retry-after": "-1"}, None),
        (429, {}, None),
    ],
)
def test_how_a_hub_says_later(status: int, headers: dict[str, str], expected: float | None) -> None:
    """Seconds in either header are understood; what is no number of seconds is not."""
    assert hub_client._retry_after_s(httpx2.Response(status, headers=headers)) == expected


def test_offline_stays_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process that is offline, the hub's own address stays closed unless it was given by name."""
    from huggingface_hub import constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    hub_client.prepare("http://127.0.0.1:9/", SHORT)
    with hub_client._client() as client, pytest.raises(OfflineModeIsEnabled):
        client.get("https://huggingface.co/api/models")
    hub_client._refuse_offline(httpx2.Request("GET", "http://127.0.0.1:9/api/x"))
    monkeypatch.setitem(hub_client._patience, "https://huggingface.co", SHORT)
    hub_client._refuse_offline(httpx2.Request("GET", "https://huggingface.co/api/x"))


def test_every_request_has_its_times() -> None:
    """A request that would wait for ever is given times; one that would wait less keeps its own."""
    hub_client.prepare("http://127.0.0.1:9", SHORT)
    endless = httpx2.Request("GET", "http://127.0.0.1:9/x", extensions={"timeout": {"read": None}})
    short = httpx2.Request("GET", "http://127.0.0.1:9/x", extensions={"timeout": {"read": 0.5}})
    other = httpx2.Request("GET", "http://127.0.0.1:99/x")
    for request, connect_s, read_s in ((endless, 1.0, 2.0), (short, 1.0, 0.5), (other, 10.0, 30.0)):
        times = hub_client._timeouts(request, hub_client._patience_for(request))
        assert (times["connect"], times["read"]) == (connect_s, read_s)
        assert all(times.values())
