"""Pages of a board of nine dimensions: what is probed, what is judged, cards, corrected rates and the ceiling."""

import csv
import dataclasses
import io
import json
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.cards import decode
from evaluation.ceiling import ceiling
from evaluation.ceiling_gate import gate_errors
from evaluation.corrected import corrected
from evaluation.gate import trial
from evaluation.traits import NATURALNESS, TRAITS
from leaderboard import dimensions, display, downloads, media, words
from leaderboard.context import Context, make_context
from leaderboard.figures.scatter import scatter
from leaderboard.pages import instrument_card, trait
from leaderboard.pages.board_cells import cell
from leaderboard.reading.board import board_page
from leaderboard.reading.system import system_page
from leaderboard.table.lines import whole_board
from leaderboard.views import Board
from submissions import layout
from submissions.store.folder import FolderStore
from tests.leaderboard import cast
from tests.leaderboard import nine as nine_dimensions
from tests.leaderboard.page_reader import Element, Page

A, ANCHOR, LAST = "s00000000001", nine_dimensions.ANCHOR.id, "s00000000006"
CARDED = ("gender", "age", "emotion", "accent")


def _board(site: Context) -> Board:
    return site.published.board("")


def _inside(element: Element, tag: str) -> list[str]:
    return [one.text for one in element.inside if one.tag == tag]


def test_every_dimension_is_a_column_that_says_how_it_is_measured(nine: Context) -> None:
    """Nine columns; what the judge scores is marked and told as the judge's, the rest as probed."""
    page = Page(board_page(nine, {}))
    heads = {
        button.attributes["data-sort"]: head
        for head in page.all("th", scope="col")
        for button in head.inside
        if "data-sort" in button.attributes
    }
    board = _board(nine)
    assert set(board.protocol.dimensions) == {*(one.name for one in TRAITS), NATURALNESS} <= set(heads)
    for name in board.protocol.dimensions:
        is_judged = name in ("tone", NATURALNESS)
        assert _inside(heads[name], "small") == ["judged" if is_judged else "probed"]
        tip = next(one for one in heads[name].inside if one.tag == "a").attributes["data-tip"]
        assert ("judge" in tip) is is_judged and "predicts" not in tip
    rows = [element for element in page.all("tr") if "data-submission" in element.attributes]
    assert all(sum(cell.tag in ("td", "th") for cell in row.inside) == len(heads) for row in rows)
    for row in rows:
        known = board.row(row.attributes["data-submission"])
        assert known is not None and all(display.score(known.means[name]) in row.text for name in known.means)


def test_the_season_says_what_it_measures_with_which_judge(nine: Context, six: Context) -> None:
    """One line names probes, judge and anchor; without a judge it names none."""
    told = Page(board_page(nine, {})).by_id("season").text
    assert told.startswith("Protocol full: Probes measure gender, age, pace, pitch, loudness, emotion and accent; ")
    assert "gemini-3.5-flash judges tone and naturalness against the clips of Larkspur 2.0." in told
    assert "never share a table" in told
    plain = Page(board_page(six, {})).by_id("season").text
    assert "a model predicts naturalness; nobody judges it" in plain and "judges tone" not in plain


def test_seasons_are_offered_and_never_share_a_table(tmp_path: Path, nine: Context) -> None:
    """Each protocol with rows has its own page with its own line; a dimension that it leaves out is no column."""
    site = nine_dimensions.make_site(tmp_path, cast.SIX[:2], n_items=12, has_trials=False)
    plain = cast.make_protocol(site.corpus)
    cast.play(site.files, site.corpus, plain, cast.SIX[2])
    both = make_context(
        home=tmp_path,
        files=site.files,
        store=FolderStore(tmp_path),
        corpus=site.corpus,
        protocols=(plain, *site.protocols),
    )
    for protocol, n_rows in ((plain, 1), (site.protocols[0], 2)):
        page = Page(board_page(both, {"protocol": protocol.id}))
        links = [one.attributes["href"] for one in page.all("span", role="group")[0].inside if one.tag == "a"]
        assert links == [f"/?protocol={one.id}" for one in (plain, site.protocols[0])]
        assert len([one for one in page.all("tr") if "data-submission" in one.attributes]) == n_rows
        assert f"Protocol {protocol.name}: " in page.by_id("season").text
        heads = {one.attributes["data-sort"] for one in page.all("a") if "data-sort" in one.attributes}
        assert heads & {one.name for one in TRAITS} == set(protocol.dimensions) - {NATURALNESS}
    left_out = Page(board_page(both, {"protocol": plain.id, "facts": "1"})).by_id("left-out").text
    assert all(reason in left_out for reason in plain.not_measured.values())


