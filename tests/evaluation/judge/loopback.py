"""A provider on 127.0.0.1 that speaks Gemini's and OpenAI's protocols to their real client libraries.

What it answers is decided by one function, so that a test can write a judge in a few lines:

    def judge(seen: RequestSeen) -> ReplyPlan:
        if seen.number < 2:
            return ReplyPlan(status=429, headers={"Retry-After": "7"})     # an outage, then it recovers
        louder = max(range(2), key=lambda i: len(seen.sounds[i]))
        return ReplyPlan(text=json.dumps({"winner": "ab"[louder], ...}))

    with Loopback(judge) as server:
        backend = open_backend("gemini", "m", url=server.gemini_url, key="k", timeout_s=5)
        backend = open_backend("openai", "m", url=server.openai_url, key="k", timeout_s=5)
        ...
        server.seen          # every RequestSeen, in order of arrival
        server.answered      # the Usage of every whole reply, by the server's own count
        server.judge = other # another judge from now on

Faults: `status` and `headers` (any refusal), `hangs` (no answer until the client gives up or the server closes),
`drops` (the connection closes without a word), `is_truncated` (the body breaks off half way), `body` (any bytes),
`is_blocked` (the prompt is blocked). With `key=` the server refuses every other key and, as a nasty provider would,
repeats the key that it got. A fault in the judge function itself is raised when the server closes.
"""

import base64
import io
import json
import math
import re
import sys
import threading
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from evaluation.judge.backend import Usage

AUDIO_TOKENS_PER_S = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSeen:
    """One request as it arrived."""

    number: int
    """Which request of this server, from 0."""
    protocol: str
    """ "gemini" or "openai"."""
    model: str
    """Model that was asked for."""
    system: str
    """The system instruction."""
    parts: tuple[str | bytes, ...]
    """Texts, and whole WAV files, in the order sent."""
    schema: Mapping[str, Any] | None
    """JSON schema of the reply; None if none was sent."""
    temperature: float
    """Sampling temperature."""
    max_output_tokens: int
    """Most tokens of the reply."""
    headers: Mapping[str, str]
    """Headers; names in lower case."""
    body: Mapping[str, Any]
    """The whole JSON body."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts alone."""
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def sounds(self) -> tuple[bytes, ...]:
        """The WAV files alone, in the order heard."""
        return tuple(part for part in self.parts if isinstance(part, bytes))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPlan:
    """What to do with one request."""

    text: str = "{}"
    """What the model writes."""
    finish: str = "stop"
    """ "stop", "length" or any word of the provider's."""
    status: int = 200
    """HTTP status; anything but 200 is an error with `message`."""
    message: str = "no"
    """The provider's words of an error."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers, for example Retry-After."""
    retry_info_s: float | None = None
    """Adds google.rpc.RetryInfo to an error of Gemini."""
    output_tokens: int | None = None
    """Tokens that come out; by default one for four characters."""
    thought_tokens: int = 0
    """Tokens of thinking, on top."""
    has_usage: bool = True
    """Whether the reply counts its tokens."""
    hangs: bool = False
    """Never answer."""
    drops: bool = False
    """Close the connection without an answer."""
    is_truncated: bool = False
    """Close the connection in the middle of the body."""
    drips: Literal["head", "body"] | None = None
    """From there on send one byte after the other, and never the last one."""
    is_blocked: bool = False
    """Block the prompt."""
    body: bytes | None = None
    """Answer these bytes instead of a reply."""


Judge = Callable[[RequestSeen], ReplyPlan]


_DRIP_S = 0.01  # between two bytes
_N_DRIPS = 1000


