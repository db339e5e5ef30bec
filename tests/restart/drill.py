"""A drill: makers send zips to a Space that is killed whole at one instant, and what came of it.

After each kill the Space is started again and nobody lifts a hand; a maker who saw no receipt sends the same zip
again, as a person does. In the end every receipt must have led to exactly one row, and nothing may be there twice.
"""

import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx

from submissions import queue
from submissions.state import State, SubmissionState
from tests.audio_factory import clip_bytes
from tests.restart.kinds import Kind
from tests.restart.life import Plan
from tests.restart.maker import Maker
from tests.submissions.small_evaluation import make_corpus, write_zip

ROOT = Path(__file__).resolve().parents[2]
N_ITEMS = 3
N_MAKERS = 2
LOOK_S = 0.02
PATIENCE_S = 120.0
LATE_SHARE = 0.85
"""Share of kills that wait until the Space is up: most of a start is imports."""
WHOLE = "whole"
"""Outcome of a drill in which nothing was lost and nothing is there twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One kill and its outcome."""

    kind: str
    """Kind of store."""
    phase: str
    """What was under way when the Space died."""
    how: str
    """ "step" or "time"."""
    n_kills: int
    """Kills in this drill."""
    n_receipts_before: int
    """Receipts that makers held when the Space died first."""
    n_sent: int
    """Times that makers sent a zip."""
    outcome: str
    """ "whole": each receipt has one row and nothing is there twice; else what is wrong."""


@dataclass(slots=True, kw_only=True)
class Bench:
    """What all drills share."""

    folder: Path
    """Holds corpus and zips."""
    zips: Sequence[Path]
    """One a maker."""
    zygote: subprocess.Popen[str]
    """Forks lives."""
    port: int
    """Where Spaces listen."""
    n_steps: dict[str, dict[str, int]] = field(default_factory=dict)
    """Steps of an undisturbed life by kind and process."""
    run_s: dict[str, float] = field(default_factory=dict)
    """Length of an undisturbed life by kind, s."""

    @property
    def url(self) -> str:
        """Address of the Space."""
        return f"http://127.0.0.1:{self.port}"

    def start(self, plan: Plan) -> int:
        """Start a life; return its process group."""
        return int(self._ask({"life": asdict(plan)})["group"])

    def reap(self, group: int) -> None:
        """Kill a life whole, if it is there, and wait for its end."""
        for _ in range(2):  # a process that was forked while the first signal went round
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                break
        self._ask({"reap": group})

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self.zygote.stdin is not None
        assert self.zygote.stdout is not None
        self.zygote.stdin.write(json.dumps(command) + "\n")
        self.zygote.stdin.flush()
        answer: dict[str, Any] = json.loads(self.zygote.stdout.readline())
        return answer


@contextmanager
def bench(folder: Path, environ: Mapping[str, str]) -> Iterator[Bench]:
    """Give a bench below `folder`; `environ` is added to the environment of every life."""
    corpus = make_corpus(folder, N_ITEMS)
    zips = [
        write_zip(
            folder / f"{number}.zip",
            {item.id: clip_bytes(10 * number + at) for at, item in enumerate(corpus.items)},
        )
        for number in range(N_MAKERS)
    ]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.restart.zygote"]
    shared = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    zygote = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **shared, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert zygote.stdout is not None
    try:
        ready, _, _ = select.select([zygote.stdout], [], [], PATIENCE_S)
        assert ready, "the program could not be imported in time"
        assert json.loads(zygote.stdout.readline()) == {"ready": True}
        yield Bench(folder=folder, zips=zips, zygote=zygote, port=port)
    finally:
        zygote.kill()
        zygote.wait()


def measure(bench: Bench, kind: Kind, home: Path) -> None:
    """Run one undisturbed drill, so that kills can be spread over its steps and its time."""
    counts = home.parent / f"{home.name}-steps"
    counts.mkdir()
    began = time.monotonic()
    point = _drill(
        bench,
        kind,
        home,
        [_plan(bench, kind, home, is_ready_first=True, count_into=str(counts))],
        dice=random.Random(0),
    )
    assert point.outcome == WHOLE, point
    bench.run_s[kind.name] = time.monotonic() - began
    steps = dict.fromkeys(("server", "worker"), 0)
    for path in counts.iterdir():
        steps[path.name.partition("-")[0]] += int(path.read_text() or 0)
    bench.n_steps[kind.name] = steps


def drill(bench: Bench, kind: Kind, home: Path, seed: int) -> Point:
    """Kill a Space at one instant that `seed` draws, sometimes again while it recovers, and return the outcome."""
    dice = random.Random(seed)
    kind.trouble(dice)
    plans: list[Plan] = []
    for _ in range(dice.choice((1, 1, 2))):
        if dice.random() < 2 / 3:
            name = dice.choice(("server", "worker"))
            die_at = dice.randrange(1, max(2, bench.n_steps[kind.name][name]))
            is_late = dice.random() < LATE_SHARE
            plans.append(_plan(bench, kind, home, die_in=name, die_at=die_at, is_ready_first=is_late))
        else:
            plans.append(_plan(bench, kind, home))
    return _drill(bench, kind, home, [*plans, _plan(bench, kind, home)], dice=dice)


