"""Pages go out packed, files as they are, and whoever cannot unpack gets them plain."""

import httpx
import pytest

from leaderboard.context import Context
from leaderboard.site import mount
from tests.leaderboard.gates.serving import served


def test_pages_are_packed_and_files_are_not(six: Context) -> None:
    """The same page comes out; it keeps its policy and its link to the feed; a file keeps its tag for its bytes."""
    with served(mount(six)) as address, httpx.Client(base_url=address) as client:
        for path in ("/", "/submit", "/config"):
            packed = client.get(path, headers={"accept-encoding": "gzip"})
            plain = client.get(path, headers={"accept-encoding": "identity"})
            assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
            assert int(packed.headers["content-length"]) < len(packed.content) / 2
            assert "accept-encoding" in packed.headers["vary"].lower() and packed.text[-50:] == plain.text[-50:]
            assert packed.headers["content-security-policy"] == plain.headers["content-security-policy"]
        for path in ("/api/v1/leaderboard", "/feed.xml", "/published/index.json"):
            answer = client.get(path, headers={"accept-encoding": "gzip"})
            assert answer.status_code == 200 and "content-encoding" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_streams_are_not_packed(six: Context, method: str) -> None:
    """An open page's heartbeat comes at once, piece by piece."""
    with served(mount(six)) as address:
        beat = f"{address}/gradio_api/heartbeat/abc"
        with httpx.stream(method, beat, headers={"accept-encoding": "gzip"}, timeout=5) as answer:
            assert "content-encoding" not in answer.headers
            if method == "GET":
                assert "ALIVE" in next(answer.iter_text())
