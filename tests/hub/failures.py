"""What goes wrong on demand, and what was asked: every request passes here before and after it is answered."""

import asyncio
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Cut = Literal["before", "middle", "after"]
Abort = Callable[[Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How some requests fail."""

    pattern: str
    """Found in "METHOD /path?query" by `re.search`."""
    status: int | None = None
    """Answered instead of the real answer; nothing is done then."""
    retry_after_s: int | None = None
    """Sent with the status."""
    cut: Cut | None = None
    """Connection cut: "before" anything is done; in the "middle" of the answer; "after" all is done, unanswered."""
    delay_s: float = 0.0
    """Waits so long before anything is done."""
    drip_s: float = 0.0
    """Waits so long between sixteen parts of the answer's body."""
    skip: int = 0
    """So many requests that match go well first."""
    every: int = 1
    """Then each such request of so many fails."""
    times: int | None = 1
    """Until so many have failed; None for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it was answered."""

    method: str
    path: str
    """With the query."""
    repo: str
    """ "kind:org/name", or empty."""
    kind: str
    """commit, tree, resolve, cdn, info, refs, commits, paths-info, preupload, lfs, create, whoami, oauth or other."""
    range: str
    """The range that was asked for, or empty."""
    status: int
    """0 if the connection was cut."""
    n_sent: int
    """Bytes of the answer's body."""


class Failures:
    """Failures to come, and all requests until now; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._planned: list[tuple[Failure, list[int]]] = []
        self._seen: list[Seen] = []
        self.is_down = False

    def plan(self, failure: Failure) -> None:
        """Let requests fail."""
        re.compile(failure.pattern)
        with self._lock:
            self._planned.append((failure, [0, 0]))

    def calm(self) -> None:
        """Forget all planned failures and be up again."""
        with self._lock:
            self._planned.clear()
            self.is_down = False

    def forget_seen(self) -> None:
        """Count from zero again."""
        with self._lock:
            self._seen.clear()

    def seen(self, kind: str | None = None, repo: str | None = None) -> list[Seen]:
        """Return the requests until now, of a kind and of a repo ("org/name")."""
        with self._lock:
            found = list(self._seen)
        wanted = (one for one in found if kind is None or one.kind == kind)
        return [one for one in wanted if repo is None or one.repo.partition(":")[2] == repo]

    def record(self, seen: Seen) -> None:
        """Count a request."""
        with self._lock:
            self._seen.append(seen)

    def choose(self, line: str) -> Failure | None:
        """Return how this request fails, or None."""
        with self._lock:
            for failure, counts in self._planned:
                if not re.search(failure.pattern, line):
                    continue
                counts[0] += 1
                n = counts[0] - failure.skip
                is_over = failure.times is not None and counts[1] >= failure.times
                if n > 0 and n % failure.every == 0 and not is_over:
                    counts[1] += 1
                    return failure
        return None


class Middleware:
    """Records requests, and lets some fail."""

    def __init__(self, app: Any, failures: Failures, abort: Abort) -> None:
        """Wrap `app`; `abort` cuts the connection of a scope."""
        self._app, self._failures, self._abort = app, failures, abort

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or let it fail."""
        if scope["type"] != "http" or scope["path"].startswith("/_double/"):
            await self._app(scope, receive, send)
            return
        line = f"{scope['method']} {scope['path']}" + (f"?{query}" if (query := scope["query_string"].decode()) else "")
        failure = self._failures.choose(line) or Failure(pattern="")
        await asyncio.sleep(failure.delay_s)
        if self._failures.is_down or failure.cut == "before":
            self._cut(scope, line)
            return
        if failure.status is not None:
            await _drained(receive)
            start, body = _refusal(failure)
        else:
            start, body = await self._answer(scope, receive)
        if failure.cut == "after":
            self._cut(scope, line)
            return
        sent = body[: len(body) // 2] if failure.cut == "middle" else body
        self._record(scope, line, 0 if failure.cut else start["status"], len(sent))
        await send(start)
        step = max(1, len(sent) // 16) if failure.drip_s else max(1, len(sent))
        for first in range(0, len(sent), step):
            await send({"type": "http.response.body", "body": sent[first : first + step], "more_body": True})
            await asyncio.sleep(failure.drip_s)
        if failure.cut == "middle":
            self._abort(scope)
            return
        await send({"type": "http.response.body", "body": b""})

    async def _answer(self, scope: Any, receive: Any) -> tuple[Any, bytes]:
        start: list[Any] = []
        parts: list[bytes] = []

        async def take(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.append(message)
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, take)
        return start[0], b"".join(parts)

    def _cut(self, scope: Any, line: str) -> None:
        self._record(scope, line, 0, 0)
        self._abort(scope)

    def _record(self, scope: Any, line: str, status: int, n_sent: int) -> None:
        method, _, path = line.partition(" ")
        repo, kind = name_of(scope["path"])
        headers = {key: value.decode() for key, value in scope["headers"]}
        wanted = headers.get(b"range", "")
        seen = Seen(method=method, path=path, repo=repo, kind=kind, range=wanted, status=status, n_sent=n_sent)
        self._failures.record(seen)


def name_of(path: str) -> tuple[str, str]:
    """Return which repo a path is about, "kind:org/name" or empty, and what it asks."""
    if found := re.match(r"/api/(model|dataset|space)s/([^/]+/[^/]+)(?:/([a-z-]+))?", path):
        kind, repo, what = found.groups()
        return f"{kind}:{repo}", {None: "info", "revision": "info"}.get(what, what)
    if found := re.match(r"/(?:(dataset|space)s/)?([^/]+/[^/]+)/resolve/", path):
        return f"{found[1] or 'model'}:{found[2]}", "resolve"
    if found := re.match(r"/(?:(dataset|space)s/)?([^/]+/[^/]+)\.git/info/lfs/", path):
        return f"{found[1] or 'model'}:{found[2]}", "lfs"
    if found := re.match(r"/_(cdn|lfs)/(model|dataset|space)/([^/]+/[^/]+)/", path):
        return f"{found[2]}:{found[3]}", found[1]
    kinds = {"/api/repos/create": "create", "/api/whoami-v2": "whoami"}
    return "", kinds.get(path, "oauth" if path.startswith(("/oauth/", "/.well-known/")) else "other")


def to_json(value: Failure | Seen) -> dict[str, Any]:
    """Return a record for the control route."""
    return asdict(value)


def _refusal(failure: Failure) -> tuple[Any, bytes]:
    body = b'{"error":"the double was told to answer so"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if failure.retry_after_s is not None:
        headers.append((b"retry-after", str(failure.retry_after_s).encode()))
    return {"type": "http.response.start", "status": failure.status, "headers": headers}, body


async def _drained(receive: Any) -> None:
    while (await receive()).get("more_body"):
        pass
