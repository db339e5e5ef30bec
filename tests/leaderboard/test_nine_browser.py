"""Pages of nine dimensions in a real browser: they fit a phone, and nothing that a stranger wrote runs."""

import json
import shutil
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from leaderboard.context import Context
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PATHS = (
    "/",
    "/?trait=emotion",
    "/?trait=tone",
    "/listen?item=it-004&systems={first},s00000000001",
    "/system?id={first}",
)
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
PLAY = """(at) => {
  const one = document.querySelector(at);
  one.muted = one.loop = true;
  return one.play();
}"""
PHONE_PX = 390
WIDTH = "document.documentElement.scrollWidth"


@contextmanager
def _served(site: Context) -> Iterator[str]:
    """Serve a site on a free port of this machine."""
    import uvicorn

    from leaderboard.site import mount

    with warnings.catch_warnings(), socket.create_server(("127.0.0.1", 0)) as door:
        warnings.simplefilter("ignore")
        server = uvicorn.Server(uvicorn.Config(mount(site), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


@pytest.mark.parametrize("name", ["nine", "hostile_nine"])
def test_pages_fit_and_stay_quiet(name: str, request: pytest.FixtureRequest) -> None:
    """No page is wider than a phone, with everything unfolded; no dialog, no error, no other host."""
    from playwright import sync_api

    site: Context = request.getfixturevalue(name)
    first = site.published.board("").rows[-1].submission
    said: list[str] = []
    with _served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": PHONE_PX, "height": 900})
        page.on("dialog", lambda dialog: (said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: said.append(f"error {error}"))
        page.on("request", lambda asked: None if asked.url.startswith(address) else said.append(asked.url))
        for path in PATHS:
            page.goto(address + path.format(first=first))
            page.wait_for_selector(".cb-main")
            page.evaluate(OPEN_ALL)
            assert page.evaluate(WIDTH) <= PHONE_PX, path
        browser.close()
    assert [one for one in said if not one.startswith(("data:", "blob:"))] == []


def test_the_anchor_s_clip_plays_beside_the_system_s(nine: Context) -> None:
    """Both players get sound, and starting one stops the other."""
    from playwright import sync_api

    with _served(nine) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page()
        page.goto(address + "/listen?item=it-004&systems=s00000000001")
        page.wait_for_selector("#anchor audio", state="attached")
        for place in ("#anchor audio", "#listen-voices audio"):
            page.evaluate(
                PLAY,
                place,
            )
            until(page, f"document.querySelector({json.dumps(place)}).currentTime > 0")
        assert page.evaluate("document.querySelector('#anchor audio').paused")
        browser.close()
