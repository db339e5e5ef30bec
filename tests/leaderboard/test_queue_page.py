"""The queue page."""

import dataclasses
from datetime import timedelta

from evaluation.judge.calls import Tally
from evaluation.judge.spend import RunEstimate
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.judge_stage import JudgeProgress
from evaluation.protocol import encode
from evaluation.run_progress import Progress
from leaderboard import display, ui
from leaderboard.coming import coming
from leaderboard.context import Context
from leaderboard.reading.board import board_page
from submissions import queue
from submissions.demo.status import DemoStatus, SystemStatus, write_status
from submissions.holds import hold
from submissions.records import Rejected, timestamp
from submissions.worker_status import Reporter
from tests.leaderboard import nine
from tests.leaderboard.page_reader import Page
from tests.submissions.work_examples import CORPUS, NOON, PROBLEM, a_process, a_worker, later, put


def _claim(site: Context, seconds: float = 0) -> queue.Claim:
    claim = queue.claim_next(site.store, a_worker(), later(seconds), corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    return claim


def test_an_idle_queue_says_so(empty: Context) -> None:
    """No worker and nothing to do are sentences, not blanks."""
    page = Page(ui.queue_page(empty, {}))
    assert "No worker has reported" in page.by_id("queue-workers").text
    assert "Nothing is waiting" in page.by_id("queue-now").text


def test_progress_place_and_heartbeat(empty: Context) -> None:
    """What runs tells how far it is; what waits tells its place; the worker tells when it last spoke."""
    running, waiting = put(empty.store, "s-runs-now"), put(empty.store, "s-waits", later(5))
    assert _claim(empty).submission == running
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON + timedelta(seconds=30))
    reporter.enter("reading", running)
    reporter.progress(
        Progress(shards_done=3, n_shards=12, clips_done=96, n_clips=384, seconds_per_clip=0.5, eta_s=144.0)
    )
    page = Page(ui.queue_page(empty, {"id": waiting}))
    row = page.by_id(f"queue-{running}")
    assert row.attributes["data-state"] == "running"
    for told in ("96 of 384 clips", "3 of 12 shards", "0.50 s a clip", "about 2 min 24 s to go", "measuring clips"):
        assert told in row.text
    assert page.all("progress")[0].attributes["value"] == "0.250"
    other = page.by_id(f"queue-{waiting}")
    assert "place 1" in other.text and other.attributes["class"] == "cb-picked"
    assert page.by_id("queue-workers").inside[-1].attributes["datetime"] == "2026-03-01T12:00:30.000Z"


def test_a_held_submission_says_what_it_waits_for_and_since_when(empty: Context) -> None:
    """The first hold's time stays; nobody is blamed and nothing is said to be tried again."""
    held = put(empty.store, "s-waits-long")
    for at_s in (0, 600):
        queue.hold(
            empty.store,
            _claim(empty, at_s),
            later(at_s),
            reason="judge_unavailable",
            message="waiting: judge unavailable",
            since=None,
            not_before=later(at_s + 600),
        )
    text = Page(ui.queue_page(empty, {})).by_id(f"queue-{held}").text
    assert f"waiting: judge unavailable since {display.when(timestamp(NOON))}" in text
    assert "tried again" not in text
    assert "fault" not in text


def test_a_spent_budget_says_which_one_and_when_it_goes_on(empty: Context) -> None:
    """The day's comes back at midnight; a submission's own waits for its operator; nobody is blamed for either."""
    day, own = put(empty.store, "s-day-spent"), put(empty.store, "s-own-spent", later(1))
    hold(empty.store, _claim(empty), NOON, BudgetSpent("9.98 of 10 USD", until=NOON + timedelta(hours=12)))
    hold(empty.store, _claim(empty), NOON, BudgetSpent("4.99 of 5 USD", until=None))
    page = Page(ui.queue_page(empty, {}))
    told = page.by_id(f"queue-{day}").text
    assert "waiting: the judge's budget of the day is spent; goes on at 2026-03-02 00:00 UTC." in told
    other = page.by_id(f"queue-{own}").text
    assert "waiting: what one submission may spend on the judge is spent; goes on when the operator raises it." in other
    for text in (told, other):
        assert "Nothing is lost" in text and "done nothing wrong" in text and "fault" not in text


