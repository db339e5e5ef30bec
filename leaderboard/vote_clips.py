"""Clips as a blind listener gets them: at one level, in one form, and under an address that tells nothing.

The level is brought to one value here and not in the browser, so that a page without scripts is as fair. An address is
sealed anew each time it is written, so that two of them never show that they are the same clip.
"""

import io
import json
import threading
from collections import OrderedDict

import numpy as np
import soundfile
from cryptography.fernet import Fernet, InvalidToken
from numpy.typing import NDArray

from evaluation import audio
from evaluation.probes.acoustic import active_power, frame_powers
from leaderboard.clips import Clips

ROUTE = "/media/vote"
LISTENING_DBFS = -26.0
"""Active level of every clip that is voted on."""
LOUDEST = 0.97
"""No sample is brought above this share of full scale."""
MEMORY_BYTES = 32 << 20
SEALED_S = 4 * 3600
"""So long an address is good, s."""


class VoteClips:
    """Makes and keeps levelled clips. Safe to use from several threads."""

    def __init__(self, clips: Clips, fernet: Fernet, memory_bytes: int = MEMORY_BYTES) -> None:
        """Read from `clips`; addresses are sealed with `fernet`."""
        self._clips = clips
        self._fernet = fernet
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()

    def address(self, submission: str, item: str) -> str:
        """Return an address of a clip that is good for some hours."""
        sealed = self._fernet.encrypt(json.dumps(["clip", submission, item]).encode()).decode()
        return f"{ROUTE}/{sealed}.flac"

    def meant(self, sealed: str) -> tuple[str, str] | None:
        """Return submission and item of an address; None if it is none of ours, or too old."""
        try:
            told = json.loads(self._fernet.decrypt(sealed.encode(), ttl=SEALED_S))
        except (InvalidToken, UnicodeEncodeError, ValueError):
            return None
        is_clip = isinstance(told, list) and len(told) == 3 and told[0] == "clip"
        return (str(told[1]), str(told[2])) if is_clip else None

    def read(self, submission: str, item: str) -> bytes:
        """Return a levelled clip as FLAC.

        Raises:
            KeyError: if the submission has no clip of that item.
            FileNotFoundError: if it has no clips at all.
            CastboardError: if the clip is damaged.
        """
        clip = self._clips.read(submission, item)
        key = (submission, item, clip.sha256)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        samples, rate_hz = audio.read_published(clip.flac, item)
        sink = io.BytesIO()
        soundfile.write(sink, levelled(samples, rate_hz), rate_hz, format="FLAC", subtype="PCM_16")
        made = sink.getvalue()
        with self._lock:
            if key not in self._kept and len(made) <= self._memory_bytes:
                self._kept[key] = made
                self._n_bytes += len(made)
            while self._n_bytes > self._memory_bytes:
                _, gone = self._kept.popitem(last=False)
                self._n_bytes -= len(gone)
        return made


def levelled(samples: NDArray[np.float32], rate_hz: int) -> NDArray[np.float32]:
    """Return samples without their offset at the listening level, or as near to it as full scale allows.

    Args:
        samples: mono, shape (n,), float32 in [-1, 1].
        rate_hz: their rate, Hz.
    """
    centred = samples.astype(np.float64) - np.mean(samples, dtype=np.float64)
    peak = float(np.abs(centred).max())
    powers = frame_powers(centred, rate_hz)
    power = active_power(powers) if powers.size else 0.0
    if peak == 0.0 or power <= 0.0:
        return np.asarray(centred, dtype=np.float32)
    gain = min(10 ** (LISTENING_DBFS / 20) / np.sqrt(power), LOUDEST / peak)
    return np.asarray(centred * gain, dtype=np.float32)
