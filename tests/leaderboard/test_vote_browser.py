"""A blind test in a real browser: heard, answered, kept only with consent, once, and taken back."""

import shutil
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leaderboard import vote_words
from leaderboard.context import Context
from tests.leaderboard import cast

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--autoplay-policy=no-user-gesture-required"]
VOTE = "document.querySelector('#vote-player').player"


@contextmanager
def served(site: Context) -> Iterator[str]:
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


def n_votes(site: Context) -> int:
    """Return how many votes are kept."""
    return len(site.booth.votes(site.published.board("")))


def hear(page: Any, key: str) -> None:
    """Start a clip by its key and wait until it has ended."""
    page.keyboard.press(key)
    page.locator(f"#vote-player[data-state=playing][data-current='{key.upper()}']").wait_for()
    page.locator("#vote-player[data-state=paused]").wait_for()


def test_a_vote_from_the_first_sound_to_its_deletion(tmp_path: Path) -> None:
    """Keys play clips; consent off keeps nothing; on keeps one with its plays; the same form sent again is refused."""
    from playwright import sync_api

    site = cast.make_site(tmp_path, cast.SIX[:3])
    said: list[str] = []
    with served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if "policy" in line.text.lower() else None)
        page.goto(f"{address}/vote?kind=preference")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.check("input[name=answer][value='1']")
        page.click("#vote-send")
        page.wait_for_selector("#page-vote-taken")
        assert vote_words.NOT_AGREED in page.inner_text("main") and n_votes(site) == 0

        page.click("#vote-next")
        page.wait_for_selector("#vote-form")
        hear(page, "1")
        hear(page, "2")
        sent = _form_of(page)
        page.check("input[name=answer][value='2']")
        page.check("input[name=consent]")
        page.click("#vote-send")
        page.wait_for_selector("#page-vote-taken")
        assert vote_words.KEPT in page.inner_text("main")
        (vote,) = site.booth.votes(site.published.board(""))
        assert vote.n_plays == 2 and vote.listened_s is not None

        assert page.request.post(f"{address}/vote", form=sent).status == 422 and n_votes(site) == 1
        assert [one["name"] for one in page.context.cookies() if one["httpOnly"]] == ["castboard_listener"]
        page.goto(f"{address}/votes")
        assert "What people heard" in page.inner_text("h1")
        page.request.post(f"{address}/vote", form={"forget": "yes"})
        assert n_votes(site) == 0
        browser.close()
    assert said == []


def test_clips_of_a_trial_change_at_once_and_tell_nothing(tmp_path: Path) -> None:
    """X is heard from where 1 was; all files have one size and one length; no name is in an address or on the page."""
    from playwright import sync_api

    site = cast.make_site(tmp_path, cast.SIX[:3])
    names = {text for part in cast.SIX[:3] for text in (part.id, part.system)}
    asked: list[Any] = []
    with served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.on("response", lambda one: asked.append(one) if one.url.endswith(".flac") else None)
        page.goto(f"{address}/vote?kind=abx")
        page.locator("#vote-player:visible").wait_for()
        assert asked == [] and page.locator("audio").count() == 0
        page.keyboard.press("1")
        page.locator("#vote-player[data-state=playing]").wait_for()
        page.keyboard.press(" ")
        page.keyboard.press("ArrowLeft")
        page.evaluate(f"{VOTE}.seek(0.5)")
        page.keyboard.press("x")
        page.locator("#vote-player[data-state=playing][data-current=X]").wait_for()
        assert page.evaluate(f"{VOTE}.now() > 0.4 && {VOTE}.gainValue('1') < 0.001")
        assert len({one.headers["content-length"] for one in asked}) == 1 and len({one.url for one in asked}) == 3
        assert page.evaluate(f"new Set({VOTE}.tracks.map((one) => one.durationS)).size") == 1
        shown = page.locator("main").inner_html()
        assert not [name for name in names if name in shown or any(name in one.url for one in asked)]
        browser.close()


def test_a_browser_without_scripts_votes_too(tmp_path: Path) -> None:
    """Native players and one form are enough; the second use of the page is refused in a sentence."""
    from playwright import sync_api

    site = cast.make_site(tmp_path, cast.SIX[:3])
    with served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(f"{address}/vote?kind=abx")
        assert page.locator("audio[controls]").count() == 3
        page.locator("input[name=answer]").first.check()
        page.locator("input[name=consent]").check()
        fields = {
            one.get_attribute("name") or "": one.get_attribute("value") or ""
            for one in page.locator("#vote-form input[type=hidden]").all()
        }
        page.locator("#vote-send").click()
        assert vote_words.KEPT in page.inner_text("main") and n_votes(site) == 1
        again = page.request.post(f"{address}/vote", form={**fields, "answer": "1", "consent": "yes"})
        assert again.status == 422 and vote_words.USED in again.text()
        assert n_votes(site) == 1
        browser.close()


def test_no_serious_finding_of_accessibility(tmp_path: Path) -> None:
    """The trial, its answer and the evidence have no serious or critical finding, light and dark."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright import sync_api

    site = cast.make_site(tmp_path, cast.SIX[:3])
    serious: list[tuple[str, str]] = []
    with served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme)
            for path in ("/vote?kind=abx", "taken", "/votes"):
                if path == "taken":
                    page.check("input[name=answer][value='1']")
                    page.check("input[name=consent]")
                    page.click("#vote-send")
                    page.wait_for_selector("#page-vote-taken")
                else:
                    page.goto(address + path)
                found = Axe().run(page).response["violations"]
                serious += [(path, one["id"]) for one in found if one["impact"] in ("serious", "critical")]
        browser.close()
    assert serious == []


def _form_of(page: Any) -> dict[str, str]:
    ticket = page.get_attribute("input[name=ticket]", "value")
    return {"ticket": ticket, "answer": "1", "consent": "yes"}
