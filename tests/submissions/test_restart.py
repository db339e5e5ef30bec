"""A worker that is killed at any instant loses nothing, does nothing twice, and changes no published byte.

Real worker processes with the real acoustic instruments are ended by SIGKILL: from outside after a
random part of a run's time, or by themselves just before a random step on the disk.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from evaluation.codec import sha256_of
from submissions import layout, queue
from submissions.reception import Upload, receive
from submissions.state import State
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions.small_evaluation import make_corpus, rewritten, tree, write_zip
from tests.submissions.work_examples import NOON

ROOT = Path(__file__).resolve().parents[2]
N_ITEMS = 8
N_KILLS = 6
SEEDS = range(5)
PATIENCE_S = 120.0
LOOK_S = 0.02
FORM = {"system": "espeak", "version": "1", "organisation": "x", "contact": "a@b.example", "licence": "GPL-3.0"}

pytestmark = pytest.mark.restart


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A run that nothing disturbed."""

    folder: Path
    """Holds the corpus, and `home` with one submission in the queue."""
    published: dict[str, bytes]
    """What it published."""
    run_s: float
    """How long it took after its claim, s."""
    n_steps: int
    """Its steps on the disk."""


def spoken(folder: Path, number: int, script: str) -> bytes:
    """Return a script as espeak-ng says it, each at a pace and pitch of its own."""
    path = folder / "spoken.wav"
    voice = ["-s", str(130 + 20 * (number % 5)), "-p", str(20 + 15 * (number % 5))]
    subprocess.run(["espeak-ng", *voice, "-w", str(path), script], check=True)
    return rewritten(path.read_bytes())


def start(folder: Path, home: Path, die_at: int = 0) -> subprocess.Popen[bytes]:
    """Start a worker in a session of its own."""
    command = [sys.executable, "-m", "tests.submissions.restart_worker", str(folder), str(home), str(die_at)]
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(command, cwd=ROOT, env=environ, start_new_session=True)


def end(process: subprocess.Popen[bytes]) -> int:
    """Kill a worker if it is still there, then what it started; return its code."""
    process.kill()
    code = process.wait(PATIENCE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return code


def wait_for_claim(process: subprocess.Popen[bytes], home: Path) -> None:
    """Return once the worker holds a lease of its own, or has ended."""
    while process.poll() is None:
        lease = state_of(home).lease
        if lease is not None and lease.process.pid == process.pid:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)


def state_of(home: Path):
    """Return the state of the one submission, folded anew from its files."""
    (state,) = queue.load_all(FolderStore(home))
    return state


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Give a queued submission, and what becomes of it undisturbed."""
    folder = tmp_path_factory.mktemp("restart")
    corpus = make_corpus(folder, N_ITEMS)
    clips = {item.id: spoken(folder, number, item.script) for number, item in enumerate(corpus.items)}
    zip_path = write_zip(folder / "espeak.zip", clips)
    (folder / "passing").mkdir()
    receive(
        Upload(zip_path=zip_path, card_fields=FORM, submitter=None),
        corpus=corpus,
        store=FolderStore(folder / "home"),
        work_dir=folder / "passing",
        now=NOON,
        code_version="0.1.0",
        decoder_processes=1,
    )
    home = folder / "undisturbed"
    shutil.copytree(folder / "home", home)
    process = start(folder, home)
    wait_for_claim(process, home)
    began = time.monotonic()
    assert process.wait(PATIENCE_S) == 0
    run_s = time.monotonic() - began
    assert state_of(home).state is State.PUBLISHED, state_of(home).reason
    n_steps = int((folder / "steps").read_text())
    return Whole(folder=folder, published=tree(home / "published"), run_s=run_s, n_steps=n_steps)


def kill_once(whole: Whole, home: Path, dice: random.Random, *, from_outside: bool) -> bool:
    """Start a worker and kill it at a random instant; False if it was done before."""
    if from_outside:
        process = start(whole.folder, home)
        wait_for_claim(process, home)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0, whole.run_s))
    else:
        n_left = whole.n_steps - 4 * len(list(home.glob("work/*/shards/*/[0-9]*.json")))
        process = start(whole.folder, home, dice.randrange(1, n_left))
        process.wait(PATIENCE_S)
    return end(process) == -signal.SIGKILL


def expect_no_row_or_a_whole_one(home: Path) -> None:
    """Fail if a result is there and anything that it was made of is not."""
    files = PublishedFolder(home / "published")
    for path in files.paths("results/"):
        result = layout.decode_result(files.read(path), path)
        assert {name: sha256_of(files.read(name)) for name in result.files} == dict(result.files)


def expect_undisturbed(whole: Whole, home: Path, n_kills: int) -> None:
    """Fail unless the submission ended as if nobody had been killed."""
    state = state_of(home)
    assert state.state is State.PUBLISHED, state.reason
    assert state.n_lost <= n_kills
    assert state.attempts == 0
    kinds = [event.kind for event in FolderStore(home).events(state.submission)]
    assert kinds.count("published") == 1
    assert set(kinds) <= {"received", "queued", "claimed", "renewed", "published"}
    assert tree(home / "published") == whole.published


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_again_and_again(whole: Whole, tmp_path: Path, seed: int) -> None:
    """After every kill the state is sound; in the end the published bytes are those of an undisturbed run."""
    dice = random.Random(seed)
    n_killed, n_homes, n_killed_here = 0, 0, 0
    home = tmp_path / "0"
    shutil.copytree(whole.folder / "home", home)
    while n_killed < N_KILLS:
        was_killed = kill_once(whole, home, dice, from_outside=n_killed % 2 == 0)
        expect_no_row_or_a_whole_one(home)
        n_killed, n_killed_here = n_killed + was_killed, n_killed_here + was_killed
        if state_of(home).state is State.PUBLISHED and n_killed < N_KILLS:
            expect_undisturbed(whole, home, n_killed_here)
            n_homes, n_killed_here = n_homes + 1, 0
            home = tmp_path / str(n_homes)
            shutil.copytree(whole.folder / "home", home)
    process = start(whole.folder, home)
    assert process.wait(PATIENCE_S) == 0
    end(process)
    expect_undisturbed(whole, home, n_killed_here)
