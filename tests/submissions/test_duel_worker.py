"""Ordered duels: carried out once by one worker, through outages and kills, with every call paid once."""

import dataclasses
import signal
import subprocess
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from evaluation.errors import MissingDependency
from evaluation.judge.backend import JudgeMisconfigured
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.open_backend import open_backend
from evaluation.judge.spend_ledger import Budget, Ledger
from evaluation.pins import JudgeRecipe
from submissions import layout
from submissions.duel_contest import committed_duel
from submissions.duel_desk import DuelDesk
from submissions.duel_orders import DuelOrders, Order
from submissions.duel_worker import work_on_one
from submissions.liveness import this_process
from submissions.store.folder import FolderStore
from submissions.verify import verify
from submissions.worker_status import Reporter, read_statuses
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen
from tests.submissions.duel_example import NOW, THIRD, A, B, Ring, longer_wins, ring
from tests.submissions.judged_evaluation import after, down
from tests.submissions.test_judged_worker import PRICE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def stage(tmp_path: Path) -> Ring:
    """A judged board of three."""
    return ring(tmp_path)


def orders(stage: Ring) -> DuelOrders:
    """Return the orders of a home."""
    return DuelOrders(stage.home / "duels")


def order(stage: Ring) -> Order:
    """Return the order of A and B."""
    found = orders(stage).read(stage.protocol.id, B, A)
    assert found is not None
    return found


def work(stage: Ring, desk: DuelDesk, *, now: datetime = NOW, stop: threading.Event | None = None) -> bool:
    """Let a worker look for an order once."""
    store = FolderStore(stage.home)
    reporter = Reporter(store, "w1", this_process(), lambda: now)
    stop = stop or threading.Event()
    return work_on_one(desk, files=stage.files, store=store, reporter=reporter, clock=lambda: now, stop=stop)


def test_an_order_is_carried_out_once(stage: Ring) -> None:
    """It is done, committed, and nothing is left to do; the status said what the worker did."""
    said: list[str] = []

    def judge(seen: RequestSeen) -> ReplyPlan:
        said.extend(status.message for status in read_statuses(FolderStore(stage.home)))
        return longer_wins(seen)

    with Loopback(judge) as server:
        placed = orders(stage).place(stage.protocol.id, B, A, NOW)
        assert (placed.a, placed.b, placed.stage) == (A, B, "ordered")
        assert work(stage, stage.desk(server))
        assert not work(stage, stage.desk(server))
    assert order(stage).stage == "done" and order(stage).items_done == order(stage).n_items > 0
    assert committed_duel(stage.files, stage.protocol.id, A, B) is not None
    assert {*said} == {f"a duel of {A} and {B}"}
    assert verify(stage.home / "published").is_identical


def test_an_order_is_placed_once(stage: Ring) -> None:
    """Again is no change while it is under way; one that failed can be ordered anew."""
    first = orders(stage).place(stage.protocol.id, A, B, NOW)
    assert orders(stage).place(stage.protocol.id, B, A, NOW + timedelta(days=1)) == first
    orders(stage).write(dataclasses.replace(first, stage="failed", message="no"))
    again = orders(stage).place(stage.protocol.id, A, B, NOW + timedelta(days=1))
    assert (again.stage, again.message) == ("ordered", "")
    with pytest.raises(ValueError, match="a duel is of two"):
        orders(stage).place(stage.protocol.id, "../../etc", B, NOW)


def test_two_workers_never_hold_the_same_duel(stage: Ring) -> None:
    """The second finds nothing to do while the first is at work, and takes the next order instead."""
    found: list[bool] = []
    with Loopback(longer_wins) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)

        def judge(seen: RequestSeen) -> ReplyPlan:
            if seen.number == 0:
                found.append(work(stage, stage.desk(server)))
                orders(stage).place(stage.protocol.id, A, THIRD, NOW)
                server.judge = longer_wins
                found.append(work(stage, stage.desk(server)))
            return longer_wins(seen)

        server.judge = judge
        assert work(stage, stage.desk(server))
    assert found == [False, True]
    assert len(stage.files.paths("duels/")) == 4


def test_an_outage_is_waited_for(stage: Ring) -> None:
    """The page is told since when; the first moment stays over all tries, and no answered call is repeated."""
    with Loopback(after(2, down, longer_wins)) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)
        assert work(stage, stage.desk(server))
        waits = order(stage)
        assert (waits.stage, waits.message) == ("waiting", "waiting: judge unavailable since 2026-03-02 12:00 UTC")
        assert not work(stage, stage.desk(server))  # not due yet
        later = NOW + timedelta(hours=2)
        assert work(stage, stage.desk(server), now=later)
        assert order(stage).message == waits.message and order(stage).not_before != waits.not_before
        server.judge = longer_wins
        assert work(stage, stage.desk(server), now=later + timedelta(hours=2))
        assert len(server.answered) == 2 * len(stage.match().sent)
    assert order(stage).stage == "done"