def test_the_card_stands_beside_each_dimension_or_it_counts_as_perfect(nine: Context) -> None:
    """Accuracy with interval, clips, confusion or mean error; without a card it says so."""
    page, cards = Page(board_page(nine, {"facts": "1"})), nine.published.cards(_board(nine))
    assert tuple(cards) == CARDED
    for name, card in cards.items():
        told = page.by_id(f"card-{name}")
        assert card.accuracy.interval is not None
        assert display.percent(card.accuracy.rate) in told.text
        assert display.percent(card.accuracy.interval.low) in told.text
        assert f"{card.n_clips:,} labelled clips" in told.text and "No card" not in told.text
        if name == "age":
            assert card.errors is not None and f"Mean absolute error {card.errors.mean_absolute:.1f}" in told.text
        else:
            counts = [int(text) for text in _inside(told, "td")]
            assert sum(counts) == card.n_clips
    for name in ("pace", "pitch", "loudness", "tone", NATURALNESS):
        assert "No card: counted as perfect" in page.by_id(f"card-{name}").text
    assert "A judge has no card" in page.by_id("card-tone").text


def test_the_ceiling_is_told_in_one_sentence_with_all_that_counts_as_perfect(nine: Context) -> None:
    """Its figure is the evaluation's own; dimensions and values without a card are named."""
    board = _board(nine)
    gate = gate_errors(board.protocol, trial.shipped())
    found = ceiling(board.protocol, nine.corpus.items, nine.published.cards(board), gate=gate)
    told = Page(board_page(nine, {"facts": "1"})).by_id("ceiling").text
    spread = f"({found.interval.low:.2f} to {found.interval.high:.2f})"
    assert f"A system without fault would score about {found.score:.2f} {spread} here, because" in told
    assert "no card says otherwise: pace, pitch, loudness, tone, naturalness, accent: Canadian." in told
    assert told == Page(system_page(nine, {"id": A})).by_id("ceiling").text


def test_a_ceiling_of_which_nothing_is_known_is_not_one(nine: Context) -> None:
    """Without any card there is a sentence and no figure."""
    found = ceiling(_board(nine).protocol, nine.corpus.items, {})
    for nothing in (None, found):
        assert "is not known" in Page(instrument_card.ceiling_note(nothing)).by_id("ceiling").text


def test_each_dimension_has_a_table_of_all_systems(nine: Context) -> None:
    """Mean with interval; hit rate and corrected rate, mean error, or the judge's verdicts; the card beside them."""
    board, cards = _board(nine), nine.published.cards(_board(nine))
    for name in board.protocol.dimensions:
        page = Page(board_page(nine, {"trait": name, "facts": "1"}))
        lines = [one for one in page.by_id("trait-table").inside if one.tag == "tr"][1:]
        assert len(lines) == len(board.rows) and page.by_id("trait-card")
        means = [float(_inside(line, "td")[0]) for line in lines]
        assert means == sorted(means, reverse=True)
        for row, line in zip(trait.shown(board, name), lines, strict=True):
            detail = nine.published.detail(board, row.submission)
            assert detail is not None
            interval = detail.summary.overall.dimensions[name].interval
            assert interval is not None and display.interval(interval.low, interval.high) in line.text
            if name in ("emotion", "accent", "gender"):
                rate = corrected(cards[name], detail.summary.traits[name].confusion, board.protocol.constants).overall
                told = display.percent(rate.rate) if rate.rate is not None else rate.reason
                assert told in line.text
            elif name in ("pace", "pitch", "loudness"):
                assert "no card" in line.text
            elif name == "age":
                assert f"{detail.summary.traits[name].mean_error:.1f}" in line.text
            else:
                found = detail.summary.judged[name]
                assert f"{found.n_wins} / {found.n_ties} / {found.n_losses}" in line.text
    assert trait.CORRECTED_NOTE in Page(board_page(nine, {"trait": "emotion", "facts": "1"})).by_id("trait-facts").text
    assert "It is derived and stands in no score" in trait.CORRECTED_NOTE


def test_a_dimension_that_is_not_scored_leads_to_the_board(six: Context) -> None:
    """Another board's dimension, or a stranger's word, has no page."""
    for name in ("emotion", "<b>", "score"):
        assert Page(board_page(six, {"trait": name})).by_id("page-board")


def test_what_the_judge_cost_stands_in_the_row_and_on_the_system_s_page(nine: Context) -> None:
    """Calls, tokens and money as published; the CSV holds them too."""
    board = _board(nine)
    row = board.row(A)
    assert row is not None and row.judge_usage is not None
    used = row.judge_usage
    cell = next(
        one
        for line in Page(board_page(nine, {"cols": "judge"})).all("tr", data_submission=A)
        for one in line.inside
        if "cb-judge" in one.attributes.get("class", "")
    )
    assert display.money(used.cost_micro_usd) in cell.text and f"{used.n_calls} calls" in cell.text
    told = Page(system_page(nine, {"id": A})).by_id("system-judge").text
    for part in (f"{used.n_calls}", f"{used.input_tokens:,} in", f"{used.audio_tokens:,} of them audio"):
        assert part in told
    assert f"{used.n_malformed} replies could not be used" in told and used.n_malformed > 0
    lines = list(csv.DictReader(io.StringIO(downloads.board_csv(board))))
    assert {line["submission"]: line["judge_cost_micro_usd"] for line in lines}[A] == str(used.cost_micro_usd)


