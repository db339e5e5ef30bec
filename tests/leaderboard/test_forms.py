"""The Submit page's two buttons, called as plain functions."""

from pathlib import Path

import pytest

from leaderboard import forms, ui
from leaderboard.context import Context
from submissions import queue
from submissions.card import TEXT_FIELDS
from submissions.state import State
from tests.audio_factory import clip_bytes
from tests.leaderboard.page_reader import Page
from tests.submissions.small_evaluation import write_zip

FIELDS = {"system": "Heron", "version": "1", "organisation": "Marsh", "contact": "a@b.example", "licence": "MIT"}


def _quiet(_done: int, _all: int) -> None:
    return


def _zip(folder: Path, site: Context, n_left_out: int = 0) -> str:
    items = site.corpus.items[n_left_out:]
    return str(write_zip(folder / "up.zip", {item.id: clip_bytes(at) for at, item in enumerate(items)}))


def test_without_a_zip_one_is_asked_to_choose_one(empty: Context) -> None:
    """A sentence, no error."""
    assert "Choose a zip" in Page(forms.check_only(empty, None, {}, _quiet)).by_id("submit-answer").text
    assert "Choose a zip" in Page(forms.send(empty, None, {}, _quiet)).by_id("submit-answer").text


def test_a_check_keeps_nothing(empty: Context, tmp_path: Path) -> None:
    """A clean zip is called clean, and no submission comes of it."""
    page = Page(forms.check_only(empty, _zip(tmp_path, empty), FIELDS, _quiet))
    assert page.by_id("submit-answer").attributes["data-result"] == "good"
    assert queue.load_all(empty.store) == ()
    assert not list((empty.home / "scratch").iterdir())


def test_a_check_tells_every_problem_of_zip_and_card_at_once(empty: Context, tmp_path: Path) -> None:
    """Missing clips and missing fields stand in one report."""
    page = Page(forms.check_only(empty, _zip(tmp_path, empty, n_left_out=2), {"system": "Heron"}, _quiet))
    told = page.by_id("submit-answer")
    assert told.attributes["data-result"] == "bad"
    codes = [element.attributes["data-code"] for element in page.all("li") if "data-code" in element.attributes]
    assert "missing_items" in codes and codes.count("card_field") == 4
    assert "it-000, it-001" in told.text
    assert str(empty.home) not in told.text


def test_a_file_that_is_no_zip_is_said_so(empty: Context, tmp_path: Path) -> None:
    """What cannot be opened gets one problem."""
    path = tmp_path / "no.zip"
    path.write_bytes(b"hello")
    page = Page(forms.check_only(empty, str(path), FIELDS, _quiet))
    assert page.all("li", data_code="not_a_zip")


def test_sending_gives_a_receipt_and_a_place_in_the_queue(empty: Context, tmp_path: Path) -> None:
    """Id, hash and place; the same again gives the same receipt."""
    path = _zip(tmp_path, empty)
    page = Page(forms.send(empty, path, FIELDS, _quiet))
    submission = page.by_id("receipt-id").text
    [state] = queue.load_all(empty.store)
    assert state.submission == submission and state.state is State.QUEUED
    assert page.by_id("receipt-sha256").text == state.received.zip_sha256
    assert page.by_id("receipt-place").text == "1 (next)"
    assert page.by_id("receipt-queue").attributes["href"] == f"/queue?id={submission}"
    again = Page(forms.send(empty, path, FIELDS, _quiet))
    assert again.by_id("receipt-id").text == submission and "was here before" in again.by_id("submit-answer").text
    assert len(queue.load_all(empty.store)) == 1


def test_sending_with_problems_keeps_nothing(empty: Context, tmp_path: Path) -> None:
    """All problems, no submission."""
    page = Page(forms.send(empty, _zip(tmp_path, empty, n_left_out=1), {"link": "javascript:x"}, _quiet))
    told = page.by_id("submit-answer")
    assert told.attributes["data-result"] == "bad" and "missing_items" in str(page.elements)
    assert queue.load_all(empty.store) == ()


@pytest.mark.parametrize(("weights", "expected"), [("open", True), ("not open", False), ("not said", None)])
def test_the_forms_values_become_card_fields(weights: str, expected: bool | None) -> None:
    """Blank fields are left to the zip; what was not said is not sent."""
    values = ("Heron", *[""] * (len(TEXT_FIELDS) - 1), weights)
    fields = forms.form_fields(values)
    assert fields["system"] == "Heron" and "version" not in fields
    assert fields.get("open_weights") is expected


def test_hostile_file_names_and_fields_are_inert_from_the_check_to_the_queue(empty: Context, tmp_path: Path) -> None:
    """Markup in a member's name or a card field is shown as text, in the report and after it is taken."""
    evil = "<img src=x onerror=alert(1)>{{7*7}}"
    clips = {item.id: clip_bytes(at) for at, item in enumerate(empty.corpus.items)}
    fields = {**FIELDS, "system": evil, "organisation": "=1+1" + evil, "contact": "keep-me-secret"}
    refused = forms.check_only(empty, str(write_zip(tmp_path / "a.zip", {**clips, evil: b"x"})), fields, _quiet)
    assert not Page(refused).all("img") and "{{" not in refused
    assert "<img src=x" in Page(refused).by_id("submit-answer").text
    taken = forms.send(empty, str(write_zip(tmp_path / "b.zip", clips)), fields, _quiet)
    assert Page(taken).by_id("receipt-id")
    line = ui.queue_page(empty, {})
    assert not Page(line).all("img") and "{{" not in line and "keep-me-secret" not in line
    assert "=1+1" + evil in Page(line).by_id("page-queue").text
