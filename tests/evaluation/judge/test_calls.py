"""A judge that is asked through the caller: paid once, never beyond the budget, politely when it is down."""

import dataclasses
import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable, Reply, Request
from evaluation.judge.breaker import Breaker, JudgeDown
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller, Policy
from evaluation.judge.spend import Price, PriceUnknown, cost_micro_usd, load_prices, price_of, upper_bound_micro_usd
from evaluation.judge.spend_ledger import Budget, BudgetSpent, Ledger
from tests.evaluation.judge.asking import KEY, START, SlowClock, ask, every_byte_below, key_for, reach, request
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen

MODEL = "gemini-3.1-pro-preview"
PROTOCOLS = pytest.mark.parametrize("protocol", ["gemini", "openai"])
GOOD = ReplyPlan(text='{"score_a": 2, "winner": "a"}')
DOWN = ReplyPlan(status=503, message="overloaded")
NO_LIMIT = Budget(per_run_micro_usd=None, per_day_micro_usd=None)


def price() -> Price:
    """Return what the model of these tests costs."""
    found = price_of(load_prices(), backend="gemini", model=MODEL)
    assert found is not None
    return found


def caller(
    server: Loopback,
    folder: Path,
    slow: SlowClock,
    *,
    protocol: str = "gemini",
    policy: Policy | None = None,
    budget: Budget = NO_LIMIT,
    run: str = "run-1",
    timeout_s: float = 10.0,
) -> Caller:
    """Return a caller whose cache and books are below `folder`."""
    return Caller(
        reach(server, protocol, model=MODEL, timeout_s=timeout_s),
        cache=FolderCache(folder=folder / "replies"),
        run=run,
        prices=load_prices(),
        ledger=Ledger(folder / "books"),
        budget=budget,
        policy=policy or Policy(),
        clock=slow.clock,
    )


def script(*plans: ReplyPlan) -> Callable[[RequestSeen], ReplyPlan]:
    """Return a judge that follows `plans`, and stays with the last one."""
    return lambda seen: plans[min(seen.number, len(plans) - 1)]


@PROTOCOLS
def test_outage_then_recovery(protocol: str, tmp_path: Path) -> None:
    """A judge that fails for a while is waited for, longer each time, and then answers."""
    slow = SlowClock()
    with Loopback(script(DOWN, DOWN, DOWN, GOOD)) as server, caller(server, tmp_path, slow, protocol=protocol) as judge:
        assert ask(judge) == GOOD.text
        assert judge.unavailable_since is None
        assert judge.tally.n_retries == judge.tally.n_failures == 3
    assert slow.slept == [0.5, 1.0, 2.0]


def test_waits_are_spread_over_the_whole_bound(tmp_path: Path) -> None:
    """Chance decides between no wait at all and the bound, so that callers that failed together part."""
    for random, slept in ((0.0, 0.0), (0.999, 0.999)):
        slow = SlowClock(random=random)
        with Loopback(script(DOWN, GOOD)) as server, caller(server, tmp_path / str(random), slow) as judge:
            ask(judge)
        assert sum(slow.slept) == slept


def test_wait_that_the_provider_asks_for_is_kept(tmp_path: Path) -> None:
    """Nobody asks again before the time that Retry-After names."""
    slow = SlowClock()
    busy = ReplyPlan(status=429, headers={"Retry-After": "40"})
    with Loopback(script(busy, GOOD)) as server, caller(server, tmp_path, slow) as judge:
        ask(judge)
    assert slow.slept == [40.5]


def test_wait_beyond_all_patience_ends_the_call_at_once(tmp_path: Path) -> None:
    """A wait longer than the call may wait in all is left to the run, which knows how long it is."""
    slow = SlowClock()
    busy = ReplyPlan(status=429, headers={"Retry-After": "3600"})
    with Loopback(script(busy)) as server, caller(server, tmp_path, slow) as judge:
        with pytest.raises(JudgeUnavailable) as caught:
            ask(judge)
        assert len(server.seen) == 1
    assert caught.value.retry_after_s == 3600
    assert slow.slept == []


