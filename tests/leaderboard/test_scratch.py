"""Passing folders go with their makers, however these end."""

import subprocess
import sys
from pathlib import Path

from leaderboard.scratch import passing_folder

_KILLED = """
import os, signal, sys
from pathlib import Path
from leaderboard.scratch import passing_folder
with passing_folder(Path(sys.argv[1]), "check-") as folder:
    (folder / "clip").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_is_its_makers_own_and_goes_with_the_block(tmp_path: Path) -> None:
    """Two makers at once have two folders; nothing stays."""
    base = tmp_path / "scratch"
    with passing_folder(base, "check-") as one, passing_folder(base, "check-") as other:
        (one / "clip").write_bytes(b"x")
        assert one != other and one.is_dir() and other.is_dir()
    assert list(base.iterdir()) == []


def test_what_a_killed_maker_left_goes_with_the_next_one(tmp_path: Path) -> None:
    """A killed process leaves its folder; the next maker finds it unlocked and removes it, and none that is in use."""
    with passing_folder(tmp_path, "uploads-") as living:
        subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
        assert len(list(tmp_path.iterdir())) == 2
        with passing_folder(tmp_path, "check-") as fresh:
            assert sorted(tmp_path.iterdir()) == sorted([living, fresh])