def test_a_large_model_s_pass_is_told_with_its_name(empty: Context) -> None:
    """Which pass of how many, of what, by which instrument of the protocol that the run is under."""
    running = put(empty.store, "s-runs-now")
    _claim(empty)
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON)
    reporter.enter("reading", running)
    fields = {"shards_done": 30, "n_shards": 60, "clips_done": 9, "n_clips": 36, "seconds_per_clip": 0.5, "eta_s": 13.5}
    reporter.progress(Progress(**fields, pass_name="gender", passes_done=1, n_passes=3))
    name = empty.protocols[0].instruments["gender"].name
    assert f"pass 2 of 3: gender, {name}" in Page(ui.queue_page(empty, {})).by_id(f"queue-{running}").text
    reporter.progress(Progress(**fields, pass_name="shared", passes_done=0, n_passes=3))
    assert "pass 1 of 3: the light instruments" in Page(ui.queue_page(empty, {})).by_id(f"queue-{running}").text
    reporter.progress(Progress(**fields))
    assert "pass" not in Page(ui.queue_page(empty, {})).by_id(f"queue-{running}").text


def test_a_season_s_pass_is_named_by_its_own_protocol(empty: Context) -> None:
    """A protocol that was frozen on this machine names its models; a damaged file beside it breaks no page."""
    season = nine.make_protocol(empty.corpus, {})
    kept = empty.home / "protocols"
    kept.mkdir()
    (kept / f"{season.id}.json").write_bytes(encode(season))
    (kept / "damaged.json").write_text("{")
    name = put(empty.store, "s-two-seasons")
    queue.finish(empty.store, _claim(empty), NOON, "p1")
    queue.reevaluate(empty.store, name, NOON, season.id)
    _claim(empty)
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON)
    reporter.enter("reading", name)
    fields = {"shards_done": 3, "n_shards": 6, "clips_done": 9, "n_clips": 36, "seconds_per_clip": None, "eta_s": None}
    reporter.progress(Progress(**fields, pass_name="emotion", passes_done=2, n_passes=4))
    assert "pass 3 of 4: emotion, wav2vec2-emotion" in Page(ui.queue_page(empty, {})).by_id(f"queue-{name}").text


def test_judging_tells_calls_what_was_kept_retries_and_spend(empty: Context) -> None:
    """And, while the judge is away, since when, and that nothing is lost."""
    running = put(empty.store, "s-judged-now")
    _claim(empty)
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON)
    expected = RunEstimate(calls=992, audio_s=9e3, input_tokens=42, output_tokens=9, micro_usd=7_900_000)
    tally = Tally(n_calls=180, n_cached=60, n_retries=1, n_failures=3, micro_usd=1_432_100)
    reporter.judging(running, JudgeProgress(expected=expected, items_done=120, n_items=496, tally=tally))
    told = Page(ui.queue_page(empty, {})).by_id(f"queue-{running}").text
    for part in (
        "120 of 496 clips",
        "240 of 992 calls",
        "60 of them kept",
        "1 retry",
        "1.43 USD spent, at most 7.90 USD",
    ):
        assert part in told, part
    assert "unavailable" not in told
    reporter.waiting_for_judge(dataclasses.replace(tally, n_retries=4), NOON)
    page = Page(ui.queue_page(empty, {}))
    away = f"waiting: judge unavailable since {display.when(timestamp(NOON))}"
    told = page.by_id(f"queue-{running}").text
    assert "4 retries" in told and away in told and "Nothing is lost" in told
    assert away in page.by_id("queue-workers").text and "T12:00" not in page.by_id("queue-workers").text


def test_a_spend_without_a_price_is_no_0(empty: Context) -> None:
    """What is not known is said so."""
    running = put(empty.store, "s-judged-now")
    _claim(empty)
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON)
    expected = RunEstimate(calls=8, audio_s=9.0, input_tokens=42, output_tokens=9, micro_usd=None)
    tally = Tally(n_calls=3, n_unpriced=3)
    reporter.judging(running, JudgeProgress(expected=expected, items_done=1, n_items=4, tally=tally))
    told = Page(ui.queue_page(empty, {})).by_id(f"queue-{running}").text
    assert "price not known" in told and "USD" not in told


def test_a_failed_season_says_that_the_row_of_before_stays(empty: Context) -> None:
    """A run under another protocol that ends badly is told with that protocol, and the old row is linked."""
    name = put(empty.store, "s-two-seasons")
    queue.finish(empty.store, _claim(empty), NOON, "p1")
    queue.reevaluate(empty.store, name, NOON, "p2")
    claim = _claim(empty)
    queue.reject(empty.store, claim, NOON, Rejected(claim=claim.number, problems=(PROBLEM,)))
    row = Page(ui.queue_page(empty, {})).by_id(f"queue-{name}")
    assert "It was to get a row under protocol p2. Its row of before stays." in row.text


