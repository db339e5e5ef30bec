"""What the acts of the show share: running them, counting what they took, serving pages; and what each leaves."""

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evaluation.judge.spend_ledger import Ledger
from evaluation.records import ItemId, Unread, Verdict
from submissions import layout
from submissions.evidence import read_evidence
from submissions.records import SubmissionId
from submissions.state import State
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen
from tests.show.house import ROOT, House, Ran

PATIENCE_S = 300.0
LOOK_S = 0.05
CALLS_EACH = 2
N_GOOD = 5
SMALL_BUDGET = 15_000
"""Enough for some of a submission's calls, millionths of a US dollar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one act took."""

    act: str
    """What happened."""
    n_requests: int
    """Requests that reached the provider."""
    tally: dict[str, int]
    """What the worker counted; empty if it did not come to an end."""
    micro_usd: int
    """What the books say that was spent."""


@dataclass
class Show:
    """The stage of all acts."""

    house: House
    server: Loopback
    lines: list[Line]

    def act(self, name: str, judge: Callable[[RequestSeen], ReplyPlan], play: Callable[[], Ran | None]) -> Ran | None:
        """Let `judge` answer while `play` runs, and note what it took."""
        self.server.judge = judge
        n_before, spent_before = len(self.server.seen), self.spent()
        ran = play()
        tallies = ran.judged() if ran else []
        tally = {key: sum(one[key] for one in tallies) for key in (tallies[0] if tallies else ())}
        n_requests = len(self.server.seen) - n_before
        self.lines.append(Line(act=name, n_requests=n_requests, tally=tally, micro_usd=self.spent() - spent_before))
        return ran

    def worker_log(self) -> str:
        """Return what the server's worker logged last."""
        log = self.house.home / "logs" / "worker.log"
        return log.read_text()[-3000:] if log.exists() else "no log"

    def work(self, name: str, judge: Callable[[RequestSeen], ReplyPlan], **changes: str) -> Ran:
        """Let a worker do all that can be done now."""
        ran = self.act(name, judge, lambda: self.house.well("worker", "--once", **changes))
        assert ran is not None
        return ran

    def spent(self) -> int:
        """Return what the books say of all runs together, millionths of a US dollar; today's, and yesterday's."""
        books, today = Ledger(self.house.home / "judge" / "spend"), datetime.now(UTC).date()
        return books.spent_on(today) + books.spent_on(today - timedelta(days=1))

    def verdicts(self, protocol: str, submission: SubmissionId) -> dict[ItemId, dict[str, Verdict | Unread]]:
        """Return the published verdicts of a row."""
        table = layout.read_samples(self.house.published, protocol, submission)
        return {item: dict(reading.verdicts) for item, reading in read_evidence(table).readings.items()}

    def rows(self, protocol: str) -> tuple[str, ...]:
        """Return the systems that have a row."""
        return layout.committed(self.house.published, protocol)

    def n_sent(self, protocol: str, submission: SubmissionId) -> int:
        """Return how many clips of a row the judge heard."""
        return sum(isinstance(said["tone"], Verdict) for said in self.verdicts(protocol, submission).values())


def table_of(lines: list[Line]) -> str:
    """Return what all acts took, a line each."""
    head = f"{'act':<42}{'requests':>9}{'replies':>9}{'cached':>8}{'retries':>9}{'refused':>9}{'USD':>11}"
    shown = [head]
    for line in lines:
        counts = [str(line.tally.get(key, "-")) for key in ("n_calls", "n_cached", "n_retries", "n_failures")]
        numbers = f"{line.n_requests:>9}{counts[0]:>9}{counts[1]:>8}{counts[2]:>9}{counts[3]:>9}"
        shown.append(f"{line.act:<42}{numbers}{line.micro_usd / 1e6:>11.6f}")
    return "\n".join(shown)


@contextlib.contextmanager
def served(house: House) -> Iterator[str]:
    """Serve the pages as an operator does, worker and all; give the address. A server that does not end is a fault."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environ = house.environ(CASTBOARD_PORT=str(port))
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        assert any(line.startswith("Ready") for line in server.stdout), "the server ended before it was ready"
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(PATIENCE_S)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


def until(is_so: Callable[[], bool], what: str, log: Callable[[], str]) -> None:
    """Look until it is so; a deadline ends the wait, and then the log is shown."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"{what} did not come within {PATIENCE_S:g} s\n{log()}"
        time.sleep(LOOK_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """What was seen while the judge was away."""

    submission: SubmissionId
    page: str
    state: State
    n_tries: int
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """A worker that was killed while it waited for the judge."""

    submission: SubmissionId
    n_answered: int
    n_after: int
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lies:
    """What a judge that cannot write JSON led to."""

    submission: SubmissionId
    fault: str
    message: str
    is_waiting: bool
    has_row: bool
    n_requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A submission whose budget was spent half way."""

    submission: SubmissionId
    code: str
    spent: int
    n_first: int
    n_second: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A later season of all stored systems."""

    protocol: str
    said: str
    line: Line
    said_again: str
    n_again: int


def played_season(
    show: Show, name: str, protocol: str, judge: Callable[[RequestSeen], ReplyPlan], **changes: str
) -> Season:
    """Queue all stored systems for a season, let a worker evaluate them, and queue them once more."""
    said = show.house.well("reevaluate", "--protocol", protocol).out
    show.work(name, judge, **changes)
    line = show.lines[-1]
    said_again = show.house.well("reevaluate", "--protocol", protocol).out
    return Season(
        protocol=protocol,
        said=said,
        line=line,
        said_again=said_again,
        n_again=len(show.server.seen) - sum(one.n_requests for one in show.lines),
    )


def heard(said: Mapping[str, Verdict | Unread]) -> list[Verdict]:
    """Return the verdicts among what was said of one clip."""
    return [one for one in said.values() if isinstance(one, Verdict)]
