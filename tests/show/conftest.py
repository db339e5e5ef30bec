"""The acts of the show, each a fixture that goes on where the one before it ended."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.judge.spend_ledger import Ledger
from leaderboard.terminal import say
from submissions.records import SubmissionId
from submissions.state import State
from tests.evaluation.judge.loopback import Loopback
from tests.show import listeners
from tests.show.house import BY_MODELS, KEY, House
from tests.show.stage import (
    N_GOOD,
    SMALL_BUDGET,
    Budget,
    Killed,
    Lies,
    Outage,
    Season,
    Show,
    played_season,
    served,
    table_of,
    until,
)

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Show]:
    """Build the house, open the provider, and in the end tell what everything took."""
    house = House.build(tmp_path_factory.mktemp("show"))
    with Loopback(listeners.down, key=KEY) as server:
        house.more["CASTBOARD_JUDGE_URL"] = server.gemini_url
        show = Show(house=house, server=server, lines=[])
        yield show
    say("\n" + table_of(show.lines))


@pytest.fixture(scope="module")
def anchor(show: Show) -> SubmissionId:
    """Act 1: a season of packaged instruments alone; its one system will be the anchor."""
    submission = show.house.send("flite")
    show.work("first season, no judge", listeners.down)
    return submission


@pytest.fixture(scope="module")
def nine(show: Show, anchor: SubmissionId) -> str:
    """Act 2: a draft of nine dimensions is frozen, and is what new submissions are evaluated under."""
    protocol = show.house.freeze("nine", anchor)
    show.house.more["CASTBOARD_PROTOCOL"] = protocol
    return protocol


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start headless Chromium."""
    from playwright import sync_api

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    arguments += ["--disable-background-networking", "--disable-component-update"]
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def outage(show: Show, nine: str, browser: Any) -> Outage:
    """Act 3: the judge answers nobody; the server's own worker meets that, and the page tells."""
    submission = show.house.send("pico")
    page = browser.new_page()
    told: list[str] = []

    def play() -> None:
        with served(show.house) as address:
            until(lambda: show.house.state(submission).is_held, "a held submission", show.worker_log)
            page = browser.new_page()
            page.goto(f"{address}/queue?id={submission}")
            page.locator(".cb-held").first.wait_for()
            told.append(page.locator(".cb-held").first.inner_text())

    show.act("judge away (server's worker)", listeners.down, play)
    page.close()  # the server ended while it was open
    state = show.house.state(submission)
    code = state.reason.code if state.reason else ""
    return Outage(submission=submission, page=told[0], state=state.state, n_tries=state.attempts, code=code)


@pytest.fixture(scope="module")
def killed(show: Show, outage: Outage) -> Killed:
    """Act 4: the judge is back with refusals and lies, then falls silent; kill -9; another worker goes on."""
    said = show.house.well("resume").out
    n_before, n_answered_before = len(show.server.seen), len(show.server.answered)
    n_until_silent = 4 + N_GOOD + 1

    def play() -> None:
        worker = show.house.start("worker", "--once", CASTBOARD_JUDGE_PARALLEL="1")
        try:
            until(lambda: len(show.server.seen) == n_before + n_until_silent, "the judge's silence", str)
        finally:
            worker.kill()
            worker.communicate()

    show.act("429, lies, 500; then kill -9", listeners.Troubled(N_GOOD), play)
    n_answered = len(show.server.answered) - n_answered_before
    n_seen = len(show.server.seen)
    show.work("resumed by another worker", listeners.honest)
    return Killed(
        submission=outage.submission, n_answered=n_answered, n_after=len(show.server.seen) - n_seen, said=said
    )


@pytest.fixture(scope="module")
def lies(show: Show, nine: str, killed: Killed) -> Lies:
    """Act 5: another system comes, and the judge writes anything but JSON."""
    submission = show.house.send("espeak")
    show.work("a judge that cannot write JSON", listeners.lying)
    state = show.house.state(submission)
    assert state.reason is not None
    return Lies(
        submission=submission,
        fault=state.reason.fault,
        message=state.reason.message,
        is_waiting=state.state is State.QUEUED,
        has_row=submission in show.rows(nine),
        n_requests=show.lines[-1].n_requests,
    )


@pytest.fixture(scope="module")
def budget(show: Show, nine: str, lies: Lies) -> Budget:
    """Act 6: the judge can write, and obeys whoever pleads; the budget ends half way, and is raised."""
    submission, books = lies.submission, Ledger(show.house.home / "judge" / "spend")
    run = f"{submission}.{nine}"
    allowed = books.spent_by(run) + SMALL_BUDGET
    show.house.well("resume", submission)
    small = {"CASTBOARD_JUDGE_BUDGET": f"{allowed / 1e6:.6f}", "CASTBOARD_JUDGE_PARALLEL": "1"}
    show.work("an obeying judge; budget spent", listeners.obeying, **small)
    state, n_first = show.house.state(submission), show.lines[-1].n_requests
    spent = books.spent_by(run) - allowed + SMALL_BUDGET
    show.house.well("resume")
    show.work("budget raised, resumed", listeners.obeying, CASTBOARD_JUDGE_BUDGET="1")
    return Budget(
        submission=submission,
        code=state.reason.code if state.reason else "",
        spent=spent,
        n_first=n_first,
        n_second=show.lines[-1].n_requests,
    )


@pytest.fixture(scope="module")
def other_judge(show: Show, anchor: SubmissionId, budget: Budget) -> Season:
    """Act 7: a second season, with another judge, that prefers whatever comes first."""
    protocol = show.house.freeze("other-judge", anchor, backend="openai", is_combined=False, left_out=BY_MODELS)
    with_url = {"CASTBOARD_JUDGE_URL": show.server.openai_url}
    return played_season(show, "another judge, one call a dimension", protocol, listeners.prefers_first, **with_url)


@pytest.fixture(scope="module")
def same_judge(show: Show, anchor: SubmissionId, other_judge: Season) -> Season:
    """Act 8: a third season, without models, that asks the first judge the same as ever, and about the anchor too."""
    protocol = show.house.freeze("no-models", anchor, left_out=BY_MODELS)
    return played_season(show, "the first judge again, other recipe", protocol, listeners.honest)


@pytest.fixture(scope="module")
def address(show: Show, same_judge: Season) -> Iterator[str]:
    """Act 9: the pages of it all."""
    show.server.judge = listeners.down
    with served(show.house) as address:
        yield address
