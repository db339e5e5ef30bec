"""What the read API gives, against its own description and against the published files."""

import csv
import io
import json
import re
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from leaderboard.api.words import ROUTES
from leaderboard.context import Context
from submissions import layout
from tests.leaderboard.cast import HOSTILE

ONE, OTHER, ITEM = "s00000000001", "s00000000004", "it-004"
ASKED = {
    "/": "/",
    "/protocols": "/protocols",
    "/protocols/{protocol}": "/protocols/{protocol}",
    "/systems": "/systems?q=larkspur",
    "/systems/{submission}": f"/systems/{ONE}",
    "/leaderboard": "/leaderboard?sort=-pitch,system&limit=3",
    "/per-sample": f"/per-sample?system={ONE}&limit=5&sort=composite",
    "/decisions": f"/decisions?a={ONE}",
    "/clips/{submission}/{item_id}": f"/clips/{ONE}/{ITEM}",
    "/replies": f"/replies?system={ONE}&item={ITEM}",
    "/votes": f"/votes?kind=abx&a={ONE}",
    "/votes/pairs": f"/votes/pairs?a={ONE}",
}
FILES = (
    "/leaderboard?sort=-pitch",
    "/decisions?a=",
    f"/per-sample?system={ONE}&tier=1",
    "/systems?q=",
    f"/replies?system={ONE}",
)


def _home(context: Context) -> str:
    return context.published.board("").protocol_id


def _parquet(client: TestClient, address: str) -> pa.Table:
    answer = client.get(f"{address}&format=parquet")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert answer.headers["content-disposition"].endswith('.parquet"')
    return pq.read_table(io.BytesIO(answer.content))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of JSON as the columns of a published table."""
    cells = {name: value for name, value in row.items() if not isinstance(value, dict)}
    dimensions = row.get("dimensions", {})
    for name, mean in dimensions.items() if isinstance(dimensions, dict) else ():
        if "mean" in mean:
            cells |= {f"mean_{name}{end}": mean[key] for end, key in (("", "mean"), ("_low", "low"), ("_high", "high"))}
        else:
            cells |= {f"{part}_{name}": mean[part] for part in ("measured", "quantity", "desirability", "reason")}
    cells |= {f"requested_{name}": value for name, value in row.get("requested", {}).items()}
    cells |= row.get("readings", {})
    clip = row.get("clip") or {}
    cells |= {"clip_sha256" if name == "sha256" else name: value for name, value in clip.items()}
    judge = row.get("judge") or {}
    cells |= {f"judge_{name}": "; ".join(value) if name == "models" else value for name, value in judge.items()}
    renamed = {"gate_low": "gate_pass_rate_low", "gate_high": "gate_pass_rate_high"}
    cells = {renamed.get(name, name): value for name, value in cells.items()}
    if "protocols" in cells:
        cells["protocols"] = ",".join(cells["protocols"])
    return cells


def test_every_route_is_told_and_tried(nine_api: TestClient) -> None:
    """The description lists the routes that there are, each with words of its own, and this file asks each."""
    paths = nine_api.get("/openapi.json").json()["paths"]
    assert set(paths) == set(ROUTES) == set(ASKED)
    assert all(list(one) == ["get"] for one in paths.values())


@pytest.mark.parametrize("path", ASKED)
def test_an_answer_is_what_the_description_says(path: str, nine_api: TestClient, nine: Context) -> None:
    """Each answer is valid under the schema that the description gives for it."""
    described = nine_api.get("/openapi.json").json()
    answer = nine_api.get(ASKED[path].format(protocol=_home(nine)))
    assert answer.status_code == 200, answer.text
    schema = described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(answer.json(), {**schema, "components": described["components"]})
    assert answer.json()["schema_version"] == 1


def test_every_field_and_parameter_is_described(nine_api: TestClient) -> None:
    """No field of an answer and no parameter stands without a sentence."""
    described = nine_api.get("/openapi.json").json()
    bare = [
        f"{name}.{field}"
        for name, model in described["components"]["schemas"].items()
        for field, one in model.get("properties", {}).items()
        if not one.get("description")
    ]
    bare += [
        f"{path}?{one['name']}"
        for path, route in described["paths"].items()
        for one in route["get"].get("parameters", [])
        if not one.get("description")
    ]
    assert bare == []


@pytest.mark.parametrize("address", FILES)
def test_a_file_holds_what_the_pages_hold(address: str, nine_api: TestClient) -> None:
    """Parquet reads back equal to the JSON rows in the same order, column by column."""
    table = _parquet(nine_api, address)
    rows = [_flat(row) for row in nine_api.get(f"{address}&limit=500").json()["rows"]]
    assert len(rows) == table.num_rows > 0
    for ours, theirs in zip(rows, table.to_pylist(), strict=True):
        assert {name: ours.get(name) for name in theirs} == theirs
        assert set(ours) - set(theirs) <= {"address", "supersedes", "superseded_by", "formerly", "shown"}


def test_unfiltered_tables_are_the_published_ones(api: TestClient, six: Context) -> None:
    """Without a filter the API's parquet has the columns and rows of the published files."""
    board = _home(six)
    theirs = layout.read_leaderboard(six.files, board).to_pylist()
    told = [{name: None if value == "" else value for name, value in row.items()} for row in theirs]
    ours = _parquet(api, "/leaderboard?q=").to_pylist()
    assert ours == told and [list(row) for row in ours] == [list(row) for row in theirs]
    assert _parquet(api, "/decisions?a=").to_pylist() == layout.read_decisions(six.files, board).to_pylist()
    samples = _parquet(api, f"/per-sample?system={ONE}").to_pylist()
    assert samples == layout.read_samples(six.files, board, ONE).to_pylist()


