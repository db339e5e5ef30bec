"""Systems as callables `(text, instruction) -> audio bytes`: from a function, from files, from a speech endpoint.

A system that returns None refuses an item. `evaluation.benchmark` takes plain callables as they are; those made here
carry a name too, and one that needs to know which item it is asked for is asked by `Speaks.speak`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from evaluation.errors import MissingDependency
from evaluation.records import Item

Say = Callable[[str, str], bytes | None]
"""Text and instruction to a sound file's bytes; None refuses the item."""
_ENDINGS = ("wav", "flac", "mp3", "ogg", "opus")
_TIMEOUT_S = 120.0


@runtime_checkable
class Speaks(Protocol):
    """A system that is asked for whole items."""

    name: str
    """What it is called."""

    def speak(self, item: Item) -> bytes | None:
        """Return a sound file's bytes; None refuses the item."""


@dataclass(slots=True, kw_only=True)
class FromCallable:
    """A callable with a name."""

    call: Say
    """What is called with script and instruction."""
    name: str
    """What it is called."""

    def speak(self, item: Item) -> bytes | None:
        """Return what the callable gives for an item."""
        return self.call(item.script, item.instruction)


@dataclass(slots=True, kw_only=True)
class FromFiles:
    """Clips that are there already, `<item id>.<wav|flac|mp3|ogg|opus>` in one folder."""

    folder: Path
    """Where they are."""
    name: str
    """What the system is called."""

    def speak(self, item: Item) -> bytes | None:
        """Return an item's file.

        Raises:
            FileNotFoundError: if it has none; that costs this item only.
        """
        for ending in _ENDINGS:
            path = self.folder / f"{item.id}.{ending}"
            if path.is_file():
                return path.read_bytes()
        raise FileNotFoundError(f"no {item.id}.<{'|'.join(_ENDINGS)}> in the folder")


@dataclass(slots=True, kw_only=True)
class FromSpeechApi:
    """An endpoint that speaks OpenAI's `POST /v1/audio/speech`, voice prompt in `instructions`."""

    client: Any
    """The `openai.OpenAI` client."""
    model: str
    """Model id."""
    voice: str
    """Voice that it starts from."""
    name: str
    """What the system is called."""

    def speak(self, item: Item) -> bytes | None:
        """Return the endpoint's WAV for an item."""
        answer = self.client.audio.speech.create(
            model=self.model,
            voice=self.voice,
            input=item.script,
            instructions=item.instruction,
            response_format="wav",
        )
        return bytes(answer.content)


def from_callable(call: Say, name: str = "") -> FromCallable:
    """Return a callable as a system.

    Example:
        >>> from_callable(lambda text, instruction: None, "silent").name
        'silent'
    """
    return FromCallable(call=call, name=name or getattr(call, "__name__", "") or type(call).__name__)


def from_files(folder: str | Path, name: str = "") -> FromFiles:
    """Return a folder of clips as a system."""
    return FromFiles(folder=Path(folder), name=name or Path(folder).resolve().name)


def from_speech_api(
    *, base_url: str, model: str, voice: str, api_key: str | None = None, name: str = "", max_retries: int = 2
) -> FromSpeechApi:
    """Return a speech endpoint as a system; nothing is asked yet.

    Args:
        base_url: address up to and with `/v1`.
        model: model id.
        voice: voice that it starts from.
        api_key: the endpoint's key; None if it needs none.
        name: what the system is called; empty for the model.
        max_retries: how often the client asks again when the endpoint is busy, >= 0.

    Raises:
        MissingDependency: if the client is not installed.
    """
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingDependency("the OpenAI client", "pip install openai") from error
    client = OpenAI(base_url=base_url, api_key=api_key or "none", timeout=_TIMEOUT_S, max_retries=max_retries)
    return FromSpeechApi(client=client, model=model, voice=voice, name=name or model)


def as_system(one: Any) -> Speaks:
    """Return a system for whatever may be given as one: a callable, or something that speaks.

    Raises:
        TypeError: if it is neither.
    """
    if isinstance(one, Speaks):
        return one
    if callable(one):
        return from_callable(one)
    raise TypeError(f"a system is a callable (text, instruction) -> bytes, got {type(one).__name__}")
