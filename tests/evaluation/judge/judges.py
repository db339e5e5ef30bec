"""Judges that answer by a rule, and what they are asked about."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from evaluation import audio
from evaluation.judge import preparation, rubrics
from evaluation.judge.backend import Reply, Request, Sound, Usage
from evaluation.judge.calls import Caller
from evaluation.judge.judging import HeardClip
from evaluation.judge.replies import JudgeReply
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.records import Item, ItemId
from tests import audio_factory

MODEL = "listener-1"


def item(number: int = 1, **changes: object) -> Item:
    """Return an item that requests a warm tone."""
    plain = Item(
        id=ItemId(f"it-{number:03}"),
        instruction="A warm, elderly voice.",
        script=f"The kettle whistled {number} times before anybody came.",
        requested={"tone": "warm", "pace": "slow"},
        tier=0,
        split="public",
    )
    return replace(plain, **changes)


def recipe(**changes: object) -> JudgeRecipe:
    """Return a recipe for naturalness alone, one vote, three asks."""
    plain = JudgeRecipe(
        backend="openai",
        model=MODEL,
        dimensions=("naturalness",),
        is_combined=False,
        votes=1,
        prompt=rubrics.VERSION,
        texts=rubrics.hashes(),
        preparation=preparation.settings(),
        temperature=0.0,
        max_output_tokens=800,
        n_asks=3,
        anchor=Anchor(name="anchor", submission="s-1", clips={}),
    )
    return replace(plain, **changes)


def said(winner: str = "a", score_a: float = 2, score_b: float = 1, **changes: object) -> dict[str, object]:
    """Return one verdict as a judge writes it."""
    plain = {
        "reasoning_a": "Steady.",
        "reasoning_b": "Flat.",
        "comparison": "A significant difference in melody.",
        "score_a": score_a,
        "score_b": score_b,
        "winner": winner,
        "confidence": 0.7,
    }
    return {**plain, **changes}


def reply(text: str, *, order: str = "clip_first", vote: int = 0, ask: int = 0, **changes: object) -> JudgeReply:
    """Return a raw reply about item 1 and naturalness."""
    plain = JudgeReply(
        item_id=ItemId("it-001"),
        dimensions=("naturalness",),
        order=order,
        vote=vote,
        ask=ask,
        text=text,
        model=MODEL,
        finish="stop",
        input_tokens=10,
        audio_tokens=5,
        output_tokens=5,
        cost_micro_usd=1,
    )
    return replace(plain, **changes)


@dataclass(slots=True, kw_only=True)
class Scripted:
    """A backend that answers with what a function of the request and the call's number writes."""

    answer: Callable[[Request, int], str]
    requests: list[Request] = field(default_factory=list)
    name: str = "openai"
    model: str = MODEL

    def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(
            text=self.answer(request, len(self.requests) - 1),
            model=self.model,
            finish="stop",
            usage=Usage(input_tokens=9, audio_tokens=4, output_tokens=3),
        )


@dataclass(slots=True)
class Memory:
    """A cache in memory."""

    entries: dict[str, bytes] = field(default_factory=dict)
    aside: list[bytes] = field(default_factory=list)

    def load(self, name: str) -> bytes | None:
        return self.entries.get(name)

    def save(self, name: str, entry: bytes) -> None:
        self.entries[name] = entry

    def set_aside(self, name: str) -> None:
        self.aside.append(self.entries.pop(name))


def caller(backend: Scripted, cache: Memory | None = None) -> Caller:
    """Return a caller without budget."""
    return Caller(backend, cache=cache if cache is not None else Memory(), run="r")


def sounds(request: Request) -> list[Sound]:
    """Return the sounds of a request, in the order heard."""
    return [part for part in request.parts if isinstance(part, Sound)]


def texts(request: Request) -> str:
    """Return all that a judge reads."""
    return "\n".join([request.system, *(part for part in request.parts if isinstance(part, str))])


def longer_wins(request: Request, _: int = 0) -> str:
    """Prefer the longer clip, whichever comes first."""
    first, second = (sound.duration_s for sound in sounds(request))
    return json.dumps(said("a", 3, 1) if first > second else said("b", 1, 3))


def clip(folder: Path, name: str, *, duration_s: float) -> HeardClip:
    """Write a canonical clip of a noise burst and return it."""
    source, target = folder / f"{name}.wav", folder / f"{name}.flac"
    seed = int.from_bytes(name.encode()[-3:], "big")
    source.write_bytes(audio_factory.encoded(audio_factory.noise(duration_s=duration_s, seed=seed)))
    facts = audio.canonicalise(source, target)
    return HeardClip(sha256=facts.sha256, path=target, acoustics=None)


def board(
    folder: Path, n_items: int = 3
) -> tuple[Sequence[Item], Mapping[ItemId, HeardClip], Mapping[ItemId, HeardClip]]:
    """Return items, their clips (0.7 s) and the anchor's clips (0.5 s)."""
    items = [item(number) for number in range(1, n_items + 1)]
    clips = {one.id: clip(folder, f"clip-{one.id}", duration_s=0.7) for one in items}
    anchors = {one.id: clip(folder, f"anchor-{one.id}", duration_s=0.5) for one in items}
    return items, clips, anchors


def pinned(anchors: Mapping[ItemId, HeardClip], **changes: object) -> JudgeRecipe:
    """Return a recipe that pins these anchors."""
    hashes = {item_id: one.sha256 for item_id, one in anchors.items()}
    return recipe(anchor=Anchor(name="anchor", submission="s-1", clips=hashes), **changes)


def samples_of(sound: Sound) -> np.ndarray:
    """Return the samples of a prepared sound, int16."""
    return np.frombuffer(sound.wav[44:], dtype="<i2")
