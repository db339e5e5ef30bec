"""A conference looks at the site while makers send their zips: errors, times of the board page, memory of the server.

Run: python -m tests.bench.load --minutes 5 --readers 200 --uploads 10

The real site runs as a process of its own, with its worker, on a published example. Each reader has an address of its
own, looks at a page for some seconds as a browser does (page, what fills it, an open heartbeat, clips in ranges), and
goes on. Each maker uploads a zip, checks it and sends it, again and again. The readers run on the same machine, so the
times are those of a server that shares its processors with its visitors and its worker.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from evaluation.corpus import Corpus
from evaluation.protocol import encode
from tests.audio_factory import clip_bytes
from tests.leaderboard import cast
from tests.submissions.small_evaluation import write_zip

ROOT = Path(__file__).resolve().parents[2]
THINKS_S = 10.0
"""Mean time that a reader looks at a page, s."""
PAUSES_S = 20.0
"""Mean time between two checks of a maker, s."""
SAMPLE_EVERY_S = 5.0
LAG_EVERY_S = 0.1
_CONFIG = re.compile(r"window\.gradio_config = (\{.*?\});</script>", re.DOTALL)
_CLIP = re.compile(r"/media/clip/[\w/-]+\.flac")
_DOWNLOAD = re.compile(r"/download/samples/[\w/-]+\.(?:csv|json|parquet)")
API_SHARE = 0.3
"""How many of the pages lead to a question to the read API."""
_PAGES = ("/", "/", "/", "/matrix", "/listen", "/system", "/queue", "/method")
_WITH_FORMS = frozenset({"/queue", "/submit"})
"""Pages of Gradio: events fill them, and each keeps a connection open."""
_ALLOWED = frozenset({200, 206, 304})


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The site under load."""

    url: str
    """Where it answers."""
    pid: int
    """Process of the server."""
    corpus: Corpus
    """Its test set."""
    systems: tuple[str, ...]
    """Submissions on the board."""
    protocol: str
    """Id of the protocol."""
    folder: Path
    """For the makers' zips."""


@dataclass(slots=True)
class Tally:
    """What was seen."""

    times_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Times by kind of act, s."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Whatever should not have been, by kind."""
    rss: list[tuple[float, float]] = field(default_factory=list)
    """Memory of the server: seconds since the begin, MiB."""
    cpu_s: float = 0.0
    """Processor time that the server took, without its worker and decoders, s."""

    @contextlib.asynccontextmanager
    async def timed(self, kind: str) -> AsyncIterator[None]:
        """Count an act, and how long it took if nothing went wrong."""
        began_s = time.perf_counter()
        try:
            yield
        except (httpx.HTTPError, ValueError, KeyError, AssertionError) as error:
            self.wrong[f"{kind}: {type(error).__name__} {str(error)[:120]}"] += 1
        else:
            self.times_s[kind].append(time.perf_counter() - began_s)


async def read_pages(site: Site, client: httpx.AsyncClient, tally: Tally, rng: random.Random) -> None:
    """Be a reader for ever."""
    await asyncio.sleep(rng.uniform(0, THINKS_S))
    while True:
        path = rng.choice(_PAGES)
        asked = _asked(site, path, rng)
        session = f"{rng.getrandbits(60):x}"
        async with asyncio.TaskGroup() as group:
            beating = group.create_task(_beat(client, session, tally)) if path in _WITH_FORMS else None
            shown = ""
            async with tally.timed("board page" if path == "/" else f"page {path}"):
                shown = await _open_page(client, path, asked, session)
            await _look(site, client, tally, rng, shown)
            await asyncio.sleep(rng.expovariate(1 / THINKS_S))
            if beating is not None:
                beating.cancel()


def _asked(site: Site, path: str, rng: random.Random) -> dict[str, str]:
    one, other = rng.sample(site.systems, 2)
    return {
        "/matrix": {"a": one, "b": other},
        "/listen": {"item": rng.choice(site.corpus.items).id, "systems": f"{one},{other}"},
        "/system": {"id": one},
    }.get(path, {})


async def _open_page(client: httpx.AsyncClient, path: str, asked: dict[str, str], session: str) -> str:
    """Load a page, and all that fills one with forms, as Gradio's client does; return what is shown."""
    page = _good(await client.get(path, params=asked))
    if path not in _WITH_FORMS:
        assert "cb-main" in page.text, "a page without its main part"
        return page.text
    found = _CONFIG.search(page.text)
    assert found is not None, "the page has no description of itself"
    asking = []
    for event in json.loads(found[1])["dependencies"]:
        targets = [target for target, kind in event["targets"] if kind == "load"]
        if targets and event["backend_fn"]:
            body = {"data": [None] * len(event["inputs"]), "fn_index": event["id"], "trigger_id": targets[0]}
            body |= {"event_data": None, "session_hash": session}
            asking.append(client.post("/gradio_api/run/predict", params=asked, json=body))
    shown = "".join(_good(answer).text for answer in await asyncio.gather(*asking))
    assert "cb-main" in shown or path == "/submit", "a page without its main part"
    assert "page-failure" not in shown, "a page that says that it has failed"
    return shown


