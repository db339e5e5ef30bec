"""The published layout as anybody can take it away."""

import hashlib
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import media
from leaderboard.context import Context
from submissions import layout
from submissions.verify import verify
from tests.leaderboard.cast import SIX, make_site, play

ONE = SIX[0].id
CLIPS = f"/published/{layout.clips_path(ONE)}"


def _client(context: Context) -> TestClient:
    site = FastAPI()
    site.include_router(media.router(context))
    return TestClient(site)


@pytest.fixture
def client(six: Context) -> TestClient:
    """The routes of the site with six systems."""
    return _client(six)


def test_a_copy_made_from_the_index_verifies(client: TestClient, tmp_path: Path) -> None:
    """Size and sha256 of every file are as listed, and the copy holds all that the check needs."""
    index = client.get("/published/index.json").json()
    assert index["schema_version"] == 1 and set(index["files"][0]) == {"path", "bytes", "sha256"}
    for entry in index["files"]:
        data = client.get(f"/published/{entry['path']}").content
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
        target = tmp_path / entry["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    report = verify(tmp_path)
    assert report.is_identical and report.counts.n_rows == len(SIX) and not report.notes
    assert report.counts.n_files == len(index["files"])


def test_an_empty_site_lists_nothing(empty: Context) -> None:
    """No row, no file."""
    assert _client(empty).get("/published/index.json").json() == {"schema_version": 1, "files": []}


def test_clips_come_in_parts_and_are_not_sent_twice(client: TestClient, six: Context) -> None:
    """Ranges, validators and HEAD, as a browser or a reader of parquet asks for them."""
    whole = six.files.read(layout.clips_path(ONE))
    answer = client.get(CLIPS)
    assert answer.content == whole and answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    tag = answer.headers["etag"]
    part = client.get(CLIPS, headers={"Range": "bytes=-8", "If-Range": tag})
    assert part.status_code == 206 and part.content == whole[-8:] and part.headers["content-length"] == "8"
    assert part.headers["content-range"] == f"bytes {len(whole) - 8}-{len(whole) - 1}/{len(whole)}"
    assert client.get(CLIPS, headers={"Range": "bytes=0-3", "If-Range": '"old"'}).content == whole
    beyond = client.get(CLIPS, headers={"Range": f"bytes={len(whole)}-"})
    assert beyond.status_code == 416 and beyond.headers["content-range"] == f"bytes */{len(whole)}"
    assert client.get(CLIPS, headers={"If-None-Match": tag}).status_code == 304
    head = client.head(CLIPS)
    assert head.content == b"" and head.headers["content-length"] == str(len(whole)) and head.headers["etag"] == tag


def test_what_has_no_row_is_not_given_away(tmp_path: Path) -> None:
    """Clips that lie there before their result does, other files, and ways out of the folder are not found."""
    site = make_site(tmp_path / "site", SIX[:1])
    site.files.write(layout.clips_path("s-not-yet"), b"x")
    site.files.write("notes.txt", b"x")
    (site.home / "secret.json").write_text("{}")
    client = _client(site)
    for path in (
        "clips/s-not-yet.parquet",
        "notes.txt",
        "..%2fsecret.json",
        "clips/..%2f..%2fsecret.json",
        "clips/",
        "",
    ):
        answer = client.get(f"/published/{path}")
        assert answer.status_code == 404 and str(site.home) not in answer.text
    listed = {entry["path"] for entry in client.get("/published/index.json").json()["files"]}
    assert "clips/s-not-yet.parquet" not in listed and "notes.txt" not in listed


def test_the_index_follows_the_board(tmp_path: Path) -> None:
    """A new row is listed at once, one that was withdrawn no more."""
    site = make_site(tmp_path, SIX[:1])
    client = _client(site)
    assert client.get(f"/published/{layout.clips_path(SIX[1].id)}").status_code == 404
    play(site.files, site.corpus, site.protocols[0], SIX[1])
    assert client.get(f"/published/{layout.clips_path(SIX[1].id)}").status_code == 200
    site.files.remove(layout.clips_path(SIX[1].id))
    assert client.get(f"/published/{layout.clips_path(SIX[1].id)}").status_code == 404


def test_a_result_that_cannot_be_read_leaves_its_files_without_a_hash(tmp_path: Path) -> None:
    """The index still lists them, so that a copy shows what is damaged."""
    site = make_site(tmp_path, SIX[:1])
    protocol_id = site.protocols[0].id
    site.files.write(layout.result_path(protocol_id, ONE), b"{")
    listed = {entry["path"]: entry["sha256"] for entry in _client(site).get("/published/index.json").json()["files"]}
    assert listed[layout.clips_path(ONE)] is None
    assert listed[layout.result_path(protocol_id, ONE)] == hashlib.sha256(b"{").hexdigest()
