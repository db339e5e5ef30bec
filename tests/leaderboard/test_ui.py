"""The site as Gradio serves it."""

import json

import gradio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import media, ui, words
from leaderboard.context import Context
from tests.leaderboard.cast import HOSTILE


@pytest.fixture(scope="module")
def client(hostile: Context) -> TestClient:
    """The whole site with a hostile card on its board."""
    site = FastAPI()
    site.include_router(media.router(hostile))
    mounted = gradio.mount_gradio_app(site, ui.build(hostile), path="/", ssr_mode=False, footer_links=[], **ui.look())
    return TestClient(mounted)


@pytest.mark.parametrize("path", [*words.NAVIGATION, "/system"])
def test_every_page_has_an_address_of_its_own(client: TestClient, path: str) -> None:
    """Each one is served, without a font or script of another host and without a path of this machine."""
    answer = client.get(path)
    assert answer.status_code == 200
    for host in ("fonts.googleapis", "fonts.gstatic", "cdnjs", "cdn.jsdelivr", "unpkg.com"):
        assert host not in answer.text


def test_the_sites_configuration_leaks_neither_paths_nor_cards(client: TestClient, hostile: Context) -> None:
    """What a browser gets before any page is asked for holds no folder of ours."""
    config = client.get("/config").text
    assert str(hostile.home) not in config and HOSTILE.organisation not in config
    assert json.loads(config)["analytics_enabled"] is False


def test_a_page_is_made_from_its_address(client: TestClient) -> None:
    """Gradio hands the query of the page to the function that builds it."""
    config = client.get("/config").json()
    loads = [one for one in config["dependencies"] if any(target[1] == "load" for target in one["targets"])]
    body = {"data": [], "fn_index": loads[0]["id"], "session_hash": "s"}
    answer = client.post("/gradio_api/run/predict?q=larkspur", json=body)
    assert answer.status_code == 200
    markup = json.dumps(answer.json()["data"][0])
    assert "1 of 2 shown" in markup and "<script" not in markup and "onerror=alert(1)>" not in markup
