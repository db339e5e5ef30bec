"""All nine dimensions from a zip to a page, as an operator lives through it: one story, one act a fixture.

Real programs throughout: `app.py` and its verbs, worker processes, packaged instruments, models in the true formats,
the providers' own client libraries. Only the models' size and the provider (on this machine) are of the test. Each
act starts where the one before it ended, so the first test that fails names the part that broke. Run it with `-s` to
see what the judge was asked, what came from the cache, and what it cost.
"""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from evaluation.records import ItemId, Unread
from submissions import layout
from submissions.evidence import read_evidence
from submissions.records import SubmissionId
from submissions.state import State
from submissions.verify import verify
from tests.show import listeners
from tests.show.house import BY_MODELS, DIMENSIONS, JUDGED, KEY, N_ITEMS, PLEA, SPOKEN_PLEA
from tests.show.stage import (
    CALLS_EACH,
    N_GOOD,
    PATIENCE_S,
    SMALL_BUDGET,
    Budget,
    Killed,
    Lies,
    Outage,
    Season,
    Show,
    heard,
)

pytestmark = [pytest.mark.browser, pytest.mark.models]


def test_first_season_publishes_the_anchor(show: Show, anchor: SubmissionId) -> None:
    """Packaged instruments alone need no model folder and no judge."""
    assert show.house.state(anchor).state is State.PUBLISHED
    assert show.lines[0].n_requests == 0


def test_draft_of_nine_dimensions_is_frozen(show: Show, nine: str, anchor: SubmissionId) -> None:
    """Every dimension has its instrument; models are pinned by their files, the judge by its anchor."""
    protocol = layout.decode_protocol((show.house.home / "protocols" / f"{nine}.json").read_bytes(), nine)
    assert protocol.dimensions == DIMENSIONS
    models = {role: one.model for role, one in protocol.instruments.items() if one.model is not None}
    assert {role: model.kind for role, model in models.items()} == {
        "gender": "transformers_classifier",
        "emotion": "transformers_classifier",
        "age": "age_gender",
        "accent": "speechbrain_classifier",
    }
    assert {model.revision for model in models.values()} == {"local"}
    assert protocol.judge is not None
    assert (protocol.judge.anchor.submission, len(protocol.judge.anchor.clips)) == (anchor, N_ITEMS)
    assert nine in show.house.well("protocol", "list").out


def test_page_says_that_the_judge_is_away(outage: Outage) -> None:
    """The submission waits, nobody has failed, and whoever looks is told since when."""
    assert (outage.state, outage.n_tries, outage.code) == (State.QUEUED, 0, "judge_unavailable")
    assert outage.page.startswith("waiting: ") and "since" in outage.page


def test_killed_run_repeats_no_call(show: Show, nine: str, killed: Killed) -> None:
    """Two lies and five good replies were paid for, and are not asked for again."""
    assert "1 " in killed.said
    assert show.house.state(killed.submission).state is State.PUBLISHED
    n_calls = CALLS_EACH * show.n_sent(nine, killed.submission)
    assert killed.n_answered == 2 + N_GOOD
    assert killed.n_after == n_calls - N_GOOD
    tally = show.lines[3].tally
    assert (tally["n_calls"], tally["n_cached"]) == (killed.n_after, killed.n_answered)


def test_all_clips_are_read_in_nine_dimensions(show: Show, nine: str, killed: Killed) -> None:
    """Each clip has three acoustic readings, four of models and two verdicts, and scores in each dimension."""
    table = layout.read_samples(show.house.published, nine, killed.submission)
    evidence = read_evidence(table)
    assert len(evidence.readings) == N_ITEMS
    for reading in evidence.readings.values():
        assert set(reading.probes) == set(BY_MODELS)
        assert set(reading.verdicts) == set(JUDGED)
        assert not any(isinstance(one, Unread) for one in reading.probes.values())
    rows = table.to_pylist()
    assert all(row[f"desirability_{name}"] is not None for row in rows for name in DIMENSIONS)


def test_spent_budget_pauses_and_a_raised_one_goes_on(show: Show, nine: str, budget: Budget) -> None:
    """Never more than allowed is spent, and nothing is paid twice."""
    assert budget.code == "judge_budget"
    assert 0 < budget.spent <= SMALL_BUDGET
    assert show.house.state(budget.submission).state is State.PUBLISHED
    assert budget.n_first > 0 and budget.n_second > 0
    assert budget.n_first + budget.n_second == CALLS_EACH * show.n_sent(nine, budget.submission)


def test_pleading_with_the_judge_scores_nothing(show: Show, nine: str, budget: Budget) -> None:
    """The judge would obey, but the clip never reaches it, and no card ever does."""
    said = show.verdicts(nine, budget.submission)[ItemId(SPOKEN_PLEA)]
    assert {verdict.reason for verdict in said.values() if isinstance(verdict, Unread)} == {"addresses_judge"}
    table = layout.read_samples(show.house.published, nine, budget.submission).to_pylist()
    (row,) = [row for row in table if row["item_id"] == SPOKEN_PLEA]
    assert row["composite"] == 0
    assert [row[f"desirability_{name}"] for name in JUDGED] == [0, 0]
    assert "give this clip" in row["transcript"].lower()
    longest = max(listeners.seconds(sound) for seen in show.server.seen for sound in seen.sounds)
    assert longest < listeners.LONGEST_PLAIN_S < row["duration_s"], "the judge would have heard it"
    asked = " ".join(text for seen in show.server.seen for text in (seen.system, *seen.texts))
    assert not any(word in asked for word in (PLEA, "knows best", "espeak", "pico", "flite", budget.submission))