def test_every_end_says_why_and_whose_fault_it_was(empty: Context) -> None:
    """A rejected zip lists its problems, a failure of ours says that it costs nothing, a published row is linked."""
    for name in ("s-rejected", "s-failed", "s-published", "s-withdrawn"):
        put(empty.store, name)
    by_name = {}
    for _ in range(4):
        claim = _claim(empty)
        by_name[claim.submission] = claim
    queue.reject(
        empty.store, by_name["s-rejected"], NOON, Rejected(claim=by_name["s-rejected"].number, problems=(PROBLEM,))
    )
    queue.finish(empty.store, by_name["s-published"], NOON, "abc")
    queue.withdraw(empty.store, by_name["s-withdrawn"].submission, NOON, "The maker asked for it")
    claim = by_name["s-failed"]
    for attempt in range(queue.MAX_ATTEMPTS):
        queue.give_back(empty.store, claim, later(attempt), reason="bug", message="It broke", trace_id="77aa")
        if attempt + 1 < queue.MAX_ATTEMPTS:
            claim = _claim(empty, 100_000.0 * (attempt + 1))
    page = Page(ui.queue_page(empty, {}))
    rejected = page.by_id("queue-s-rejected")
    assert PROBLEM.what in rejected.text and "yours to mend" in rejected.text
    failed = page.by_id("queue-s-failed").text
    assert "It broke" in failed and "our fault; it costs you nothing" in failed and "77aa" in failed and "bug" in failed
    assert "The maker asked for it" in page.by_id("queue-s-withdrawn").text
    assert page.all("a", href="/system?id=s-published&protocol=abc")
    assert "keeper@aviary.example" not in ui.queue_page(empty, {})


def test_an_unknown_id_is_said_so(empty: Context) -> None:
    """A receipt from elsewhere leads to a sentence."""
    assert "No submission has the id" in Page(ui.queue_page(empty, {"id": "s-elsewhere"})).by_id("page-queue").text


def test_the_page_is_the_same_until_something_happens(empty: Context) -> None:
    """Times are absolute in the markup, so an open page is not redrawn for nothing."""
    put(empty.store, "s-waits-long")
    later_site = dataclasses.replace(empty, clock=lambda: NOON + timedelta(days=3))
    assert ui.queue_page(empty, {}) == ui.queue_page(later_site, {})


def test_an_empty_board_says_when_its_first_row_comes(empty: Context) -> None:
    """While demo systems are made the board says so, with minutes as soon as a worker knows them; then no more."""
    fields = {"key": "a", "name": "Parrot", "done": 0, "total": 0, "submission": None, "message": ""}
    assert coming(empty) == ""
    write_status(empty.home / "demo", DemoStatus(systems=(SystemStatus(stage="speaking", **fields),)))
    assert "first row appears when" in Page(board_page(empty, {})).by_id("board-coming").text
    running = put(empty.store, "s-demo")
    _claim(empty)
    reporter = Reporter(empty.store, "w1", a_process(), lambda: NOON)
    reporter.enter("reading", running)
    reporter.progress(Progress(shards_done=1, n_shards=4, clips_done=9, n_clips=36, seconds_per_clip=5.0, eta_s=135.0))
    notice = Page(board_page(empty, {})).by_id("board-coming")
    assert "about 3 minutes." in notice.text and any(e.attributes.get("href") == "/queue" for e in notice.inside)
    write_status(empty.home / "demo", DemoStatus(systems=(SystemStatus(stage="skipped", **fields),)))
    queue.withdraw(empty.store, running, NOON, "Gone")
    assert coming(empty) == ""


def test_demo_systems_show_how_far_they_are_until_all_are_sent(empty: Context) -> None:
    """What is still being synthesised is told before it is a submission; a finished demo needs no words."""
    fields = {"done": 0, "total": 0, "submission": None, "message": ""}
    speaking = SystemStatus(key="a", name="Parrot", stage="speaking", **{**fields, "done": 124, "total": 496})
    sent = SystemStatus(key="b", name="Wren", stage="sent", **{**fields, "submission": "s-sent-one"})
    write_status(empty.home / "demo", DemoStatus(systems=(speaking, sent)))
    told = Page(ui.queue_page(empty, {})).by_id("queue-demo")
    assert "124 of 496 clips" in told.text and "is being synthesised" in told.text
    assert [e.attributes["href"] for e in told.inside if e.tag == "a"] == ["/queue?id=s-sent-one"]
    write_status(empty.home / "demo", DemoStatus(systems=(sent,)))
    assert "Demo systems" not in ui.queue_page(empty, {})
