"""The local engine's processes: what happens when one of them is ended from outside."""

import os
import signal
from pathlib import Path

import pytest

from evaluation.engine.local import EngineDied, LocalEngine
from evaluation.passes import SHARED
from evaluation.protocol import load_shipped
from evaluation.records import Clip, ItemId
from evaluation.run import plan

BARE = load_shipped("lite")


@pytest.mark.models
def test_killed_process_is_a_failure_of_ours_with_its_own_name(tmp_path: Path) -> None:
    """A reader that is killed while it starts ends the run as EngineDied, not as a bug."""
    clip = Clip(
        item_id=ItemId("it-0"),
        sha256="0" * 64,
        duration_s=1.0,
        rate_hz=16_000,
        bit_depth=16,
        source_format="WAV",
        source_channels=1,
    )
    with LocalEngine(BARE, n_processes=1) as engine:
        shards = engine.read(plan([clip]), tmp_path)
        pool = engine._open(SHARED)
        pool.submit(os.kill, os.getpid(), 0)
        for process in list(pool._processes.values()):
            os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(EngineDied, match="ended from outside"):
            next(shards)
