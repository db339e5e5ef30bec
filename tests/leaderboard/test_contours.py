"""Contours over HTTP: of published clips alone, by their hash or blind, and never more than is kept."""

from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.codec import sha256_of
from leaderboard import media
from leaderboard.context import Context
from leaderboard.contours import Contours, blind_contour_url, contour_url
from submissions import layout
from submissions.contour_work import make
from tests.leaderboard import cast
from tests.submissions.test_contours import FlatReader

ONE, OTHER = cast.SIX[0].id, cast.SIX[1].id
ITEM = "it-004"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site of two systems of which one has contours."""
    context = cast.make_site(tmp_path_factory.mktemp("contours"), cast.SIX[:2])
    for _ in make(context.store, context.files, ONE, FlatReader()):
        pass
    return context


@pytest.fixture
def client(site: Context) -> TestClient:
    """The media routes of that site."""
    app = FastAPI()
    app.include_router(media.router(site))
    return TestClient(app)


def sha256(site: Context, submission: str) -> str:
    """Return the hash of a clip."""
    return site.clips.read(submission, ITEM).sha256


def test_a_contour_is_sent_with_its_clip_s_hash(client: TestClient, site: Context) -> None:
    """What is drawn has one length; it is kept for a while, tagged, and packed for whoever can unpack it."""
    answer = client.get(contour_url(ONE, ITEM, sha256(site, ONE)))
    told = answer.json()
    assert told["clip_sha256"] == sha256(site, ONE)
    assert told["schema_version"] == 1
    assert {len(told[name]) for name in ("low", "high", "level_dbfs", "f0_hz")} == {told["n_bins"]}
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == media.FOR_A_WHILE
    again = client.get(contour_url(ONE, ITEM, sha256(site, ONE)), headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    plain = client.get(contour_url(ONE, ITEM, sha256(site, ONE)), headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.json() == told


def test_a_blind_contour_names_no_clip(client: TestClient, site: Context) -> None:
    """Under a token the same bins are sent without the hash, by which the clip could be found."""
    answer = client.get(blind_contour_url(ITEM, site.clips.blind_token(ITEM, ONE)))
    assert answer.status_code == 200 and answer.headers["cache-control"] == media.SECRET
    assert "clip_sha256" not in answer.json()
    assert client.get(blind_contour_url(ITEM, "0" * 32)).status_code == 404


def test_what_is_not_there_is_404(client: TestClient, site: Context) -> None:
    """No such system, no such item, another hash, too short a hash."""
    good = sha256(site, ONE)
    for address in (
        contour_url("s0000000none", ITEM, good),
        contour_url("..", ITEM, good),
        contour_url(ONE, "it-999", good),
        contour_url(ONE, ITEM, "0" * 64),
        contour_url(ONE, ITEM, good[:4]),
        contour_url(OTHER, "it-999", good),
    ):
        assert client.get(address).status_code == 404, address


def test_a_clip_that_is_not_drawn_yet_is_no_error(client: TestClient, site: Context) -> None:
    """By its hash or blind: an empty answer that is asked for anew each time."""
    for address in (
        contour_url(OTHER, ITEM, sha256(site, OTHER)),
        blind_contour_url(ITEM, site.clips.blind_token(ITEM, OTHER)),
    ):
        answer = client.get(address)
        assert (answer.status_code, answer.content, answer.headers["cache-control"]) == (204, b"", media.FOR_NOW)


def test_a_copy_of_the_site_has_them(client: TestClient, site: Context) -> None:
    """The index lists the table that there is, with its hash, and it can be fetched."""
    path = layout.contours_path(ONE)
    listed = {entry["path"]: entry for entry in client.get("/published/index.json").json()["files"]}
    assert [name for name in listed if name.startswith("contours/")] == [path]
    data = client.get(f"/published/{path}").content
    assert data == site.files.read(path) and sha256_of(data) == listed[path]["sha256"]


def test_a_damaged_table_is_none(tmp_path: Path) -> None:
    """A page draws nothing of it, and fails not; once it is mended it is drawn."""
    context = cast.make_site(tmp_path, cast.SIX[:1])
    context.files.write(layout.contours_path(ONE), b"nothing")
    assert context.contours.read(ONE, ITEM) is None
    for _ in make(context.store, context.files, ONE, FlatReader()):
        pass
    assert context.contours.read(ONE, ITEM) is not None


def test_what_is_kept_is_bounded(site: Context) -> None:
    """A small memory holds some of them and still answers for all."""
    small = Contours(site.files, memory_bytes=400)
    for item in site.corpus.items:
        assert small.read(ONE, item.id) is not None
        assert small.n_bytes <= 400
