"""An end for a call as a whole: the clients' own time-outs bound each silence, and a server that drips is never silent.

A timer shuts the call's connection down, which ends whatever the client waits for. It works through what httpx and its
kin offer to everybody, hooks of a client and the trace of a request, so proxies and certificates stay as they were.
Every call has a connection of its own: only as it is opened does a trace tell of it.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

SILENCES = 2.0
"""A whole call may last so many times the longest silence: as long for sending and receiving as for thinking."""


class Watch:
    """One call that is under way, or over."""

    def __init__(self) -> None:
        """Start with no connection."""
        self.has_ended_call = False
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        self._is_over = False

    def note(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of a connection that a trace of the call tells of."""
        stream = info.get("return_value")
        if not event.endswith(".complete") or not hasattr(stream, "get_extra_info"):
            return
        with self._lock:
            self._streams.append(stream)
            if self.has_ended_call:
                _shut(stream)

    def end_call(self) -> None:
        """Shut the call's connections down, and those that it still opens."""
        with self._lock:
            if not self._is_over:
                self.has_ended_call = True
                for stream in self._streams:
                    _shut(stream)

    def leave(self) -> None:
        """Do no more harm: the call is over."""
        with self._lock:
            self._is_over = True
            self._streams.clear()


class Deadline:
    """Bounds every call of one client that is made within `bounded`; safe to use from several threads at once."""

    def __init__(self, timeout_s: float) -> None:
        """Bound each call to `SILENCES` times `timeout_s`, the longest silence, s, > 0."""
        self.most_s = SILENCES * timeout_s
        self._calls = threading.local()

    @property
    def hooks(self) -> dict[str, list[Callable[[Any], None]]]:
        """What the client takes as its `event_hooks`."""
        return {"request": [self._watch]}

    @contextlib.contextmanager
    def bounded(self) -> Iterator[Watch]:
        """Bound the one call that this thread makes inside; afterwards the watch tells whether it was ended."""
        watch = Watch()
        timer = threading.Timer(self.most_s, watch.end_call)
        timer.daemon = True
        self._calls.watch = watch
        timer.start()
        try:
            yield watch
        finally:
            timer.cancel()
            watch.leave()
            timer.join()
            self._calls.watch = None

    def _watch(self, request: Any) -> None:
        watch: Watch | None = getattr(self._calls, "watch", None)
        if watch is not None:
            request.headers["Connection"] = "close"
            request.extensions = {**request.extensions, "trace": watch.note}


def _shut(stream: Any) -> None:
    sock = stream.get_extra_info("socket")
    with contextlib.suppress(OSError):  # closed already, or handed over to its encrypted successor
        # An encrypted socket's own method would also drop its cipher, under the feet of the thread that reads.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
