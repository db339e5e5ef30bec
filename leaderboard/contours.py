"""Contours as they are served: read from their published table, the last ones kept in memory, packed small.

A page draws a clip from these without decoding it. Where there are none yet, nothing is drawn from here.
"""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.errors import SchemaError
from evaluation.probes.contour import Contour
from leaderboard.published import Kept
from submissions import contours, layout
from submissions.contours import DrawnClip
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)

CONTOUR_ROUTE = "/media/contour"
BLIND_CONTOUR_ROUTE = "/media/blind-contour"
SCHEMA_VERSION = 1
"""Version of the JSON that is sent."""
N_DIGITS = 16
"""First digits of a clip's hash in an address."""
N_TABLES = 64
"""Tables of which is remembered where each item lies; some 40 KiB each."""
MEMORY_BYTES = 12 << 20
"""So many bytes of contours are kept; one has some 5 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedContour:
    """One contour ready to be sent."""

    clip_sha256: str
    """sha256 (hex) of the clip that it draws."""
    json: bytes
    """What a blind page may know of it."""

    def open_json(self) -> bytes:
        """Return the same with the clip's hash."""
        return self.json[:-1] + f',"clip_sha256":"{self.clip_sha256}"}}'.encode()


class Contours:
    """Reads contours of published submissions. Safe to use from several threads."""

    def __init__(self, files: PublishedFiles, memory_bytes: int = MEMORY_BYTES) -> None:
        """Read from `files`, keeping at most `memory_bytes`."""
        self._files = files
        self._memory_bytes = memory_bytes
        self._places: Kept[Mapping[str, int]] = Kept(N_TABLES)
        self._kept: OrderedDict[tuple[str, str, str], ServedContour] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()

    def read(self, submission: str, item_id: str) -> ServedContour | None:
        """Return the contour of a clip; None if there is none, or its table is damaged.

        Raises:
            StoreUnavailable: if it cannot be fetched now.
        """
        if not layout.is_name(submission):
            return None
        version = self._files.version(layout.contours_path(submission))
        key = (submission, item_id, version)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        try:
            group = self._group(submission, item_id, version)
        except FileNotFoundError:
            return None
        except SchemaError as error:
            log.warning("contours.unreadable", extra={"submission": submission, "why": str(error)})
            return None
        found: ServedContour | None = None
        for row in group:  # who looks at one item looks at its neighbours next
            served = _served(row)
            self._keep((submission, row.item_id, version), served)
            found = served if row.item_id == item_id else found
        return found

    @property
    def n_bytes(self) -> int:
        """Bytes that are kept now."""
        return self._n_bytes

    def _group(self, submission: str, item_id: str, version: str) -> tuple[DrawnClip, ...]:
        where = layout.contours_path(submission)
        with layout.opened(self._files, where) as file:
            places = self._places.get(submission, version, lambda: contours.places(file, where))
            index = places.get(item_id)
            return () if index is None or index >= file.num_row_groups else contours.read_rows(file, index, where)

    def _keep(self, key: tuple[str, str, str], served: ServedContour) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = served
                self._n_bytes += len(served.json)
            while self._n_bytes > self._memory_bytes:
                _, gone = self._kept.popitem(last=False)
                self._n_bytes -= len(gone.json)


def contour_url(submission: str, item_id: str, sha256: str) -> str:
    """Return where the contour of a clip is served; it may not be there yet."""
    return f"{CONTOUR_ROUTE}/{submission}/{item_id}/{sha256[:N_DIGITS]}.json"


def blind_contour_url(item_id: str, token: str) -> str:
    """Return where the contour of a clip is served while names are hidden; `token` is that of the clip."""
    return f"{BLIND_CONTOUR_ROUTE}/{item_id}/{token}.json"


def encode(drawn: Contour) -> bytes:
    """Return a contour as the JSON object that is sent, without a space."""
    told = {
        "schema_version": SCHEMA_VERSION,
        "duration_s": drawn.duration_s,
        "bin_s": drawn.bin_s,
        "n_bins": len(drawn.low),
        "low": drawn.low,
        "high": drawn.high,
        "level_dbfs": drawn.level_dbfs,
        "f0_hz": drawn.f0_hz,
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _served(row: DrawnClip) -> ServedContour:
    return ServedContour(clip_sha256=row.clip_sha256, json=encode(row.contour))
