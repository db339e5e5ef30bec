"""Clips and downloads over HTTP."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation import protocol as recipe
from leaderboard import media
from leaderboard.context import Context
from submissions import layout

ONE = "s00000000001"
ITEM = "it-004"


@pytest.fixture
def client(six: Context) -> TestClient:
    """The media routes of the site with six systems."""
    return _client(six)


def _client(context: Context) -> TestClient:
    site = FastAPI()
    site.include_router(media.router(context))
    return TestClient(site)


def _flac(context: Context, item: str = ITEM) -> bytes:
    return layout.read_clip(context.files, ONE, layout.ItemId(item))


def _address(context: Context, item: str = ITEM) -> str:
    sample = context.published.samples(context.published.board(""), [ONE])[ONE][item]
    assert sample.clip_sha256 is not None
    return f"/media/clip/{ONE}/{item}/{sample.clip_sha256[:16]}.flac"


def test_a_clip_is_sent_whole_and_kept_for_a_while(client: TestClient, six: Context) -> None:
    """The published bytes, with a tag; no cache keeps it for long without asking, since it may be hidden."""
    answer = client.get(_address(six))
    assert answer.status_code == 200 and answer.content == _flac(six)
    assert answer.headers["content-type"] == "audio/flac"
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["cache-control"] == "public, max-age=300, must-revalidate" and answer.headers["etag"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("asked", "part"), [("bytes=0-9", slice(0, 10)), ("bytes=-7", slice(-7, None)), ("bytes=20-", slice(20, None))]
)
def test_a_player_gets_the_part_that_it_asks_for(client: TestClient, six: Context, asked: str, part: slice) -> None:
    """206 with the right bytes and their place."""
    answer = client.get(_address(six), headers={"Range": asked})
    flac = _flac(six)
    assert answer.status_code == 206 and answer.content == flac[part]
    first = part.indices(len(flac))[0]
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(answer.content) - 1}/{len(flac)}"
    assert answer.headers["content-length"] == str(len(answer.content))


def test_a_part_beyond_the_end_is_refused(client: TestClient, six: Context) -> None:
    """416 says how long the clip is."""
    answer = client.get(_address(six), headers={"Range": "bytes=99999999-"})
    assert answer.status_code == 416 and answer.headers["content-range"] == f"bytes */{len(_flac(six))}"


def test_a_known_clip_is_not_sent_again(client: TestClient, six: Context) -> None:
    """304 for the tag that was given out; If-Range with another tag sends the whole."""
    tag = client.get(_address(six)).headers["etag"]
    again = client.get(_address(six), headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == tag
    assert client.get(_address(six), headers={"Range": "bytes=0-9", "If-Range": tag}).status_code == 206
    assert client.get(_address(six), headers={"Range": "bytes=0-9", "If-Range": '"old"'}).status_code == 200


def test_head_says_the_length_and_sends_nothing(client: TestClient, six: Context) -> None:
    """A look at the headers costs no audio."""
    answer = client.head(_address(six))
    assert answer.status_code == 200 and answer.content == b""
    assert answer.headers["content-length"] == str(len(_flac(six)))


@pytest.mark.parametrize(
    "address",
    [
        "/media/clip/s00000000001/it-004/0000000000000000.flac",
        "/media/clip/s00000000001/it-004/0.flac",
        "/media/clip/s00000000001/it-999/0000000000000000.flac",
        "/media/clip/nobody/it-004/0000000000000000.flac",
        "/media/clip/..%2f..%2fetc/it-004/0000000000000000.flac",
        "/media/blind/it-004/0000000000000000000000000000.flac",
        "/media/blind/it-004/é.flac",
        "/download/samples/nobody/s00000000001.csv",
        "/download/samples/..%2f..%2fx/s00000000001.csv",
        "/download/system/..%2fx.json",
        "/download/system/nobody.json",
        "/download/protocol/nobody.json",
        "/download/board/nobody.csv",
    ],
)
def test_what_is_not_published_is_not_found_and_no_path_is_told(client: TestClient, six: Context, address: str) -> None:
    """404 in plain words, without a word of where things lie."""
    answer = client.get(address)
    assert answer.status_code == 404
    assert str(six.home) not in answer.text and "/" not in answer.json()["detail"]


def test_a_blind_address_names_no_system_and_plays_the_same_clip(client: TestClient, six: Context) -> None:
    """Address and headers hold neither id, name nor the clip's hash."""
    token = six.clips.blind_token(ITEM, ONE)
    answer = client.get(f"/media/blind/{ITEM}/{token}.flac")
    assert answer.status_code == 200 and answer.content == _flac(six)
    told = token + str(dict(answer.headers))
    sha = six.clips.read(ONE, ITEM).sha256
    assert ONE not in told and sha[:8] not in told and "public" not in answer.headers["cache-control"]


