"""A run that is killed in the middle of a call pays nothing twice."""

import signal
import subprocess
import sys
from pathlib import Path

from evaluation.judge.spend import cost_micro_usd, load_prices, price_of, upper_bound_micro_usd
from evaluation.judge.spend_ledger import Ledger
from tests.evaluation.judge import killed_run
from tests.evaluation.judge.asking import request
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen


def test_killed_run_pays_nothing_twice(tmp_path: Path) -> None:
    """What was answered before the kill is never asked again; the call that was under way stays booked at its most."""
    started: list[subprocess.Popen[bytes]] = []

    def judge(seen: RequestSeen) -> ReplyPlan:
        if seen.number == 5:
            started[0].send_signal(signal.SIGKILL)
            started[0].wait()
            return ReplyPlan(drops=True)
        return ReplyPlan(text=str(seen.number))

    with Loopback(judge) as server:
        with server.lock:  # no request is taken up before the process is known here
            command = [sys.executable, "-m", killed_run.__name__, server.gemini_url, str(tmp_path)]
            started.append(subprocess.Popen(command, cwd=Path(__file__).parents[3]))
        assert started[0].wait() == -signal.SIGKILL
        killed_run.main(server.gemini_url, tmp_path)
        killed_run.main(server.gemini_url, tmp_path)
        assert len(server.seen) == 1 + killed_run.N_VOTES
        price = price_of(load_prices(), backend="gemini", model=killed_run.MODEL)
        assert price is not None
        billed = sum(cost_micro_usd(usage, price) or 0 for usage in server.answered)
    assert len(server.answered) == killed_run.N_VOTES
    assert Ledger(tmp_path / "books").spent_by("run-1") == billed + upper_bound_micro_usd(request(), price)
