"""What answers say of themselves, and that the pages live with it in a real browser."""

import re
import shutil
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.context import Context
from leaderboard.gates.headers import HeaderGate, source_of
from leaderboard.site import mount
from tests.leaderboard.gates.serving import served
from tests.leaderboard.waiting import until
from tests.submissions.small_evaluation import tones, write_zip

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PATHS = (
    "/",
    "/?trait=emotion",
    "/listen?item=it-004&systems=s00000000001,s00000000004",
    "/matrix?a=s00000000001&b=s00000000004",
    "/system?id=s00000000001",
    "/method",
    "/data",
    "/log",
    "/queue",
    "/submit",
    "/status",
)
LISTEN = (
    "addEventListener('securitypolicyviolation', (e) => console.error('POLICY ' + e.violatedDirective + e.blockedURI));"
)


def _client(*, is_behind_proxy: bool = False, base: str = "http://here") -> TestClient:
    def page(_: Request) -> Response:
        return HTMLResponse("<script>one()</script><script src='x.js'></script><SCRIPT a=b>two()</script >")

    def plain(_: Request) -> Response:
        return PlainTextResponse("x", headers={"Content-Security-Policy": "default-src 'self'"})

    paths = ["/", "/matrix", "/submit"]
    app = Starlette(routes=[*(Route(path, page) for path in paths), Route("/plain", plain)])
    return TestClient(HeaderGate(app, is_behind_proxy=is_behind_proxy), base_url=base)


def test_a_page_names_the_scripts_that_may_run() -> None:
    """Those written into it, by their hashes; no script that gets in later, and no handler in an attribute."""
    policy = _client().get("/").headers["content-security-policy"]
    scripts = re.search(r"script-src ([^;]*)", policy)
    assert scripts is not None
    for script in ("one()", "two()"):
        assert source_of(script) in scripts[1]
    assert scripts[1].count("sha256-") == 2 and "unsafe-inline" not in scripts[1]


def test_a_route_s_own_policy_stands() -> None:
    """Media and mirror are stricter already."""
    answer = _client().get("/plain")
    assert answer.headers["content-security-policy"] == "default-src 'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "frames"),
    [
        ("/", "'self' https://huggingface.co https://*.huggingface.co"),
        ("/?embed=1", "*"),
        ("/matrix?a=1&embed=1", "*"),
        ("/?embed=0", "'self' https://huggingface.co https://*.huggingface.co"),
        ("/?embed=1&embed=0", "'self' https://huggingface.co https://*.huggingface.co"),
        ("/submit?embed=1", "'self' https://huggingface.co https://*.huggingface.co"),
    ],
)
def test_who_may_frame_a_page(path: str, frames: str) -> None:
    """The hub's page of a Space always; anybody a page that only shows, when its address says so."""
    assert _client().get(path).headers["content-security-policy"].endswith(f"frame-ancestors {frames}")


def test_https_is_kept_only_where_it_was_used() -> None:
    """A header that a stranger writes makes no difference without a proxy of ours."""
    told = {"X-Forwarded-Proto": "http, https"}
    assert "strict-transport-security" not in _client().get("/", headers=told).headers
    assert "strict-transport-security" in _client(is_behind_proxy=True).get("/", headers=told).headers
    assert "strict-transport-security" in _client(base="https://here").get("/").headers


@pytest.mark.browser
def test_every_page_lives_with_its_policy(nine: Context, tmp_path: Path) -> None:
    """On a desk and on a phone: no violation, no error; clips play, the form sends."""
    from playwright import sync_api

    said: list[str] = []
    zip_path = write_zip(tmp_path / "mine.zip", tones(nine.corpus))
    with served(mount(nine)) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for width in (1440, 390):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.add_init_script(LISTEN)
            page.on("console", lambda told: said.append(told.text) if told.type == "error" else None)
            page.on("pageerror", lambda error: said.append(str(error)))
            for path in PATHS:
                page.goto(address + path)
                page.wait_for_selector(".cb-main")
            page.goto(address + PATHS[2])
            page.locator("audio").first.evaluate("(one) => { one.muted = one.loop = true; return one.play(); }")
            until(page, "document.querySelector('audio').currentTime > 0")
            page.close()
        page = browser.new_page()
        page.add_init_script(LISTEN)
        page.on("console", lambda told: said.append(told.text) if told.type == "error" else None)
        page.goto(f"{address}/submit")
        page.locator("#submit-zip input[type=file]").set_input_files(zip_path)
        page.locator("#submit-zip").get_by_text("mine").first.wait_for()
        page.locator("#submit-check").click()
        page.locator("#submit-answer[data-result]").wait_for()
        assert said == []
        page.evaluate("document.querySelector('main').innerHTML = '<img src=\"data:x\" onerror=\"window.ran = 1\">'")
        page.wait_for_function("document.querySelector('main img').complete")
        assert page.evaluate("window.ran") is None
        browser.close()
    assert any("POLICY script-src-attr" in one for one in said)


def test_gradio_s_answers_are_for_no_other_page(lone: Context) -> None:
    """No page of another origin may read what a reader is shown; the read API is open to all."""
    with served(mount(lone)) as address:
        foreign = {"Origin": "https://evil.example"}
        for host in ("board.example", "127.0.0.1"):
            told = httpx.get(f"{address}/config", headers=foreign | {"Host": host})
            assert not [name for name in told.headers if name.startswith("access-control")]
        assert httpx.options(f"{address}/config", headers=foreign).status_code == 405


def test_nobody_but_a_proxy_of_ours_names_the_site(lone: Context) -> None:
    """Gradio writes the name that is told it into a page; a visitor's word for it is not taken."""
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"}
    with served(mount(lone)) as address:
        for path in ("/config", "/"):
            assert "evil.example" not in httpx.get(address + path, headers=told).text


def test_what_sets_a_cookie_is_kept_by_nobody() -> None:
    """No cache on the way hands one person's session to another; whatever says nothing of itself is asked for again."""

    def signed(_: Request) -> Response:
        answer = PlainTextResponse("x", headers={"Cache-Control": "public, max-age=60"})
        answer.set_cookie("castboard", "one")
        return answer

    app = Starlette(routes=[Route("/signed", signed), Route("/other", lambda _: PlainTextResponse("x"))])
    client = TestClient(HeaderGate(app, is_behind_proxy=False))
    assert client.get("/signed").headers["cache-control"] == "no-store"
    assert client.get("/other").headers["cache-control"] == "no-cache"
