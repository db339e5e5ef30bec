"""A page in another site's frame, in a real browser."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from leaderboard.context import Context
from leaderboard.site import mount
from tests.leaderboard.gates.serving import served
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

HIDDEN = "(at) => getComputedStyle(document.querySelector(at)).display === 'none'"


class _Foreign(BaseHTTPRequestHandler):
    """A page of another site that frames what its address names."""

    def do_GET(self) -> None:
        body = f'<!doctype html><iframe src="{self.path[1:]}" width="100%" height="600"></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_page_stands_in_another_site_s_frame(six: Context) -> None:
    """With embed=1 the board is shown without navigation and leads to the whole; without it, nothing is framed."""
    from playwright import sync_api

    foreign = ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
    threading.Thread(target=foreign.serve_forever, daemon=True).start()
    with served(mount(six)) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.goto(f"http://localhost:{foreign.server_port}/{address}/?embed=1&q=larkspur")
        frame = page.frame_locator("iframe")
        frame.locator("#board-table").wait_for()
        inner = page.frames[1]
        assert frame.locator("#board-table tbody tr:visible").count() == 2
        assert all(inner.evaluate(HIDDEN, at) for at in (".cb-head", ".cb-foot", "#board-controls"))
        assert frame.locator(".cb-embed-foot a").get_attribute("href") == "/?q=larkspur"
        with page.context.expect_page() as opened:
            frame.locator("#board-rows .cb-system a").first.click()
        assert "/system?id=" in opened.value.url
        page.goto(f"http://localhost:{foreign.server_port}/{address}/?q=larkspur")
        page.wait_for_load_state("networkidle")
        assert page.frames[1].url.startswith("chrome-error:")
        browser.close()
    foreign.shutdown()
    foreign.server_close()


def test_the_board_s_files_follow_its_filters(six: Context) -> None:
    """What a reader types is in the addresses of the files; the frame to copy holds it too."""
    from playwright import sync_api

    with served(mount(six)) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(address)
        page.locator("#board-search").fill("larkspur")
        page.locator("[data-sort='pitch']").click()
        until(page, "document.querySelector('.cb-export a').href.includes('sort=-pitch')")
        href = page.locator(".cb-export a").first.get_attribute("href")
        assert href is not None and "q=larkspur" in href and "sort=-pitch" in href and "format=csv" in href
        page.locator(".cb-title [data-copy-embed]").click()
        until(page, "document.querySelector('[data-copy-embed]').textContent === 'Copied'")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("<iframe ") and "q=larkspur&amp;" in copied and "embed=1" in copied
        browser.close()