class Loopback:
    """The server; a context manager. Its address is free for this process, so many may run at once."""

    def __init__(self, judge: Judge, *, key: str | None = None) -> None:
        """Answer as `judge` says; with `key`, only to those who bring it."""
        self.judge = judge
        self.seen: list[RequestSeen] = []
        self.answered: list[Usage] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.has_gone = threading.Event()
        self.key = key
        server = self
        self._http = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"loopback": server}))
        self._http.faults = []
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """Address without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def gemini_url(self) -> str:
        """What a Gemini client takes for its base URL."""
        return self.url

    @property
    def openai_url(self) -> str:
        """What an OpenAI client takes for its base URL."""
        return f"{self.url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if self._http.faults and exc[0] is None:
            raise AssertionError("the loopback server or its judge failed") from self._http.faults[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    faults: list[BaseException]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong here, but for a client that went away."""
        fault = sys.exc_info()[1]
        if fault is not None and not isinstance(fault, ConnectionError):
            self.faults.append(fault)


class _Handler(BaseHTTPRequestHandler):
    loopback: Loopback
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: object) -> None:
        """Stay silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_gemini = re.fullmatch(r"/v1beta/models/[^/]+:generateContent", self.path) is not None
        if not is_gemini and self.path != "/v1/chat/completions":
            self._send(404, json.dumps({"error": {"message": f"no such path {self.path}"}}).encode(), {})
            return
        server = self.loopback
        with server.lock:
            read = _read_gemini if is_gemini else _read_openai
            seen = read(body, path=self.path, headers=headers, number=len(server.seen))
            server.seen.append(seen)
        got = headers.get("x-goog-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if server.key is not None and got != server.key:
            plan = ReplyPlan(status=400 if is_gemini else 401, message=f"API key not valid: {got}")
        else:
            plan = server.judge(seen)
        self._answer(seen, plan)

    def _answer(self, seen: RequestSeen, plan: ReplyPlan) -> None:
        server = self.loopback
        if plan.hangs:
            server.closing.wait()
        if plan.hangs or plan.drops:
            self.close_connection = True
            return
        if plan.status != 200:
            self._send(plan.status, plan.body or _error(seen, plan), plan.headers)
            return
        usage = _usage(seen, plan)
        make = _gemini_reply if seen.protocol == "gemini" else _openai_reply
        body = plan.body if plan.body is not None else json.dumps(make(seen, plan, usage)).encode("utf-8")
        if not plan.is_truncated and plan.body is None:
            with server.lock:
                server.answered.append(usage)
        if plan.drips is not None:
            self._drip(plan.drips)
            return
        self._send(200, body, plan.headers, is_truncated=plan.is_truncated)

    def _drip(self, part: str) -> None:
        """Send a header, or a body, that has no end, until the client goes away."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: " if part == "head" else b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(_N_DRIPS):  # so that a client that never leaves fails its test, and does not hang it
            if self.loopback.closing.wait(_DRIP_S):
                return
            try:
                self.wfile.write(b" ")
            except ConnectionError:
                self.loopback.has_gone.set()
                return

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, is_truncated: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if is_truncated else body)
        if is_truncated:
            self.close_connection = True


def _read_gemini(body: Any, *, path: str, headers: Mapping[str, str], number: int) -> RequestSeen:
    (content,) = body["contents"]
    parts = [part["text"] if "text" in part else _decoded(part["inlineData"]) for part in content["parts"]]
    config = body["generationConfig"]
    assert content["role"] == "user"
    assert config["responseMimeType"] == "application/json"
    return RequestSeen(
        number=number,
        protocol="gemini",
        model=path.removeprefix("/v1beta/models/").removesuffix(":generateContent"),
        system="".join(part["text"] for part in body["systemInstruction"]["parts"]),
        parts=tuple(parts),
        schema=config.get("responseJsonSchema"),
        temperature=config["temperature"],
        max_output_tokens=config["maxOutputTokens"],
        headers=headers,
        body=body,
    )


def _decoded(inline: Any) -> bytes:
    assert inline.get("mimeType", inline.get("mime_type")) == "audio/wav"  # the protocol reads both
    return base64.b64decode(inline["data"].replace("-", "+").replace("_", "/"), validate=True)


