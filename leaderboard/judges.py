"""The judges that this site can ask: address and key from the settings, one cache and one ledger for all runs."""

from evaluation.judge.backend import JudgeBackend
from evaluation.judge.breaker import Breaker
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import MACHINE, Caller, Policy
from evaluation.judge.open_backend import open_backend
from evaluation.judge.spend import Price, load_prices, price_of
from evaluation.judge.spend_ledger import Budget, Ledger
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from leaderboard.settings import Settings

TIMEOUT_S = 120.0
"""Longest silence of a judge during one call, s."""


def unbounded(settings: Settings, protocol: Protocol) -> str | None:
    """Return a warning if submissions may spend on the protocol's judge without a limit of the day; None if not.

    Raises:
        SchemaError: if the operator's price file is not one.
    """
    recipe = protocol.judge
    if recipe is None or settings.judge_day_budget_micro_usd is not None:
        return None
    price = price_of(load_prices(settings.judge_prices), backend=recipe.backend, model=recipe.model)
    if price is not None and price.is_free:
        return None
    return (
        f"No budget of the day is set: whoever submits may spend on the judge {recipe.model} without limit. "
        "CASTBOARD_JUDGE_DAY_BUDGET and CASTBOARD_JUDGE_BUDGET set one, in USD."
    )


class Judges:
    """Opens judges. A backend and what is known of its outage outlive a run; call it from one thread."""

    def __init__(self, settings: Settings) -> None:
        """Ask as `settings` say; nothing is loaded or sent yet.

        Raises:
            SchemaError: if the operator's price file is not one.
        """
        self.prices: tuple[Price, ...] = load_prices(settings.judge_prices)
        self._settings = settings
        self._policy = Policy(per_minute=settings.judge_per_minute or None)
        self._budget = Budget(
            per_run_micro_usd=settings.judge_budget_micro_usd, per_day_micro_usd=settings.judge_day_budget_micro_usd
        )
        self._cache = FolderCache(folder=settings.home / "judge" / "replies")
        self._ledger = Ledger(settings.home / "judge" / "spend")
        self._open: dict[tuple[str, str], tuple[JudgeBackend, Breaker]] = {}

    def open(self, recipe: JudgeRecipe, run: str) -> Caller:
        """Return what asks a recipe's judge for the run of that name; nothing is sent yet.

        Raises:
            JudgeMisconfigured: if the settings do not say what the judge needs.
            MissingDependency: if its package is not installed.
            PriceUnknown: if a budget is set and the model has no price.
        """
        backend, breaker = self._backend(recipe)
        return Caller(
            backend,
            cache=self._cache,
            run=run,
            prices=self.prices,
            ledger=self._ledger,
            budget=self._budget,
            policy=self._policy,
            breaker=breaker,
        )

    def _backend(self, recipe: JudgeRecipe) -> tuple[JudgeBackend, Breaker]:
        known = self._open.get((recipe.backend, recipe.model))
        if known is None:
            settings, policy = self._settings, self._policy
            backend = open_backend(
                recipe.backend,
                recipe.model,
                url=settings.judge_url,
                key=settings.judge_key.reveal() if settings.judge_key else None,
                timeout_s=TIMEOUT_S,
            )
            breaker = Breaker(
                n_failures=policy.n_failures,
                pause_s=policy.pause_s,
                longest_pause_s=policy.longest_pause_s,
                clock=MACHINE,
            )
            known = self._open[recipe.backend, recipe.model] = backend, breaker
        return known
