"""Figures: valid for plotly, equal to the records, inert, with a sentence that fits the numbers."""

import csv
import dataclasses
import io
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from leaderboard import words
from leaderboard.context import Context
from leaderboard.derive.adherence import Standing
from leaderboard.derive.rates import TraitRates
from leaderboard.derive.records import ABSENT
from leaderboard.display import csv_cell
from leaderboard.figure_files import plotly_json
from leaderboard.figures import adherence, asked, forest, profile, sizes, tiers, timeline, values
from leaderboard.figures.records import Asked, Field, Figure, Point
from leaderboard.reading.figure_data import field_of, figure_of
from leaderboard.reading.figures import board_figure, figures_page, system_figure
from leaderboard.site import mount
from leaderboard.views import Board
from tests.leaderboard.page_reader import Page

STATES: tuple[dict[str, str], ...] = ({}, {"tier": "2"}, {"trait": "pitch"}, {"as": "lines"}, {"show": "all"})
OURS = re.compile(r"</?b>|<br>|<extra></extra>")


def _board(context: Context) -> Board:
    return context.published.board("")


def _figure(context: Context, name: str, **state: str) -> Figure:
    board = _board(context)
    figure = figure_of(context, board, asked.read({"figure": name, **state}, board))
    assert figure is not None
    return figure


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", words.FIGURES)
@pytest.mark.parametrize("state", STATES, ids=str)
def test_plotly_takes_every_figure(nine: Context, name: str, state: dict[str, str]) -> None:
    """Data and layout are what plotly knows, as they are sent, and there is something to draw and to read."""
    figure = _figure(nine, name, **state)
    told = json.loads(plotly_json(figure, "p"))
    go.Figure({"data": told["data"], "layout": told["layout"]})
    assert figure.data and figure.table.lines and figure.sentence.endswith(".") and figure.alt
    assert all(len(line) == len(figure.table.columns) for line in figure.table.lines)


@pytest.mark.parametrize("name", words.FIGURES)
def test_a_hostile_name_is_inert_in_every_figure(hostile_nine: Context, name: str) -> None:
    """Plotly reads tags and templates in its texts; there are none but ours."""
    board = _board(hostile_nine)
    state = {"systems": ",".join(row.submission for row in board.rows)}
    for more in ({}, state, {"trait": "accent"}):
        figure = _figure(hostile_nine, name, **more)
        told = json.loads(plotly_json(figure, "p"))
        for text in _texts([told["data"], told["layout"], told["phone"]]):
            bare = OURS.sub("", text).replace("%{text}", "").replace("%{y}", "").replace("%{x}", "")
            bare = bare.replace("%{z:+d}", "")
            assert not set("<>{}") & set(bare), text
        assert "<script" not in figures_page(hostile_nine, {"figure": name, **more}).replace("<script>x", "")


@pytest.mark.parametrize("name", words.FIGURES)
def test_a_board_without_a_system_or_with_one_is_told_in_words(empty: Context, lone: Context, name: str) -> None:
    """No figure fails for want of rows."""
    assert not _figure(empty, name).data
    assert "figures-view" in figures_page(empty, {"figure": name}) and "figures-view" in figures_page(
        lone, {"figure": name}
    )
    assert _figure(lone, name).sentence


def test_scores_are_those_of_the_board(six: Context) -> None:
    """Best on top, whiskers end where the published intervals do, and hollow marks lose to the first."""
    board, figure = _board(six), _figure(six, "forest")
    marks = figure.data[0]
    assert marks["x"] == [row.score for row in board.rows]
    ends = [one + up for one, up in zip(marks["x"], marks["error_x"]["array"], strict=True)]
    assert ends == pytest.approx([row.score_high for row in board.rows], abs=1e-6)
    beaten = {
        loser for (winner, loser), one in board.decisions.items() if one.is_win and winner == marks["customdata"][0]
    }
    hollow = {
        key for key, colour in zip(marks["customdata"], marks["marker"]["color"], strict=True) if "sheet" in colour
    }
    assert hollow == beaten
    lines = [dict(zip(figure.table.columns, line, strict=True)) for line in figure.table.lines]
    assert [(one["submission"], one["score"], one["rank_best"]) for one in lines] == [
        (row.submission, row.score, row.band.best) for row in board.rows
    ]