def _read_openai(body: Any, *, path: str, headers: Mapping[str, str], number: int) -> RequestSeen:
    system, user = body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    form = body.get("response_format")
    return RequestSeen(
        number=number,
        protocol="openai",
        model=body["model"],
        system=system["content"],
        parts=tuple(_openai_part(part) for part in user["content"]),
        schema=form["json_schema"]["schema"] if form else None,
        temperature=body["temperature"],
        max_output_tokens=body.get("max_completion_tokens") or body["max_tokens"],
        headers=headers,
        body=body,
    )


def _openai_part(part: Any) -> str | bytes:
    if part["type"] == "text":
        return str(part["text"])
    assert (part["type"], part["input_audio"]["format"]) == ("input_audio", "wav")
    return base64.b64decode(part["input_audio"]["data"], validate=True)


def _usage(seen: RequestSeen, plan: ReplyPlan) -> Usage:
    if not plan.has_usage:
        return Usage(input_tokens=0, audio_tokens=0, output_tokens=0)
    audio = sum(math.ceil(_seconds(sound) * AUDIO_TOKENS_PER_S) for sound in seen.sounds)
    text = math.ceil(sum(map(len, (seen.system, *seen.texts))) / 4)
    out = 0 if plan.is_blocked else math.ceil(len(plan.text) / 4) if plan.output_tokens is None else plan.output_tokens
    return Usage(input_tokens=audio + text, audio_tokens=audio, output_tokens=out + plan.thought_tokens)


def _seconds(wav: bytes) -> float:
    with wave.open(io.BytesIO(wav)) as sound:
        return sound.getnframes() / sound.getframerate()


def _gemini_reply(seen: RequestSeen, plan: ReplyPlan, usage: Usage) -> dict[str, Any]:
    counts = {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens - plan.thought_tokens,
        "thoughtsTokenCount": plan.thought_tokens,
        "totalTokenCount": usage.input_tokens + usage.output_tokens,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": usage.input_tokens - usage.audio_tokens},
            {"modality": "AUDIO", "tokenCount": usage.audio_tokens},
        ],
    }
    reply: dict[str, Any] = {"modelVersion": f"{seen.model}-001"}
    if plan.has_usage:
        reply["usageMetadata"] = counts
    if plan.is_blocked:
        return {**reply, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    parts = [{"text": "Let me listen.", "thought": True}, {"text": plan.text}]
    finish = {"stop": "STOP", "length": "MAX_TOKENS"}.get(plan.finish, plan.finish.upper())
    content = {"role": "model", "parts": parts[0 if plan.thought_tokens else 1 :]}
    return {**reply, "candidates": [{"content": content, "finishReason": finish, "index": 0}]}


def _openai_reply(seen: RequestSeen, plan: ReplyPlan, usage: Usage) -> dict[str, Any]:
    counts = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"audio_tokens": usage.audio_tokens, "cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": plan.thought_tokens},
    }
    message = {"role": "assistant", "content": None if plan.is_blocked else plan.text}
    if plan.is_blocked:
        message["refusal"] = "I cannot help with that."
    finish = "content_filter" if plan.is_blocked else plan.finish
    return {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{seen.model}-001",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        **({"usage": counts} if plan.has_usage else {}),
    }


def _error(seen: RequestSeen, plan: ReplyPlan) -> bytes:
    error: dict[str, Any] = {"message": plan.message, "code": plan.status}
    if seen.protocol == "gemini":
        error["status"] = "RESOURCE_EXHAUSTED" if plan.status == 429 else "REFUSED"
        if plan.retry_info_s is not None:
            info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{plan.retry_info_s:g}s"}
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.Help", "links": []}, info]
    else:
        error |= {"type": "error", "param": None, "code": None}
    return json.dumps({"error": error}).encode("utf-8")
