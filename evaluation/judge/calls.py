"""Asking a judge so that it is paid for once, never beyond the budget, and politely when it is down.

A call goes this way: cache, breaker, rate limit, budget, the judge, the books, cache. Each try is one pass from
the breaker on; between tries the caller waits, longer each time and never at the same moment as the others.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from evaluation.judge.backend import JudgeBackend, Reply, Request
from evaluation.judge.breaker import Breaker
from evaluation.judge.cache import ReplyCache
from evaluation.judge.calls_key import CallKey
from evaluation.judge.clock import Clock
from evaluation.judge.spend import Price
from evaluation.judge.spend_ledger import Budget, Ledger

NO_BUDGET = Budget(per_run_micro_usd=None, per_day_micro_usd=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How patiently and how often a judge is asked."""

    n_tries: int = 5
    """Most tries of one call, >= 1."""
    first_wait_s: float = 1.0
    """Most seconds before the second try; doubled for each one more."""
    longest_wait_s: float = 60.0
    """Most seconds between two tries, unless the provider asks for more."""
    total_wait_s: float = 300.0
    """Most seconds that one call waits in all; a provider that asks for more is not waited for here."""
    per_minute: float | None = None
    """Requests per minute, > 0; None for any number."""
    n_failures: int = 5
    """Failures in a row that open the breaker, >= 1."""
    pause_s: float = 60.0
    """Seconds before an open breaker lets one trial through; doubled for each trial that fails."""
    longest_pause_s: float = 600.0
    """Longest such pause, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply and what it cost."""

    reply: Reply
    """The raw reply."""
    is_cached: bool
    """Whether it was kept from an earlier call, so that nothing was paid now."""
    cost_micro_usd: int | None
    """What it cost when it was asked for, millionths of a US dollar; None if that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a caller has done so far."""

    n_calls: int = 0
    """Replies that the judge gave."""
    n_cached: int = 0
    """Replies that the cache gave."""
    n_retries: int = 0
    """Tries after the first."""
    n_failures: int = 0
    """Tries to which the judge gave no reply."""
    input_tokens: int = 0
    """Tokens that went in, audio included; cached replies count nothing here and below."""
    audio_tokens: int = 0
    """Those of them that were audio."""
    output_tokens: int = 0
    """Tokens that came out."""
    micro_usd: int = 0
    """Known cost, millionths of a US dollar."""
    n_unpriced: int = 0
    """Replies whose cost is not known."""


class Caller:
    """Asks one judge for one run; safe to use from several threads at once."""

    def __init__(
        self,
        backend: JudgeBackend,
        *,
        cache: ReplyCache,
        run: str,
        prices: tuple[Price, ...] = (),
        ledger: Ledger | None = None,
        budget: Budget = NO_BUDGET,
        policy: Policy | None = None,
        clock: Clock | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        """Make a caller; nothing is asked yet.

        Args:
            backend: the judge.
            cache: where replies are kept.
            run: name of the run in the ledger, for example a submission's id.
            prices: the price table.
            ledger: the books; needed if a budget is set.
            budget: what may be spent.
            policy: how patiently and how often.
            clock: where time and chance come from.
            breaker: one that outlives this caller; by default its own.

        Raises:
            PriceUnknown: if a budget is set and the model has no price.
            ValueError: if a budget is set without a ledger.
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop."""
        self.stop()

    def stop(self) -> None:
        """End every wait at once; the calls that waited raise JudgeUnavailable."""
        raise NotImplementedError

    @property
    def tally(self) -> Tally:
        """What was done so far; may be read at any time from any thread."""
        raise NotImplementedError

    @property
    def unavailable_since(self) -> datetime | None:
        """When the present outage began; None while the judge answers."""
        raise NotImplementedError

    def ask(self, request: Request, key: CallKey) -> Answer:
        """Return the reply to one call, from the cache if it was ever asked for.

        Args:
            request: the question.
            key: its key, by `calls_key.key_of`.

        Raises:
            JudgeUnavailable: if the judge cannot answer now (JudgeDown if the breaker is open).
            JudgeMisconfigured: if it never will.
            BudgetSpent: if the call might cost more than is left.
        """
        raise NotImplementedError