def _plan(bench: Bench, kind: Kind, home: Path, **more: Any) -> Plan:
    environ = {
        **kind.environ(home),
        "CASTBOARD_HOME": str(home),
        "CASTBOARD_PORT": str(bench.port),
        "CASTBOARD_PROCESSES": "1",
        "CASTBOARD_DEMO": "0",
    }
    log = str(home.parent / f"{home.name}.log")
    return Plan(folder=str(bench.folder), home=str(home), port=bench.port, log=log, environ=environ, **more)


def _drill(bench: Bench, kind: Kind, home: Path, plans: Sequence[Plan], *, dice: random.Random) -> Point:
    home.mkdir(parents=True)
    makers = [Maker(zip_path, f"Heron {number}", bench.url) for number, zip_path in enumerate(bench.zips)]
    phases, hows, n_receipts, n_kills = [], [], None, 0
    for maker in makers:
        maker.start()
    for at, plan in enumerate(plans):
        group = bench.start(plan)
        is_last = at == len(plans) - 1
        try:
            if is_last:
                outcome = _await_end(kind, home, makers)
                if outcome != WHOLE:
                    os.killpg(group, signal.SIGUSR1)
                    time.sleep(1)
            else:
                how = "step" if plan.die_at else "time"
                _await_death(bench, group, plan, bench.run_s[kind.name], dice)
                phase = _phase(kind, home, makers)
        finally:
            bench.reap(group)
        if not is_last:
            n_kills += 1
            phases.append(phase)
            hows.append(how)
            n_receipts = sum(bool(maker.receipts) for maker in makers) if n_receipts is None else n_receipts
    return Point(
        kind=kind.name,
        phase=phases[0] if phases else "undisturbed",
        how=hows[0] if hows else "-",
        n_kills=n_kills,
        n_receipts_before=n_receipts or 0,
        n_sent=sum(maker.n_sent for maker in makers),
        outcome=outcome,
    )


def _await_death(bench: Bench, group: int, plan: Plan, run_s: float, dice: random.Random) -> None:
    """Return when the life has ended itself at its step, or after a random part of an undisturbed run."""
    if not plan.die_at and dice.random() < LATE_SHARE:
        while _is_alive(group) and not is_up(bench.url):
            time.sleep(LOOK_S)
    until_s = time.monotonic() + (2 * run_s if plan.die_at else dice.uniform(0.05, run_s))
    while time.monotonic() < until_s and _is_alive(group):
        time.sleep(LOOK_S)


def _is_alive(group: int) -> bool:
    try:
        state = Path(f"/proc/{group}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _phase(kind: Kind, home: Path, makers: Sequence[Maker]) -> str:
    """Say what was under way: the worker's own word first, then what the makers wait for."""
    store, _ = kind.stores(home)
    states = queue.load_all(store)
    running = [state for state in states if state.state is State.RUNNING]
    if running:
        stage = next((status.stage for status in kind.statuses(home) if status.submission in _ids(running)), None)
        return {"checking": "worker checks", "reading": "shards", "publishing": "publish"}.get(str(stage), "claim")
    waiting = sorted({maker.stage for maker in makers if not maker.receipts})
    if "upload" in waiting:
        return "upload"
    if "check" in waiting:
        return "check or reception"
    if any(state.state is State.QUEUED for state in states):
        return "queued"
    return "idle, all published" if states else "idle, nothing sent"


def _ids(states: Sequence[SubmissionState]) -> set[str]:
    return {state.submission for state in states}


def _await_end(kind: Kind, home: Path, makers: Sequence[Maker]) -> str:
    """Wait until every maker has a receipt and nothing is under way, then say what is wrong, or "whole"."""
    until_s = time.monotonic() + PATIENCE_S
    ended = (State.PUBLISHED, State.FAILED, State.REJECTED)
    while time.monotonic() < until_s:
        time.sleep(0.1)
        if any(maker.stage != "done" for maker in makers):
            continue
        store, _ = kind.stores(home)
        states = queue.load_all(store)
        if states and all(state.state in ended for state in states):
            return _faults(kind, home, makers, states)
    store, _ = kind.stores(home)
    left = [(state.submission, state.state.value) for state in queue.load_all(store)]
    return f"not at an end in time: {left}, makers {[(maker.stage, maker.refusals[-1:]) for maker in makers]}"


def _faults(kind: Kind, home: Path, makers: Sequence[Maker], states: Sequence[SubmissionState]) -> str:
    store, files = kind.stores(home)
    found: list[str] = []
    receipts = {receipt for maker in makers for receipt in maker.receipts}
    if len(receipts) != len(makers) or receipts != _ids(states):
        found.append(f"receipts {sorted(receipts)} for submissions {sorted(_ids(states))}")
    for state in states:
        kinds = [event.kind for event in store.events(state.submission)]
        if state.state is not State.PUBLISHED or kinds.count("published") != 1 or kinds.count("received") != 1:
            found.append(f"{state.submission}: {state.state.value} after {kinds}")
        if state.attempts or "requeued" in kinds:
            found.append(f"{state.submission}: a try was counted")
    rows = sorted(path for path in files.paths("results/"))
    if len(rows) != len(states):
        found.append(f"rows {rows}")
    try:
        kind.check(home)
    except AssertionError as error:
        found.append(str(error))
    return "; ".join(found) or WHOLE


def is_up(url: str) -> bool:
    """Say whether the Space answers."""
    try:
        return httpx.get(f"{url}/healthz", timeout=2.0, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
