"""How the site says it is: cheap, never waiting for a store, and without a place, a host or a secret in it."""

import dataclasses
import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.judge.backend import JudgeUnavailable
from leaderboard import as_of
from leaderboard.context import Context, make_context
from leaderboard.health import health_router
from leaderboard.pages import status as page
from leaderboard.reading.board import board_page
from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import Status, status_of, to_json
from submissions import queue
from submissions.holds import hold
from submissions.records import Event, SubmissionId
from submissions.store.base import StoreHealth, StoreUnavailable
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker_status import Reporter
from tests.leaderboard.cast import SIX, make_site
from tests.leaderboard.page_reader import Page
from tests.submissions.work_examples import CORPUS, a_process, a_worker, later, put

AWAY = StoreHealth(
    kind="hub",
    is_reachable=False,
    as_of=datetime(2026, 3, 1, 12, 3, tzinfo=UTC),
    message="https://hub.example/api/org/secret-repo does not answer",
    n_unpushed=2,
)


class AwayStore(FolderStore):
    """A work store whose hub is away."""

    def health(self) -> StoreHealth:
        """Say so."""
        return AWAY

    def submissions(self) -> tuple[SubmissionId, ...]:
        """Know nothing yet."""
        raise StoreUnavailable("https://hub.example does not answer")


class AwayFiles(PublishedFolder):
    """Published files whose hub is away, with a copy here."""

    def health(self) -> StoreHealth:
        """Say so."""
        return AWAY


