"""The whole way in a real browser: a zip goes in through the page, a row comes out, is heard, compared and downloaded.

Real server, real worker, real instruments, real speech; only the corpus is small.
"""

import dataclasses
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from evaluation.protocol import encode, load_shipped
from submissions.verify import verify
from tests.leaderboard.waiting import until
from tests.submissions.small_evaluation import SCRIPTS, rewritten, write_corpus, write_zip

pytestmark = [pytest.mark.browser, pytest.mark.models]

N_ITEMS = 6
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ROOT = Path(__file__).resolve().parent.parent.parent
WAIT_MS = 180_000
CARDS = {
    "first": {
        "system": "First voice",
        "version": "1",
        "organisation": "Org A",
        "contact": "a@example.org",
        "licence": "MIT",
    },
    "second": {
        "system": "Second voice",
        "version": "2",
        "organisation": "Org B",
        "contact": "b@example.org",
        "licence": "MIT",
    },
}


def _speak(voice: str, text: str) -> bytes:
    spoken = subprocess.run(
        ["espeak-ng", "-v", voice, "-s", "140", "--stdin", "--stdout"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    return rewritten(spoken.stdout)


def _zip(folder: Path, name: str, voice: str) -> Path:
    clips = {f"it-{number:02d}": _speak(voice, SCRIPTS[number]) for number in range(N_ITEMS)}
    return write_zip(folder / f"{name}.zip", clips, system=CARDS[name])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the small corpus, its lite protocol and two zips."""
    folder = tmp_path_factory.mktemp("site")
    pin = write_corpus(folder / "corpus.jsonl", N_ITEMS)
    (folder / "small.json").write_bytes(encode(dataclasses.replace(load_shipped("lite"), corpus=pin)))
    _zip(folder, "first", "en-us+f2")
    _zip(folder, "second", "en-us")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Start the server as a person would, with an empty home, and return its address."""
    port = _free_port()
    settings = {
        "CASTBOARD_HOME": str(folder / "home"),
        "CASTBOARD_PORT": str(port),
        "CASTBOARD_DEMO": "0",
        "CASTBOARD_PROTOCOL": str(folder / "small.json"),
        "CASTBOARD_CORPUS": str(folder / "corpus.jsonl"),
    }
    server = subprocess.Popen(
        [sys.executable, "app.py"], cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    for line in server.stdout:
        if line.startswith("Ready"):
            break
    yield f"http://127.0.0.1:{port}"
    server.send_signal(signal.SIGINT)
    server.wait(60)
    server.stdout.close()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator:
    """Open a page in headless Chromium that fails the test if it asks any other host for anything."""
    from playwright import sync_api

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    arguments += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    arguments += ["--autoplay-policy=no-user-gesture-required"]
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(WAIT_MS)
        foreign: list[str] = []
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((address, "data:", "blob:")) else foreign.append(request.url)
            ),
        )
        yield page
        browser.close()
    assert foreign == []


def _submit(page, address: str, zip_path: Path) -> str:
    page.goto(f"{address}/submit")
    page.locator("#submit-zip input[type=file]").set_input_files(zip_path)
    page.locator("#submit-zip").get_by_text(zip_path.name[:5]).first.wait_for()
    page.locator("#submit-send").click()
    page.locator("[data-result=receipt]").wait_for()
    return page.locator("#receipt-id").inner_text()


def _until_published(page, address: str, submission: str) -> None:
    page.goto(f"{address}/queue?id={submission}")
    page.locator(f"#queue-{submission}[data-state=published]").wait_for()


def test_a_maker_and_a_reader_go_all_the_way(page, address: str, folder: Path) -> None:
    """Two zips through the page become two rows; they are heard, compared, downloaded, and verified."""
    submissions = [_submit(page, address, folder / f"{name}.zip") for name in CARDS]
    for submission in submissions:
        _until_published(page, address, submission)

    page.goto(address)
    page.locator("#board-table tbody tr").nth(1).wait_for()
    text = page.locator("#board-table").inner_text()
    assert "First voice" in text
    assert "Second voice" in text
    assert "a@example.org" not in page.content()

    page.goto(f"{address}/listen?item=it-01&systems={','.join(submissions)}")
    page.locator("audio").nth(1).wait_for(state="attached")
    assert SCRIPTS[1] in page.locator("#page-listen").inner_text()
    page.locator("audio").first.evaluate("audio => audio.play()")
    until(page, "document.querySelector('audio').currentTime > 0.2")

    page.goto(f"{address}/matrix?a={submissions[0]}&b={submissions[1]}")
    sentence = page.locator("#decision-sentence")
    sentence.wait_for()
    assert "margin" in sentence.inner_text()

    page.goto(f"{address}/system?id={submissions[0]}")
    with page.expect_download() as download:
        page.locator("a[href$='.parquet']").first.click()
    table = pq.read_table(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert table.num_rows == N_ITEMS
    assert {"transcript", "wer", "composite", "desirability_pace"} <= set(table.column_names)

    report = verify(folder / "home" / "published")
    assert report.is_identical, report.differences[:3]
    assert report.counts.n_rows == len(CARDS)


def test_a_broken_zip_is_told_everything_and_costs_nothing(page, address: str, folder: Path) -> None:
    """A zip that lacks two items and has one unreadable clip gets all of it in one report, and no receipt."""
    clips = {f"it-{number:02d}": _speak("en-us", SCRIPTS[number]) for number in range(N_ITEMS - 2)}
    clips["it-00"] = b"this is no audio"
    broken = write_zip(folder / "broken.zip", clips, system=CARDS["first"])
    page.goto(f"{address}/submit")
    page.locator("#submit-zip input[type=file]").set_input_files(broken)
    page.locator("#submit-zip").get_by_text("broken").first.wait_for()
    page.locator("#submit-send").click()
    answer = page.locator("[data-result=bad]")
    answer.wait_for()
    told = answer.inner_text()
    assert "it-00" in told
    assert "it-04" in told
    assert "it-05" in told
    page.goto(f"{address}/queue")
    page.locator("tr[data-state=published]").nth(1).wait_for()
    assert page.locator("tr[data-state]").count() == len(CARDS)
    assert json.dumps(CARDS["first"]["contact"]) not in page.content()
