"""What a judge costs: prices as data, the cost of a call, its upper bound before it is made, a whole run's estimate.

Money is in whole millionths of a US dollar. A price in dollars for a million tokens is a price in millionths of
a dollar for one token, so sums are exact, and every cost is rounded up.
"""

import fnmatch
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from evaluation.errors import CastboardError, SchemaError
from evaluation.judge.backend import Request, Sound, Usage
from evaluation.pins import JudgeRecipe

SHIPPED = Path(__file__).parents[2] / "assets" / "judge_prices.json"
SCHEMA_VERSION = 1
CHARACTERS_PER_TOKEN = 4
"""Of English text, for an estimate; the upper bound of a call counts a token for every byte instead."""
_OVERHEAD_TOKENS = 256  # what a provider may add around messages and parts
_FIELDS = ("backend", "model", "text_in", "audio_in", "out", "audio_tokens_per_s", "source", "as_of")


class PriceUnknown(CastboardError):
    """A budget is set for a model whose price nobody has said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one model costs."""

    backend: str
    """Backend that it is reached by."""
    model: str
    """Model id, or a pattern with "*"."""
    text_in: Decimal
    """Price of text that goes in, US dollars for a million tokens, >= 0."""
    audio_in: Decimal
    """Price of audio that goes in, US dollars for a million tokens, >= 0."""
    out: Decimal
    """Price of what comes out, thinking included, US dollars for a million tokens, >= 0."""
    audio_tokens_per_s: Decimal
    """Tokens of one second of audio, >= 0."""
    source: str
    """Where the price is said."""
    as_of: str
    """Date on which it was read, ISO 8601."""

    @property
    def is_free(self) -> bool:
        """Whether nothing is charged, as for a model of one's own."""
        return not any((self.text_in, self.audio_in, self.out))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """What a run would ask for if every first reply were good."""

    calls: int
    """Calls of the judge."""
    audio_s: float
    """Audio that is sent, s; each call sends two clips."""
    input_tokens: int
    """Tokens that go in, audio included, at 4 characters a token."""
    output_tokens: int
    """Most tokens that come out."""
    micro_usd: int | None
    """Most that it costs, millionths of a US dollar; None if the price is not known."""


def load_prices(override: Path | None = None) -> tuple[Price, ...]:
    """Return the price table, the operator's lines before the shipped ones; the first that fits a model holds.

    Args:
        override: a file of the same form as the shipped table; None for the shipped table alone.

    Raises:
        SchemaError: if a file is not such a table.
    """
    own = () if override is None else _read_table(override)
    return (*own, *_read_table(SHIPPED))


def price_of(prices: Sequence[Price], *, backend: str, model: str) -> Price | None:
    """Return the first price that fits, or None."""
    fitting = (p for p in prices if p.backend == backend and fnmatch.fnmatchcase(model, p.model))
    return next(fitting, None)


def cost_micro_usd(usage: Usage, price: Price | None, *, has_sound: bool = False, has_text: bool = False) -> int | None:
    """Return what a call cost, millionths of a US dollar, rounded up; None if price or usage is not known.

    Args:
        usage: the provider's own count.
        price: the model's.
        has_sound: whether sounds were sent. Where their tokens are not counted apart, as many servers leave them out,
            all that went in is taken at the dearer price.
        has_text: whether the model wrote anything; if so, no tokens that came out means that nobody counted them.
    """
    if price is None:
        return None
    is_uncounted = usage.input_tokens == 0 and (has_sound or usage.output_tokens == 0)
    is_uncounted = is_uncounted or (has_text and usage.output_tokens == 0)
    if is_uncounted and not price.is_free:
        return None
    audio_tokens = usage.audio_tokens
    if has_sound and audio_tokens == 0 and price.audio_in > price.text_in:
        audio_tokens = usage.input_tokens
    text_tokens = max(0, usage.input_tokens - audio_tokens)
    return _micro_usd(price, text=text_tokens, audio=audio_tokens, out=usage.output_tokens)


