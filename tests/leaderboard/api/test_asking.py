"""How the read API is asked: pages, tags, what is refused, and a board that changes meanwhile."""

from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.api import paging
from leaderboard.api.app import build
from submissions import layout
from submissions.belongings import belongings, take_away
from tests.leaderboard import cast
from tests.leaderboard.cast import SIX, make_site

ONE = "s00000000001"
PREFIX = "/leaderboard"
LISTS = ("/decisions?", f"/per-sample?system={ONE}&sort=-wer&", "/systems?")
NAMES = ("q", "org", "sort", "cursor", "protocol", "limit", "open", "zz")


def _walk(client: TestClient, address: str, key: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    while address:
        answer = client.get(address)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        rows += told["rows"]
        assert told["rows"], "no page is empty"
        following = answer.links.get(key, {}).get("url")
        assert following == told[key]
        address = following
    return rows


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    limit=st.integers(1, 20),
    query=st.sampled_from(["/decisions?", f"/per-sample?system={ONE}&sort=-wer&", "/systems?"]),
)
def test_pages_one_after_the_other_are_the_whole(limit: int, query: str, api: TestClient) -> None:
    """Whatever the size of a page, following next gives every row once and in order."""
    whole = api.get(f"{query}limit=500").json()
    assert _walk(api, f"{query}limit={limit}", "next") == whole["rows"]
    assert whole["n_total"] == len(whole["rows"])


@given(n=st.integers(0, 40), limit=st.integers(1, 9))
def test_prev_leads_back_to_the_beginning(n: int, limit: int) -> None:
    """From the last page the pages before it, read backwards, are the whole too."""
    rows, at = list(range(n)), paging.place("q", "r", "")
    page = paging.page(rows, at, limit)
    while page.next_cursor:
        page = paging.page(rows, paging.place("q", "r", page.next_cursor), limit)
    found = list(page.rows)
    while page.prev_cursor:
        page = paging.page(rows, paging.place("q", "r", page.prev_cursor), limit)
        found = list(page.rows) + found
    assert found == rows


def test_a_cursor_is_of_one_query_and_one_board(tmp_path: Path) -> None:
    """After a row has come an old cursor is gone, with a sentence; of another query it is refused."""
    site = make_site(tmp_path, SIX[:4])
    client = TestClient(build(site))
    first = client.get(f"{PREFIX}?limit=2").json()
    assert len(client.get(first["next"]).json()["rows"]) == 2
    elsewhere = client.get(first["next"] + "&q=larkspur")
    assert elsewhere.status_code == 422 and "another query" in elsewhere.json()["problems"][0]["what"]
    cast.play(site.files, site.corpus, site.protocols[0], SIX[4])
    gone = client.get(first["next"])
    assert gone.status_code == 410 and "Begin again" in gone.json()["problems"][0]["what"]
    assert client.get(PREFIX).json()["n_total"] == 5


