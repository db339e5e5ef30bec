"""Pages of a list that may change between two requests: a cursor holds the place and what the list was. Pure.

A cursor is good for one query against one revision. If the board has changed meanwhile its place means something else,
so it is refused with 410 rather than rows coming twice or not at all.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from leaderboard.api.problems import refused

T = TypeVar("T")

MOST = 500
"""Rows of a page at most."""
USUAL = 100
"""Rows of a page unless another number is asked for."""
_N_DIGEST = 12
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page begins."""

    query: str
    """Digest of what was asked, page and its size left out."""
    revision: str
    """Digest of what the list is made of."""
    first: int
    """Place of the first row, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged(Generic[T]):
    """One page of a list."""

    rows: tuple[T, ...]
    """Its rows."""
    n_total: int
    """Rows of the whole list."""
    next_cursor: str | None
    """Cursor of the page after it; None at the end."""
    prev_cursor: str | None
    """Cursor of the page before it; None at the beginning."""


def place(query: str, revision: str, cursor: str) -> Place:
    """Return where a page begins.

    Args:
        query: what was asked, without cursor and limit.
        revision: changes whenever the list may.
        cursor: as it came; empty for the beginning.

    Raises:
        Refused: 422 for a cursor that is none or of another query, 410 for one of an older board.
    """
    asked, made_of = digest(query), digest(revision)
    if not cursor:
        return Place(query=asked, revision=made_of, first=0)
    parts = _decoded(cursor).split(".")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdecimal() and len(parts[2]) <= _MOST_DIGITS):
        raise refused(
            422, "cursor", "This is no cursor of ours.", allowed="what a page gave as next or prev", got=cursor
        )
    if parts[0] != asked:
        what = "This cursor is of another query. Take its address whole, or begin without a cursor."
        raise refused(422, "cursor", what, allowed="the query that gave it", got=cursor)
    if parts[1] != made_of:
        what = "The board has changed since this cursor was given. Begin again without a cursor."
        raise refused(410, "cursor", what, got=cursor)
    return Place(query=asked, revision=made_of, first=int(parts[2]))


def page(rows: Sequence[T], at: Place, limit: int) -> Paged[T]:
    """Return the page that begins at a place.

    Args:
        rows: the whole list.
        at: where it begins; beyond the end gives an empty page.
        limit: rows at most, 1 or more.
    """
    after, before = at.first + limit, max(0, at.first - limit)
    return Paged(
        rows=tuple(rows[at.first : after]),
        n_total=len(rows),
        next_cursor=_cursor(at, after) if after < len(rows) else None,
        prev_cursor=_cursor(at, before) if at.first > 0 else None,
    )


def digest(text: str) -> str:
    """Return a short stand-in for a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_N_DIGEST]


def _cursor(at: Place, first: int) -> str:
    return base64.urlsafe_b64encode(f"{at.query}.{at.revision}.{first}".encode()).decode().rstrip("=")


def _decoded(cursor: str) -> str:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
