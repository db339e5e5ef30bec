"""HTTP byte ranges and validators (RFC 9110, sections 13 and 14). Pure."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.IGNORECASE)
_DIGITS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteRange:
    """Part of a file that is to be sent."""

    first: int
    """First byte, from 0."""
    last: int
    """Last byte, included."""


class Unsatisfiable(ValueError):
    """No byte of the file lies in the range."""


def parse(header: str | None, n_bytes: int) -> ByteRange | None:
    """Return the one range that a request asks for; None to send the whole file.

    Several ranges, other units and malformed headers are answered with the whole file, as the standard allows.

    Args:
        header: value of `Range`, or None.
        n_bytes: size of the file.

    Raises:
        Unsatisfiable: if the range lies beyond the end.
    """
    match = _RANGE.fullmatch(header) if header else None
    if match is None or match[1] == match[2] == "" or max(len(match[1]), len(match[2])) > _DIGITS:
        return None
    if match[1] == "":
        n_last = int(match[2])
        if n_last == 0 or n_bytes == 0:
            raise Unsatisfiable
        return ByteRange(first=max(0, n_bytes - n_last), last=n_bytes - 1)
    first = int(match[1])
    last = min(int(match[2]), n_bytes - 1) if match[2] else n_bytes - 1
    if match[2] and int(match[2]) < first:
        return None
    if first >= n_bytes:
        raise Unsatisfiable
    return ByteRange(first=first, last=last)


def matches(header: str | None, etag: str) -> bool:
    """Say whether an `If-None-Match` header names `etag` (quoted, strong); weak tags count as equal."""
    if not header:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return "*" in tags or etag in tags
