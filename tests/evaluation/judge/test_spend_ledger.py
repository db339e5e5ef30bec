"""The books: exact sums, budgets that hold, and damage that frees no money."""

import contextlib
import multiprocessing
import tempfile
from datetime import UTC, date, datetime, timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.judge.spend_ledger import Budget, BudgetSpent, Ledger
from tests.evaluation.judge.asking import START

N_RACES = 25
NO_LIMIT = Budget(per_run_micro_usd=None, per_day_micro_usd=None)


def race(folder: str, start: Barrier) -> None:
    """Try to reserve the whole budget of one run after another, each at the same moment as another process."""
    ledger, budget = Ledger(Path(folder)), Budget(per_run_micro_usd=7, per_day_micro_usd=None)
    for i in range(N_RACES):
        start.wait()
        with contextlib.suppress(BudgetSpent):
            ledger.reserve(run=f"r{i}", micro_usd=7, budget=budget, now=START)


@settings(max_examples=15, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 40), st.integers(0, 50), st.integers(0, 2)), max_size=12
    )
)
def test_books_agree_with_plain_sums(steps: list[tuple[str, int, int, int]]) -> None:
    """However calls are reserved and settled, runs and days hold the plain sums, also when read anew."""
    runs: dict[str, int] = {"a": 0, "b": 0}
    days: dict[date, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder))
        for run, most, cost, day in steps:
            now = START + timedelta(days=day)
            made = ledger.reserve(run=run, micro_usd=most, budget=NO_LIMIT, now=now)
            is_settled = cost % 3 > 0
            if is_settled:
                ledger.settle(made, cost)
            runs[run] += cost if is_settled else most
            days[now.date()] = days.get(now.date(), 0) + (cost if is_settled else most)
        for books in (ledger, Ledger(Path(folder))):
            assert {run: books.spent_by(run) for run in runs} == runs
            assert {day: books.spent_on(day) for day in days} == days


def test_budget_is_exact(tmp_path: Path) -> None:
    """A call that fits to the last millionth is let through, one more is not."""
    ledger = Ledger(tmp_path)
    budget = Budget(per_run_micro_usd=10, per_day_micro_usd=15)
    ledger.reserve(run="a", micro_usd=10, budget=budget, now=START)
    with pytest.raises(BudgetSpent, match=r"this run is spent: 0\.000010 USD of 0\.000010 USD") as caught:
        ledger.reserve(run="a", micro_usd=1, budget=budget, now=START)
    assert caught.value.until is None
    ledger.reserve(run="b", micro_usd=5, budget=budget, now=START)
    with pytest.raises(BudgetSpent, match=r"2026-03-04 \(UTC\)") as caught:
        ledger.reserve(run="c", micro_usd=1, budget=budget, now=START)
    assert caught.value.until == datetime(2026, 3, 5, tzinfo=UTC)
    ledger.reserve(run="c", micro_usd=1, budget=budget, now=START + timedelta(hours=1))


def test_cost_counts_for_the_day_of_its_reservation(tmp_path: Path) -> None:
    """A call that ends after midnight is spent on the day on which it began."""
    ledger = Ledger(tmp_path)
    made = ledger.reserve(run="a", micro_usd=10, budget=NO_LIMIT, now=START + timedelta(minutes=59, seconds=59))
    ledger.settle(made, 4)
    assert ledger.spent_on(START.date()) == 4


def test_what_must_not_be_lost_is_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reservation, and a bill above its own, are on the disk first; a lost settlement frees nothing."""
    synced: list[int] = []
    monkeypatch.setattr("evaluation.judge.spend_ledger.os.fsync", synced.append)
    ledger = Ledger(tmp_path)
    made = [ledger.reserve(run="a", micro_usd=10, budget=NO_LIMIT, now=START) for _ in range(2)]
    assert len(synced) == 4, "in the books of the day and of the run"
    ledger.settle(made[0], 10)
    assert len(synced) == 4
    ledger.settle(made[1], 11)
    assert len(synced) == 6
    assert Ledger(tmp_path).spent_by("a") == 21


def test_processes_share_one_budget(tmp_path: Path) -> None:
    """Of two processes that want the same last money at the same moment one gets it, every time."""
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(2)
    racers = [spawn.Process(target=race, args=(str(tmp_path), start)) for _ in range(2)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert [racer.exitcode for racer in racers] == [0, 0]
    ledger = Ledger(tmp_path)
    assert [ledger.spent_by(f"r{i}") for i in range(N_RACES)] == [7] * N_RACES


def test_half_a_line_frees_no_money_and_spoils_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What a killed writer left behind is told in the log; all other lines count, and new ones stand on their own."""
    ledger = Ledger(tmp_path)
    first = ledger.reserve(run="a", micro_usd=10, budget=NO_LIMIT, now=START)
    book = tmp_path / "runs" / "a.jsonl"
    whole = book.read_bytes()
    ledger.settle(first, 3)
    book.write_bytes(book.read_bytes()[:-20])
    later = Ledger(tmp_path)
    assert later.spent_by("a") == 10
    later.reserve(run="a", micro_usd=7, budget=NO_LIMIT, now=START)
    assert later.spent_by("a") == 17
    assert "ledger.line_damaged" in [record.message for record in caplog.records]
    assert book.read_bytes().startswith(whole)


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"[]",
        b"\xff",
        b'{"id": 3, "micro_usd": 1}',
        b'{"id": "x", "micro_usd": -5}',
        b'{"id": "x", "micro_usd": true}',
        b'{"id": "x", "micro_usd": 1.5}',
    ],
)
def test_lines_of_another_shape_count_nothing(line: bytes, tmp_path: Path) -> None:
    """A line that is none of ours neither adds nor frees money."""
    ledger = Ledger(tmp_path)
    ledger.reserve(run="a", micro_usd=10, budget=NO_LIMIT, now=START)
    with (tmp_path / "runs" / "a.jsonl").open("ab") as file:
        file.write(line + b"\n")
    assert ledger.spent_by("a") == Ledger(tmp_path).spent_by("a") == 10


@pytest.mark.parametrize("run", ["", "../a", "a/b", ".a", "a" * 129, "a\n"])
def test_run_names_stay_in_the_folder(run: str, tmp_path: Path) -> None:
    """A name that could lead elsewhere is refused."""
    with pytest.raises(ValueError, match="cannot reserve"):
        Ledger(tmp_path).reserve(run=run, micro_usd=1, budget=NO_LIMIT, now=START)
