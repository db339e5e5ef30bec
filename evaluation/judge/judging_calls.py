"""All calls about one pair of clips: every question, both orders, every vote, and asking again."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.codec import sha256_of_file
from evaluation.errors import ProtocolError
from evaluation.judge.backend import Reply, Sound
from evaluation.judge.calls import Answer, Caller
from evaluation.judge.calls_key import CallKey, key_of
from evaluation.judge.panel import ORDERS, questions
from evaluation.judge.preparation import prepare_file
from evaluation.judge.prompt import build_request
from evaluation.judge.replies import JudgeReply, Order
from evaluation.judge.rubrics import Texts
from evaluation.judge.verdict import Malformed, parse
from evaluation.pins import JudgeRecipe
from evaluation.records import Acoustics, Item, Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardClip:
    """One canonical clip that a judge may hear."""

    sha256: str
    """sha256 (hex) of the canonical FLAC; checked when the file is read."""
    path: Path
    """Where that file is; read when the clip's first call is made, not before."""
    acoustics: Acoustics | Unread | None
    """What the acoustic pass read of it; None if the protocol has none (the clip is then trimmed by level)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two clips of one item."""

    item: Item
    """What both read."""
    clip: HeardClip
    """The one that is judged."""
    anchor: HeardClip
    """The one that it is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReplies:
    """What came back for one pair."""

    replies: tuple[JudgeReply, ...]
    """By question, order, vote and ask."""
    n_cached: int
    """Those of them that had been answered before."""
    cost_micro_usd: int | None
    """What the others cost, millionths of a US dollar; None if a price is not known."""
    unusable: tuple[tuple[CallKey, Reply], ...]
    """Every reply to a call of which no reply could be used."""


class Stopped(Exception):
    """Another pair met an error; this one was left where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAsker:
    """Asks about pairs, one after the other or in several threads."""

    recipe: JudgeRecipe
    """What to ask."""
    texts: Texts
    """The recipe's texts."""
    caller: Caller
    """Cache, limits, budget and backend."""
    stopping: threading.Event
    """Once set, no further call is made."""

    def ask(self, pair: Pair) -> PairReplies:
        """Return all replies about one pair.

        Raises:
            Stopped: if another pair met an error; whatever the caller raises stops the others.
        """
        try:
            return self._ask(pair)
        except BaseException:
            self.stopping.set()
            raise

    def _ask(self, pair: Pair) -> PairReplies:
        if self.stopping.is_set():
            raise Stopped
        clip, anchor = _sound(pair.clip), _sound(pair.anchor)
        sounds: dict[Order, tuple[Sound, Sound]] = {"clip_first": (clip, anchor), "anchor_first": (anchor, clip)}
        replies: list[JudgeReply] = []
        fresh: list[int | None] = []
        unusable: list[tuple[CallKey, Reply]] = []
        for dimensions in questions(self.recipe):
            for order in ORDERS:
                for vote in range(self.recipe.votes):
                    call = list(self._asks(pair.item, dimensions, order, vote, sounds[order]))
                    for key, answer in call:
                        replies.append(_reply(answer, key, pair.item, order))
                        fresh += [] if answer.is_cached else [answer.cost_micro_usd]
                    if isinstance(parse(call[-1][1].reply.text, dimensions), Malformed):
                        unusable += [(key, answer.reply) for key, answer in call]
        return PairReplies(
            replies=tuple(replies),
            n_cached=len(replies) - len(fresh),
            cost_micro_usd=added(fresh),
            unusable=tuple(unusable),
        )

    def _asks(
        self, item: Item, dimensions: tuple[str, ...], order: Order, vote: int, sounds: tuple[Sound, Sound]
    ) -> Iterator[tuple[CallKey, Answer]]:
        """Yield the replies to one call: the last is well-formed, or was the last that may be asked for."""
        complaint: str | None = None
        for ask in range(self.recipe.n_asks):
            if self.stopping.is_set():
                raise Stopped
            request = build_request(
                self.recipe, item, dimensions, *sounds, texts=self.texts, vote=vote, complaint=complaint
            )
            key = key_of(request, self.caller.backend, dimensions=dimensions, order=order, vote=vote, ask=ask)
            answer = self.caller.ask(request, key)
            yield key, answer
            outcome = parse(answer.reply.text, dimensions)
            if not isinstance(outcome, Malformed):
                return
            complaint = outcome.reason


def added(costs: list[int | None]) -> int | None:
    """Return the sum of costs; None if one is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _sound(clip: HeardClip) -> Sound:
    got = sha256_of_file(clip.path)
    if got != clip.sha256:
        raise ProtocolError(f"the clip {clip.path.name} is not the one to be judged: sha256 {clip.sha256}, got {got}")
    return prepare_file(clip.path, clip.acoustics)


def _reply(answer: Answer, key: CallKey, item: Item, order: Order) -> JudgeReply:
    reply = answer.reply
    return JudgeReply(
        item_id=item.id,
        dimensions=key.dimensions,
        order=order,
        vote=key.vote,
        ask=key.ask,
        text=reply.text,
        model=reply.model,
        finish=reply.finish,
        input_tokens=reply.usage.input_tokens,
        audio_tokens=reply.usage.audio_tokens,
        output_tokens=reply.usage.output_tokens,
        cost_micro_usd=answer.cost_micro_usd,
    )
