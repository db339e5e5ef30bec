"""A site with a judged board: what pages read of it, and what stands beside it for anybody to take away."""

import dataclasses
import hashlib
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation import cards
from evaluation.corpus import Corpus
from evaluation.records import ClassScores, Estimate, Unread, Verdict
from evaluation.traits import NATURALNESS
from leaderboard import media
from leaderboard.context import Context, make_context
from submissions import layout
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from tests.leaderboard.cast import NOW
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example

FIRST, SECOND, _ = example.SUBMISSIONS
UNDER = judged.protocol()


@pytest.fixture
def site(tmp_path: Path) -> Context:
    """Two systems, judged."""
    files = PublishedFolder(tmp_path / "published")
    for name in (FIRST, SECOND):
        example.send(files, judged.submission(tmp_path / name, name, UNDER), UNDER)
    return make_context(
        home=tmp_path,
        files=files,
        store=FolderStore(tmp_path),
        corpus=Corpus(pin=UNDER.corpus, items=example.items()),
        protocols=(UNDER,),
        clock=lambda: NOW,
    )


def shipped_card() -> cards.InstrumentCard:
    """The card of the gender probe."""
    return cards.matching(UNDER, cards.shipped())["gender"]


def test_pages_get_probabilities_estimates_verdicts_and_usage(site: Context, tmp_path: Path) -> None:
    """A sample holds everything that was read of its clip; a row says what its judging took."""
    board = site.published.board(UNDER.id)
    row, detail = board.row(FIRST), site.published.detail(board, FIRST)
    assert row is not None and detail is not None
    one = judged.submission(tmp_path / "again", FIRST, UNDER)
    assert row.judge_usage is not None
    assert (row.judge_usage.n_calls, row.judge_usage.models) == (len(one.replies), ("invented-audio-1-0042",))
    assert detail.summary.judged[NATURALNESS].n_judged > 0
    for item, reading in one.readings.items():
        sample = detail.samples[item]
        assert (sample.probes, sample.verdicts) == (reading.probes, reading.verdicts)
    kinds = {type(reading) for sample in detail.samples.values() for reading in sample.probes.values()}
    said = {type(verdict) for sample in detail.samples.values() for verdict in sample.verdicts.values()}
    assert kinds == {ClassScores, Estimate, Unread} and said == {Verdict, Unread}


def test_cards_are_those_of_the_board_s_own_instruments(site: Context) -> None:
    """A shipped card shows until the board has one; a damaged file breaks no page."""
    board = site.published.board(UNDER.id)
    assert site.published.cards(board) == {"gender": shipped_card()}
    assert site.published.people(board) is None
    mine = dataclasses.replace(shipped_card(), what="Other clips.")
    site.files.write(layout.card_path(UNDER.id, "gender"), cards.encode(mine))
    assert site.published.cards(board) == {"gender": mine}
    site.files.write(layout.card_path(UNDER.id, "age"), b"{}")
    site.files.write(layout.people_path(UNDER.id), b"{}")
    assert site.published.cards(board) == {"gender": shipped_card()}
    assert site.published.people(board) is None


def test_replies_cards_reports_and_duels_can_be_taken_away(site: Context, tmp_path: Path) -> None:
    """The index lists them at once; the copy verifies, with a note for what nothing recomputes."""
    app = FastAPI()
    app.include_router(media.router(site))
    client = TestClient(app)
    before = {entry["path"] for entry in client.get("/published/index.json").json()["files"]}
    assert layout.replies_path(UNDER.id, FIRST) in before
    duels = (layout.duel_path(UNDER.id, SECOND, FIRST), layout.duel_replies_path(UNDER.id, FIRST, SECOND))
    beside = {layout.card_path(UNDER.id, "gender"): cards.encode(shipped_card())}
    beside |= dict.fromkeys((layout.people_path(UNDER.id), *duels), b"{}")
    for path, data in beside.items():
        site.files.write(path, data)
    index = client.get("/published/index.json").json()["files"]
    assert {entry["path"] for entry in index} == before | set(beside)
    for entry in index:
        data = client.get(f"/published/{entry['path']}").content
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
        PublishedFolder(tmp_path / "copy").write(entry["path"], data)
    report = verify(tmp_path / "copy")
    assert {one.path for one in report.differences} == {duels[0]}  # an empty object is no duel
    assert report.counts.n_files == len(index)
    assert len(report.notes) == 1 and "not made anew" in report.notes[0]


@pytest.mark.parametrize("data", [b"{}", b"[" * 9, cards.encode(shipped_card()).replace(b"gender", b"accent")])
def test_a_card_of_something_else_is_a_difference(site: Context, data: bytes) -> None:
    """A card that is damaged, or of no instrument of the board, is named."""
    path = layout.card_path(UNDER.id, "gender")
    site.files.write(path, data)
    assert [one.path for one in verify(site.home / "published").differences] == [path]


def test_what_stands_beside_no_board_is_only_noted(site: Context) -> None:
    """A report of an unknown protocol belongs to nothing."""
    site.files.write(layout.people_path("unknown"), b"{}")
    report = verify(site.home / "published")
    assert report.is_identical and report.notes == ("people/unknown.json: belongs to no committed row; not checked",)
