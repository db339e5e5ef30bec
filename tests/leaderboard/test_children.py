"""Children are kept alive while the server runs, and none outlives it."""

import os
import time
from pathlib import Path

from leaderboard.children import Child, Children

PROGRAM = """
import os, pathlib, sys, time
folder, verb = pathlib.Path(sys.argv[2]), sys.argv[1]
(folder / f"{verb}-{os.getpid()}").touch()
if verb == "fail":
    sys.exit(3)
if verb == "stay":
    time.sleep(600)
"""


def _started(folder: Path, verb: str) -> list[int]:
    return [int(path.name.split("-")[1]) for path in folder.glob(f"{verb}-*")]


def _run(tmp_path: Path, *children: Child) -> Children:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    keeper = Children(children, program=program, environ=os.environ, logs=tmp_path / "logs")
    keeper.start()
    return keeper


def _until(condition) -> None:
    """Give the processor away until the condition holds, or fail after a long time."""
    give_up = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < give_up, "the condition never held"
        os.sched_yield()


def test_failed_child_is_started_again(tmp_path: Path) -> None:
    """A child that fails comes back as a new process."""
    keeper = _run(tmp_path, Child(name="w", arguments=("fail", str(tmp_path)), is_restarted=False))
    _until(lambda: len(_started(tmp_path, "fail")) >= 2)
    keeper.stop()


def test_finished_child_is_left_alone(tmp_path: Path) -> None:
    """A child that was to run once and succeeded is not started again; others go on."""
    keeper = _run(
        tmp_path,
        Child(name="once", arguments=("done", str(tmp_path)), is_restarted=False),
        Child(name="other", arguments=("fail", str(tmp_path)), is_restarted=True),
    )
    _until(lambda: len(_started(tmp_path, "fail")) >= 2 and _started(tmp_path, "done"))
    keeper.stop()
    assert len(_started(tmp_path, "done")) == 1


def test_stop_ends_every_child(tmp_path: Path) -> None:
    """After `stop` the process is gone."""
    keeper = _run(tmp_path, Child(name="w", arguments=("stay", str(tmp_path)), is_restarted=True))
    _until(lambda: _started(tmp_path, "stay"))
    keeper.stop()
    (pid,) = _started(tmp_path, "stay")
    assert not Path(f"/proc/{pid}").exists()
