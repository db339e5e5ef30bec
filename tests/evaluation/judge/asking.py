"""What tests of the judge's calls share: a clip, a request, and a clock that only moves when somebody sleeps."""

import io
import threading
import wave
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.judge.backend import JudgeBackend, Request, Sound
from evaluation.judge.calls import Caller
from evaluation.judge.calls_key import CallKey, key_of
from evaluation.judge.clock import Clock
from evaluation.judge.open_backend import open_backend
from tests.evaluation.judge.loopback import Loopback

KEY = "sk-very-secret-0123456789"
START = datetime(2026, 3, 4, 23, 0, tzinfo=UTC)
SCHEMA = {
    "type": "object",
    "properties": {"score_a": {"type": "number"}, "winner": {"type": "string"}},
    "required": ["score_a", "winner"],
    "additionalProperties": False,
}


def wav(*, n_samples: int = 1600, level: int = 1) -> bytes:
    """Return a mono 16-bit WAV at 16 kHz whose samples are all `level`."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(level.to_bytes(2, "little", signed=True) * n_samples)
    return file.getvalue()


def sound(*, n_samples: int = 1600, level: int = 1) -> Sound:
    """Return such a WAV as it is sent."""
    return Sound(wav=wav(n_samples=n_samples, level=level), duration_s=n_samples / 16_000)


def request(*, level: int = 1, max_output_tokens: int = 100) -> Request:
    """Return a question about two clips; another `level`, another first clip."""
    return Request(
        system="You compare two clips.",
        parts=("First clip:", sound(level=level), "Second clip:", sound(n_samples=3200, level=-1), "Which is better?"),
        schema=SCHEMA,
        temperature=0.0,
        max_output_tokens=max_output_tokens,
    )


def key_for(asked: Request, backend: JudgeBackend, *, vote: int = 0) -> CallKey:
    """Return the key of one vote on naturalness."""
    return key_of(asked, backend, dimensions=("naturalness",), order="clip_first", vote=vote, ask=0)


def ask(caller: Caller, *, level: int = 1, vote: int = 0) -> str:
    """Ask one question and return the text of the reply."""
    asked = request(level=level)
    return caller.ask(asked, key_for(asked, caller.backend, vote=vote)).reply.text


def reach(server: Loopback, protocol: str, *, model: str = "judge-1", timeout_s: float = 10.0) -> JudgeBackend:
    """Return the real backend, pointed at the loopback server."""
    url = server.gemini_url if protocol == "gemini" else server.openai_url
    return open_backend(protocol, model, url=url, key=KEY, timeout_s=timeout_s)


class SlowClock:
    """Time that moves only by sleeping or by `pass_s`; chance is always one half."""

    def __init__(self, *, random: float = 0.5) -> None:
        self.at_s = 0.0
        self.slept: list[float] = []
        self._lock = threading.Lock()
        self._random = random

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        with self._lock:
            self.at_s += seconds

    def sleep(self, seconds: float) -> None:
        """Sleep at once."""
        self.slept.append(seconds)
        self.pass_s(seconds)

    @property
    def clock(self) -> Clock:
        """The same as a Clock."""
        return Clock(
            sleep=self.sleep,
            monotonic=lambda: self.at_s,
            now=lambda: START + timedelta(seconds=self.at_s),
            random=lambda: self._random,
        )


def every_byte_below(folder: Path) -> bytes:
    """Return the content of all files below `folder`, one after the other, with their names."""
    return b"".join(str(path).encode() + path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
