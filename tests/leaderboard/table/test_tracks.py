"""Several tracks on one site: protocols are chosen within their track, and a track is changed as a part of the page."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.context import Context, make_context
from leaderboard.pages.board_table import BODY
from leaderboard.reading.board import PAGE, board_page
from leaderboard.reading.figures import figures_page
from leaderboard.reading.listen import listen_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.system import system_page
from leaderboard.site import mount
from submissions.store.folder import FolderStore, PublishedFolder
from tests.leaderboard import cast
from tests.leaderboard.gates.serving import served
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM
from tests.leaderboard.waiting import until

NAMES = "[...document.querySelectorAll('#board-rows > tr')].map(row => row.dataset.submission).join()"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site with two protocols of one track, and one of another track with a system of its own."""
    home: Path = tmp_path_factory.mktemp("tracks")
    corpus = cast.make_corpus(home)
    first = cast.make_protocol(corpus)
    second = dataclasses.replace(first, name="lite-next")
    other = dataclasses.replace(first, name="fixed", track="one-voice")
    files = PublishedFolder(home / "published")
    for protocol, parts in ((first, cast.SIX[:3]), (second, cast.SIX[:1]), (other, cast.SIX[3:5])):
        for part in parts:
            cast.play(files, corpus, protocol, part)
    return make_context(
        home=home, files=files, store=FolderStore(home), corpus=corpus, protocols=(first, second, other)
    )


def test_protocols_are_chosen_within_their_track(site: Context) -> None:
    """Tracks are one choice, the protocols of the track that is shown another; the address keeps what was chosen."""
    first, second, other = (protocol.id for protocol in site.protocols)
    page = board_page(site, {"sort": "-pace"})
    track, protocol = page.split('aria-label="Track"')[1].split('aria-label="Protocol"')
    assert f"protocol={other}" in track and "sort=-pace" in track and "one-voice" in track
    choice = protocol.split("</div>")[0]
    assert f"protocol={second}" in choice and other not in choice and f"protocol={first}" in choice
    there = PAGE.parts[BODY](site, {"protocol": other, "sort": "-pace"})
    assert there.startswith(f'<div id="{BODY}"') and 'data-submission="s00000000004"' in there
    assert 'data-submission="s00000000001"' not in there
    assert 'aria-label="Protocol"' not in there.split("board-form")[0], "one protocol is no choice"


@pytest.mark.parametrize("make", [matrix_page, listen_page, system_page, figures_page])
def test_other_pages_name_the_track_of_each_protocol(site: Context, make: Any) -> None:
    """A reader of any page sees which protocols belong together, and which one is shown."""
    other = site.protocols[2]
    page = make(site, {"protocol": other.id, "id": "s00000000004"})
    head = page.split('aria-label="Protocol, by track"')[1].split("</div>")[0]
    own, there = head.split('aria-label="Track one-voice"')
    assert f'aria-label="Track {site.protocols[0].track}"' in own and own.count("protocol=") == 2
    assert there.count("protocol=") == 1 and 'aria-current="true"' in there and 'aria-current="true"' not in own


def test_another_protocol_of_a_system_is_its_own_row_there(site: Context) -> None:
    """A system's page stays with the system where it has a row, and names it to no board that lacks it."""
    first, second, other = (protocol.id for protocol in site.protocols)
    page = system_page(site, {"protocol": first, "id": "s00000000001"})
    assert f'href="/system?protocol={second}&amp;id=s00000000001"' in page
    assert f'href="/system?protocol={other}"' in page


@pytest.fixture(scope="module")
def page(site: Context) -> Iterator[Any]:
    """Return its board in a browser on a phone."""
    from playwright import sync_api

    with served(mount(site)) as address, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        found = browser.new_page(viewport={"width": 390, "height": 900})
        found.goto(f"{address}/?sort=-pace")
        yield found
        browser.close()


@pytest.mark.browser
def test_a_track_is_changed_in_place(page: Any) -> None:
    """The page is not loaded anew; rows, address, title line and order follow, and Back returns."""
    page.evaluate("window.isTheSame = true")
    before = page.evaluate(NAMES)
    page.locator("[data-key='Track-one-voice']").click()
    until(page, f"{NAMES} !== '{before}'")
    assert sorted(page.evaluate(NAMES).split(",")) == ["s00000000004", "s00000000005"]
    assert "protocol=" in page.url and "sort=-pace" in page.url and page.evaluate("window.isTheSame") is True
    assert page.locator("[data-key='Track-one-voice']").get_attribute("aria-current") == "true"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.go_back()
    until(page, f"{NAMES} === '{before}'")
    page.locator("[data-key='Protocol-lite-next']").click()
    until(page, f"{NAMES} === 's00000000001'")