def test_a_row_without_a_score_has_no_point(six: Context) -> None:
    """Nothing scored is never drawn as 0."""
    board = _board(six)
    row = dataclasses.replace(board.rows[0], score=None, score_low=None, score_high=None)
    field = field_of(six, dataclasses.replace(board, rows=(row, *board.rows[1:])), Asked(name="forest").part)
    assert field is not None and len(field.points) == len(board.rows) - 1


def _field(six: Context, scores: tuple[float, ...], n_tied: int, needed: float | None = None) -> Field:
    board = _board(six)
    points = tuple(
        Point(
            row=dataclasses.replace(board.rows[0], submission=f"s{at}", system=f"Voice {at}", version=""),
            score=score,
            low=None,
            high=None,
            best=1 if at < n_tied else n_tied + 1,
            worst=len(scores),
            is_tied=at < n_tied,
        )
        for at, score in enumerate(scores)
    )
    return Field(protocol=board.protocol, part=Asked(name="forest").part, points=points, n_items=12, needed=needed)


def test_the_sentence_tells_ties_before_ranks(six: Context) -> None:
    """Who ties at the top, how far the next one is, and what the test needs; a lone winner beats all others."""
    some = forest.sentence(_field(six, (0.8, 0.79, 0.7), 2, 0.05))
    assert some.startswith("2 of 3 systems tie at the top: Voice 0") and "0.100 below it" in some and "0.050" in some
    assert forest.sentence(_field(six, (0.8, 0.79), 2)).startswith("All 2 systems tie")
    assert forest.sentence(_field(six, (0.8, 0.6, 0.5), 1)).startswith("Voice 0 beats each of the other 2 systems")
    assert "one system, Voice 0, at 0.800" in forest.sentence(_field(six, (0.8,), 1))
    assert forest.sentence(_field(six, (), 0)) == words.FIGURE_SAYS["empty"]


def test_the_matrix_holds_every_decision(six: Context) -> None:
    """Each cell says who wins, and the numbers beside it count them."""
    import base64

    board, figure = _board(six), _figure(six, "matrix")
    packed = figure.data[0]["z"]
    cells = np.frombuffer(base64.b64decode(packed["bdata"]), dtype=np.int8).reshape(6, 6)
    places = {key: at for at, key in enumerate(figure.table.keys)}
    for (winner, loser), decision in board.decisions.items():
        at = places[winner], places[loser]
        assert cells[at] == int(decision.is_win) and cells[at[::-1]] == -int(decision.is_win)
    assert len(set(figure.data[0]["x"])) == 6  # two systems of one name stay two
    n_wins = sum(one.is_win for one in board.decisions.values())
    assert figure.sentence.startswith(f"{n_wins} of 15 pairs are wins and {15 - n_wins} are ties")


def test_profiles_are_of_the_systems_that_were_picked(nine: Context) -> None:
    """At most four, in order; the sentence names the widest difference, and whether intervals overlap."""
    board = _board(nine)
    picked = [row.submission for row in board.rows]
    figure = _figure(nine, "profile", systems=",".join([picked[2], picked[0], "nobody", *picked]))
    assert [trace["customdata"][0] for trace in figure.data] == [picked[2], picked[0], picked[1], picked[3]]
    assert {trace["type"] for trace in _figure(nine, "profile", **{"as": "lines"}).data} == {"scatter"}
    row = board.rows[0]
    one = profile.Profile(row=row, means=(0.5, 0.9), spreads=((0.4, 0.6), None))
    other = profile.Profile(row=row, means=(0.8, None), spreads=((0.7, 0.9), None))
    assert profile.sentence(("pace", "pitch"), (one, other)).endswith(
        "0.800 against 0.500, with intervals that do not overlap."
    )
    assert profile.sentence(("pace", "pitch"), (one, one)) == words.FIGURE_SAYS["profile_same"]


