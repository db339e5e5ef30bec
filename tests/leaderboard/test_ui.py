"""The site as it is served: its own documents, and Gradio's pages with forms."""

import json
import re

import pytest
from fastapi.testclient import TestClient

from leaderboard import words
from leaderboard.context import Context
from leaderboard.reading.pages import PAGES
from leaderboard.site import mount
from tests.leaderboard.cast import HOSTILE


@pytest.fixture(scope="module")
def client(hostile: Context) -> TestClient:
    """The whole site with a hostile card on its board."""
    return TestClient(mount(hostile))


@pytest.mark.parametrize("path", [*words.NAVIGATION, "/duel", "/status", *(page.path for page in PAGES)])
def test_every_page_has_an_address_of_its_own(client: TestClient, path: str) -> None:
    """Each one is served, without a font or script of another host and without a path of this machine."""
    answer = client.get(path)
    assert answer.status_code == 200 or (path in NEED_A_NAME and answer.status_code == 404)
    for host in ("fonts.googleapis", "fonts.gstatic", "cdnjs", "cdn.jsdelivr", "unpkg.com"):
        assert host not in answer.text


NEED_A_NAME = ("/system", "/why")
"""Pages that are of something, and say so if nothing is named."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_page_that_is_read_meets_no_framework(client: TestClient, page) -> None:  # type: ignore[no-untyped-def]
    """It is one document with our own scripts by address, none written into it, and its policy allows no other."""
    answer = client.get(page.path)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", answer.text, re.DOTALL)
    assert scripts and not any(scripts)
    assert "gradio" not in answer.text.lower()
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    for address in re.findall(r'(?:src|href)="(/look/[^"]+)"', answer.text):
        assert client.get(address).status_code == 200
        assert "immutable" in client.get(address).headers["cache-control"]


def test_the_sites_configuration_leaks_neither_paths_nor_cards(client: TestClient, hostile: Context) -> None:
    """What a browser gets before any page is asked for holds no folder of ours."""
    config = client.get("/config").text
    assert str(hostile.home) not in config and HOSTILE.organisation not in config
    assert json.loads(config)["analytics_enabled"] is False


def test_a_page_is_made_from_its_address(client: TestClient) -> None:
    """The query says what is shown."""
    told = client.get("/", params={"q": "larkspur"}).text
    assert "1 of 2 systems" in told and "onerror=alert(1)>" not in told


def test_a_page_that_a_browser_has_is_not_sent_again(client: TestClient) -> None:
    """Its tag is answered with 304; another address has another tag."""
    first = client.get("/")
    again = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    assert client.get("/method").headers["etag"] != first.headers["etag"]


def test_a_part_that_no_page_has_is_not_there(client: TestClient) -> None:
    """A sentence, and no page in the place of a part."""
    answer = client.get("/", params={"part": "nothing-of-the-kind"})
    assert answer.status_code == 404 and "no such part" in answer.text


def test_scripts_of_another_version_are_not_served(client: TestClient) -> None:
    """A page never meets a script that is not its own."""
    answer = client.get("/look/0000000000000000/site.js")
    assert answer.status_code == 404 and "load it again" in answer.text
