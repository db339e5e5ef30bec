"""The real hub client of this process, with an end to every wait.

By itself it waits for ever for an answer, and asks again on its own terms, with sleeps that nobody can end. Here each
request has its time, and a failure comes out at once as one of two errors that the client does not catch; whoever asked
decides about trying again. Uploads go over the same client, not over the hub's other protocol, which has no such ends.
The client knows one session for all of a process, so this holds for whatever else in it talks to a hub.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

import httpx2

_API = "/api/"
_MOST_API_BYTES = 64 << 20
_AGAIN = (408, 429, 500, 502, 503, 504)
_HUB_NAMES = ("huggingface.co", "hf.co")

EXPECTED = (
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,
)
"""What the client raises: its own errors, and others for an answer that is not what it expects."""


@dataclass(slots=True)
class Clock:
    """What is known of this machine's clock."""

    ahead_s: float = 0.0
    """How far it was ahead of the hub's at the last answer, s."""


def clock_of(endpoint: str | None) -> Clock:
    """Return what is known of this machine's clock beside that of the hub at `endpoint` (None: its own address)."""
    from huggingface_hub import constants

    return _clocks.setdefault((endpoint or constants.ENDPOINT).rstrip("/"), Clock())


class Broken(httpx2.TransportError):
    """No whole answer came; whether the request was carried out is unknown."""


class Later(httpx2.TransportError):
    """The hub answered that it cannot now."""

    def __init__(self, status: int, retry_after_s: float | None, request: httpx2.Request) -> None:
        """Keep the status and how long the hub asks to wait."""
        super().__init__(f"the hub answered {status}", request=request)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait for one hub."""

    connect_s: float
    """For a connection, s."""
    answer_s: float
    """In the middle of a request or an answer, s."""
    whole_s: float
    """For one whole answer, s."""


_DEFAULT = Patience(connect_s=10.0, answer_s=30.0, whole_s=180.0)
_patience: dict[str, Patience] = {}
_clocks: dict[str, Clock] = {}
_prepared: list[ModuleType] = []
_lock = threading.Lock()


def prepare(endpoint: str | None, patience: Patience) -> ModuleType:
    """Return `huggingface_hub`, set up for `endpoint` (None: the hub's own address)."""
    import huggingface_hub as hub
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils import disable_progress_bars, logging

    with _lock:
        _patience[(endpoint or constants.ENDPOINT).rstrip("/")] = patience
        if not _prepared:
            constants.HF_HUB_DISABLE_XET = True
            disable_progress_bars()
            logging.set_verbosity_error()
            set_client_factory(_client)
            _prepared.append(hub)
        return _prepared[0]


class BoundedClient(httpx2.Client):
    """A client in which every request ends."""

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Send a request; raises Broken or Later."""
        patience = _patience_for(request)
        request.extensions = {**request.extensions, "timeout": _timeouts(request, patience)}
        try:
            response = super().send(request, stream=True, **how)
            _compare_clocks(request, response)
            if response.status_code in _AGAIN:
                response.close()
                raise Later(response.status_code, _retry_after_s(response), request)
            if not stream:
                _read(response, patience, request)
        except (httpx2.TimeoutException, httpx2.NetworkError, httpx2.ProtocolError, httpx2.DecodingError) as error:
            raise Broken(type(error).__name__, request=request) from error
        return response


def _compare_clocks(request: httpx2.Request, response: httpx2.Response) -> None:
    """Note how far the clocks are apart; what a cache answers is of an earlier time."""
    url, told = str(request.url), response.headers.get("date", "")
    clock = next((one for endpoint, one in list(_clocks.items()) if url.startswith(f"{endpoint}{_API}")), None)
    if clock is None or "age" in response.headers:
        return
    with contextlib.suppress(ValueError, TypeError):
        clock.ahead_s = time_of_day() - parsedate_to_datetime(told).timestamp()


def time_of_day() -> float:
    """Return the time by this machine's clock, s since 1970."""
    return time.time()


def _read(response: httpx2.Response, patience: Patience, request: httpx2.Request) -> None:
    """Read an answer whole; what is no answer of the API may be of any size."""
    most = _MOST_API_BYTES if request.url.path.startswith(_API) else None
    if most is not None and isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Bounded(response.stream, time.monotonic() + patience.whole_s, most, request)
    try:
        response.read()
    finally:
        response.close()


class _Bounded(httpx2.SyncByteStream):
    """A body that ends in time, or breaks."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float, most: int, request: httpx2.Request) -> None:
        self._stream, self._deadline, self._most, self._request = stream, deadline, most, request

    def __iter__(self) -> Iterator[bytes]:
        n_bytes = 0
        for chunk in self._stream:
            n_bytes += len(chunk)
            if n_bytes > self._most:
                raise Broken("too long an answer", request=self._request)
            if time.monotonic() > self._deadline:
                raise Broken("too slow an answer", request=self._request)
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _client() -> httpx2.Client:
    return BoundedClient(event_hooks={"request": [_refuse_offline]}, follow_redirects=True, timeout=_DEFAULT.answer_s)


def _refuse_offline(request: httpx2.Request) -> None:
    """Keep offline what was told to be; a hub that this process was given by name is meant to be asked."""
    from huggingface_hub import constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    is_given = any(str(request.url).startswith(f"{endpoint}/") for endpoint in list(_patience))
    if constants.is_offline_mode() and request.url.host.endswith(_HUB_NAMES) and not is_given:
        raise OfflineModeIsEnabled("offline mode is on in this process: HF_HUB_OFFLINE is set")


def _patience_for(request: httpx2.Request) -> Patience:
    url = str(request.url)
    return next((found for endpoint, found in list(_patience.items()) if url.startswith(f"{endpoint}/")), _DEFAULT)


def _timeouts(request: httpx2.Request, patience: Patience) -> dict[str, float]:
    given: dict[str, float | None] = request.extensions.get("timeout") or {}
    connect = patience.connect_s
    own = {"connect": connect, "pool": patience.answer_s, "read": patience.answer_s, "write": patience.answer_s}
    return {name: min(most, given.get(name) or most) for name, most in own.items()}


def _retry_after_s(response: httpx2.Response) -> float | None:
    """Return the seconds that the hub asks to wait, however it says so."""
    from huggingface_hub.utils import parse_ratelimit_headers

    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text[:9])
    limits = parse_ratelimit_headers(response.headers) if response.status_code == 429 else None
    return float(limits.reset_in_seconds) if limits is not None and limits.remaining == 0 else None
