"""A maker in a real browser: signs in, chooses for whom, submits, sees what is left, takes it back, signs out."""

import shutil
from pathlib import Path

import pytest

from submissions import queue
from submissions.records import submission_id
from submissions.state import State
from tests.audio_factory import clip_bytes
from tests.hub.double import HubDouble
from tests.leaderboard.signed_site import served, signed_context
from tests.submissions.small_evaluation import write_zip

pytestmark = [pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CARD = {"system": "Heron", "version": "1", "organisation": "evil-corp", "contact": "a@b.example", "licence": "MIT"}


def test_a_maker_goes_all_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is owned by the chosen organisation, whatever the zip says; a try is spent, and given back."""
    from playwright import sync_api

    monkeypatch.setenv("GRADIO_TEMP_DIR", "")
    site = signed_context(tmp_path / "home")
    clips = {item.id: clip_bytes(at) for at, item in enumerate(site.corpus.items)}
    zip_path = write_zip(tmp_path / "mine.zip", clips, system=CARD)
    with (
        HubDouble(tmp_path / "hub") as hub,
        served(site, hub, tmp_path / "uploads") as address,
        sync_api.sync_playwright() as play,
    ):
        hub.add_user("polly", "hf_polly", organisations=("aviary",))
        hub.sign_in_as("polly")
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(f"{address}/submit")
        page.locator("#submit-who[data-person='']").wait_for()
        page.locator("#sign-in").click()
        page.locator("#submit-who[data-person=polly]").wait_for()
        assert "polly: 2 of 2" in page.locator("#submit-left").inner_text()
        page.locator("#card-organisation input").click()
        page.get_by_role("option", name="aviary").click()
        page.get_by_text("aviary: 2 of 2").wait_for()
        page.locator("#submit-zip input[type=file]").set_input_files(zip_path)
        page.locator("#submit-zip").get_by_text("mine").first.wait_for()
        page.locator("#submit-send").click()
        page.locator("[data-result=receipt]").wait_for()
        submission = submission_id(page.locator("#receipt-id").inner_text())
        page.get_by_text("aviary: 1 of 2").wait_for()
        state = queue.load(site.store, submission)
        assert (state.received.card.organisation, state.received.organisation) == ("aviary", "aviary")

        page.goto(f"{address}/queue?id={submission}")
        page.locator("#maker-reason textarea, #maker-reason input").first.fill("Wrong voice.")
        page.locator("#maker-sure input").check()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#maker-withdraw").click()
        page.get_by_text("is taken back").wait_for()
        assert queue.load(site.store, submission).state is State.WITHDRAWN

        page.goto(f"{address}/submit")
        page.get_by_text("polly: 2 of 2").wait_for()
        page.locator("#sign-in").click()
        page.locator("#submit-who[data-person='']").wait_for()
        browser.close()
