"""How fast the pages are for a reader: a real browser on a crowded board, beside an earlier revision if one is named.

Run: python -m tests.bench.pages [--home FOLDER] [--against 95739f9] [--runs 5]

Serves a crowd (`tests.bench.crowd`) with the real program and measures inside the browser: from the start of a
navigation to the first row that is painted, from each switch to the changed table that is painted, what the page
weighs before audio, and what the server's memory is after a walk over all pages. Each run has a browser with empty
caches; "first" is the very first one that asks this server for it, when nothing is kept yet.
"""

import argparse
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.bench.crowd import Size, Stage, build
from tests.bench.pages_browser import Reader, Weight, opened_browser

ROOT = Path(__file__).resolve().parents[2]
FIRST_VERSION = "95739f9"
"""The last revision whose pages were all filled by events of a framework."""
MOST_FIRST_MS, MOST_SWITCH_MS, MOST_BYTES, MOST_MIB = 1_000, 200, 500_000, 1_536

_PICK = "const box = document.querySelector({0!r}); box.value = {1!r}; for (const kind of ['input', 'change']) "
_PICK += "box.dispatchEvent(new Event(kind, {{ bubbles: true }}));"
_CLICK = "document.querySelector({0!r}).click();"


def _pick(selector: str, value: str) -> str:
    return _PICK.format(selector, value)


def _click(selector: str) -> str:
    return _CLICK.format(selector)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that a reader does on the board's page; the first way that the page knows counts."""

    name: str
    """What is printed."""
    ways: tuple[tuple[str, str], ...]
    """Selector that must be there, and script."""


def acts(protocols: tuple[str, ...], run: int) -> tuple[Act, ...]:
    """Return what is measured on the board's page, each on a page of its own.

    Args:
        protocols: ids of the boards; the second one is switched to.
        run: number of the run; what is typed differs from run to run, so that no answer to it is kept.
    """
    other = f".cb-protocol a[href*={protocols[1]!r}]"
    typed = "abcdefghilmnoprstuv"[run % 19]
    return (
        Act(name="protocol", ways=((other, _click(other)),)),
        Act(name="tier (hard)", ways=(("#board-tier", _pick("#board-tier", "2")),)),
        Act(
            name="trait or preset",
            ways=tuple((one, _click(one)) for one in ("a[href*='preset=pitch']", "a[href*='trait=pitch']")),
        ),
        Act(name="filter, one letter typed", ways=(("#board-search", _pick("#board-search", typed)),)),
        Act(name="sort by pace", ways=(("[data-sort='pace']", _click("[data-sort='pace']")),)),
        Act(name="open weights", ways=(("#board-open", _click("#board-open")),)),
        Act(name="column shown", ways=(("#col-date", _click("#col-date")),)),
    )


@dataclass(slots=True)
class Figures:
    """What was measured of one revision."""

    started_s: float = 0.0
    """From the start of the program until it is ready, s."""
    first_ms: dict[str, float] = field(default_factory=dict)
    """The very first time of each act, ms."""
    times_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """All later times, ms."""
    weights: dict[str, Weight] = field(default_factory=dict)
    """By path."""
    statuses: dict[str, int] = field(default_factory=dict)
    """Pages of the walk that were not answered with 200."""
    rss_mib: dict[str, float] = field(default_factory=dict)
    """Memory of the server at some moments."""
    loads: list[float] = field(default_factory=list)
    """What else the machine had to do: its load average before each run; times mean little if it is above its cores."""

    def note(self, name: str, taken_ms: float) -> None:
        """Keep one time."""
        if name in self.first_ms:
            self.times_ms[name].append(taken_ms)
        else:
            self.first_ms[name] = taken_ms


def measure(code: Path, stage: Stage, n_runs: int, fresh: Callable[[str], Reader]) -> Figures:
    """Serve a crowd with the program in `code` and return what a browser sees of it."""
    found = Figures()
    with serving(code, stage, found) as (address, pid):
        found.rss_mib["at the start"] = _rss_mib(pid)
        protocols = tuple(one.id for one in stage.protocols)
        for run in range(n_runs + 1):
            found.loads.append(os.getloadavg()[0])
            reader = fresh(address)
            found.note("first table", reader.open("/"))
            reader.settle()
            found.note("first table, files kept", reader.open("/"))
            for act in acts(protocols, run):
                reader = fresh(address)
                reader.open("/")
                reader.settle()
                script = next((one for selector, one in act.ways if reader.has(selector)), None)
                if script is not None:
                    found.note(act.name, reader.act(script))
        found.rss_mib["after the board"] = _rss_mib(pid)
        for path in _walk(stage):
            if path.partition("?")[0] not in found.weights:
                found.weights[path.partition("?")[0]] = fresh(address).weigh(path)
        reader = fresh(address)
        for path in _walk(stage):
            found.statuses[path] = reader.look(path)
        found.rss_mib["after all pages"] = _rss_mib(pid)
    return found


