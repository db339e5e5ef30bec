"""Asking a judge so that it is paid for once, never beyond the budget, and politely when it is down.

A call goes this way: cache, breaker, rate limit, budget, the judge, the books, cache. Each try is one pass from
the breaker on; between tries the caller waits, longer each time and never at the same moment as the others.
"""

import contextlib
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol as TypingProtocol
from typing import Self, runtime_checkable

import tenacity

from evaluation.judge import calls_entry
from evaluation.judge.backend import JudgeBackend, JudgeMisconfigured, JudgeUnavailable, Reply, Request
from evaluation.judge.breaker import Breaker, JudgeDown
from evaluation.judge.cache import ReplyCache
from evaluation.judge.calls_key import CallKey
from evaluation.judge.calls_model import FOREIGN_KEPT, foreign, is_same_model
from evaluation.judge.clock import Clock
from evaluation.judge.failures import NoAnswer
from evaluation.judge.limits import RateLimit
from evaluation.judge.spend import Price, PriceUnknown, price_of
from evaluation.judge.spend_ledger import Budget, Ledger
from evaluation.judge.spend_purse import Purse

log = logging.getLogger(__name__)

NO_BUDGET = Budget(per_run_micro_usd=None, per_day_micro_usd=None)
MACHINE = Clock()


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


PATIENT = Policy()


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


