"""Clips as they are served: bytes with their hash, the last ones kept in memory, and addresses that name no system."""

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.records import ItemId
from submissions import layout
from submissions.store.base import PublishedFiles

CLIP_ROUTE = "/media/clip"
BLIND_ROUTE = "/media/blind"

MEMORY_BYTES = 96 << 20
"""So many bytes of clips are kept in memory; a player asks for the same clip in several ranges."""
_TOKEN_LENGTH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedClip:
    """One clip ready to be sent."""

    flac: bytes
    """The canonical FLAC file."""
    sha256: str
    """sha256 (hex) of the same bytes."""


class Clips:
    """Reads clips of published submissions. Safe to use from several threads."""

    def __init__(self, files: PublishedFiles, memory_bytes: int = MEMORY_BYTES) -> None:
        """Read from `files`, keeping at most `memory_bytes` of clips."""
        self._files = files
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[tuple[str, str], ServedClip] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(32)

    def read(self, submission: str, item_id: str) -> ServedClip:
        """Return a clip.

        Raises:
            KeyError: if the submission has no clip of that item.
            FileNotFoundError: if the submission has no clips at all.
            SchemaError: if the file is damaged.
        """
        key = (submission, item_id)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        flac = layout.read_clip(self._files, submission, ItemId(item_id))
        clip = ServedClip(flac=flac, sha256=hashlib.sha256(flac).hexdigest())
        self._keep(key, clip)
        return clip

    def blind_token(self, item_id: str, submission: str) -> str:
        """Return the sign that stands for a submission's clip of an item while names are hidden.

        It changes with every start of the server and tells nothing of the submission.
        """
        message = f"{item_id} {submission}".encode()
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()[:_TOKEN_LENGTH]

    def unblind(self, item_id: str, token: str, submissions: Iterable[str]) -> str | None:
        """Return which of the submissions a token stands for, or None."""
        given = token.encode()
        for submission in submissions:
            if hmac.compare_digest(self.blind_token(item_id, submission).encode(), given):
                return submission
        return None

    def _keep(self, key: tuple[str, str], clip: ServedClip) -> None:
        if len(clip.flac) > self._memory_bytes:
            return
        with self._lock:
            if key not in self._kept:
                self._kept[key] = clip
                self._n_bytes += len(clip.flac)
            while self._n_bytes > self._memory_bytes:
                _, gone = self._kept.popitem(last=False)
                self._n_bytes -= len(gone.flac)