def test_a_cost_that_is_not_known_is_not_zero(nine: Context) -> None:
    """An unknown price is said in words, on the board and in its file."""
    board = _board(nine)
    first = board.rows[0]
    assert first.judge_usage is not None
    unknown = dataclasses.replace(first.judge_usage, cost_micro_usd=None)
    changed = dataclasses.replace(board, rows=(dataclasses.replace(first, judge_usage=unknown), *board.rows[1:]))
    lines = whole_board(changed, {})
    told = cell(lines, lines.lines[0], "judge", protocol=board.protocol_id)
    assert "not known" in told and "$0" not in told
    assert next(csv.DictReader(io.StringIO(downloads.board_csv(changed))))["judge_cost_micro_usd"] == ""


def test_a_systems_page_tells_the_judge_s_verdicts_against_the_anchor(nine: Context) -> None:
    """By judged dimension: clips, scores, better, even, worse, consistency; and who the anchor is."""
    board, page = _board(nine), Page(system_page(nine, {"id": A}))
    detail = nine.published.detail(board, A)
    assert detail is not None
    for name, found in detail.summary.judged.items():
        told = page.by_id("judge-table").text
        assert f"{found.n_wins} / {found.n_ties} / {found.n_losses}" in told
        assert instrument_card.share(found.consistent) in told
        block = page.by_id(f"trait-{name}").text
        assert f"{found.n_wins} better, {found.n_ties} even, {found.n_losses} worse" in block
        assert f"Score {found.mean_score:.2f} of 3" in block
    link = next(one for one in page.by_id("system-judge").inside if one.tag == "a" and "system?" in str(one.attributes))
    assert link.text == "Larkspur 2.0" and f"id={ANCHOR}" in link.attributes["href"]
    assert "This system is the anchor itself" in Page(system_page(nine, {"id": ANCHOR})).by_id("system-judge").text


def test_a_systems_page_shows_nine_dimensions_with_errors_and_reasons(nine: Context) -> None:
    """Confusions of what has classes, an error and a drawing of the age, and what counted 0 with its reason."""
    board, page = _board(nine), Page(system_page(nine, {"id": LAST}))
    detail = nine.published.detail(board, LAST)
    assert detail is not None
    for name in board.protocol.dimensions:
        block = page.by_id(f"trait-{name}")
        interval = detail.summary.overall.dimensions[name].interval
        assert interval is not None and display.interval(interval.low, interval.high) in block.text
        has_classes = name in ("gender", "pace", "pitch", "loudness", "emotion", "accent")
        tables = [one for one in block.inside if "cb-confusion" in one.attributes.get("class", "").split()]
        assert len(tables) == has_classes + (name in ("gender", "emotion", "accent"))  # its own, and its card's
        if has_classes:
            assert sum(int(text) for text in _inside(tables[0], "td")) == 24
    age = page.by_id("trait-age")
    points = [one for one in age.inside if one.tag == "circle"]
    n_read = 24 - detail.summary.overall.dimensions["age"].n_unread
    assert len(points) == n_read and f"{detail.summary.traits['age'].mean_error:.1f} years" in age.text
    reasons = page.by_id("system-reasons").text
    assert "Tone: vetoed by the gate, so the judge did not hear it" in reasons
    assert "Tone: the clip speaks to the judge" in reasons
    assert "Accent: the clip is too short" in reasons


def test_a_corrected_rate_that_cannot_be_had_says_why(nine: Context) -> None:
    """The card has no clip of one accent: that value and the whole have a reason; the other values are corrected."""
    block = Page(system_page(nine, {"id": A})).by_id("trait-accent")
    assert "no corrected rate of: Canadian" in block.text
    assert "the card has 0 clips of Canadian" in block.text
    assert sum("%" in one.text for one in block.inside if "cb-derived" in one.attributes.get("class", "")) == 4


def test_values_stand_in_the_order_of_the_registry(nine: Context) -> None:
    """Ages ascend and emotions keep their order, whatever the order in the file."""
    page = Page(system_page(nine, {"id": A}))
    for name in ("age", "emotion", "pace"):
        table = next(
            one for one in page.by_id(f"trait-{name}").inside if "cb-values" in one.attributes.get("class", "")
        )
        shown = [one.text for one in table.inside if one.tag == "th" and one.attributes.get("scope") == "row"]
        known = next(one.values for one in TRAITS if one.name == name)
        assert shown == [value for value in known if value in shown] and len(shown) >= 3