def test_tries_are_bounded(tmp_path: Path) -> None:
    """A call gives up after its tries and tells when the outage began."""
    slow = SlowClock()
    with Loopback(script(DOWN)) as server, caller(server, tmp_path, slow, policy=Policy(n_tries=3)) as judge:
        slow.pass_s(60)
        with pytest.raises(JudgeUnavailable, match="503"):
            ask(judge)
        assert len(server.seen) == 3
        assert judge.unavailable_since == START + timedelta(seconds=60)


def test_breaker_opens_and_closes(tmp_path: Path) -> None:
    """After enough failures nobody asks; after the pause one trial decides, and a good one ends the outage."""
    slow = SlowClock()
    policy = Policy(n_tries=1, n_failures=2, pause_s=60, longest_pause_s=100)
    with Loopback(script(DOWN, DOWN, DOWN, GOOD)) as server, caller(server, tmp_path, slow, policy=policy) as judge:
        for _ in range(2):
            with pytest.raises(JudgeUnavailable, match="503"):
                ask(judge)
        with pytest.raises(JudgeDown, match=r"since 2026-03-04T23:00:00\+00:00; next trial in 60 s \(.*503") as caught:
            ask(judge)
        assert (caught.value.since, caught.value.retry_after_s) == (START, 60)
        assert len(server.seen) == 2
        slow.pass_s(60)
        with pytest.raises(JudgeUnavailable, match="503"):
            ask(judge)
        slow.pass_s(99)
        with pytest.raises(JudgeDown):
            ask(judge)
        slow.pass_s(1)
        assert ask(judge) == GOOD.text
        assert judge.unavailable_since is None
        assert len(server.seen) == 4


def test_open_breaker_ends_a_call_that_still_has_tries(tmp_path: Path) -> None:
    """Once the breaker is open nobody waits for its pause inside a call; the run waits instead."""
    slow = SlowClock()
    policy = Policy(n_tries=9, n_failures=2, first_wait_s=1.0)
    with Loopback(script(DOWN)) as server, caller(server, tmp_path, slow, policy=policy) as judge:
        with pytest.raises(JudgeDown):
            ask(judge)
        assert len(server.seen) == 2
    assert slow.slept == [0.5, 1.0]


def test_breaker_may_outlive_its_caller(tmp_path: Path) -> None:
    """A run that is taken up again with the same breaker still knows since when the judge is away."""
    slow = SlowClock()
    breaker = Breaker(n_failures=1, pause_s=60, longest_pause_s=60, clock=slow.clock)
    with Loopback(script(DOWN)) as server:
        for error in (JudgeUnavailable, JudgeDown):
            judge = Caller(
                reach(server, "gemini"), cache=FolderCache(folder=tmp_path), run="r", clock=slow.clock, breaker=breaker
            )
            with pytest.raises(error):
                ask(judge)
    assert judge.unavailable_since == START


def test_misconfigured_judge_is_not_asked_again(tmp_path: Path) -> None:
    """A refusal for good is raised at once, costs nothing and is no outage."""
    slow = SlowClock()
    with Loopback(script(ReplyPlan(status=401))) as server, caller(server, tmp_path, slow) as judge:
        with pytest.raises(JudgeMisconfigured):
            ask(judge)
        assert len(server.seen) == 1
        assert judge.unavailable_since is None
    assert Ledger(tmp_path / "books").spent_by("run-1") == 0