@runtime_checkable
class Specialist(TypingProtocol):
    """A backend that judges certain dimensions only."""

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Those that it judges."""
        ...


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
        policy: Policy = PATIENT,
        clock: Clock = MACHINE,
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
        self._price = price_of(prices, backend=backend.name, model=backend.model)
        if budget.is_set and self._price is None:
            raise PriceUnknown(
                f"a budget is set, but no price is known of {backend.model} at {backend.name}: add a line for it to "
                "your own price file (prices of 0 for a model of your own), or take the budget away"
            )
        if budget.is_set and ledger is None:
            raise ValueError("a budget needs a ledger")
        self.backend = backend
        self._cache, self._run, self._policy, self._clock = cache, run, policy, clock
        self._purse = Purse(run=run, ledger=ledger, budget=budget, price=self._price)
        self._breaker = breaker or Breaker(
            n_failures=policy.n_failures, pause_s=policy.pause_s, longest_pause_s=policy.longest_pause_s, clock=clock
        )
        self._limit = RateLimit(per_minute=policy.per_minute, clock=clock)
        self._stopping = threading.Event()
        self._turn = threading.Condition()
        self._being_asked: set[str] = set()
        self._tally = Tally()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop."""
        self.stop()

    def stop(self) -> None:
        """End every wait at once; calls that wait, and later ones, raise JudgeUnavailable."""
        self._stopping.set()

    @property
    def tally(self) -> Tally:
        """What was done so far; may be read at any time from any thread."""
        with self._turn:
            return self._tally

    @property
    def unavailable_since(self) -> datetime | None:
        """When the present outage began; None while the judge answers."""
        return self._breaker.since

    def allow_trial(self, asked: datetime) -> None:
        """Let one call try a judge that is left alone, if none has failed since an operator said so at `asked`."""
        self._breaker.allow_trial(asked)

    def ask(self, request: Request, key: CallKey) -> Answer:
        """Return the reply to one call, from the cache if it was ever asked for.

        Args:
            request: the question.
            key: its key, by `calls_key.key_of`.

        Raises:
            JudgeUnavailable: if the judge cannot answer now (JudgeDown if the breaker is open).
            JudgeMisconfigured: if it never will, or another model answers in its place; such a reply is not given out.
            BudgetSpent: if the call might cost more than is left.
        """
        self._refuse_if_unheard(key)
        with self._only_one(key.name):
            kept = self._kept(key)
            if kept is not None:
                self._count(n_cached=1)
                return Answer(reply=kept.reply, is_cached=True, cost_micro_usd=kept.cost_micro_usd)
            return self._ask_patiently(request, key)

    def set_aside(self, key: CallKey, reply: Reply) -> None:
        """Make the next `ask` of this call a new one, if `reply` is still what is kept of it; it stays for people.

        For replies that cannot be used however often they are read.
        """
        with self._only_one(key.name):
            kept = calls_entry.read(self._cache.load(key.name), key)
            if kept is not None and kept.reply == reply:
                log.info("judge.set_aside", extra={"entry": key.name, "finish": reply.finish})
                self._cache.set_aside(key.name)

    def _kept(self, key: CallKey) -> calls_entry.Entry | None:
        """Return what is kept of a call, or None if it must be asked.

        Raises:
            JudgeMisconfigured: if another model gave it, not long ago: it is not paid for again and again.
        """
        kept = calls_entry.read(self._cache.load(key.name), key)
        if kept is None or is_same_model(self.backend.model, kept.reply.model):
            return kept
        if abs(self._clock.now() - datetime.fromisoformat(kept.asked_at)) < FOREIGN_KEPT:  # a clock may be put back
            raise foreign(self.backend.name, self.backend.model, kept.reply.model)
        self._cache.set_aside(key.name)
        return None

    def _refuse_if_unheard(self, key: CallKey) -> None:
        if isinstance(self.backend, Specialist) and not set(key.dimensions) <= set(self.backend.dimensions):
            raise JudgeMisconfigured(
                f"the judge {self.backend.name} hears {', '.join(self.backend.dimensions)} only, "
                f"not {', '.join(key.dimensions)}; choose another judge or other dimensions"
            )

    @contextlib.contextmanager
    def _only_one(self, name: str) -> Iterator[None]:
        """Let equal calls of several threads through one by one, so that the later ones find the first one's reply."""
        with self._turn:
            self._turn.wait_for(lambda: name not in self._being_asked)
            self._being_asked.add(name)
        try:
            yield
        finally:
            with self._turn:
                self._being_asked.discard(name)
                self._turn.notify_all()

    def _ask_patiently(self, request: Request, key: CallKey) -> Answer:
        patience = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_worth_waiting),
            wait=self._wait_s,
            stop=self._is_enough,
            sleep=self._sleep,
            before_sleep=self._note_retry,
            reraise=True,
        )
        return patience(self._try, request, key)

    def _try(self, request: Request, key: CallKey) -> Answer:
        """Make one try, from the breaker on."""
        is_trial = self._breaker.enter()
        has_reached = False
        try:
            self._sleep(self._limit.take())
            with self._purse.opened(request, self._clock) as bill:
                try:
                    reply = self.backend.ask(request)
                except JudgeUnavailable as error:
                    has_reached = True
                    self._breaker.fail(is_trial=is_trial, why=str(error))
                    self._count(n_failures=1)
                    if isinstance(error, NoAnswer):
                        bill.doubt()
                    raise
                has_reached = True
                self._breaker.succeed()
                cost = bill.cost(reply)
                self._cache.save(key.name, calls_entry.written(key, reply, cost, self._clock.now()))
        finally:
            if not has_reached:
                self._breaker.forget(is_trial=is_trial)
        self._count_reply(reply, cost)
        if not is_same_model(self.backend.model, reply.model):
            raise foreign(self.backend.name, self.backend.model, reply.model)
        return Answer(reply=reply, is_cached=False, cost_micro_usd=cost)

    def _wait_s(self, state: tenacity.RetryCallState) -> float:
        """Return a random wait below a bound that doubles with every try; never less than the provider asked for."""
        policy = self._policy
        bound_s = min(policy.longest_wait_s, policy.first_wait_s * 2.0 ** (state.attempt_number - 1))
        error = state.outcome.exception() if state.outcome is not None else None
        asked_s = error.retry_after_s if isinstance(error, JudgeUnavailable) else None
        return (asked_s or 0.0) + bound_s * self._clock.random()

    def _is_enough(self, state: tenacity.RetryCallState) -> bool:
        policy = self._policy
        waits_too_long = state.idle_for + state.upcoming_sleep > policy.total_wait_s
        return state.attempt_number >= policy.n_tries or waits_too_long or self._stopping.is_set()

    def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            (self._clock.sleep or self._stopping.wait)(seconds)
        if self._stopping.is_set():
            raise JudgeUnavailable("the caller was stopped")

    def _note_retry(self, state: tenacity.RetryCallState) -> None:
        self._count(n_retries=1)
        log.info("judge.retry", extra={"tries": state.attempt_number, "wait_s": round(state.upcoming_sleep, 3)})

    def _count_reply(self, reply: Reply, cost: int | None) -> None:
        self._count(
            n_calls=1,
            input_tokens=reply.usage.input_tokens,
            audio_tokens=reply.usage.audio_tokens,
            output_tokens=reply.usage.output_tokens,
            micro_usd=cost or 0,
            n_unpriced=int(cost is None),
        )

    def _count(self, **more: int) -> None:
        with self._turn:
            self._tally = replace(self._tally, **{name: getattr(self._tally, name) + n for name, n in more.items()})


def _is_worth_waiting(error: BaseException) -> bool:
    return isinstance(error, JudgeUnavailable) and not isinstance(error, JudgeDown)
