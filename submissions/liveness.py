"""Who this process is, and whether another one is certainly gone. Linux; reads /proc only."""

import os
import platform
from pathlib import Path

from submissions.records import ProcessIdentity

_PROC = Path("/proc")
_START_FIELD = 19  # of /proc/<pid>/stat, counted after the name in parentheses, which may hold anything


def this_process() -> ProcessIdentity:
    """Return the identity of the calling process."""
    state = _stat(os.getpid())
    if state is None:
        raise OSError("/proc is not mounted, so a process cannot be told from a later one of the same number")
    return ProcessIdentity(
        host=platform.node(),
        boot_id=(_PROC / "sys/kernel/random/boot_id").read_text().strip(),
        pid_namespace=str((_PROC / "self/ns/pid").readlink()),
        pid=os.getpid(),
        started_ticks=int(state[_START_FIELD]),
    )


def is_dead(process: ProcessIdentity) -> bool:
    """Tell whether `process` is provably gone; False also for one that cannot be seen from here."""
    here = this_process()
    if (process.host, process.boot_id, process.pid_namespace) != (here.host, here.boot_id, here.pid_namespace):
        return False
    state = _stat(process.pid)
    return state is None or state[0] in "ZX" or int(state[_START_FIELD]) != process.started_ticks


def _stat(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()