@pytest.mark.parametrize("address", ["/leaderboard?", "/systems?", f"/per-sample?system={HOSTILE.id}"])
def test_no_cell_of_a_csv_runs(address: str, hostile_api: TestClient) -> None:
    """Texts that begin like a formula get an apostrophe in CSV, and stay as they are in JSON."""
    text = hostile_api.get(f"{address}&format=csv").text
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and not re.fullmatch(r"|-?[\d.e-]+", cell)]
    if "system=" not in address:
        assert any(cell.startswith("'=HYPERLINK") for cell in cells)
        assert any(row["system"] == HOSTILE.system for row in hostile_api.get(address).json()["rows"])


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ("gate=vetoed", lambda row: not row["passed_gate"] and not row["is_declined"]),
        ("gate=declined", lambda row: row["is_declined"]),
        ("tier=2", lambda row: row["tier"] == 2),
        ("split=held_out", lambda row: row["split"] == "held_out"),
        ("min=0.5&max=0.9", lambda row: 0.5 <= row["composite"] <= 0.9),
        ("trait=pace&value=slow", lambda row: row["requested"]["pace"] == "slow"),
        ("q=CALM ferry", lambda row: "calm" in row["instruction"] and "ferry" in row["script"]),
        (f"item={ITEM}", lambda row: row["item_id"] == ITEM),
    ],
)
@pytest.mark.parametrize("system", [ONE, "s00000000005"])
def test_a_filter_lets_through_what_it_names(asked: str, fits: Any, system: str, api: TestClient) -> None:
    """The rows of a filter are those of the whole that fit, in the same order."""
    whole = api.get(f"/per-sample?system={system}").json()["rows"]
    assert api.get(f"/per-sample?system={system}&{asked}").json()["rows"] == [row for row in whole if fits(row)]


def test_a_board_is_filtered_as_its_page_is(api: TestClient) -> None:
    """Words, organisation, open weights and order choose rows; ranks stay those of the whole board."""
    whole = {row["submission"]: row for row in api.get("/leaderboard").json()["rows"]}
    found = api.get("/leaderboard?q=larkspur&org=Ohm%20Lab&open=1&sort=score").json()
    assert [row["submission"] for row in found["rows"]] == sorted(
        (ONE, "s00000000002"), key=lambda name: whole[name]["score"]
    )
    assert found["n_systems"] == 6 and found["n_total"] == 2
    assert all(row == whole[row["submission"]] for row in found["rows"])


def test_a_pair_has_one_decision_whichever_way_it_is_named(api: TestClient) -> None:
    """A and b may be given in either order; one of them alone gives all its decisions."""
    there, back = (api.get(f"/decisions?a={a}&b={b}").json()["rows"] for a, b in ((ONE, OTHER), (OTHER, ONE)))
    assert there == back and len(there) == 1
    assert len(api.get(f"/decisions?a={ONE}").json()["rows"]) == 5


def test_a_clip_s_address_plays_what_it_says(api: TestClient, six: Context) -> None:
    """Hash and address are those of the published clip; a declined item has none."""
    clip = api.get(f"/clips/{ONE}/{ITEM}").json()["clip"]
    assert clip["sha256"] == six.clips.read(ONE, ITEM).sha256
    assert clip["address"] == f"/media/clip/{ONE}/{ITEM}/{clip['sha256'][:16]}.flac" and clip["rate_hz"] == 8_000
    declined = api.get("/per-sample?system=s00000000005&gate=declined").json()["rows"][0]
    assert declined["clip"] is None and declined["composite"] == 0
    assert api.get(f"/clips/s00000000005/{declined['item_id']}").status_code == 404


def test_the_page_of_the_description_needs_no_other_host(nine_api: TestClient) -> None:
    """It loads nothing, runs nothing, and names every route and every answer."""
    answer = nine_api.get("/docs")
    assert answer.headers["content-type"].startswith("text/html") and "<script" not in answer.text
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", answer.text) == []
    assert "script-src" not in answer.headers["content-security-policy"]
    assert all(f"GET /api/v1{path}".replace("{", "&#123;").replace("}", "&#125;") in answer.text for path in ROUTES)


def test_nothing_private_and_no_path_is_told(hostile_api: TestClient, hostile_nine: Context) -> None:
    """No answer holds a folder of this machine or a contact."""
    told = "".join(hostile_api.get(path.format(protocol=_home(hostile_nine))).text for path in ASKED.values())
    assert str(hostile_nine.home) not in told and "contact" not in told
    assert json.loads(hostile_api.get(f"/systems/{HOSTILE.id}").text)["card"]["notes"] == HOSTILE.notes
