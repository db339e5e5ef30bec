"""A card full of markup, formulas and template signs is inert on every page."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from leaderboard import ui
from leaderboard.context import Context
from leaderboard.pages import queue, submit
from leaderboard.pages.queue import Work
from leaderboard.reading.board import board_page
from leaderboard.reading.data import data_page
from leaderboard.reading.listen import listen_page
from leaderboard.reading.matrix import matrix_page
from leaderboard.reading.method import method_page
from leaderboard.reading.system import system_page
from submissions.card import Card
from submissions.intake import CheckResult
from submissions.problems import Problem
from submissions.records import Event, Queued, Received, submission_id, timestamp
from submissions.state import Reason as EndReason
from submissions.state import State, fold
from tests.leaderboard.page_reader import Page

EVIL = "<img src=x onerror=alert(1)>{{7*7}}${7*7}<script>alert(2)</script>\"'`</td>"
ID = "s0000000evil"
OUR_IMAGE = re.compile(r"/badge/[A-Za-z0-9_-]+\.svg(\?protocol=[0-9a-f]{12})?")
_PAGES = {
    "board": lambda site: board_page(site, {"q": EVIL, "org": EVIL, "sort": EVIL, "protocol": EVIL}),
    "board without filters": lambda site: board_page(site, {}),
    "matrix": lambda site: matrix_page(site, {"a": ID, "b": "s00000000001"}),
    "matrix of nobody": lambda site: matrix_page(site, {"a": EVIL, "b": EVIL, "from": EVIL}),
    "listen": lambda site: listen_page(site, {"systems": f"{ID},s00000000001", "item": "it-001"}),
    "listen to nobody": lambda site: listen_page(site, {"systems": EVIL, "item": EVIL, "pick": EVIL + ":x", "q": EVIL}),
    "system": lambda site: system_page(site, {"id": ID}),
    "system of nobody": lambda site: system_page(site, {"id": EVIL}),
    "queue": lambda site: ui.queue_page(site, {"id": EVIL}),
    "method": lambda site: method_page(site, {"protocol": EVIL}),
    "data": lambda site: data_page(site, {"protocol": EVIL}),
}


_NINE_PAGES = {
    "board": lambda site: board_page(site, {}),
    "emotion": lambda site: board_page(site, {"trait": "emotion"}),
    "tone": lambda site: board_page(site, {"trait": "tone"}),
    "no such trait": lambda site: board_page(site, {"trait": EVIL}),
    "listen": lambda site: listen_page(site, {"systems": f"{ID},s00000000001", "item": "it-004"}),
    "system": lambda site: system_page(site, {"id": ID}),
    "anchor": lambda site: system_page(site, {"id": "s00000000002"}),
}


def _assert_inert(markup: str) -> None:
    page = Page(markup)
    for element in page.elements:
        assert element.tag not in ("script", "iframe", "object", "style")
        assert element.tag != "img" or OUR_IMAGE.fullmatch(element.attributes["src"])
        assert not any(name.startswith("on") for name in element.attributes)
        for name in ("href", "src", "action"):
            assert (
                not element.attributes.get(name, "").lower().lstrip().startswith(("javascript:", "data:", "vbscript:"))
            )
    assert "{{" not in markup and "${" not in markup


@pytest.mark.parametrize("name", _PAGES)
def test_a_hostile_card_or_address_is_inert(hostile: Context, name: str) -> None:
    """No element, handler, address or template of a stranger's making comes out of a page."""
    _assert_inert(_PAGES[name](hostile))


@pytest.mark.parametrize("name", _NINE_PAGES)
def test_a_hostile_judge_or_card_is_inert(hostile_nine: Context, name: str) -> None:
    """What a judge writes, calls itself, or what a card's maker tells of the clips, is text and nothing else."""
    markup = _NINE_PAGES[name](hostile_nine)
    _assert_inert(markup)
    assert len(markup) < 1_000_000


def test_what_a_hostile_judge_wrote_can_be_read_as_it_was_written(hostile_nine: Context) -> None:
    """Reasoning, raw reply and the name that the model gave itself."""
    page = Page(_NINE_PAGES["listen"](hostile_nine))
    said = page.all("div", cls="cb-said")[-1].text
    assert EVIL in said and "gemini-3.5-flash" + EVIL in said
    assert EVIL in Page(board_page(hostile_nine, {"facts": "1"})).by_id("card-emotion").text
    assert EVIL in Page(_NINE_PAGES["system"](hostile_nine)).by_id("system-judge").text


def test_a_hostile_name_is_shown_as_it_was_written(hostile: Context) -> None:
    """Escaping hides nothing: a reader sees the signs."""
    assert EVIL in Page(board_page(hostile, {})).by_id("board-table").text


def test_a_hostile_submission_is_inert_in_queue_and_reports() -> None:
    """Card, problems and reasons of a submission that never reached the board."""
    at = timestamp(datetime(2026, 3, 1, tzinfo=UTC))
    texts = dict.fromkeys(
        ("system", "version", "organisation", "contact", "licence", "parameters", "link", "how_instructions", "notes"),
        EVIL,
    )
    problem = Problem(kind="problem", code="x", what=EVIL, where=", ".join([EVIL] * 30), allowed=EVIL, got=EVIL)
    received = Received(
        card=Card(**{**texts, "contact": "keep-me-secret"}, open_weights=None),
        zip_sha256="ab" * 32,
        zip_bytes=1,
        corpus="invented",
        warnings=(),
        submitter=None,
        code_version="0",
    )
    events = [Event(n=1, at=at, payload=received), Event(n=2, at=at, payload=Queued())]
    waiting = fold(submission_id("s0000waiting"), events)
    ended = replace(
        waiting,
        submission=submission_id("s00000ended"),
        state=State.REJECTED,
        reason=EndReason(code=EVIL, fault="maker", message=EVIL, problems=(problem,), trace_id=EVIL),
    )
    markup = queue.build(Work(states=(waiting, ended), workers=()), EVIL)
    _assert_inert(markup)
    assert "keep-me-secret" not in markup
    result = CheckResult(
        zip_sha256="",
        n_items=1,
        n_clips=0,
        clips=(),
        declined=(),
        card_fields={},
        problems=(problem,),
        warnings=(problem,),
        is_unreadable=False,
    )
    _assert_inert(submit.report(result, (problem,)))
    _assert_inert(submit.refused((problem,)))