def test_the_per_item_table_comes_as_csv_json_and_parquet(client: TestClient, six: Context) -> None:
    """Three forms of one table, every item in each."""
    board = six.published.board("")
    base = f"/download/samples/{board.protocol_id}/{ONE}"
    rows = list(csv.DictReader(io.StringIO(client.get(base + ".csv").text)))
    parsed = client.get(base + ".json").json()
    table = pq.read_table(io.BytesIO(client.get(base + ".parquet").content))
    assert len(rows) == len(parsed) == table.num_rows == 12
    assert (
        [float(row["composite"]) for row in rows]
        == [line["composite"] for line in parsed]
        == table["composite"].to_pylist()
    )
    mean = sum(float(row["composite"]) for row in rows) / len(rows)
    listed = board.row(ONE)
    assert listed is not None and abs(mean - listed.score) < 1e-6
    assert "attachment" in client.get(base + ".csv").headers["content-disposition"]
    assert client.get(base + ".zip").status_code == 404


def test_prompts_tell_nothing_but_id_instruction_and_script(client: TestClient) -> None:
    """Neither trait, tier nor split reaches a maker."""
    lines = [json.loads(line) for line in client.get("/download/prompts.jsonl").text.splitlines()]
    rows = list(csv.DictReader(io.StringIO(client.get("/download/prompts.csv").text)))
    assert lines == rows and len(lines) == 12
    assert all(set(line) == {"id", "instruction", "script"} for line in lines)


def test_the_protocol_file_hashes_to_its_name(client: TestClient, six: Context) -> None:
    """What is downloaded is the recipe of that id."""
    protocol_id = six.protocols[0].id
    answer = client.get(f"/download/protocol/{protocol_id}.json")
    assert recipe.decode(answer.content, "download").id == protocol_id


def test_small_files_are_asked_for_again(client: TestClient) -> None:
    """A file that may go is never kept unasked, and asking again costs no bytes."""
    answer = client.get(f"/download/system/{ONE}.json")
    assert answer.headers["cache-control"] == "no-cache" and answer.json()["card"]["system"] == "Larkspur"
    tag = answer.headers["etag"]
    assert client.get(f"/download/system/{ONE}.json", headers={"If-None-Match": tag}).status_code == 304


def test_the_csv_of_a_hostile_card_runs_nothing(hostile: Context) -> None:
    """Formulas in names are text, here and in the per-item table."""
    client = _client(hostile)
    protocol_id = hostile.protocols[0].id
    for address in (f"/download/board/{protocol_id}.csv", f"/download/samples/{protocol_id}/s0000000evil.csv"):
        for row in csv.reader(io.StringIO(client.get(address).text)):
            for cell in row:
                is_number = cell.lstrip("+-").replace(".", "").replace("e-", "").isdigit()
                assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    names = [
        row["system"] for row in csv.DictReader(io.StringIO(client.get(f"/download/board/{protocol_id}.csv").text))
    ]
    assert any(name.startswith("'=HYPERLINK(1)") for name in names)
