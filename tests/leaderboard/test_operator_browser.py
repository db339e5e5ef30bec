"""An operator at work in a real browser: a button fills the form, the form acts, and the page shows what was done."""

import dataclasses
from pathlib import Path

import pytest

from leaderboard.operator_door import OperatorDoor
from leaderboard.secret import Secret
from submissions import queue
from submissions.operator_events import Flagged
from submissions.records import SubmissionId
from submissions.store.folder import FolderStore
from tests.leaderboard.cast import SIX, make_site
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM, _served
from tests.submissions.test_hiding import finish
from tests.submissions.work_examples import later, put

pytestmark = [pytest.mark.browser]

KEY = "correct-horse-battery"
ONE, OTHER = (SubmissionId(part.id) for part in SIX[:2])


def test_an_operator_hides_one_of_a_flagged_pair(tmp_path: Path) -> None:
    """With the wrong key there is nothing; with the right one the pair, the filled form, the act, and the log."""
    from playwright import sync_api

    made = make_site(tmp_path / "home", SIX[:2])
    for name in (ONE, OTHER):
        put(FolderStore(made.home), name, corpus=made.corpus.pin.name)
        finish(FolderStore(made.home), name, made.protocols[0].id)
    flag = Flagged(kind="duplicate_audio", other=OTHER, message="12 of 12 clips are the same.")
    queue.append(made.store, ONE, later(50), lambda _: flag)
    site = dataclasses.replace(made, operator=OperatorDoor(Secret(KEY)))
    errors: list[str] = []
    with _served(site) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address + "/operator")
        page.fill("#operator-key input", "a wrong key altogether")
        page.click("#operator-show")
        page.wait_for_selector("#operator-view .cb-warn")
        assert not page.is_visible("#operator-form") and ONE not in page.content()
        page.fill("#operator-key input", KEY)
        page.click("#operator-show")
        page.click(f"#operator-flags [data-operate=hide][data-target={ONE}]")
        assert page.input_value("#operator-target input, #operator-target textarea") == ONE
        assert page.is_checked("#operator-act input[value=hide]") and not page.is_checked("#operator-sure input")
        page.fill("#operator-reason textarea, #operator-reason input", "The same audio as another system.")
        page.check("#operator-sure input")
        page.click("#operator-do")
        page.wait_for_selector("#operator-answer .cb-good")
        page.wait_for_selector("#operator-hidden")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(address + "/log")
        page.wait_for_selector("#log-table")
        assert "The same audio as another system." in page.inner_text("#log-table")
        page.goto(address + "/status")
        page.wait_for_selector("#status-verdict")
        browser.close()
    hidden = queue.load(site.store, ONE).hidden
    assert hidden is not None and hidden.reason == "The same audio as another system." and not errors
