"""Loudness: a clip's speech level against the same submission's own normal level. Pure.

An absolute level would judge a system's output gain, which is not a voice.
"""

from collections.abc import Sequence
from statistics import median

QUIET = "quiet"
NORMAL = "normal"
LOUD = "loud"


def reference_dbfs(levels: Sequence[float]) -> float:
    """Return the level that a submission uses when it is asked for normal loudness.

    Args:
        levels: active speech levels (dBFS) of its clips whose items request "normal", in any order.

    Returns:
        Their median, dBFS.

    Raises:
        ValueError: if `levels` is empty: then there is nothing to compare with.
    """
    if not levels:
        raise ValueError("no level was given: a submission without a readable normal clip has no reference")
    return float(median(levels))


def bucket(difference_db: float, *, dead_zone: float) -> str:
    """Return "quiet", "normal" or "loud".

    Args:
        difference_db: clip level minus reference, dB.
        dead_zone: half-width of "normal", dB, >= 0; its ends are normal.
    """
    if difference_db < -dead_zone:
        return QUIET
    return LOUD if difference_db > dead_zone else NORMAL
