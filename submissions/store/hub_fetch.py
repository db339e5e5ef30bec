"""Files of a repo, whole or in part: the bytes that were asked for, all of them, or an error."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from submissions.store.hub_trouble import Failed, Trouble

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")
_HTTP_OK, _HTTP_PARTIAL = 200, 206


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSource:
    """Where one file of one commit is fetched from."""

    hub: ModuleType
    """The client."""
    url: str
    """Its address."""
    headers: dict[str, str]
    """What is sent along; holds the token."""
    seconds: float
    """Longest that an answer may take, s."""
    clock: Callable[[], float]
    """Seconds that only grow."""

    def __repr__(self) -> str:
        return f"HubSource({self.url!r})"


def whole(source: HubSource, most_bytes: int) -> bytes:
    """Return a file; raises Failed if it has more than `most_bytes`, or what the client raises."""
    with _asked(source, {}) as answer:
        source.hub.utils.hf_raise_for_status(answer)
        told = answer.headers.get("content-length")
        data = _body(source, answer, most_bytes + 1)
    if len(data) > most_bytes:
        raise Failed(Trouble(words=f"holds a file of more than {most_bytes} bytes here", is_final=True))
    if told is not None and told != str(len(data)):
        raise Failed(Trouble(words="broke off in the middle of a file", is_final=False))
    return data


def part(source: HubSource, first: int, last: int) -> bytes:
    """Return the bytes from `first` to `last`, both included; raises as `whole` does."""
    n_bytes = last - first + 1
    with _asked(source, {"Range": f"bytes={first}-{last}"}) as answer:
        source.hub.utils.hf_raise_for_status(answer)
        n_before = _n_before(answer, first, last)
        data = _body(source, answer, n_before + n_bytes)[n_before:]
    if len(data) != n_bytes:
        raise Failed(Trouble(words="broke off in the middle of a file", is_final=False))
    return data


def _asked(source: HubSource, headers: dict[str, str]) -> Any:
    sent = {**source.headers, "Accept-Encoding": "identity", **headers}
    return source.hub.get_session().stream("GET", source.url, headers=sent, follow_redirects=True)


def _n_before(answer: Any, first: int, last: int) -> int:
    """Return how many bytes come before those that were asked for: all, from a server that knows no ranges."""
    if answer.status_code == _HTTP_OK:
        return first
    found = _RANGE.fullmatch(answer.headers.get("content-range", ""))
    if answer.status_code != _HTTP_PARTIAL or not found or (int(found[1]), int(found[2])) != (first, last):
        raise Failed(Trouble(words="sent another part of a file than was asked for", is_final=False))
    return 0


def _body(source: HubSource, answer: Any, most_bytes: int) -> bytes:
    """Return at most so many bytes of an answer."""
    deadline = source.clock() + source.seconds
    data = bytearray()
    for chunk in answer.iter_raw():
        data += chunk
        if len(data) >= most_bytes:
            break
        if source.clock() > deadline:
            raise Failed(Trouble(words="sends too slowly", is_final=False))
    return bytes(data[:most_bytes])
