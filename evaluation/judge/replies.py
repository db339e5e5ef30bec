"""One raw reply of a judge, as it is cached, published and read again. Verdicts follow from replies alone."""

from dataclasses import dataclass
from typing import Literal

from evaluation.records import ItemId

Order = Literal["clip_first", "anchor_first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """What came back for one call."""

    item_id: ItemId
    """Item of the two clips."""
    dimensions: tuple[str, ...]
    """Dimensions that the call asked about, in the protocol's order."""
    order: Order
    """Which clip was heard first."""
    vote: int
    """Which of the votes in this order, from 0."""
    ask: int
    """How often it had been asked for before, from 0."""
    text: str
    """Exactly what the model wrote."""
    model: str
    """Model that answered, by its own word."""
    finish: str
    """Why it stopped: "stop", "length", "blocked", or the provider's own word."""
    input_tokens: int
    """All tokens that went in, by the provider's count."""
    audio_tokens: int
    """Those of them that were audio."""
    output_tokens: int
    """Tokens that came out."""
    cost_micro_usd: int | None
    """What the call cost at the prices of its day, millionths of a US dollar; None if the price is not known."""