def _walk(stage: Stage) -> Iterator[str]:
    """Yield every page, those that show a system or a protocol several times."""
    names = [f"s{1 + number * stage.size.n_systems // 12:011d}" for number in range(12)]
    for protocol in (one.id for one in stage.protocols):
        yield from (f"{path}?protocol={protocol}" for path in ("/", "/matrix", "/method", "/data", "/figures"))
    yield "/?trait=pitch"
    yield from (f"/system?id={name}" for name in names)
    yield from (f"/matrix?a={one}&b={other}" for one, other in pairwise(names))
    items = [item.id for item in stage.corpus.items[::100]]
    yield from (f"/listen?item={item}&systems={','.join(names[:4])}" for item in items)
    yield from (f"/why?system={name}&number=score" for name in names)
    yield from ("/listen", "/vote", "/log", "/submit", "/queue", "/status")


@contextmanager
def serving(code: Path, stage: Stage, found: Figures) -> Iterator[tuple[str, int]]:
    """Run the program in `code` on a crowd, and give its address and the server's process."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environ = os.environ | stage.settings() | {"CASTBOARD_PORT": str(port)}
    began_s = time.monotonic()
    server = subprocess.Popen(
        [sys.executable, "app.py"], cwd=code, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    try:
        if not any(line.startswith("Ready") for line in server.stdout):
            raise RuntimeError(f"the program in {code} did not start; run it there by hand")
        found.started_s = time.monotonic() - began_s
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
        server.stdout.close()


@contextmanager
def earlier(revision: str) -> Iterator[Path]:
    """Give a folder with the program as it was at a revision; the checkout is left alone."""
    with tempfile.TemporaryDirectory(prefix="castboard-earlier-") as name:
        packed = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", name], input=packed.stdout, check=True)
        yield Path(name)


def _rss_mib(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def report(now: Figures, before: Figures | None, revision: str) -> None:
    """Print all figures, the earlier ones beside them."""
    then = before or Figures()
    head = f"{'':28}{'first':>9}{'median':>9}"
    print(head + (f"   {revision}: first{'median':>9}{'ratio':>8}" if before else "") + "   needs")
    print(f"{'load of the machine':28}{_load(now):>18}" + (f"{_load(then):>27}" if before else ""))
    print(f"{'program is ready, s':28}{now.started_s:9.1f}" + (f"{then.started_s:27.1f}" if before else ""))
    for name in now.first_ms | then.first_ms:
        needs = MOST_FIRST_MS if name.startswith("first table") else MOST_SWITCH_MS
        old = f"{_ms(then.first_ms.get(name)):>18}{_ms(_median(then, name)):>9}{_ratio(then, now, name):>8}"
        mine = f"{_ms(now.first_ms.get(name)):>9}{_ms(_median(now, name)):>9}"
        print(f"{name + ', ms':28}{mine}{old if before else ''}   < {needs}")
    for path in now.weights | then.weights:
        mine, old = _weight(now.weights, path), _weight(then.weights, path)
        needs = f"   < {MOST_BYTES / 1e3:.0f} KB" if path in ("/", "/matrix", "/listen", "/system") else ""
        print(f"{'weight of ' + path:28}{mine:>34}{'   ' + old if before else ''}{needs}")
    for moment, mib in now.rss_mib.items():
        old = f"{then.rss_mib.get(moment, 0):24.0f}" if before else ""
        print(f"{'memory ' + moment + ', MiB':28}{mib:9.0f}{old}   < {MOST_MIB}")
    for path in sorted({path.partition("?")[0] for path, status in now.statuses.items() if status != 200}):
        print(f"note: {path} is not answered with 200")


def _median(figures: Figures, name: str) -> float | None:
    times = figures.times_ms.get(name)
    return statistics.median(times) if times else None


def _load(figures: Figures) -> str:
    return f"{min(figures.loads):.1f} to {max(figures.loads):.1f}" if figures.loads else "-"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _ratio(then: Figures, now: Figures, name: str) -> str:
    one, other = _median(then, name), _median(now, name)
    return f"{one / other:.1f}x" if one and other else "-"


def _weight(weights: Mapping[str, Weight], path: str) -> str:
    found = weights.get(path)
    if found is None:
        return "-"
    return f"{found.n_encoded / 1e3:.0f} KB ({found.n_decoded / 1e3:.0f} unpacked), {found.n_requests} requests"


def main() -> int:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--home", type=Path, help="a crowd that is built already; otherwise one is built for the run")
    parser.add_argument("--systems", type=int, default=500, help="of the crowd that is built")
    parser.add_argument("--against", metavar="REV", help=f"an earlier revision, for example {FIRST_VERSION}")
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="castboard-crowd-") as name, opened_browser() as fresh:
        if asked.home:
            stage = build(asked.home.resolve(), Size.of(asked.home), say=True)
        else:
            stage = build(Path(name), Size(n_systems=asked.systems), say=True)
        now = measure(ROOT, stage, asked.runs, fresh)
        before = None
        if asked.against:
            with earlier(asked.against) as code:
                before = measure(code, stage, asked.runs, fresh)
    print(f"{stage.size.n_systems} systems of {stage.size.n_items} items, {len(stage.protocols)} boards")
    report(now, before, asked.against or "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
