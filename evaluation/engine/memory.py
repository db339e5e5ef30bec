"""How many processes of one large model fit into this machine's memory at once, and whether it has a graphics card."""

from collections.abc import Iterable
from pathlib import Path

MIB = 1 << 20
_BESIDES_BYTES = 1024 * MIB  # the libraries, the clips of a shard and what lies between a model's layers
_TIMES_WEIGHTS = 2  # while a model loads, the file and the tensors are there side by side
_SHARE = 0.8  # the rest is for the pages and for what the estimate misses
CARDS = (Path("/dev/nvidiactl"), Path("/dev/kfd"), Path("/dev/dxg"))
"""Device files of graphics cards: of NVIDIA's driver, of AMD's, and of either inside of Windows."""
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def n_that_fit(n_wanted: int, weights_bytes: int, free_bytes: int | None) -> int:
    """Return how many processes of a model may run at once: 1 to `n_wanted`.

    Args:
        n_wanted: most processes, >= 1.
        weights_bytes: size of the model's files, bytes.
        free_bytes: memory that may be used, bytes; None if that is not known.
    """
    if free_bytes is None:
        return n_wanted
    each = _BESIDES_BYTES + _TIMES_WEIGHTS * weights_bytes
    return max(1, min(n_wanted, int(_SHARE * free_bytes) // each))


def free_bytes() -> int | None:
    """Return the memory that this process's machine or container has left, bytes; None if it does not say."""
    known = [left for left in (_of_machine(), _of_container()) if left is not None]
    return min(known, default=None)


def has_card(devices: Iterable[Path] = CARDS) -> bool:
    """Return whether this machine has a graphics card that torch may choose: any of `devices` is there.

    Told by device files, since torch would stay in the asking process's memory. One too many costs only time.
    """
    return any(device.exists() for device in devices)


def _of_machine() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    sizes = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return next((int(size) * 1024 for size in sizes), None)


def _of_container() -> int | None:
    try:
        limit, used = ((_CGROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdecimal() and used.isdecimal() else None