def test_judge_that_lies_about_json_gives_no_zero(show: Show, nine: str, lies: Lies, budget: Budget) -> None:
    """It is asked three times for each reply; the row is owed, by us, and comes once the judge can write."""
    assert (lies.fault, lies.is_waiting, lies.has_row) == ("ours", True, False)
    assert "judged" in lies.message
    assert lies.n_requests == 3 * CALLS_EACH * show.n_sent(nine, lies.submission)
    assert lies.submission in show.rows(nine)


def test_judge_that_prefers_the_first_clip_decides_nothing(
    show: Show, other_judge: Season, anchor: SubmissionId
) -> None:
    """Swapped orders make a tie of every comparison, flagged as inconsistent, with the mean of both scores."""
    assert "3 submissions queued" in other_judge.said
    rows = show.rows(other_judge.protocol)
    assert len(rows) == 3
    verdicts = [
        one for row in rows for said in show.verdicts(other_judge.protocol, row).values() for one in heard(said)
    ]
    assert {(one.winner, one.is_consistent, one.score, one.anchor_score) for one in verdicts} == {
        ("tie", False, 1.5, 1.5)
    }
    assert other_judge.line.n_requests == CALLS_EACH * len(verdicts)
    assert {seen.protocol for seen in show.server.seen[-other_judge.line.n_requests :]} == {"openai"}
    assert "0 submissions queued" in other_judge.said_again


def test_unchanged_questions_are_never_asked_again(
    show: Show, nine: str, anchor: SubmissionId, same_judge: Season
) -> None:
    """A recipe that asks the same judge the same takes every reply from the cache; only the anchor's are new."""
    assert "3 submissions queued" in same_judge.said
    known = show.rows(nine)
    assert set(show.rows(same_judge.protocol)) == {anchor, *known} and len(known) == 2
    assert same_judge.line.n_requests == CALLS_EACH * show.n_sent(same_judge.protocol, anchor)
    assert same_judge.line.tally["n_calls"] == same_judge.line.n_requests
    assert same_judge.line.tally["n_cached"] >= sum(CALLS_EACH * show.n_sent(nine, row) for row in known)
    assert same_judge.n_again == 0
    for row in known:
        assert show.verdicts(same_judge.protocol, row) == show.verdicts(nine, row)
    of_anchor = [one for said in show.verdicts(same_judge.protocol, anchor).values() for one in heard(said)]
    assert {(one.winner, one.is_consistent) for one in of_anchor} == {("tie", True)}


def test_every_season_verifies(show: Show, same_judge: Season) -> None:
    """Scores, verdicts, decisions and ranks of all four boards follow from the published files."""
    report = verify(show.house.home / "published")
    assert report.is_identical, report.differences[:3]
    assert report.counts.n_rows == 1 + 2 + 3 + 3


def test_key_is_written_nowhere(show: Show, same_judge: Season) -> None:
    """No file of the home, no log and no reply holds the judge's key."""
    files = [path for path in show.house.home.rglob("*") if path.is_file()]
    assert len(files) > 100
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_pages_show_nine_dimensions_verdicts_and_judge(show: Show, nine: str, browser: Any, address: str) -> None:
    """Board, listen and method page, in a real browser that asks no other host for anything."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE_S * 1000)
    foreign: list[str] = []
    page.on("request", lambda one: None if one.url.startswith((address, "data:", "blob:")) else foreign.append(one.url))
    page.goto(f"{address}/?protocol={nine}")
    page.locator("#board-table tbody tr").nth(1).wait_for()
    keys = page.locator("#board-table th a[data-sort]").evaluate_all("heads => heads.map(head => head.dataset.sort)")
    assert {key for key in keys if key in DIMENSIONS} == set(DIMENSIONS)
    assert "The pico voice" in page.locator("#board-table").inner_text()
    rows = ",".join(show.rows(nine))
    page.goto(f"{address}/listen?protocol={nine}&item={SPOKEN_PLEA}&systems={rows}")
    page.locator("audio").nth(1).wait_for(state="attached")
    heard = page.locator("#page-listen").inner_text().lower()
    assert all(name in heard for name in DIMENSIONS)
    page.goto(f"{address}/method?protocol={nine}")
    page.locator("#page-method").wait_for()
    told = page.locator("#page-method").inner_text()
    assert "tiny-judge-1" in told and "The flite voice" in told
    assert all(f"tiny-{name}" in told for name in BY_MODELS)
    page.close()
    assert foreign == []


def test_downloads_recompute(show: Show, nine: str, address: str, tmp_path: Path) -> None:
    """What anybody fetches from the site verifies by itself, and holds verdicts and raw replies."""
    show.house.well("fetch", address, str(tmp_path / "copy"))
    said = show.house.well("verify", str(tmp_path / "copy")).out
    assert "identical" in said
    (row, *_) = show.rows(nine)
    table = pq.read_table(tmp_path / "copy" / layout.samples_path(nine, row))
    assert {f"judge_{name}_winner" for name in JUDGED} <= set(table.column_names)
    replies = pq.read_table(tmp_path / "copy" / layout.replies_path(nine, row))
    assert replies.num_rows >= CALLS_EACH * show.n_sent(nine, SubmissionId(row))
