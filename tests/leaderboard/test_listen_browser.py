"""The listen page in a real browser: one player, the same second, the stored levels, keys, drawings, both widths."""

import shutil
import socket
import threading
import warnings
from collections.abc import Iterator

import pytest

from leaderboard.context import Context
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--autoplay-policy=no-user-gesture-required",
]
NAMES = ("s00000000001", "s00000000006", "s00000000003")
ITEM = f"/listen?item=it-004&systems={','.join(NAMES)}"
BAR = "document.querySelector('#listen-player')"
PLAYER = f"{BAR}.player"
INK = """(at) => {
  const canvas = document.querySelectorAll('canvas.cb-wave')[at];
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((one) => one > 0);
}"""
JUMP = """([id, back]) => {
  const player = document.querySelector('#listen-player').player;
  player.choose(back);
  const before = player.now();
  player.choose(id);
  return [before, player.now(), player.startedAt];
}"""


@pytest.fixture(scope="module")
def address(nine: Context) -> Iterator[str]:
    """Serve the site on a free port of this machine."""
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
def browser() -> Iterator[object]:
    """One browser for all tests."""
    from playwright import sync_api

    with sync_api.sync_playwright() as play:
        one = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield one
        one.close()


@pytest.fixture(params=[1440, 390])
def page(browser, request: pytest.FixtureRequest) -> Iterator[object]:
    """A fresh page at each width; an error of a script fails the test."""
    errors: list[str] = []
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert errors == []


def _playing(page, voice: str) -> None:
    page.locator(f"#listen-player[data-state=playing][data-current='{voice}']").wait_for()


def test_voices_change_at_the_same_second_and_the_stored_level(page, address: str, nine: Context) -> None:
    """Nothing is fetched before play; then each voice is let through alone, at the gain that stored levels give."""
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(address + ITEM)
    page.locator("#player-toggle").wait_for()
    assert not [one for one in asked if ".flac" in one]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.keyboard.press("l")
    page.keyboard.press("2")
    _playing(page, "2")
    assert len({one for one in asked if ".flac" in one}) == len(NAMES) + 1
    before, after, _ = page.evaluate(JUMP, ["1", "2"])
    assert abs(after - before) < 0.05
    page.keyboard.press("3")
    _playing(page, "3")
    samples = nine.published.samples(nine.published.board(""), NAMES)
    levels = {str(at): samples[name]["it-004"].level_dbfs for at, name in enumerate(NAMES, 1)}
    tracks = {one["id"]: one for one in page.evaluate(f"{PLAYER}.state.tracks")}
    target = {round(levels[one] + tracks[one]["gainDb"], 1) for one in levels}
    assert len(target) == 1 and all(abs(tracks[one]["storedDbfs"] - levels[one]) < 0.01 for one in levels)
    until(page, f"Math.abs({PLAYER}.gainValue('3') - {10 ** (tracks['3']['gainDb'] / 20)}) < 0.001")
    assert page.evaluate(f"['1', '2', '0'].every((id) => {PLAYER}.gainValue(id) < 0.001)")
    page.keyboard.press("m")
    until(page, f"Math.abs({PLAYER}.gainValue('3') - 1) < 0.001")
    assert "Original levels" in page.locator("#player-note").inner_text()
    page.keyboard.press(" ")
    page.locator("#listen-player[data-state=paused]").wait_for()


def test_each_voice_is_drawn_and_said_in_words(page, address: str) -> None:
    """The canvas has ink after the sound is there, and a sentence tells the same."""
    page.goto(address + ITEM)
    page.locator("[data-play='1']").first.click()
    for at in range(len(NAMES)):
        card = page.locator(".cb-voice").nth(at)
        card.scroll_into_view_if_needed()
        card.locator("canvas[data-drawn]").wait_for()
        assert page.evaluate(INK, at)
        assert "Waveform of" in card.locator("canvas").get_attribute("aria-label")


def test_keys_walk_blind_and_back(page, address: str) -> None:
    """Keys n and p step through the walk while it plays, b hides the names and every open address, ? shows the keys."""
    page.goto(f"{address}/listen?systems={NAMES[0]},{NAMES[1]}&walk=widest")
    steps = page.locator(".cb-steps")
    steps.wait_for()
    assert "1 of" in steps.inner_text() and page.locator("#listen-why").is_visible()
    page.keyboard.press("l")
    page.keyboard.press("1")
    _playing(page, "1")
    first = page.locator("#listen-body").get_attribute("data-item")
    page.keyboard.press("n")
    page.locator(f"#listen-body:not([data-item='{first}'])").wait_for()
    _playing(page, "1")
    assert "2 of" in steps.inner_text()
    page.keyboard.press("p")
    page.locator(f"#listen-body[data-item='{first}']").wait_for()
    page.keyboard.press("b")
    page.locator("#listen-body[data-hidden]").wait_for()
    _playing(page, "1")
    assert "/media/clip/" not in page.locator("#listen-body").inner_html()
    assert page.locator("#player-voice").text_content() == "Voice A"
    assert "dB on" not in page.locator("#player-note").inner_text()
    page.keyboard.press("?")
    page.locator("#listen-keys[open]").wait_for()


