"""One pair of clips before a judge, for a researcher's own machine: the boards' protocol, without a board.

Example:
    >>> judge = Judge.gemini(model="gemini-3.1-pro-preview", api_key=key)  # doctest: +SKIP
    >>> judge.compare(text=script, instruction=prompt, audio_a=a, audio_b=b, dimension="tone", requested="warm").winner
"""

import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from evaluation import audio
from evaluation.decoding import Decoder
from evaluation.errors import CastboardError, ProtocolError
from evaluation.judge import preparation, rubrics
from evaluation.judge.backend import JudgeBackend
from evaluation.judge.cache import ReplyCache
from evaluation.judge.calls import Caller
from evaluation.judge.judging_calls import HeardClip, Pair, PairAsker
from evaluation.judge.judging_check import check_recipe
from evaluation.judge.open_backend import open_backend
from evaluation.judge.panel import verdicts_of
from evaluation.judge.replies import JudgeReply
from evaluation.judge.verdict import Malformed, OneVerdict, Side, parse
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.records import Item, ItemId, Verdict, Winner
from evaluation.traits import NATURALNESS

MAX_OUTPUT_TOKENS = 8192
"""Most tokens of a reply; a model that thinks first spends most of them on that."""
N_ASKS = 3
_TIMEOUT_S = 180.0
_ITEM = ItemId("pair")
_SIDES: dict[Winner, Side] = {"clip": "a", "anchor": "b", "tie": "tie"}


class NotJudged(CastboardError):
    """The judge gave no reply that can be read, however often it was asked.

    Attributes:
        replies: what it gave.
    """

    def __init__(self, message: str, replies: tuple[JudgeReply, ...]) -> None:
        """Say what was wrong with the replies."""
        super().__init__(message)
        self.replies = replies


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a judge says of two clips, both orders heard."""

    winner: Side
    """Which clip is better; a tie if the two orders disagree."""
    score_a: float
    """Mean score of clip A over all replies, 0..3, rounded to 6 decimals."""
    score_b: float
    """The same of clip B."""
    is_consistent: bool
    """Whether both orders named the same winner."""
    reasoning_a: str
    """What was heard in clip A, by the first reply that heard it first."""
    reasoning_b: str
    """What was heard in clip B, by the same reply."""
    comparison: str
    """The differences, by the same reply."""
    confidence: float
    """That reply's confidence, 0..1."""
    replies: tuple[JudgeReply, ...]
    """Every raw reply; A is the clip, B the anchor."""


@dataclass(slots=True, kw_only=True)
class _Memory:
    """A cache that lives as long as its judge."""

    entries: dict[str, bytes] = field(default_factory=dict)
    """What is kept, by name."""

    def load(self, name: str) -> bytes | None:
        """Return an entry, or None."""
        return self.entries.get(name)

    def save(self, name: str, entry: bytes) -> None:
        """Keep an entry."""
        self.entries[name] = entry

    def set_aside(self, name: str) -> None:
        """Forget an entry: nobody looks into a memory that ends with its judge."""
        self.entries.pop(name, None)