def test_a_budget_is_waited_for_and_never_overspent(stage: Ring) -> None:
    """What is left does not allow the next call, so none is made."""
    with Loopback(longer_wins) as server:

        def opened(recipe: JudgeRecipe, run: str) -> Caller:
            return Caller(
                open_backend(recipe.backend, recipe.model, url=server.openai_url, key="k", timeout_s=10),
                cache=FolderCache(folder=stage.home / "judge" / "replies"),
                run=run,
                prices=(PRICE,),
                ledger=Ledger(stage.home / "judge" / "spend"),
                budget=Budget(per_run_micro_usd=1, per_day_micro_usd=None),
            )

        orders(stage).place(stage.protocol.id, A, B, NOW)
        assert work(stage, dataclasses.replace(stage.desk(server), open_judge=opened))
        assert not server.seen
    assert order(stage).stage == "waiting" and "budget for this run is spent" in order(stage).message


@pytest.mark.parametrize(
    "error", [JudgeMisconfigured("no key"), MissingDependency("gadget", "pip install gadget"), KeyError("bug")]
)
def test_what_cannot_be_mended_by_waiting_fails(stage: Ring, error: Exception) -> None:
    """The order says why, a bug by an id alone, and the worker goes on."""

    def opened(_: JudgeRecipe, __: str) -> Caller:
        raise error

    with Loopback(longer_wins) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)
        assert work(stage, dataclasses.replace(stage.desk(server), open_judge=opened))
    assert order(stage).stage == "failed"
    assert (str(error) in order(stage).message) != isinstance(error, KeyError)
    assert ("its traceback has the id" in order(stage).message) == isinstance(error, KeyError)


def test_one_who_left_fails_the_order(stage: Ring) -> None:
    """A row that was withdrawn after the order cannot be heard."""
    with Loopback(longer_wins) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)
        stage.files.remove(layout.result_path(stage.protocol.id, B))
        assert work(stage, stage.desk(server))
        assert not server.seen
    assert order(stage).stage == "failed" and "has no row" in order(stage).message


def test_a_worker_that_is_stopped_gives_the_order_back(stage: Ring) -> None:
    """It is ordered as before, and the next worker repeats no call."""
    stop = threading.Event()

    def judge(seen: RequestSeen) -> ReplyPlan:
        if seen.number == 1:
            stop.set()
        return longer_wins(seen)

    with Loopback(judge) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)
        assert work(stage, stage.desk(server), stop=stop)
        assert order(stage).stage == "ordered"
        assert work(stage, stage.desk(server))
        assert len(server.seen) == 2 * len(stage.match().sent)
    assert order(stage).stage == "done"


def test_a_killed_worker_loses_nothing(stage: Ring) -> None:
    """Killed while the judge thinks about the third call: the next process goes on there, and repeats no answer."""
    thinking, killed = threading.Event(), threading.Event()

    def judge(seen: RequestSeen) -> ReplyPlan:
        if seen.number == 2:
            thinking.set()
            killed.wait(30)
        return longer_wins(seen)

    with Loopback(judge) as server:
        orders(stage).place(stage.protocol.id, A, B, NOW)
        arguments = ["-m", "tests.submissions.duel_worker_process", str(stage.home), server.openai_url]
        with subprocess.Popen([sys.executable, *arguments], cwd=ROOT) as process:
            assert thinking.wait(60)
            process.send_signal(signal.SIGKILL)
        killed.set()
        assert order(stage).stage == "running"
        subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, timeout=60)
        assert len(server.seen) == 2 * len(stage.match().sent) + 1
    assert order(stage).stage == "done"
    assert verify(stage.home / "published").is_identical


def test_a_worker_killed_after_the_duel_only_says_so(stage: Ring) -> None:
    """The duel is there and the order is not done yet: nobody is asked."""
    with Loopback(longer_wins) as server:
        stage.hold(server)
        n_seen = len(server.seen)
        orders(stage).place(stage.protocol.id, A, B, NOW)
        assert work(stage, stage.desk(server))
        assert len(server.seen) == n_seen
    assert order(stage).stage == "done"


def test_an_order_that_cannot_be_read_is_passed_over(stage: Ring) -> None:
    """A damaged file stops no worker."""
    orders(stage).place(stage.protocol.id, A, B, NOW)
    (place,) = (stage.home / "duels").rglob("order.json")
    for data in (b"", b"{}", b"[]", b'{"schema_version":1}'):
        place.write_bytes(data)
        assert orders(stage).due(NOW) == ()