async def _beat(client: httpx.AsyncClient, session: str, tally: Tally) -> None:
    """Keep the connection open that tells that a page is looked at."""
    try:
        async with client.stream("GET", f"/gradio_api/heartbeat/{session}", timeout=None) as answer:
            if answer.status_code not in _ALLOWED:
                tally.wrong[f"heartbeat: {answer.status_code}"] += 1
            async for _ in answer.aiter_raw():
                pass
    except httpx.HTTPError as error:
        tally.wrong[f"heartbeat: {type(error).__name__}"] += 1


async def _look(site: Site, client: httpx.AsyncClient, tally: Tally, rng: random.Random, shown: str) -> None:
    """Do what a reader does on a page: hear its clips, take a table of it; and now and then ask the API."""
    for clip in _CLIP.findall(shown)[:2]:
        async with tally.timed("clip"):
            for part in ("bytes=0-1023", "bytes=1024-"):
                _good(await client.get(clip, headers={"Range": part}))
    tables = _DOWNLOAD.findall(shown)
    if tables:
        async with tally.timed("download"):
            _good(await client.get(rng.choice(tables)))
    if rng.random() < API_SHARE:
        async with tally.timed("api"):
            _good(await client.get(f"/api/v1/leaderboard?protocol={site.protocol}"))


async def send_zips(site: Site, client: httpx.AsyncClient, tally: Tally, rng: random.Random, number: int) -> None:
    """Be a maker for ever: upload, check and send once; then upload and check again and again."""
    clips = {item.id: clip_bytes(number * 10_000 + at) for at, item in enumerate(site.corpus.items)}
    data = write_zip(site.folder / f"maker-{number}.zip", clips).read_bytes()
    config = _good(await client.get("/config")).json()
    events = {event["api_name"]: event for event in config["dependencies"]}
    parts = {part["id"]: part for part in config["components"]}
    is_sent = False
    while True:
        path = ""
        async with tally.timed("upload"):
            form = {"files": (f"maker-{number}.zip", data, "application/zip")}
            [path] = _good(await client.post("/gradio_api/upload", files=form)).json()
        for name in ("on_check",) if is_sent else ("on_check", "on_send"):
            values = [_value(parts[one], path, number) for one in events[name]["inputs"]]
            async with tally.timed(name):
                answer = await _queued(client, events[name]["id"], values, f"{rng.getrandbits(60):x}")
                assert ('data-result=\\"good' if name == "on_check" else 'data-result=\\"receipt') in answer, answer[
                    -300:
                ]
                is_sent = is_sent or name == "on_send"
        await asyncio.sleep(rng.expovariate(1 / PAUSES_S))


def _value(part: dict[str, Any], path: str, number: int) -> object:
    if part["type"] == "file":
        return {"path": path, "orig_name": "mine.zip", "meta": {"_type": "gradio.FileData"}}
    name = str(part["props"].get("elem_id") or "").removeprefix("card-")
    card = {
        "system": f"Load {number}",
        "version": "1",
        "organisation": "Load",
        "contact": "a@b.example",
        "licence": "MIT",
    }
    return card.get(name, part["props"].get("value"))


async def _queued(client: httpx.AsyncClient, event: int, values: list[object], session: str) -> str:
    """Let an event wait its turn, and return its last word."""
    body = {"data": values, "fn_index": event, "session_hash": session}
    _good(await client.post("/gradio_api/queue/join", json=body))
    async with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}, timeout=600) as lines:
        async for line in lines.aiter_lines():
            if '"process_completed"' in line:
                return line
    raise ValueError("the queue never answered")


def _good(answer: httpx.Response) -> httpx.Response:
    assert answer.status_code in _ALLOWED, f"{answer.request.method} {answer.url.path}: {answer.status_code}"
    return answer


async def _watch(site: Site, tally: Tally) -> None:
    began_s = time.monotonic()
    while True:
        tally.rss.append((time.monotonic() - began_s, _rss_mib(site.pid)))
        await asyncio.sleep(SAMPLE_EVERY_S)


async def _feel_lag(tally: Tally) -> None:
    """Measure how late the readers themselves are: what they wait for a processor is in every time above."""
    while True:
        due_s = time.perf_counter() + LAG_EVERY_S
        await asyncio.sleep(LAG_EVERY_S)
        tally.times_s["(readers' lag)"].append(max(time.perf_counter() - due_s, 0.0))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


