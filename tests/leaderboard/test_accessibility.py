"""What a reader who cannot see well, use a mouse, or bear motion meets: every page, narrow and wide, light and dark."""

import shutil
import socket
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.context import Context
from leaderboard.reading.pages import PAGES
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WIDE_PX, PHONE_PX = 1440, 390
READ: dict[str, tuple[str, ...]] = {
    "/": ("/?row=s00000000001&facts=1", "/?trait=emotion&facts=1", "/?q=nobody-has-this-name"),
    "/matrix": ("/matrix?a=s00000000001&b=s00000000006",),
    "/why": ("/why?system=s00000000001&number=gender", "/why?system=s00000000001&item=it-004"),
    "/listen": ("/listen?systems=s00000000001,s00000000003&item=it-004",),
    "/system": ("/system?id=s00000000001", "/system?id=s0000000none"),
}
"""States to look at, by page; a page without an entry is looked at as it is."""
FORMS = ("/submit", "/queue", "/status", "/operator", "/duel?a=s00000000001&b=s00000000006")
BLIND = "/vote"
NOWHERE = "/no-such-page"
GRAVE = frozenset({"serious", "critical"})
NARROW = {"runOnly": ["color-contrast", "scrollable-region-focusable"], "resultTypes": ["violations"]}
"""What width and theme can change."""
DARK = "document.documentElement.classList.replace('light', 'dark') || document.documentElement.classList.add('dark')"
FOCUS = """(() => {
  const now = document.activeElement;
  const look = getComputedStyle(now);
  return {text: now.textContent.trim().slice(0, 40), outline: look.outlineStyle, width: parseFloat(look.outlineWidth)};
})()"""


@pytest.fixture(scope="module")
def address(nine: Context) -> Iterator[str]:
    """Serve a board of nine dimensions on a free port of this machine."""
    import uvicorn

    from leaderboard.site import mount

    with warnings.catch_warnings(), socket.create_server(("127.0.0.1", 0)) as door:
        warnings.simplefilter("ignore")
        server = uvicorn.Server(uvicorn.Config(mount(nine), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start one browser."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


def _findings(page: Any, options: dict[str, Any] | None = None) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=options or {"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


def _states() -> list[str]:
    return [state for page in PAGES for state in READ.get(page.path, (page.path,))] + [*FORMS, BLIND, NOWHERE]


def test_no_page_has_a_grave_finding_or_scrolls_sideways(address: str, browser: Any) -> None:
    """Axe finds nothing serious or critical on any page, wide or narrow, light or dark; none is wider than a phone."""
    page = browser.new_page(viewport={"width": WIDE_PX, "height": 900}, color_scheme="light", reduced_motion="reduce")
    wrong: list[str] = []
    for state in _states():
        _open(page, address + state)
        if state != NOWHERE:
            assert until(page, "document.querySelector('#page-stamp') !== null"), state
        wrong += [f"{state}, wide, light: {one}" for one in _findings(page)]
        page.set_viewport_size({"width": PHONE_PX, "height": 844})
        width = page.evaluate("document.documentElement.scrollWidth")
        wrong += [f"{state} is {width} px wide"] if width > PHONE_PX else []
        if state in FORMS:
            page.emulate_media(color_scheme="dark")
            _open(page, address + state)
        else:
            page.evaluate(DARK)
        wrong += [f"{state}, narrow, dark: {one}" for one in _findings(page, NARROW)]
        page.set_viewport_size({"width": WIDE_PX, "height": 900})
        page.emulate_media(color_scheme="light")
    page.close()
    assert not wrong, "\n".join(wrong)


def _open(page: Any, state: str) -> None:
    page.goto(state)
    until(page, "document.querySelector('h1') !== null && document.querySelector('.cb-foot') !== null")


def test_a_keyboard_reaches_the_content_and_every_page(address: str, browser: Any) -> None:
    """Tab meets the skip link first and then each page of the masthead, all visibly; the skip link leads to main."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address + "/method")
    met = []
    for _ in range(10):
        page.keyboard.press("Tab")
        met.append(page.evaluate(FOCUS))
    names = [one["text"] for one in met]
    assert names[0] == "Skip to the content"
    assert [name for name in ("Board", "Matrix", "Listen", "Submit", "Queue", "Method") if name not in names] == []
    assert [one for one in met if one["outline"] == "none" or one["width"] < 1] == []
    page.goto(address + "/method")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert until(page, "document.activeElement.id === 'page-method'")
    page.close()


def test_nothing_moves_for_who_asked_for_calm(address: str, browser: Any) -> None:
    """With reduced motion no element of the board has a transition or an animation that lasts."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.goto(address + "/")
    moving = page.evaluate(
        """Array.from(document.querySelectorAll('.cb *')).filter((one) => {
          const look = getComputedStyle(one);
          const spans = `${look.transitionDuration},${look.animationDuration}`.split(',').map(parseFloat);
          return spans.some((span) => span > 0.15);
        }).map((one) => one.className).slice(0, 5)"""
    )
    assert moving == []
    page.close()


@pytest.mark.parametrize("width_px", (WIDE_PX, PHONE_PX))
def test_the_tour_is_walked_by_keyboard_and_blocks_nothing(address: str, browser: Any, width_px: int) -> None:
    """It is offered once, stepped by arrows, left by Escape, gives the focus back, and is not offered again."""
    page = browser.new_page(viewport={"width": width_px, "height": 844}, reduced_motion="reduce")
    page.goto(address + "/")
    page.click("#cb-offer button")
    until(page, "document.querySelector('.cb-tour h2') !== null")
    titles = []
    for _ in range(8):
        titles.append(page.inner_text(".cb-tour h2"))
        assert page.evaluate("document.activeElement.classList.contains('cb-tour')")
        assert page.evaluate("document.querySelector('.cb-tour-here') !== null"), titles[-1]
        assert page.evaluate("document.documentElement.scrollWidth") <= width_px
        page.keyboard.press("ArrowRight")
    assert len(set(titles)) == 8
    assert _findings(page) == []
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(".cb-tour h2") == titles[-2]
    page.keyboard.press("Escape")
    assert page.query_selector(".cb-tour") is None
    page.goto(address + "/")
    page.wait_for_load_state("networkidle")
    assert page.query_selector("#cb-offer") is None
    page.click("a[data-tour]")  # who wants it again finds it at the foot
    until(page, "document.querySelector('.cb-tour h2') !== null")
    page.close()


def test_the_citation_follows_what_is_shown(address: str, browser: Any) -> None:
    """The button opens it, and the address in it is the browser's own, filters and all."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address + "/?sort=-gate")
    page.click("[data-cite]")
    until(page, "document.querySelector('#cite').open")
    entry = until(page, "document.querySelector('#cite-bibtex').textContent")
    assert f"url = {{{address}/?sort=-gate}}" in entry
    page.close()