class StuckStore(FolderStore):
    """A work store that answers nothing until it is let go."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.let_go = threading.Event()

    def events(self, submission: SubmissionId) -> tuple[Event, ...]:
        """Wait."""
        self.let_go.wait()
        return super().events(submission)


def asked(keeper: StatusKeeper[Status]) -> TestClient:
    """Return what asks /healthz."""
    site = FastAPI()
    site.include_router(health_router(keeper))
    return TestClient(site)


def keeper_of(context: Context) -> StatusKeeper[Status]:
    """Return a keeper that waits as long as it takes."""
    return StatusKeeper(lambda: status_of(context), patience_s=60)


@pytest.fixture
def away(tmp_path: Path) -> Context:
    """Give a site whose hub is away."""
    made = make_site(tmp_path / "home", SIX[:2])
    return _with(made, AwayStore(made.home), AwayFiles(made.home / "published"))


def _with(made: Context, store: FolderStore, files: PublishedFolder) -> Context:
    return make_context(
        home=made.home, files=files, store=store, corpus=made.corpus, protocols=made.protocols, clock=made.clock
    )


def test_all_is_well(six: Context) -> None:
    """A folder with a board and nothing waiting is ok."""
    answer = asked(keeper_of(six)).get("/healthz")
    told = answer.json()
    assert answer.status_code == 200 and told["status"] == "ok" and told["problems"] == []
    assert told["protocols"] == [six.protocols[0].id] and told["version"]
    assert told["stores"]["board"] == {"kind": "folder", "is_reachable": True, "as_of": None, "unpushed": 0}


def test_what_waits_without_a_worker_is_told_with_its_age(empty: Context) -> None:
    """Degraded while nobody works on what waits; well again once a worker has spoken."""
    put(empty.store, "s-waits-long")  # type: ignore[arg-type]
    site = dataclasses.replace(empty, clock=lambda: later(600))
    found = status_of(site)
    assert (found.n_waiting, found.oldest_waiting_s, found.problems) == (1, 600, ("no_worker",))
    Reporter(site.store, "w1", a_process(), lambda: later(590)).enter("idle")
    assert status_of(site).problems == ()
    late = dataclasses.replace(site, clock=lambda: later(590 + 600))
    assert status_of(late).problems == ("no_worker",)


def test_a_worker_elsewhere_shows_in_its_lease(empty: Context) -> None:
    """It has no file here; its claim and its renewals are its heartbeat."""
    put(empty.store, "s-runs-there")  # type: ignore[arg-type]
    claim = queue.claim_next(empty.store, a_worker("gpu-box"), later(10), corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    queue.renew(empty.store, claim, later(110))
    (line,) = status_of(dataclasses.replace(empty, clock=lambda: later(130))).workers
    assert not line.is_here and line.is_alive and line.at == "2026-03-01T12:01:50.000Z"
    (line,) = status_of(dataclasses.replace(empty, clock=lambda: later(110 + 3600))).workers
    assert not line.is_alive
    queue.renew(empty.store, claim, later(4000), 1800.0)  # as on a hub, where it is renewed every ten minutes
    alive = [status_of(dataclasses.replace(empty, clock=lambda s=s: later(4000 + s))).workers[0] for s in (700, 1300)]
    assert [line.is_alive for line in alive] == [True, False]


def test_a_judge_that_is_away_is_told_since_the_first_hold(empty: Context) -> None:
    """What is held for the judge says since when it is away."""
    put(empty.store, "s-waits-long")  # type: ignore[arg-type]
    claim = queue.claim_next(empty.store, a_worker(), later(10), corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None
    hold(empty.store, claim, later(20), JudgeUnavailable("it does not answer"))
    found = status_of(dataclasses.replace(empty, clock=lambda: later(60)))
    assert found.judge == "unavailable" and found.judge_away_since == "2026-03-01T12:00:20.000Z"
    assert "judge_unavailable" in found.problems


def test_a_hub_that_is_away_is_degraded_and_still_200(away: Context) -> None:
    """The board is served from its copy: machines are told what is wrong, and nothing of where anything is."""
    answer = asked(keeper_of(away)).get("/healthz")
    told = answer.json()
    assert answer.status_code == 200 and told["status"] == "degraded"
    assert {"hub_unreachable", "unpushed", "work_unreadable"} <= set(told["problems"])
    for secret in (str(away.home), "hub.example", "secret-repo", "org/", "http"):
        assert secret not in answer.text


def test_machines_are_told_no_names(empty: Context) -> None:
    """A worker may be named after a host; its name is for people only."""
    Reporter(empty.store, "gpu-host-7", a_process(), empty.clock).enter("idle")
    assert "gpu-host-7" not in json.dumps(to_json(status_of(empty)))
    assert "gpu-host-7" in page.build(status_of(empty))


def test_a_store_that_hangs_keeps_nobody_waiting(tmp_path: Path) -> None:
    """The last word is given while a newer one is being made, "not known yet" before the first; one asks at a time."""
    made = make_site(tmp_path / "home", SIX[:1])
    put(made.store, "s-waits-long")  # type: ignore[arg-type]
    store, n_asked = StuckStore(made.home), []
    site = _with(made, store, PublishedFolder(made.home / "published"))

    def make() -> Status:
        n_asked.append(1)
        return status_of(site)

    client = asked(StatusKeeper(make, kept_s=0, patience_s=0.01))
    for _ in range(5):
        answer = client.get("/healthz")
        assert answer.status_code == 200 and answer.json()["problems"] == ["not_known_yet"]
    assert len(n_asked) == 1
    store.let_go.set()
    patient = asked(keeper_of(site)).get("/healthz").json()
    assert patient["queue"]["waiting"] == 1


def test_a_word_is_good_for_some_seconds() -> None:
    """However many ask, it is made once; after its time it is made again."""
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    good = StatusKeeper(make, kept_s=3600, patience_s=60)
    assert [good.last() for _ in range(20)] == [0] * 20
    old = StatusKeeper(make, kept_s=0, patience_s=60)
    assert [old.last() for _ in range(3)] == [1, 2, 3]


def test_503_only_if_no_page_can_be_served(tmp_path: Path) -> None:
    """A damaged board is down; so a load balancer leaves it."""
    site = make_site(tmp_path / "home", SIX[:1])
    for path in site.files.paths("board/"):
        site.files.write(path, b"no table")
    answer = asked(keeper_of(site)).get("/healthz")
    assert answer.status_code == 503 and answer.json()["problems"] == ["board_unreadable"]


def test_head_and_no_store(six: Context) -> None:
    """Monitors may ask with HEAD, and nothing in between keeps an answer."""
    answer = asked(keeper_of(six)).head("/healthz")
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"


def test_the_status_page_says_when_the_board_is_updated(empty: Context, away: Context) -> None:
    """In words for a maker: nothing to come, something to come, and a hub that is away."""
    assert "until somebody submits" in Page(page.build(status_of(empty))).by_id("status-updated").text
    put(empty.store, "s-waits-long")  # type: ignore[arg-type]
    assert "not known" in Page(page.build(status_of(empty))).by_id("status-updated").text
    shown = Page(page.build(status_of(away)))
    assert shown.by_id("status-verdict").attributes["data-status"] == "degraded"
    assert "cannot be reached; as of 2026-03-01 12:03 UTC" in shown.by_id("page-status").text
    assert "secret-repo" not in shown.by_id("page-status").text
    assert "worked out" in page.build(None)


def test_the_next_row_is_expected_when_its_worker_says(empty: Context) -> None:
    """A run that tells how long it needs is the answer."""
    running = put(empty.store, "s-runs-now")  # type: ignore[arg-type]
    queue.claim_next(empty.store, a_worker(), later(1), corpus=CORPUS, is_dead=lambda _: False)
    from evaluation.run_progress import Progress

    reporter = Reporter(empty.store, "w1", a_process(), lambda: later(30))
    reporter.enter("reading", running)
    reporter.progress(Progress(shards_done=1, n_shards=4, clips_done=32, n_clips=128, seconds_per_clip=1.0, eta_s=96.0))
    told = page.build(status_of(dataclasses.replace(empty, clock=lambda: later(31))))
    assert "about 1 min 36 s" in Page(told).by_id("status-updated").text


def test_the_notice_of_age_stands_above_the_board_alone_while_the_hub_is_away(six: Context, away: Context) -> None:
    """It says as of when; in a folder, and while the hub answers, there is none."""
    told = as_of.above(board_page(away, {}), away.files.health())
    shown = Page(told)
    assert "as of 2026-03-01 12:03 UTC" in shown.by_id("as-of").text
    names = [element.attributes.get("id") for element in shown.elements]
    assert names.index("as-of") < names.index("page-board")
    assert as_of.above(board_page(six, {}), six.files.health()) == board_page(six, {})
    now = datetime.now(UTC) - timedelta(seconds=1)
    today = as_of.sentence(dataclasses.replace(AWAY, as_of=now)) or ""
    assert f"as of {now:%H:%M} UTC" in today or f"{now:%Y-%m-%d}" in today
    never = as_of.sentence(dataclasses.replace(AWAY, as_of=None))
    assert never is not None and "last copy" in never