class Judge:
    """Compares pairs of clips; safe to use from several threads at once."""

    def __init__(
        self,
        backend: JudgeBackend,
        *,
        cache: ReplyCache | None = None,
        temperature: float = 0.0,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        is_sandboxed: bool = True,
    ) -> None:
        """Make a judge; nothing is asked yet.

        Args:
            backend: who is asked.
            cache: where replies are kept; by default in memory.
            temperature: sampling temperature, >= 0.
            max_output_tokens: most tokens of a reply.
            is_sandboxed: decode audio in confined processes, as is right for files of strangers. A script that uses
                this must guard its start with `if __name__ == "__main__":`. False is faster, for your own files.
        """
        self._caller = Caller(backend, cache=cache or _Memory(), run="compare")
        self._temperature, self._max_output_tokens = temperature, max_output_tokens
        self._is_sandboxed = is_sandboxed

    @classmethod
    def gemini(cls, *, model: str, api_key: str) -> "Judge":
        """Return a judge at Google's API; errors are those of `open_backend`."""
        return cls(open_backend("gemini", model, url=None, key=api_key, timeout_s=_TIMEOUT_S))

    @classmethod
    def openai(cls, *, base_url: str, model: str, api_key: str | None = None) -> "Judge":
        """Return a judge at an endpoint that speaks OpenAI's chat protocol; errors are those of `open_backend`."""
        return cls(open_backend("openai", model, url=base_url, key=api_key, timeout_s=_TIMEOUT_S))

    @classmethod
    def embedded(cls) -> "Judge":
        """Return the judge in this process, which hears naturalness only; errors are those of `open_backend`."""
        from evaluation.judge.embedded import MODEL

        return cls(open_backend("embedded", MODEL, url=None, key=None, timeout_s=_TIMEOUT_S))

    def compare(
        self,
        *,
        text: str,
        instruction: str,
        audio_a: bytes,
        audio_b: bytes,
        dimension: str = NATURALNESS,
        requested: str | None = None,
        category: str = "general",
        votes: int = 1,
    ) -> Comparison:
        """Return which of two clips is better in one dimension, heard in both orders.

        Args:
            text: the script that both read.
            instruction: the voice prompt that both follow.
            audio_a: a sound file of any format that a submission may hold.
            audio_b: another one.
            dimension: "naturalness", or a trait's name.
            requested: the value that is asked for of a trait, for example "warm"; None for naturalness.
            category: which rubric of naturalness is used.
            votes: replies in each order, odd.

        Raises:
            ProtocolError: an unknown dimension or category, a trait without a requested value, or a text that speaks
                to the judge; nothing was sent.
            ClipRefused: a file is no clip.
            NotJudged: no usable reply came.
            JudgeUnavailable: the judge cannot answer now.
            JudgeMisconfigured: it never will.
        """
        if dimension == NATURALNESS and requested is not None:
            raise ProtocolError(f"{NATURALNESS} has no requested value; leave `requested` out, got {requested!r:.80}")
        item = Item(
            id=_ITEM,
            instruction=instruction,
            script=text,
            requested={} if requested is None else {dimension: requested},
            tier=1,
            split="public",
            category=category,
        )
        recipe = self._recipe(dimension, votes)
        texts = check_recipe(recipe, [item])
        asker = PairAsker(recipe=recipe, texts=texts, caller=self._caller, stopping=threading.Event())
        with tempfile.TemporaryDirectory(prefix="castboard-") as folder:
            clip, anchor = self._canonical(Path(folder), audio_a, audio_b)
            found = asker.ask(Pair(item=item, clip=clip, anchor=anchor))
        for key, reply in found.unusable:
            self._caller.set_aside(key, reply)
        return _comparison(recipe, dimension, found.replies)

    def _recipe(self, dimension: str, votes: int) -> JudgeRecipe:
        backend = self._caller.backend
        return JudgeRecipe(
            backend=backend.name,  # type: ignore[arg-type]  # a backend of one's own may have its own name here
            model=backend.model,
            dimensions=(dimension,),
            is_combined=False,
            votes=votes,
            prompt=rubrics.VERSION,
            texts=rubrics.hashes(),
            preparation=preparation.settings(),
            temperature=self._temperature,
            max_output_tokens=self._max_output_tokens,
            n_asks=N_ASKS,
            anchor=Anchor(name="b", submission="", clips={}),
        )

    def _canonical(self, folder: Path, *files: bytes) -> list[HeardClip]:
        places = [(folder / f"{name}.upload", folder / f"{name}.flac") for name in "ab"[: len(files)]]
        for (source, _), data in zip(places, files, strict=True):
            source.write_bytes(data)
        if self._is_sandboxed:
            with Decoder(n_processes=len(files)) as decoder:
                answers = [decoder.decode(source, target) for source, target in places]
                facts = [answer.result() for answer in answers]
        else:
            facts = [audio.canonicalise(source, target) for source, target in places]
        return [
            HeardClip(sha256=fact.sha256, path=target, acoustics=None)
            for fact, (_, target) in zip(facts, places, strict=True)
        ]


def _comparison(recipe: JudgeRecipe, dimension: str, replies: tuple[JudgeReply, ...]) -> Comparison:
    verdict = verdicts_of(recipe, [_ITEM], replies)[_ITEM][dimension]
    if not isinstance(verdict, Verdict):
        raise NotJudged(f"the judge {recipe.model} gave no usable reply: {verdict.detail}", replies)
    first = _first_said(replies, dimension)
    return Comparison(
        winner=_SIDES[verdict.winner],
        score_a=verdict.score,
        score_b=verdict.anchor_score,
        is_consistent=verdict.is_consistent,
        reasoning_a=first.reasoning_a,
        reasoning_b=first.reasoning_b,
        comparison=first.comparison,
        confidence=first.confidence,
        replies=replies,
    )


def _first_said(replies: tuple[JudgeReply, ...], dimension: str) -> OneVerdict:
    said = (parse(reply.text, (dimension,)) for reply in replies)  # the order that hears A first is asked first
    return next(outcome[dimension] for outcome in said if not isinstance(outcome, Malformed))