async def load(site: Site, *, n_readers: int, n_uploads: int, seconds: float) -> Tally:
    """Put the load on for so long, and return what was seen."""
    tally = Tally()

    def client(number: int) -> httpx.AsyncClient:
        headers = {"X-Forwarded-For": f"8.8.{number // 250}.{number % 250 + 1}", "Origin": site.url}
        return httpx.AsyncClient(base_url=site.url, headers=headers, timeout=60, limits=httpx.Limits(max_connections=8))

    before_s = _cpu_s(site.pid)
    with contextlib.suppress(TimeoutError):
        async with contextlib.AsyncExitStack() as opened, asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            clients = [await opened.enter_async_context(client(at)) for at in range(n_readers + n_uploads)]
            group.create_task(_watch(site, tally))
            group.create_task(_feel_lag(tally))
            for at in range(n_readers):
                group.create_task(read_pages(site, clients[at], tally, random.Random(at)))
            for at in range(n_uploads):
                group.create_task(send_zips(site, clients[n_readers + at], tally, random.Random(-at), at))
    tally.cpu_s = _cpu_s(site.pid) - before_s
    return tally


@contextlib.contextmanager
def running(n_systems: int, n_items: int) -> Iterator[Site]:
    """Publish an example, start the site on it, and give it."""
    with tempfile.TemporaryDirectory(prefix="castboard-load-") as name:
        folder = Path(name)
        corpus = cast.make_corpus(folder, n_items)
        parts = [cast.Part(id=f"s{at:011d}", system=f"System {at}", obeys=0.4 + at / 100) for at in range(n_systems)]
        context = cast.make_site(folder / "home", parts, corpus)
        (folder / "protocol.json").write_bytes(encode(context.protocols[0]))
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        settings = {
            "CASTBOARD_HOME": str(folder / "home"),
            "CASTBOARD_PORT": str(port),
            "CASTBOARD_DEMO": "0",
            "CASTBOARD_PROTOCOL": str(folder / "protocol.json"),
            "CASTBOARD_CORPUS": str(folder / "corpus.jsonl"),
            "CASTBOARD_BEHIND_PROXY": "1",
            "HF_HUB_OFFLINE": "1",
        }
        log = (folder / "server.log").open("w+")
        server = subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if line.startswith("Ready"):
                    break
            yield Site(
                url=f"http://127.0.0.1:{port}",
                pid=server.pid,
                corpus=corpus,
                systems=tuple(part.id for part in parts),
                protocol=context.protocols[0].id,
                folder=folder,
            )
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
            log.seek(0)
            told = log.read()
            print(f"server's log: {len(told.splitlines())} lines", told[-2_000:])


def report(tally: Tally, seconds: float) -> int:
    """Print what was seen, and return the exit code: 1 if anything went wrong."""
    n_acts = sum(len(times) for kind, times in tally.times_s.items() if not kind.startswith("("))
    print(f"{n_acts:,} acts in {seconds:.0f} s; times p50, p95, most, s:")
    for kind, times in sorted(tally.times_s.items()):
        p95 = statistics.quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
        print(f"  {kind:14} {len(times):6}  {statistics.median(times):7.3f} {p95:7.3f} {max(times):7.3f}")
    at_one = next((mib for at, mib in tally.rss if at >= 60), None)
    first, last = tally.rss[0][1], tally.rss[-1][1]
    told = "" if at_one is None else f"{at_one:.0f} at one minute, "
    print(f"processor of the server: {tally.cpu_s:.1f} s, {tally.cpu_s / seconds:.0%} of one")
    most = max(mib for _, mib in tally.rss)
    print(f"memory of the server, MiB: {first:.0f} at first, {told}{last:.0f} at the end, {most:.0f} most")
    print(f"wrong: {sum(tally.wrong.values())}")
    for what, count in tally.wrong.most_common(20):
        print(f"  {count} x {what}")
    return 1 if tally.wrong else 0


def main() -> int:
    """Run the load that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--uploads", type=int, default=10)
    parser.add_argument("--systems", type=int, default=30)
    parser.add_argument("--items", type=int, default=96)
    options = parser.parse_args()
    seconds = options.minutes * 60
    began_s = time.monotonic()
    with running(options.systems, options.items) as site:
        print(
            f"{options.systems} systems of {options.items} items, up after {time.monotonic() - began_s:.0f} s",
            flush=True,
        )
        tally = asyncio.run(load(site, n_readers=options.readers, n_uploads=options.uploads, seconds=seconds))
    return report(tally, seconds)


if __name__ == "__main__":
    sys.exit(main())
