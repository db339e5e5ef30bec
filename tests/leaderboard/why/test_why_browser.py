"""From the matrix to a clip that plays, in a real browser: slice, arrows, pair, drawing, number, item; on a phone too.

Pages and parts come from our own routes alone, so no framework is started.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi import FastAPI

from leaderboard import look, media, why_downloads
from leaderboard.context import Context
from leaderboard.pages import matrix_grid, matrix_map, matrix_state
from leaderboard.reading.pages import PAGES
from leaderboard.reading.router import router
from tests.leaderboard.gates.serving import served
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FOCUS = "document.activeElement.getAttribute('href') || ''"
A, B = "s00000000003", "s00000000006"


@contextmanager
def opened(site: Context, *, width: int = 1280, **options: Any) -> Iterator[tuple[Any, str, list[str]]]:
    """Give a page, the site's address, and what went wrong in the page so far."""
    from playwright import sync_api

    app = FastAPI()
    for routes in (look.router(), router(site, PAGES), media.router(site), why_downloads.router(site)):
        app.include_router(routes)
    said: list[str] = []
    with served(app) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        page.on("pageerror", lambda error: said.append(f"error {error}"))
        page.on("console", lambda told: said.append(told.text) if _is_ours(told) else None)
        yield page, address, said
        browser.close()


def _is_ours(told: Any) -> bool:
    """Say whether a line of the console is an error of a page; icon and badge come from routes that are not here."""
    return told.type == "error" and not told.location["url"].split("?")[0].endswith(("/favicon.ico", ".svg"))


def test_from_the_matrix_down_to_a_clip_that_plays(nine_site: Context) -> None:
    """Each step without leaving the page until a number is followed; Back brings the whole view back."""
    with opened(nine_site) as (page, address, said):
        page.goto(f"{address}/matrix")
        page.locator("#matrix-slices a", has_text="Tone").click()
        until(page, "document.querySelector('#matrix-derived') && location.search.includes('trait=tone')")
        page.locator("#matrix-slices a", has_text="Score S").click()
        until(page, "!document.querySelector('#matrix-derived')")

        page.locator(".cb-matrix a.cb-cell").first.focus()
        first = page.evaluate(FOCUS)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(FOCUS) not in ("", first)
        assert "LCB" in page.evaluate("document.activeElement.dataset.tip")
        assert page.evaluate("document.querySelectorAll(\".cb-matrix a.cb-cell[tabindex='0']\").length") == 1
        asked = page.evaluate(FOCUS)
        page.keyboard.press("Enter")
        until(page, "document.querySelector('#pair-histogram rect')")
        assert page.url.endswith(asked) and page.evaluate("document.activeElement.id") == "pair-title"
        assert page.locator("#pair-same").get_attribute("data-same") == "identical"
        assert page.locator(".cb-matrix [aria-current='true']").count() == 1

        page.go_back()
        until(page, "document.querySelector('p#pair')")
        page.go_forward()
        until(page, "document.querySelector('#pair-histogram rect')")

        page.locator("#pair-sum a.cb-why").first.click()
        page.locator("#why-value").wait_for()
        assert page.locator("#why-same").get_attribute("data-same") == "identical"
        page.locator("#why-items nav a", has_text="vetoed").click()
        until(page, "location.search.includes('show=vetoed')")
        page.locator("#why-items nav a", has_text="all").click()
        until(page, "!location.search.includes('show=')")
        page.locator("#why-table thead a", has_text="Counts").click()
        until(page, "location.search.includes('sort=-value')")
        page.locator("#why-table tbody a").first.click()
        page.locator("#why-composite").wait_for()
        assert "identical" in page.locator("#why-same").inner_text()
        page.evaluate(
            "(() => { const one = document.querySelector('audio'); one.muted = one.loop = true; one.play(); })()"
        )
        until(page, "document.querySelector('audio').currentTime > 0.05")
        assert not said, said


def test_the_same_without_any_script(nine_site: Context) -> None:
    """Every step is a plain link."""
    with opened(nine_site, java_script_enabled=False) as (page, address, said):
        page.goto(f"{address}/matrix")
        page.locator("#matrix-slices a", has_text="Accent").click()
        page.locator("#matrix-derived").wait_for()
        page.locator(".cb-matrix a.cb-cell").nth(3).click()
        page.locator("section#pair #pair-histogram").wait_for()
        page.locator("#pair-items tbody td a").first.click()
        page.locator("#why-share").wait_for()
        assert page.locator("audio").count() == 1 and not said


def test_it_fits_a_phone(nine_site: Context) -> None:
    """No page is wider than the screen, with all details open."""
    paths = (
        f"/matrix?a={A}&b={B}",
        f"/why?system={B}",
        f"/why?system={B}&number=pace",
        f"/why?system={A}&item=it-008",
        f"/why?system={A}&number=band",
        f"/system?id={A}",
    )
    with opened(nine_site, width=390) as (page, address, said):
        for path in paths:
            page.goto(address + path)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert not said, said


def test_a_large_matrix_moves_by_its_map_and_by_arrows(nine_site: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """A click on the map shows that part; an arrow at the edge takes the window along."""
    for module in (matrix_state, matrix_grid, matrix_map):
        monkeypatch.setattr(module, "N_SHOWN", 3)
    with opened(nine_site) as (page, address, said):
        page.goto(f"{address}/matrix")
        links = page.evaluate("[...document.querySelectorAll('#matrix-map a')].map(one => one.getAttribute('href'))")
        assert any(link.endswith("from=3&cols=3") for link in links), links
        place = page.locator("#matrix-map").bounding_box()
        page.mouse.click(place["x"] + place["width"] * 0.9, place["y"] + place["height"] * 0.1)
        until(
            page,
            "location.search.includes('cols=3') && document.querySelector('#matrix-here').getAttribute('x') === '3'",
        )
        page.locator(".cb-matrix a.cb-cell").last.focus()
        page.keyboard.press("ArrowDown")
        until(page, "document.querySelector('#matrix-here').getAttribute('y') === '3'")
        until(page, "document.activeElement.matches('.cb-matrix a.cb-cell')")
        assert not said, said