def test_replies_cards_and_the_report_are_downloads(nine: Context) -> None:
    """What stands on the page can be taken away: links lead to the very bytes that were published."""
    board, app = _board(nine), FastAPI()
    app.include_router(media.router(nine))
    client = TestClient(app)
    page = Page(system_page(nine, {"id": A}))
    for name in ("replies", "people", *(f"card-{one}" for one in CARDED)):
        answer = client.get(page.by_id(f"download-{name}").attributes["href"])
        assert answer.status_code == 200
        if name == "replies":
            assert answer.content == nine.files.read(layout.replies_path(board.protocol_id, A))
        if name.startswith("card-"):
            trait_name = name.removeprefix("card-")
            assert decode(answer.content, name) == nine.published.cards(board)[trait_name]
        if name == "people":
            assert json.loads(answer.content)["protocol_id"] == board.protocol_id
    for path in (f"/download/instrument/{board.protocol_id}/pace.json", "/download/instrument/nobody/age.json"):
        assert client.get(path).status_code == 404


def test_people_and_the_judge_are_told_on_the_board(nine: Context, tmp_path: Path) -> None:
    """The share of agreement with its interval; that nobody was asked, if so; nothing where nobody judges."""
    told = Page(board_page(nine, {"facts": "1"})).by_id("people").text
    found = nine.published.people(_board(nine))
    assert (
        found is not None and display.percent(found.overall.judge_accuracy.value) in told and "40 comparisons" in told
    )
    unasked = nine_dimensions.make_site(tmp_path, cast.SIX[1:2], n_items=6, has_trials=False)
    assert "has not been asked yet" in Page(board_page(unasked, {"facts": "1"})).by_id("people").text


def test_a_new_card_shows_without_a_new_row(tmp_path: Path) -> None:
    """Kept figures go when what stands beside the board changes."""
    site = nine_dimensions.make_site(tmp_path, cast.SIX[1:2], n_items=6, has_trials=False)
    before = site.derived.ceiling(_board(site), site.corpus)
    card = next(one for one in nine_dimensions.make_cards(site.protocols[0]) if one.trait == "emotion")
    nine_dimensions.write_card(site.files, site.protocols[0].id, card)
    after = site.derived.ceiling(_board(site), site.corpus)
    assert before is not None and after is not None and after.score < before.score
    assert "emotion" in site.derived.corrected(_board(site), (ANCHOR,))[ANCHOR]


def test_a_predictor_is_no_judge_even_if_the_protocol_calls_it_one(nine: Context) -> None:
    """The embedded backend hears nobody's words; its dimensions are marked as predicted."""
    protocol = _board(nine).protocol
    assert protocol.judge is not None
    embedded = dataclasses.replace(protocol, judge=dataclasses.replace(protocol.judge, backend="embedded"))
    assert dimensions.how(embedded, "tone") == "predicted" and not dimensions.is_heard(embedded)
    assert "no judge" in dimensions.tip(embedded, "tone")
    assert dimensions.NOTES["predicted"] == words.PREDICTOR_NOTE


def test_numbers_of_a_judge_are_no_probabilities(nine: Context) -> None:
    """A judged score has its scale; a predicted one stays a mean opinion score."""
    protocol = _board(nine).protocol
    assert dimensions.quantity(protocol, "tone", 2.5) == "2.50 of 3"
    assert dimensions.quantity(protocol, "tone", None) == display.DASH
    assert dimensions.quantity(protocol, "gender", 0.97) == "p = 0.97"
    plain = dataclasses.replace(protocol, judge=None)
    assert dimensions.quantity(plain, NATURALNESS, 3.0) == "3.00 MOS"


def test_the_drawing_of_ages_holds_every_clip(nine: Context) -> None:
    """Points outside of the corpus's ages are drawn too, and equal numbers lie on the line."""
    page = Page(scatter([(8.0, 95.0), (78.0, 3.0), (30.0, 30.0)], label="ages <b>"))
    box = [float(number) for number in page.all("svg")[0].attributes["viewbox"].split()]
    points = [(float(one.attributes["cx"]), float(one.attributes["cy"])) for one in page.all("circle")]
    assert len(points) == 3
    assert all(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in points)
    assert points[0][1] < points[2][1] < points[1][1]  # the older somebody sounds, the higher up
    line = page.all("line", cls="cb-equal")[0].attributes
    x1, y1, x2, y2 = (float(line[name]) for name in ("x1", "y1", "x2", "y2"))
    slope = (y2 - y1) / (x2 - x1)
    assert points[2][1] == pytest.approx(y1 + slope * (points[2][0] - x1), abs=0.2)
