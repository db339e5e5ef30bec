"""A writer to a hub that is killed at any request: every change is there once, and the next process goes on."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

from tests.hub.double import HubDouble
from tests.hub.examples import open_repo
from tests.hub.fixtures import hub

__all__ = ["hub"]

ROOT = Path(__file__).resolve().parents[3]
N_LINES = 12
WRITER = """
import sys
from pathlib import Path
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_repo import HubRepo
endpoint, token, home, n_lines = sys.argv[1:]
repo = HubRepo("ohm/board", token=token, endpoint=endpoint)
files = HubPublished(repo, BlobCache(Path(home) / "cache", 1 << 20), Path(home) / "board")
files.sweep()
source = Path(home) / "source"

def add(draft, n):
    known = draft.read("log.json") if draft.paths("log.json") else b""
    if b"%d\\n" % n in known:
        return
    draft.write("log.json", known + b"%d\\n" % n)
    source.write_bytes(b"clips of %d" % n)
    draft.write_file(f"clips/s{n}.parquet", source)

for n in range(100, 100 + int(n_lines)):
    files.change(f"line {n}", lambda draft, n=n: add(draft, n))
"""


def test_killed_writer_loses_and_repeats_nothing(hub: HubDouble, tmp_path: Path) -> None:
    """Killed at five requests, drawn at random, the writers together make each change exactly once."""
    rng = random.Random(11)
    open_repo(hub)
    command = [sys.executable, "-c", WRITER, hub.endpoint, hub.token, str(tmp_path / "home"), str(N_LINES)]
    (tmp_path / "home").mkdir()
    kills: list[str] = []
    while True:
        hub.forget_seen()
        last = rng.randrange(1, 12) if len(kills) < 5 else 1_000_000
        # Slower answers, so that a kill finds requests under way.
        hub.calm()
        hub.fail("", delay_s=0.01, times=None)
        with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ)) as writer:
            while writer.poll() is None and len(hub.seen()) < last:
                threading.Event().wait(0.002)
            if writer.poll() is not None:
                assert writer.returncode == 0
                break
            writer.kill()
        kills.append(hub.seen()[-1].kind)
    assert len(kills) == 5
    assert len(set(kills)) >= 2, kills
    assert hub.read("ohm/board", "log.json") == b"".join(b"%d\n" % n for n in range(100, 100 + N_LINES))
    assert [commit.title for commit in reversed(hub.history("ohm/board"))][1:] == [
        f"line {n}" for n in range(100, 100 + N_LINES)
    ]
    assert hub.read("ohm/board", "clips/s105.parquet") == b"clips of 105"
    assert list((tmp_path / "home" / "board" / "drafts").iterdir()) == []