def test_a_clip_that_is_gone_says_so_and_is_tried_again(page, address: str) -> None:
    """The sentence and a button; a second try plays."""
    page.route("**/*.flac", lambda route: route.fulfill(status=404, body="gone"))
    page.goto(address + ITEM)
    page.locator("#player-toggle").click()
    page.locator("#player-retry").wait_for()
    assert "not there" in page.locator("#player-error").inner_text()
    page.unroute("**/*.flac")
    page.locator("#player-retry").click()
    page.locator("#listen-player[data-state=playing]").wait_for()
    assert page.locator("#player-error").inner_text() == ""


def test_without_a_script_native_players_serve(browser, address: str) -> None:
    """No bar, no buttons that do nothing; a player for each voice, and the form is a plain form."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + ITEM)
    assert page.locator(".cb-voice audio").count() == len(NAMES)
    assert page.locator(".cb-voice audio").first.is_visible()
    assert not page.locator("#listen-player").is_visible() and not page.locator("[data-play]").first.is_visible()
    context.close()


def test_a_stored_contour_is_drawn_with_its_pitch_before_anything_plays(page, address: str) -> None:
    """Level and pitch come from what is stored, and no clip is fetched for it."""
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    told = {
        "schema_version": 1,
        "duration_s": 0.08,
        "bin_s": 0.02,
        "n_bins": 4,
        "low": [-9, -20, -31, -4],
        "high": [11, 22, 30, 5],
        "level_dbfs": [-31.5, -24.0, None, -40.0],
        "f0_hz": [None, 180.0, 190.0, None],
    }
    page.route("**/media/contour/**", lambda route: route.fulfill(json=told))
    page.goto(address + ITEM)
    card = page.locator(".cb-voice").first
    card.scroll_into_view_if_needed()
    card.locator("canvas[data-drawn=stored]").wait_for()
    until(page, f"({INK})(0)")
    assert "pitch around 190 Hz, from 180 to 190" in card.locator("canvas").get_attribute("aria-label")
    assert not [one for one in asked if ".flac" in one]


def test_a_waiting_walk_comes_by_itself(page, address: str) -> None:
    """It is asked for again until it is there, then no more; the address and the history stay as they are."""
    asked: list[str] = []

    def late(route) -> None:
        answer = route.fetch()
        asked.append(route.request.url)
        body = answer.text()
        if len(asked) == 1:
            body = body.replace('<div id="listen-body"', '<div id="listen-body" data-waiting="1"')
        route.fulfill(response=answer, body=body)

    page.route("**/listen?*", late)
    page.goto(f"{address}/listen?systems={NAMES[0]},{NAMES[1]}&walk=widest")
    before = page.evaluate("[history.length, location.href].join()")
    page.locator("#listen-body[data-waiting]").wait_for()
    page.locator("#listen-body:not([data-waiting])").wait_for()
    assert len(asked) == 2 and "part=listen-body" in asked[1]
    assert page.evaluate("[history.length, location.href].join()") == before


def test_back_sets_the_form_and_a_voice_is_added_behind_its_summary(page, address: str) -> None:
    """After Back the selects say what is shown; commas stay commas; the search is folded until it is wanted."""
    page.goto(address + ITEM)
    assert not page.locator("#listen-find-text").is_visible()
    assert page.evaluate("document.querySelector('#listen-item').getBoundingClientRect().top") < 700
    page.locator("#listen-next").click()
    page.locator("#listen-body[data-item='it-005']").wait_for()
    page.locator("#listen-form select[name=walk]").select_option("vetoed")
    page.locator("#listen-walk").wait_for()
    assert page.url.count(",") == 2 and "%2C" not in page.url
    page.go_back()
    page.locator("#listen-body[data-item='it-004']").wait_for()
    assert page.locator("#listen-form select[name=walk]").input_value() == ""
    page.locator("#listen-add summary").click()
    page.locator("#listen-find-text").fill("gantry")
    page.locator("#listen-found a[aria-label^='Add Gantry']").click()
    page.locator(".cb-voice").nth(len(NAMES)).wait_for()
    until(page, "document.activeElement.id === 'listen-find-text'")
