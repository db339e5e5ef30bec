"""The leaderboard as the API gives it is the table as the page shows it, for whatever a reader chose."""

import csv
import dataclasses
import io
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaderboard.api.app import build
from leaderboard.context import Context
from leaderboard.derive.keeper import SliceKeeper
from leaderboard.reading.board import board_page
from leaderboard.table.columns import columns, presets
from leaderboard.table.keeper import Tables

_KEYS = (
    *("band", "here", "system", "score", "gate", "naturalness", "pace"),
    *("emotion", "tone", "adherence", "size", "style", "date", "judge"),
)
_PRESETS = ("", "adherence", "hard", "naturalness", "pace", "emotion")
_SEARCHES = (
    "",
    "e",
    "larkspur",
    "-larkspur",
    "org:ohm",
    "open:yes",
    "size:>50M",
    "score:>0.4",
    "gate:>80% e",
    "pace:>0.8",
)
_ASKED = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(_PRESETS),
        "cols": st.lists(st.sampled_from(_KEYS), min_size=1, max_size=6).map(",".join),
        "pin": st.sampled_from(["", "score", "band,score"]),
        "sort": st.lists(
            st.tuples(st.sampled_from(["", "-"]), st.sampled_from(_KEYS)).map("".join), min_size=1, max_size=4
        ).map(",".join),
        "tier": st.sampled_from(["0", "1", "2", "all"]),
        "split": st.sampled_from(["public", "held_out"]),
        "q": st.sampled_from(_SEARCHES),
        "open": st.just("1"),
        "style": st.sampled_from(["prompt", "ignored"]),
        "coverage": st.sampled_from(["90", "99.5"]),
    },
)


def _page(site: Context, asked: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the rows that the page shows and its columns, both in order."""
    page = board_page(site, asked)
    return re.findall(r'<tr aria-rowindex="\d+" data-submission="(\w+)"', page), re.findall(r'data-sort="(\w+)"', page)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(asked={"preset": "hard"})
@example(asked={"preset": "pace", "tier": "2", "split": "public", "sort": "here,-date"})
@example(asked={"cols": "score,style", "sort": "-style,system", "q": "org:ohm"})
@example(asked={"sort": "style,-system"})
@example(asked={"sort": "style,system"})
@given(asked=_ASKED)
def test_the_page_and_the_api_show_the_same(asked: dict[str, str], nine: Context, nine_api: TestClient) -> None:
    """Rows, their order and the columns are one, whatever was chosen, searched and sorted by."""
    answer = nine_api.get("/leaderboard", params={**asked, "limit": "500"})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    rows, names = _page(nine, asked)
    assert [row["submission"] for row in told["rows"]] == rows
    assert told["n_total"] == len(rows)
    if told["columns"] is not None and rows:
        assert told["columns"] == [name for name in names if name != "system"]


@pytest.mark.parametrize("asked", [{"tier": "2"}, {"preset": "emotion"}, {"cols": "pace,score", "split": "public"}])
def test_a_file_holds_what_is_shown(asked: dict[str, str], nine: Context, nine_api: TestClient) -> None:
    """CSV and JSON have the numbers that stand in the cells of the page, to its three digits."""
    text = nine_api.get("/leaderboard", params={**asked, "format": "csv"}).text
    lines = list(csv.DictReader(io.StringIO(text)))
    rows = nine_api.get("/leaderboard", params=asked).json()["rows"]
    page = board_page(nine, asked)
    column = "emotion" if asked.get("preset") else "pace"
    means = re.findall(rf'<td class="cb-n cb-{column}">.*?<b><a [^>]*>([\d.]+)</a></b>', page)
    assert [f"{float(line[f'mean_{column}']):.3f}" for line in lines] == means
    assert [row["submission"] for row in rows] == [line["submission"] for line in lines] == _page(nine, asked)[0]
    assert [row["shown"][f"mean_{column}"] for row in rows] == [float(line[f"mean_{column}"]) for line in lines]


def test_a_hard_tier_is_not_the_whole_board(nine_api: TestClient) -> None:
    """The part is named, and its scores are its own."""
    whole = nine_api.get("/leaderboard?cols=score").json()
    hard = nine_api.get("/leaderboard?preset=hard").json()
    assert whole["part"] == "all" and "2" in hard["part"]
    scores = [{row["submission"]: row["shown"]["score"] for row in one["rows"]} for one in (whole, hard)]
    assert scores[0].keys() == scores[1].keys() and scores[0] != scores[1]


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"preset": "best"}, "preset"),
        ({"trait": "colour"}, "trait"),
        ({"cols": "score,colour"}, "cols"),
        ({"sort": "-colour"}, "sort"),
        ({"q": "colour:red"}, "q"),
        ({"size": "huge"}, "size"),
        ({"tier": "3"}, "tier"),
        ({"split": "secret"}, "split"),
    ],
)
def test_what_means_nothing_is_named_with_what_is_allowed(
    asked: dict[str, str], where: str, nine_api: TestClient
) -> None:
    """A page forgives; a program is told where, and what there is."""
    answer = nine_api.get("/leaderboard", params=asked)
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert problem["where"] == where and problem["allowed"]


@pytest.mark.parametrize("asked", ["tier=2", "split=public", "preset=pace", "preset=pace&tier=1&split=held_out"])
def test_a_part_that_is_not_worked_out_yet_is_told_later(nine: Context, tmp_path: Path, asked: str) -> None:
    """503 at first, and then what a board that was ready says; never numbers of another part."""
    slices = SliceKeeper(nine.files, tmp_path, n_at_once=0)
    site = dataclasses.replace(nine, slices=slices, tables=Tables(nine.files, slices))
    client = TestClient(build(site))
    assert client.get(f"/leaderboard?{asked}").status_code == 503
    assert slices.settle(site.published.board(""))
    assert client.get(f"/leaderboard?{asked}").json() == TestClient(build(nine)).get(f"/leaderboard?{asked}").json()


def test_names_of_these_tests_are_those_of_the_board(nine: Context) -> None:
    """Columns and views that are tried exist."""
    protocol = nine.protocols[0]
    assert set(_KEYS) <= set(columns(protocol)) and set(_PRESETS) <= set(presets(protocol))