@PROTOCOLS
def test_repeated_run_asks_nothing(protocol: str, tmp_path: Path) -> None:
    """A second run over the same questions gets the same replies and costs from the cache alone."""
    slow = SlowClock()
    with Loopback(lambda seen: ReplyPlan(text=str(seen.number))) as server:
        with caller(server, tmp_path, slow, protocol=protocol) as first:
            texts = [ask(first, level=level, vote=vote) for level in range(1, 5) for vote in range(3)]
            spent = first.tally.micro_usd
        with caller(server, tmp_path, slow, protocol=protocol) as second:
            assert [ask(second, level=level, vote=vote) for level in range(1, 5) for vote in range(3)] == texts
            asked = request(level=1)
            again = second.ask(asked, key_for(asked, second.backend))
        assert (second.tally.n_calls, second.tally.n_cached, second.tally.micro_usd) == (0, 13, 0)
        assert len(server.seen) == 12
        assert again.is_cached
        if protocol == "gemini":
            assert again.cost_micro_usd * 11 < spent < again.cost_micro_usd * 13


def test_equal_calls_at_once_are_paid_once(tmp_path: Path) -> None:
    """Eight threads with the same question make one call."""
    slow = SlowClock()
    with Loopback(script(GOOD)) as server, caller(server, tmp_path, slow) as judge:
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: ask(judge), range(8))) == {GOOD.text}
        assert len(server.seen) == 1
        assert judge.tally.n_cached == 7


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b'{"schema_version": 2}', None])
def test_damaged_entry_is_asked_for_again(
    damage: bytes | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An entry that cannot be read, or that holds another call's reply, is told in the log and replaced."""
    slow = SlowClock()
    with Loopback(lambda seen: ReplyPlan(text=str(seen.number))) as server, caller(server, tmp_path, slow) as judge:
        ask(judge, level=1)
        ask(judge, level=2)
        one, other = (
            tmp_path / "replies" / name[:2] / f"{name}.json"
            for name in (key_for(request(level=level), judge.backend).name for level in (1, 2))
        )
        one.write_bytes(other.read_bytes() if damage is None else damage)
        assert [ask(judge, level=1), ask(judge, level=1)] == ["2", "2"]
    assert [record.message for record in caplog.records].count("judge.cache_damaged") == 1


def test_entry_tells_everything_but_the_key(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What is kept holds key fields, raw reply, usage, cost and time, is canonical JSON, and names no API key."""
    caplog.set_level(logging.DEBUG)
    slow = SlowClock()
    with Loopback(script(DOWN, ReplyPlan(text=f"my key is {KEY}"))) as server, caller(server, tmp_path, slow) as judge:
        ask(judge)
        key = key_for(request(), judge.backend)
    kept = (tmp_path / "replies" / key.name[:2] / f"{key.name}.json").read_bytes()
    entry = json.loads(kept)
    assert kept == json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
    assert (entry["schema_version"], entry["asked_at"]) == (1, "2026-03-04T23:00:00+00:00")
    assert entry["reply"]["text"] == "my key is [key]"
    assert entry["cost_micro_usd"] > 0
    assert entry["key"]["clips"] == list(key.clips)
    assert KEY.encode() not in every_byte_below(tmp_path)
    assert KEY not in caplog.text


@PROTOCOLS
def test_usage_and_cost_are_the_servers_own(protocol: str, tmp_path: Path) -> None:
    """Tokens are the sum of what the server counted; so is the cost, in the tally and in the books."""
    slow = SlowClock()
    with Loopback(lambda seen: ReplyPlan(text="x" * seen.number, thought_tokens=seen.number)) as server:
        with caller(server, tmp_path, slow, protocol=protocol) as judge:
            for level in range(1, 6):
                ask(judge, level=level)
            tally = judge.tally
        counted = [(u.input_tokens, u.audio_tokens, u.output_tokens) for u in server.answered]
    assert (tally.input_tokens, tally.audio_tokens, tally.output_tokens) == tuple(map(sum, zip(*counted, strict=True)))
    if protocol == "gemini":
        assert tally.micro_usd == sum(cost_micro_usd(usage, price()) for usage in server.answered)
        assert Ledger(tmp_path / "books").spent_by("run-1") == tally.micro_usd > 0
        assert Ledger(tmp_path / "books").spent_on(START.date()) == tally.micro_usd
    else:
        assert (tally.micro_usd, tally.n_unpriced) == (0, 5)


@pytest.mark.parametrize("limit", ["per_run_micro_usd", "per_day_micro_usd"])
def test_budget_is_never_overspent_by_eight_threads(limit: str, tmp_path: Path) -> None:
    """Eight threads spend up to the budget and no further, and leave less unspent than one call may cost."""
    slow = SlowClock()
    most = upper_bound_micro_usd(request(), price())
    allowed = 10 * most + 1
    budget = dataclasses.replace(NO_LIMIT, **{limit: allowed})

    def spend(vote: int) -> bool:
        try:
            ask(judge, vote=vote)
        except BudgetSpent as error:
            assert error.until == (None if limit == "per_run_micro_usd" else datetime(2026, 3, 5, tzinfo=UTC))
            return False
        return True

    with (
        Loopback(lambda _: ReplyPlan(text="y", output_tokens=100)) as server,
        caller(server, tmp_path, slow, budget=budget) as judge,
        ThreadPoolExecutor(8) as pool,
    ):
        n_done = sum(pool.map(spend, range(60)))
        billed = sum(cost_micro_usd(usage, price()) for usage in server.answered)
    assert allowed - most < billed <= allowed
    assert n_done == len(server.answered) == len(server.seen)
    assert Ledger(tmp_path / "books").spent_by("run-1") == billed


def test_money_set_aside_for_others_is_waited_for(tmp_path: Path) -> None:
    """Calls that do not fit beside others under way wait for these to be settled, and the run does not pause early."""
    slow = SlowClock()
    most = upper_bound_micro_usd(request(), price())
    budget = Budget(per_run_micro_usd=2 * most, per_day_micro_usd=None)
    both = threading.Barrier(2)

    def judge_of(seen: RequestSeen) -> ReplyPlan:
        if seen.number < 2:
            both.wait()
        return ReplyPlan(text="", output_tokens=1)

    with (
        Loopback(judge_of) as server,
        caller(server, tmp_path, slow, budget=budget) as judge,
        ThreadPoolExecutor(8) as pool,
    ):
        assert list(pool.map(lambda vote: ask(judge, vote=vote), range(8))) == [""] * 8


def test_new_day_has_a_new_budget(tmp_path: Path) -> None:
    """A day's budget is there again at midnight UTC; cached replies are free meanwhile."""
    slow = SlowClock()
    most = upper_bound_micro_usd(request(), price())
    budget = Budget(per_run_micro_usd=None, per_day_micro_usd=most)
    with Loopback(script(GOOD)) as server, caller(server, tmp_path, slow, budget=budget) as judge:
        ask(judge, vote=0)
        with pytest.raises(BudgetSpent, match=r"2026-03-04 \(UTC\) is spent: .* of .* USD"):
            ask(judge, vote=1)
        assert ask(judge, vote=0) == GOOD.text
        slow.pass_s(3600)
        assert ask(judge, vote=1) == GOOD.text


def test_call_without_an_answer_keeps_its_reservation(tmp_path: Path) -> None:
    """A call that broke off may be billed, so its upper bound stays spent; a refused one gives it back."""
    slow = SlowClock()
    most = upper_bound_micro_usd(request(), price())
    with Loopback(script(ReplyPlan(drops=True), DOWN, GOOD)) as server, caller(server, tmp_path, slow) as judge:
        ask(judge)
        spent = judge.tally.micro_usd
    assert Ledger(tmp_path / "books").spent_by("run-1") == most + spent


def test_reply_without_a_count_is_booked_at_its_most(tmp_path: Path) -> None:
    """Where the provider counts nothing the cost is not known, and the books hold the most that it can be."""
    slow = SlowClock()
    with Loopback(script(ReplyPlan(has_usage=False))) as server, caller(server, tmp_path, slow) as judge:
        asked = request()
        assert judge.ask(asked, key_for(asked, judge.backend)).cost_micro_usd is None
        assert judge.tally.n_unpriced == 1
    assert Ledger(tmp_path / "books").spent_by("run-1") == upper_bound_micro_usd(request(), price())


def test_time_out_is_tried_again(tmp_path: Path) -> None:
    """A silent judge is given up after the time-out and asked again."""
    slow = SlowClock()
    hang = ReplyPlan(hangs=True)
    with Loopback(script(hang, GOOD)) as server, caller(server, tmp_path, slow, timeout_s=0.3) as judge:
        assert ask(judge) == GOOD.text


def test_budget_needs_a_price(tmp_path: Path) -> None:
    """A budget for a model without a price is refused, with what to do."""
    budget = Budget(per_run_micro_usd=1, per_day_micro_usd=None)
    with Loopback(script(GOOD)) as server, pytest.raises(PriceUnknown, match="price file"):
        caller(server, tmp_path, SlowClock(), protocol="openai", budget=budget)


def test_requests_per_minute(tmp_path: Path) -> None:
    """Calls are spaced by the rate limit, and cached replies are not."""
    slow = SlowClock()
    policy = Policy(per_minute=30)
    with Loopback(script(GOOD)) as server, caller(server, tmp_path, slow, policy=policy) as judge:
        for vote in (0, 0, 1, 1, 2):
            ask(judge, vote=vote)
    assert slow.slept == [2.0, 2.0]


def test_stop_ends_a_wait(tmp_path: Path) -> None:
    """A stopped caller leaves its wait at once, and asks nothing any more."""
    has_failed = threading.Event()

    def judge_of(_: RequestSeen) -> ReplyPlan:
        has_failed.set()
        return ReplyPlan(status=429, headers={"Retry-After": "200"})

    with Loopback(judge_of) as server, ThreadPoolExecutor(1) as pool:
        judge = Caller(reach(server, "gemini"), cache=FolderCache(folder=tmp_path), run="r")
        waiting = pool.submit(ask, judge)
        has_failed.wait()
        judge.stop()
        with pytest.raises(JudgeUnavailable):
            waiting.result()
        assert len(server.seen) == 1


@pytest.mark.parametrize("counts", [{"promptTokenCount": 900}, {"promptTokenCount": 10**30, "candidatesTokenCount": 5}])
def test_counts_that_cannot_be_believed_leave_the_reservation_standing(counts: dict[str, int], tmp_path: Path) -> None:
    """A provider that leaves out what it wrote, or counts beyond reason, is booked at the most that it may bill."""
    body = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "y"}]}, "finishReason": "STOP"}],
        "usageMetadata": counts,
    }
    plan = ReplyPlan(body=json.dumps(body).encode())
    with Loopback(lambda _: plan) as server, caller(server, tmp_path, SlowClock()) as judge:
        ask(judge)
        assert (judge.tally.micro_usd, judge.tally.n_unpriced) == (0, 1)
    assert Ledger(tmp_path / "books").spent_by("run-1") == upper_bound_micro_usd(request(), price())


@pytest.mark.parametrize("fault", [KeyboardInterrupt, RuntimeError])
def test_a_call_that_ends_in_nobody_knows_what_stays_paid(fault: type[BaseException], tmp_path: Path) -> None:
    """The provider may bill what was interrupted, so the money set aside for it is not given back."""

    @dataclasses.dataclass(frozen=True)
    class Faulty:
        name: str = "gemini"
        model: str = MODEL

        def ask(self, _: Request) -> Reply:
            raise fault

    cache, books = FolderCache(folder=tmp_path / "replies"), Ledger(tmp_path / "books")
    judge = Caller(Faulty(), cache=cache, run="run-1", prices=(price(),), ledger=books)
    with pytest.raises(fault):
        ask(judge)
    assert books.spent_by("run-1") == upper_bound_micro_usd(request(), price())
