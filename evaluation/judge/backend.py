"""What every judge backend is: one request in, one reply out. It knows no rubric, retry, cache or price.

A backend talks to its provider once for each `ask` and tells three kinds of failure apart, since the
caller answers each differently: wait and try again, give up, or ask for another reply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import Protocol as TypingProtocol

from evaluation.errors import CastboardError


class JudgeUnavailable(CastboardError):
    """The judge cannot answer now (time-out, rate limit, server error, no connection); it may later.

    Attributes:
        retry_after_s: what the provider asked us to wait, s; None if it said nothing.
    """

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Say what happened; never with a key or an address that holds one."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class JudgeMisconfigured(CastboardError):
    """The judge will never answer such requests: a wrong key, an unknown model, a refused request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """One clip as it is sent: 16-bit mono WAV."""

    wav: bytes
    """The whole file."""
    duration_s: float
    """Its length, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a judge, or to a writer if it holds no sound."""

    system: str
    """What the model is told to be and to heed."""
    parts: tuple[str | Sound, ...]
    """Texts and sounds in the order in which they are to be read and heard."""
    schema: Mapping[str, Any]
    """JSON schema of the reply."""
    temperature: float
    """Sampling temperature, >= 0."""
    max_output_tokens: int
    """Most tokens of the reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one call used, by the provider's own count; 0 where it names nothing."""

    input_tokens: int
    """All tokens that went in, audio included."""
    audio_tokens: int
    """Those of them that were audio."""
    output_tokens: int
    """Tokens that came out, thinking included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One raw reply."""

    text: str
    """Exactly what the model wrote; may be empty, cut off or no JSON."""
    model: str
    """Model that answered, by its own word."""
    finish: str
    """Why it stopped: "stop", "length", "blocked", or the provider's own word in lower case."""
    usage: Usage
    """What the call used."""


class JudgeBackend(TypingProtocol):
    """Something that can be asked; safe to use from several threads at once."""

    @property
    def name(self) -> str:
        """Name of the backend: "gemini", "openai", "embedded"."""
        ...

    @property
    def model(self) -> str:
        """Model id that is asked for."""
        ...

    def ask(self, request: Request) -> Reply:
        """Ask once.

        Raises:
            JudgeUnavailable: if it cannot answer now.
            JudgeMisconfigured: if it never will.
        """
        ...
