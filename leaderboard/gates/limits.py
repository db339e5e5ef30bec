"""How much of this site one visitor, and all of them, may use at a time: every number of the gates, with its reason.

A conference room sends everything from one address, so an address gets what two hundred readers need; what costs a
minute of a processor, or a place on the disk, is counted closer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Use(StrEnum):
    """What a request uses."""

    UPLOAD = "upload"
    """Bytes of a zip on their way to the disk."""
    WORK = "work"
    """A place in the queue of checks and submissions, or another act that changes something."""
    PAGE = "page"
    """A page, what fills it, and what keeps it fresh."""
    FILE = "file"
    """A clip, a download, an answer of the read API."""
    ASSET = "asset"
    """A script or style of the pages: small, from memory, kept by browsers for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How often something may be done: at once, and in the long run."""

    burst: int
    """So many in a row after a rest, >= 1."""
    per_s: float
    """So many a second in the long run, > 0."""


_ADDRESS: Mapping[Use, Budget] = MappingProxyType(
    {
        # A room of makers sends a zip each; a zip is some hundred megabytes, so six a minute fill any line.
        Use.UPLOAD: Budget(burst=40, per_s=0.1),
        # One check takes seconds to minutes of a processor and they wait for one another, 64 at most.
        Use.WORK: Budget(burst=60, per_s=0.5),
        # A page is 4 requests; an open queue page asks every 3 s: 90 such pages for ever, or 300 pages at once.
        Use.PAGE: Budget(burst=1_500, per_s=40.0),
        # A listener hears a clip in 1 to 3 ranges; a copy of the whole board is some thousand files in a row.
        Use.FILE: Budget(burst=1_500, per_s=40.0),
        # A first visit loads up to 60 of them: 300 first visits at once.
        Use.ASSET: Budget(burst=20_000, per_s=400.0),
    }
)
_PERSON: Mapping[Use, Budget] = MappingProxyType(
    {
        # One person with many addresses. The quota of a week is counted elsewhere, from the events.
        Use.UPLOAD: Budget(burst=10, per_s=1 / 60),
        Use.WORK: Budget(burst=30, per_s=0.1),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    """What the gates let through."""

    address_bytes: int = 16 << 10
    """Longest path and query. A page that names 600 systems has 8 KB."""
    body_bytes: int = 256 << 10
    """Largest body of a request that is no upload. A full card in the worst escapes has 45 KB."""
    body_s: float = 30.0
    """Time that such a body may take, s."""
    upload_slack_bytes: int = 64 << 10
    """What an upload's body may be larger than the largest zip, for the lines around the file."""
    n_upload_files: int = 1
    """Files in one upload: the form takes one zip."""
    upload_header_bytes: int = 4 << 10
    """Lines before a file in an upload's body, bytes: a name of 255 signs, escaped, fits four times."""
    n_uploads: int = 16
    """Uploads that come in side by side, from everybody."""
    n_uploads_visitor: int = 6
    """Of these from one address, so that one visitor never holds all places."""
    upload_stall_s: float = 30.0
    """Time without one byte after which an upload is cut, s."""
    upload_grace_s: float = 60.0
    """Time before its rate counts, s."""
    upload_bytes_per_s: int = 64 << 10
    """Least mean rate of an upload, half a megabit a second; the largest zip then takes nine hours, so also:"""
    upload_most_s: float = 4 * 3600.0
    """Longest time of one upload, s."""
    upload_kept_s: float = 3600.0
    """So long an upload waits for a button to be pressed, s."""
    sweep_every_s: float = 300.0
    """How often old uploads are looked for, s."""
    room: int = 4
    """So many of the largest zips may lie here or be on their way, and half as much stays free on the disk."""
    n_open_visitor: int = 800
    """Requests of one address that are open at a time; a page keeps one open for as long as it is looked at."""
    n_visitors: int = 20_000
    """Visitors whose use is remembered; the one not seen for longest is forgotten. Some 10 MB when full."""
    address: Mapping[Use, Budget] = field(default_factory=lambda: _ADDRESS)
    """What one address may use."""
    person: Mapping[Use, Budget] = field(default_factory=lambda: _PERSON)
    """What one signed-in person may use, from whatever addresses."""

    def must_stay_free(self, zip_bytes: int) -> int:
        """Return the bytes of the disk that an upload must leave, if the largest zip has `zip_bytes`."""
        return self.room * zip_bytes // 2


WEB_LIMITS = WebLimits()