def test_versions_are_joined_and_the_best_so_far_is_a_step(six: Context) -> None:
    """The step rises only with a higher score, and versions are counted against those before them."""
    field = _field(six, (0.7, 0.6, 0.5), 3)
    days = ("2026-03-03T00:00:00Z", "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00")
    points = tuple(
        dataclasses.replace(
            one, row=dataclasses.replace(one.row, received_at=day, supersedes="s1" if at == 0 else None)
        )
        for at, (one, day) in enumerate(zip(field.points, days, strict=True))
    )
    figure = timeline.timeline(dataclasses.replace(field, points=points), Asked(name="time"))
    assert figure.data[0]["y"] == [0.6, 0.7, 0.7] and figure.data[1]["y"] == [0.6, 0.7, None]
    assert "rose from 0.600 to 0.700 between 2026-01-01 and 2026-03-03, in 1 step; of 1" in figure.sentence


def test_the_frontier_is_told_from_its_natural_end_to_its_other(nine: Context) -> None:
    """Two that do not top each other are both on it; one that tops all is said to."""
    rows = {row.submission: row for row in _board(nine).rows}
    one, other, *_ = rows
    found = [
        Standing(submission=one, adherence=0.4, naturalness=0.9, is_on_frontier=True),
        Standing(submission=other, adherence=0.8, naturalness=0.5, is_on_frontier=True),
    ]
    told = adherence.adherence(found, rows, Asked(name="adherence"), spreads={}).sentence
    assert told.startswith("2 of 2") and told.index(rows[one].name) < told.rindex(rows[other].name)
    bare = [dataclasses.replace(found[0], naturalness=None)]
    assert not adherence.adherence(bare, rows, Asked(name="adherence"), spreads={}).data


def test_rates_by_value_are_told_with_their_counts(nine: Context) -> None:
    """The hardest and the easiest value over the board; a value without a clip is a hole and never 0."""
    figure = _figure(nine, "values", trait="accent")
    lines = [dict(zip(figure.table.columns, line, strict=True)) for line in figure.table.lines]
    board = [one for one in lines if one["system"] == values.BOARD]
    least = min(board, key=lambda one: one["mean"])
    assert least["value"] in figure.sentence and f"{least['mean']:.3f}" in figure.sentence
    assert all(one["n"] > 0 for one in lines if one["submission"] and one["mean"] is not None)
    n = np.array([[2, 0]])
    rates = TraitRates(
        trait="pace",
        submissions=(_board(nine).rows[0].submission,),
        values=("slow", "fast"),
        n=n,
        n_unread=n * 0,
        n_exact=n,
        means_micro=np.array([[1_000_000, ABSENT]]),
        board_micro=np.array([1_000_000, ABSENT]),
        taken_for=(),
        confusions=None,
        alpha=0.05,
    )
    rows = {row.submission: row for row in _board(nine).rows}
    assert values.values(rates, rows, rates.submissions).data[0]["z"][1] == [1.0, None]


def test_tiers_and_sizes_are_described_and_not_tested(six: Context) -> None:
    """Means by tier go from the easiest to the hardest; a rank correlation needs sizes that differ."""
    rows = _board(six).rows[:2]
    score = tiers.TierScore(score=0.8, low=None, high=None, n_items=3)
    scores = {
        0: {row.submission: score for row in rows},
        2: {row.submission: dataclasses.replace(score, score=0.6 - at / 10) for at, row in enumerate(rows)},
    }
    told = tiers.sentence(rows, scores)
    assert "falls from 0.800 to 0.550" in told and f"{rows[1].name} changes most, by −0.300" in told
    assert sizes.rank_correlation([1, 2, 3], [0.1, 0.5, 0.9]) == pytest.approx(1)
    assert sizes.rank_correlation([1, 1, 1], [0.1, 0.5, 0.9]) is None
    assert words.FIGURE_NO_PRICE in _figure(six, "size").note


