"""One life of a Space: web server and worker, as `app.py` starts them, in a group of processes that dies whole."""

import dataclasses
import faulthandler
import functools
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.submissions.small_evaluation import NAME, acoustic_protocol, scripts_of

POLL_S = 0.05
LOOK_S = 0.3
"""Time between two looks at a hub, s; a Space takes its time, a drill does not."""
STEPS = ((os, "link"), (os, "fsync"), (Path, "rename"), (Path, "unlink"), (Path, "mkdir"))
"""Steps on the disk; before any of them a life may end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a life has, and when it ends by itself."""

    folder: str
    """Holds corpus.jsonl."""
    home: str
    """Home of the Space; outlives it."""
    port: int
    """Where it listens."""
    log: str
    """File that takes what it says."""
    environ: dict[str, str]
    """The settings: variables as of the environment."""
    die_in: str = "worker"
    """Process whose steps are counted for `die_at`: "server" or "worker"."""
    die_at: int = 0
    """The whole Space ends just before its so-manieth step on disk or network; 0: never."""
    is_ready_first: bool = False
    """Whether steps count only once the server is up, and for the worker once anything was received."""
    count_into: str = ""
    """Folder that gets one file a process with the number of its steps; empty: they are not told."""


def prepare() -> None:
    """Import everything that a life needs; no thread is started."""
    import gradio  # noqa: F401
    import huggingface_hub  # noqa: F401
    import uvicorn  # noqa: F401

    from submissions.store import hub_work

    hub_work.Waits = functools.partial(hub_work.Waits, refresh_s=LOOK_S)  # type: ignore[misc,assignment]
    import evaluation.engine.local  # noqa: F401
    import submissions.worker  # noqa: F401


def live(plan: Plan) -> None:
    """Serve and work until killed; SIGUSR1 tells the log where every thread is."""
    faulthandler.register(signal.SIGUSR1)
    worker = os.fork()
    if worker == 0:
        _work(plan, _count_steps(plan, "worker"))
        os._exit(0)
    _serve(plan, _count_steps(plan, "server"))


def _serve(plan: Plan, is_ready: threading.Event) -> None:
    import uvicorn

    from evaluation.corpus import load, pin_of
    from leaderboard import server, stores
    from leaderboard import settings as environment
    from leaderboard.context import make_context
    from leaderboard.hub_watch import HubWatch
    from leaderboard.site import mount

    settings = environment.from_env(plan.environ)
    environment.keep_uploads_in(Path(plan.home) / "uploads")
    corpus_file = Path(plan.folder) / "corpus.jsonl"
    corpus = load(corpus_file, pin_of(corpus_file, NAME))
    context = make_context(
        home=settings.home,
        files=stores.published_files(settings),
        store=stores.work_store(settings),
        corpus=corpus,
        protocols=(acoustic_protocol(corpus.pin),),
    )
    if settings.hub is not None:
        HubWatch(settings, context.store, context.files, look_s=LOOK_S).start()
    listener = server._listen(settings)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            is_ready.set()

    Server(uvicorn.Config(mount(context), log_level="warning")).run([listener])


def _work(plan: Plan, is_ready: threading.Event) -> None:
    from evaluation.corpus import load, pin_of
    from leaderboard import settings as environment
    from leaderboard.stations import station
    from submissions.worker import Worker

    settings = environment.from_env(plan.environ)
    corpus_file = Path(plan.folder) / "corpus.jsonl"
    corpus = load(corpus_file, pin_of(corpus_file, NAME))
    usual = station(settings, acoustic_protocol(corpus.pin), corpus, "w1")

    @contextmanager
    def open_engine(wanted: Any) -> Iterator[Any]:
        with usual.open_engine(wanted) as engine:
            yield _AsWritten(engine, scripts_of(corpus))

    class Waiting(Worker):
        def run_once(self) -> Any:
            if usual.store.submissions():
                is_ready.set()
            return super().run_once()

    place = dataclasses.replace(usual, open_engine=open_engine, shard_size=1)
    Waiting(place).run_forever(threading.Event(), POLL_S)


class _AsWritten:
    """The real engine, which hears what is written: synthetic clips say nothing."""

    def __init__(self, inner: Any, scripts: Mapping[str, str]) -> None:
        self._inner = inner
        self._scripts = scripts

    def read(self, shards: Sequence[Any], clips_dir: Path) -> Iterator[Any]:
        from evaluation.records import Transcript

        for shard in self._inner.read(shards, clips_dir):
            readings = (
                dataclasses.replace(r, transcript=Transcript(text=self._scripts[r.item_id], setting="as written"))
                for r in shard.readings
            )
            yield dataclasses.replace(shard, readings=tuple(readings))


def _count_steps(plan: Plan, name: str) -> threading.Event:
    """Count steps on disk and network, and end the whole Space just before, or after, the given one.

    Returns:
        What is to be set once the process is ready.
    """
    import httpx

    lock, is_ready = threading.Lock(), threading.Event()
    n_steps = 0
    last_step = plan.die_at if name == plan.die_in else 0
    told = Path(plan.count_into) / f"{name}-{os.getpid()}" if plan.count_into else None

    def count() -> None:
        nonlocal n_steps
        if plan.is_ready_first and not is_ready.is_set():
            return
        with lock:
            n_steps += 1
            if told is not None:
                told.write_text(str(n_steps))
            if n_steps == last_step:
                os.killpg(0, signal.SIGKILL)

    def before(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            count()
            return original(*args, **kwargs)

        return step

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            count()
            answer = original(*args, **kwargs)
            count()
            return answer

        return step

    for owner, attribute in STEPS:
        setattr(owner, attribute, before(getattr(owner, attribute)))
    httpx.Client.send = around(httpx.Client.send)  # type: ignore[method-assign]
    return is_ready
