"""Clips as a blind listener gets them: at one level, in one form, and under an address that tells nothing.

The level is brought to one value here and not in the browser, so that a page without scripts is as fair. An address is
sealed anew each time it is written, so that two of them never show that they are the same clip. All clips of a trial
have one length and one size, so that neither a player nor a list of what was fetched tells which of them X is.
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
LEAST_PADDING_BYTES = 64
"""Bytes by which the longer of two files grows; room for the head of its padding."""
SEALED_S = 4 * 3600
"""So long an address is good, s."""


class VoteClips:
    """Makes and keeps levelled clips. Safe to use from several threads."""

    def __init__(self, clips: Clips, fernet: Fernet, memory_bytes: int = MEMORY_BYTES) -> None:
        """Read from `clips`; addresses are sealed with `fernet`."""
        self._clips = clips
        self._fernet = fernet
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[tuple[str, str, str, str], bytes] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()

    def address(self, submission: str, item: str, beside: str) -> str:
        """Return an address of a clip that is good for some hours; `beside` is whose clip it is held against."""
        sealed = self._fernet.encrypt(json.dumps(["clip", submission, item, beside]).encode()).decode()
        return f"{ROUTE}/{sealed}.flac"

    def meant(self, sealed: str) -> tuple[str, str, str] | None:
        """Return submission, item and the other submission of an address; None if it is none of ours, or too old."""
        try:
            told = json.loads(self._fernet.decrypt(sealed.encode(), ttl=SEALED_S))
        except (InvalidToken, UnicodeEncodeError, ValueError):
            return None
        is_clip = isinstance(told, list) and len(told) == 4 and told[0] == "clip"
        return (str(told[1]), str(told[2]), str(told[3])) if is_clip else None

    def read(self, submission: str, item: str, beside: str) -> bytes:
        """Return a levelled clip as FLAC, as long and as large as that of the submission beside it.

        Raises:
            KeyError: if the submission has no clip of that item.
            FileNotFoundError: if it has no clips at all.
            CastboardError: if the clip is damaged.
        """
        own, other = self._clips.read(submission, item), self._clips.read(beside, item)
        key = (submission, item, own.sha256, other.sha256)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        sounds = [audio.read_published(clip.flac, item) for clip in (own, other)]
        length_s = max(samples.size / rate_hz for samples, rate_hz in sounds)
        made, against = (_encoded(levelled(samples, rate_hz), rate_hz, length_s) for samples, rate_hz in sounds)
        made = padded(made, max(len(made), len(against)) + LEAST_PADDING_BYTES)
        with self._lock:
            if key not in self._kept and len(made) <= self._memory_bytes:
                self._kept[key] = made
                self._n_bytes += len(made)
            while self._n_bytes > self._memory_bytes:
                _, gone = self._kept.popitem(last=False)
                self._n_bytes -= len(gone)
        return made


def padded(flac: bytes, n_bytes: int) -> bytes:
    """Return a FLAC file of n_bytes with the same sound: a block of padding follows its first block.

    Source: RFC 9639, sections 8.1 (head of a block: last-block flag, type, length) and 8.3 (padding is type 1).
    """
    end = 8 + int.from_bytes(flac[5:8], "big")
    is_last = flac[4] & 0x80
    n_padding = n_bytes - len(flac) - 4
    head = bytes([1 | is_last]) + n_padding.to_bytes(3, "big")
    return b"".join((flac[:4], bytes([flac[4] & 0x7F]), flac[5:end], head, bytes(n_padding), flac[end:]))


def _encoded(samples: NDArray[np.float32], rate_hz: int, length_s: float) -> bytes:
    silence = np.zeros(max(0, round(length_s * rate_hz) - samples.size), dtype=np.float32)
    sink = io.BytesIO()
    soundfile.write(sink, np.concatenate([samples, silence]), rate_hz, format="FLAC", subtype="PCM_16")
    return sink.getvalue()


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