def test_an_address_is_read_leniently_and_told_again(six: Context) -> None:
    """Nonsense falls back; what was understood makes the same address again."""
    board = _board(six)
    wanted = asked.read(
        {"figure": "x", "tier": "9", "trait": "<b>", "systems": "nobody", "from": "-1", "show": "?"}, board
    )
    assert wanted == Asked(name="forest")
    state = {"figure": "values", "trait": "pace", "tier": "1", "systems": board.rows[0].submission}
    told = asked.address("/figures", asked.read(state, board))
    assert told == "/figures?figure=values&trait=pace&tier=1&systems=" + board.rows[0].submission


def test_files_of_a_figure_hold_its_numbers(six: Context) -> None:
    """JSON for plotly, the numbers as JSON and CSV; a tag saves the second way; what is none is a 404."""
    figure = _figure(six, "forest")
    with TestClient(mount(six)) as client:
        whole = client.get("/figure/forest.json")
        assert whole.json()["sentence"] == figure.sentence and whole.json()["data"] == json.loads(
            json.dumps(figure.data)
        )
        assert client.get("/figure/forest.json", headers={"If-None-Match": whole.headers["etag"]}).status_code == 304
        lines = list(csv.DictReader(io.StringIO(client.get("/figure/forest.csv").text)))
        assert [line["system"] for line in lines] == [csv_cell(row.system) for row in _board(six).rows]
        assert [line["score"] for line in client.get("/figure/forest.data.json").json()] == [
            row.score for row in _board(six).rows
        ]
        for path in ("/figure/nothing.json", "/figure/forest", "/figure/forest.exe"):
            assert client.get(path).status_code == 404
        part = client.get("/figures?figure=tiers&part=figures-view").text
        assert part.startswith('<div id="figures-view"') and "plot-tiers" in part


def test_a_page_tells_a_figure_without_a_script(six: Context) -> None:
    """Sentence, numbers and files are in the page; the drawing is described."""
    page = Page(figures_page(six, {"figure": "forest", "tier": "2"}))
    assert "derived view of hard items" in page.by_id("figure-forest").text
    assert len([one for one in page.by_id("figures-numbers").inside if one.tag == "tr"]) == 7
    plot = page.by_id("plot-forest").attributes
    assert plot["role"] == "img" and plot["aria-label"] and plot["data-figure"] == "/figure/forest.json?tier=2"


def test_other_pages_get_a_small_figure(six: Context, lone: Context) -> None:
    """It leads to the whole one; a lone system has nothing to be drawn beside."""
    board = _board(six)
    drawn = system_figure(six, board, board.rows[3])
    assert drawn is not None and f"systems={board.rows[3].submission}" in drawn and "small=1" in drawn
    assert "/figures?figure=forest" in str(board_figure(six, board))
    assert board_figure(lone, _board(lone)) is None and system_figure(lone, _board(lone), _board(lone).rows[0]) is None


@pytest.mark.parametrize("name", list(words.FIGURES))
def test_the_parquet_of_a_figure_holds_its_numbers(six: Context, name: str) -> None:
    """The same columns and lines as the JSON, whatever the figure, and it is linked beside the others."""
    client = TestClient(mount(six))
    told = client.get(f"/figure/{name}.data.json")
    answer = client.get(f"/figure/{name}.parquet")
    assert answer.status_code == told.status_code == 200
    assert pq.read_table(io.BytesIO(answer.content)).to_pylist() == told.json()
    assert f"/figure/{name}.parquet" in figures_page(six, {"figure": name})
