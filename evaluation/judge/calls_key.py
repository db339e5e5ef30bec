"""What makes two calls the same call: the name under which a reply is kept."""

from dataclasses import dataclass, field
from typing import Any, runtime_checkable
from typing import Protocol as TypingProtocol

from evaluation import codec
from evaluation.judge.backend import JudgeBackend, Request, Sound


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKey:
    """Everything that a reply depends on. Two calls with equal keys are asked, and paid for, once."""

    clips: tuple[str, ...]
    """sha256 (hex) of each sound's bytes as sent, in the order heard."""
    prompt_sha256: str
    """sha256 (hex) of system, texts, places of the sounds and schema."""
    backend: str
    """Name of the backend."""
    model: str
    """Model id that is asked for."""
    dimensions: tuple[str, ...]
    """Dimensions asked about; empty for a writer."""
    order: str
    """Which clip was heard first: "clip_first", "anchor_first"; empty where there is no pair."""
    vote: int
    """Which of the votes in this order, from 0."""
    ask: int
    """How often it had been asked for before, from 0."""
    temperature: float
    """Sampling temperature."""
    max_output_tokens: int
    """Most tokens of the reply."""
    endpoint: str = field(default="", metadata=codec.OPTIONAL)
    """Mark of the address that is asked, by `address.mark_of`; "" for the provider's own."""

    @property
    def name(self) -> str:
        """sha256 (hex) of the key's canonical JSON."""
        return codec.sha256_of(codec.canonical(codec.to_json(self)))


@runtime_checkable
class Remote(TypingProtocol):
    """A backend that may ask at different addresses."""

    @property
    def endpoint(self) -> str:
        """Mark of the address, by `address.mark_of`."""
        ...


def key_of(
    request: Request, backend: JudgeBackend, *, dimensions: tuple[str, ...], order: str, vote: int, ask: int
) -> CallKey:
    """Return the key of a call; hashes of clips and prompt follow from the `request` itself."""
    sounds = tuple(part for part in request.parts if isinstance(part, Sound))
    return CallKey(
        clips=tuple(codec.sha256_of(sound.wav) for sound in sounds),
        prompt_sha256=codec.sha256_of(codec.canonical(_prompt(request))),
        backend=backend.name,
        model=backend.model,
        dimensions=dimensions,
        order=order,
        vote=vote,
        ask=ask,
        temperature=float(request.temperature),
        max_output_tokens=request.max_output_tokens,
        endpoint=backend.endpoint if isinstance(backend, Remote) else "",
    )


def _prompt(request: Request) -> list[Any]:
    parts = [{"text": part} if isinstance(part, str) else "sound" for part in request.parts]
    return [request.system, parts, dict(request.schema)]