def upper_bound_micro_usd(request: Request, price: Price) -> int:
    """Return the most that a call can cost: no token is shorter than one byte, no reply longer than allowed."""
    texts = [request.system, json.dumps(dict(request.schema)), *(p for p in request.parts if isinstance(p, str))]
    text_tokens = _OVERHEAD_TOKENS + sum(len(text.encode("utf-8")) for text in texts)
    sounds = [part for part in request.parts if isinstance(part, Sound)]
    audio_tokens = sum(math.ceil(Decimal(sound.duration_s) * price.audio_tokens_per_s) + 1 for sound in sounds)
    return _micro_usd(price, text=text_tokens, audio=audio_tokens, out=request.max_output_tokens)


def estimate(
    recipe: JudgeRecipe,
    *,
    clip_s: Sequence[float],
    anchor_s: Sequence[float],
    prompt_characters: int,
    prices: Sequence[Price],
) -> RunEstimate:
    """Return what judging a submission would take; replies that must be asked for again come on top.

    Args:
        recipe: what is asked.
        clip_s: length of every clip, s.
        anchor_s: length of the anchor's clip of the same items, s.
        prompt_characters: text of one call, system and rubric included, in characters.
        prices: the price table.

    Raises:
        ValueError: if the clips and the anchor's clips are not equally many.
    """
    if len(clip_s) != len(anchor_s):
        raise ValueError(f"every clip needs the anchor's: {len(clip_s)} clips, {len(anchor_s)} of the anchor")
    asks_per_item = 2 * recipe.votes * (1 if recipe.is_combined else len(recipe.dimensions))
    calls = asks_per_item * len(clip_s)
    audio_s = asks_per_item * (math.fsum(clip_s) + math.fsum(anchor_s))
    price = price_of(prices, backend=recipe.backend, model=recipe.model)
    per_s = Decimal(32) if price is None else price.audio_tokens_per_s
    audio_tokens = math.ceil(Decimal(audio_s) * per_s)
    text_tokens = calls * math.ceil(prompt_characters / CHARACTERS_PER_TOKEN)
    output_tokens = calls * recipe.max_output_tokens
    return RunEstimate(
        calls=calls,
        audio_s=round(audio_s, 3),
        input_tokens=text_tokens + audio_tokens,
        output_tokens=output_tokens,
        micro_usd=None if price is None else _micro_usd(price, text=text_tokens, audio=audio_tokens, out=output_tokens),
    )


def _micro_usd(price: Price, *, text: int, audio: int, out: int) -> int:
    return math.ceil(text * price.text_in + audio * price.audio_in + out * price.out)


def _read_table(path: Path) -> tuple[Price, ...]:
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SchemaError(f"the price table {path.name} cannot be read as JSON: {error}") from error
    if not isinstance(table, dict) or table.get("schema_version") != SCHEMA_VERSION:
        raise SchemaError(f"the price table {path.name} must be an object with schema_version {SCHEMA_VERSION}")
    lines = table.get("prices")
    if not isinstance(lines, list):
        raise SchemaError(f'the price table {path.name} needs a list "prices"')
    return tuple(_price(line, f"{path.name}, price {i}") for i, line in enumerate(lines))


def _price(line: Any, where: str) -> Price:
    if not isinstance(line, Mapping) or set(line) != set(_FIELDS) or not all(isinstance(v, str) for v in line.values()):
        raise SchemaError(f"{where}: must be an object of the texts {', '.join(_FIELDS)}, numbers written as texts")
    try:
        numbers = {name: Decimal(line[name]) for name in ("text_in", "audio_in", "out", "audio_tokens_per_s")}
    except InvalidOperation as error:
        raise SchemaError(f"{where}: a price is not a number") from error
    if not all(number.is_finite() and number >= 0 for number in numbers.values()):
        raise SchemaError(f"{where}: prices must be 0 or more")
    return Price(backend=line["backend"], model=line["model"], source=line["source"], as_of=line["as_of"], **numbers)