def test_a_tag_is_strong_and_follows_the_board(tmp_path: Path) -> None:
    """The same question has the same tag and costs nothing; another one, or another board, has another tag."""
    site = make_site(tmp_path, SIX[:2])
    client = TestClient(build(site))
    answer = client.get(PREFIX)
    tag = answer.headers["etag"]
    assert tag.startswith('"') and answer.headers["cache-control"] == "no-cache"
    again = client.get(PREFIX, headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == tag
    assert client.get(f"{PREFIX}?sort=system").headers["etag"] != tag
    assert client.get(PREFIX).content == answer.content
    head = client.head(PREFIX)
    assert head.headers["etag"] == tag and head.content == b""
    assert head.headers["content-length"] == str(len(answer.content))
    cast.play(site.files, site.corpus, site.protocols[0], SIX[2])
    later = client.get(PREFIX, headers={"If-None-Match": tag})
    assert later.status_code == 200 and later.headers["etag"] != tag


def test_a_withdrawn_row_is_gone_everywhere_at_once(tmp_path: Path) -> None:
    """Lists leave it out, its own addresses are 404, and no tag keeps it."""
    site = make_site(tmp_path, SIX[:3])
    client = TestClient(build(site))
    own = (f"/systems/{ONE}", f"/per-sample?system={ONE}", f"/clips/{ONE}/it-001", f"/decisions?a={ONE}")
    tags = {address: client.get(address).headers["etag"] for address in own}
    site.files.change("taken off", lambda draft: take_away(draft, belongings(draft, ONE)))
    for address, tag in tags.items():
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 404, address
    assert all(row["submission"] != ONE for row in client.get(PREFIX).json()["rows"])
    assert all(ONE not in row.values() for row in client.get("/decisions").json()["rows"])


def test_any_page_of_any_origin_may_read(api: TestClient) -> None:
    """Answers, refusals and the question before the question allow every origin; nothing but reading is allowed."""
    assert api.get(PREFIX).headers["access-control-allow-origin"] == "*"
    assert api.get(PREFIX, headers={"Origin": "https://a.example"}).headers["access-control-allow-origin"] == "*"
    assert api.get("/nothing").headers["access-control-allow-origin"] == "*"
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
    before = api.options(PREFIX, headers={**asked, "Access-Control-Request-Headers": "If-None-Match"})
    assert before.status_code == 200 and "GET" in before.headers["access-control-allow-methods"]
    wrong = api.post(PREFIX)
    assert wrong.status_code == 405 and wrong.json()["problems"][0]["allowed"] == "GET, HEAD"


def test_all_that_is_wrong_is_told_at_once(api: TestClient) -> None:
    """Each problem has its place, what is allowed and what came; an unknown parameter is told which there are."""
    answer = api.get(f"{PREFIX}?limit=0&open=perhaps&colour=red&format=xml")
    problems = {one["where"]: one for one in answer.json()["problems"]}
    assert answer.status_code == 422 and set(problems) == {"limit", "open", "colour", "format"}
    assert problems["limit"]["allowed"] == "at least 1" and problems["limit"]["got"] == "0"
    assert "sort" in problems["colour"]["allowed"] and "limit" in problems["colour"]["allowed"]
    assert "parquet" in problems["format"]["allowed"]


@pytest.mark.parametrize(
    ("asked", "status", "where"),
    [
        (f"{PREFIX}?protocol=nobody", 404, "protocol"),
        (f"{PREFIX}?sort=colour", 422, "sort"),
        (f"{PREFIX}?q=a&q=b", 422, "q"),
        (f"{PREFIX}?cursor=%F0%9F%98%80", 422, "cursor"),
        (f"{PREFIX}?cursor=AAAA", 422, "cursor"),
        (f"{PREFIX}?cursor={'A' * 500}", 422, "cursor"),
        (f"{PREFIX}?format=csv&limit=5", 422, "limit"),
        (f"{PREFIX}?limit=501", 422, "limit"),
        (f"{PREFIX}?limit=9e9", 422, "limit"),
        (f"{PREFIX}?limit={'9' * 5_000}", 422, "limit"),
        ("/protocols?x=1", 422, "x"),
        ("/protocols/..%2f..%2fetc", 404, "path"),
        ("/systems/nobody", 404, "submission"),
        ("/systems/..%2Fx", 404, "path"),
        (f"/systems/{'x' * 65}", 422, "submission"),
        ("/per-sample", 422, "system"),
        ("/per-sample?system=../x", 422, "system"),
        ("/per-sample?system=nobody", 404, "system"),
        (f"/per-sample?system={ONE}&trait=pace", 422, "value"),
        (f"/per-sample?system={ONE}&trait=colour&value=red", 422, "trait"),
        (f"/per-sample?system={ONE}&value=red", 422, "value"),
        (f"/per-sample?system={ONE}&min=nan", 422, "min"),
        (f"/per-sample?system={ONE}&min=-1", 422, "min"),
        ("/decisions?b=x", 422, "b"),
        ("/decisions?a=nobody", 404, "a"),
        (f"/decisions?a={ONE}&b={ONE}", 422, "b"),
        (f"/replies?system={ONE}", 404, "protocol"),
        (f"/clips/{ONE}/it-999", 404, "item_id"),
        (f"/clips/{ONE}/%00", 404, "item_id"),
        ("/nothing", 404, "path"),
    ],
)
def test_what_cannot_be_served_is_refused_in_words(asked: str, status: int, where: str, api: TestClient) -> None:
    """Each refusal has one form, says where and what, and repeats no more than 80 characters of what came."""
    answer = api.get(asked)
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert told["status"] == status and where in [one["where"] for one in told["problems"]]
    assert all(one["what"].endswith((".", "!")) and len(one["got"]) <= 80 for one in told["problems"])
    assert answer.headers["cache-control"] == "no-store"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["q", "org", "sort", "cursor", "protocol", "limit", "open", "zz"]), value=st.text(max_size=60)
)
def test_no_text_breaks_it(name: str, value: str, api: TestClient) -> None:
    """Whatever stands in a parameter, the answer is rows or a refusal in the one form."""
    answer = api.get(f"{PREFIX}?{name}={quote(value, safe='')}")
    assert answer.status_code in (200, 404, 422), answer.text
    assert ("rows" if answer.status_code == 200 else "problems") in answer.json()


def test_a_board_that_cannot_be_read_is_told_as_that(tmp_path: Path) -> None:
    """A damaged table is our trouble, not the asker's: 503 with when to ask again, and no word of where files lie."""
    site = make_site(tmp_path, SIX[:2])
    site.files.write(layout.leaderboard_path(site.protocols[0].id), b"no table")
    answer = TestClient(build(site)).get(PREFIX)
    assert answer.status_code == 503 and answer.headers["retry-after"] == "2"
    assert answer.json()["problems"][0]["where"] == "board" and str(tmp_path) not in answer.text
    assert ".parquet" not in answer.text


def test_a_bug_is_told_with_a_number_that_the_log_knows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of the insides is told; the log has the traceback under the same number."""
    site = make_site(tmp_path, SIX[:1])
    api = build(site)

    @api.get("/breaks")
    def breaks() -> None:
        raise ZeroDivisionError("a secret")

    answer = TestClient(api, raise_server_exceptions=False).get("/breaks")
    told = answer.json()["problems"][0]["what"]
    assert answer.status_code == 500 and "secret" not in answer.text
    (record,) = [one for one in caplog.records if one.message == "api.bug"]
    assert record.reference in told and record.exc_info is not None  # type: ignore[attr-defined]
