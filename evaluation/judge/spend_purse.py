"""Money around one call: set aside before, settled after, whatever happens between."""

import contextlib
import logging
import threading
from collections.abc import Iterator

from evaluation.errors import CastboardError
from evaluation.judge.backend import Reply, Request, Sound
from evaluation.judge.clock import Clock
from evaluation.judge.spend import Price, cost_micro_usd, upper_bound_micro_usd
from evaluation.judge.spend_ledger import Budget, BudgetSpent, Ledger, Reservation

log = logging.getLogger(__name__)


class Bill:
    """What one call turns out to cost."""

    def __init__(self, request: Request, price: Price | None) -> None:
        """Start with nothing to pay."""
        self._has_sound = any(isinstance(part, Sound) for part in request.parts)
        self._price = price
        self._cost: int | None = 0
        self._is_counted = False
        self._is_doubtful = False

    def cost(self, reply: Reply) -> int | None:
        """Take note of what was used and return its cost, millionths of a US dollar; None if that is not known."""
        has_text, self._is_counted = bool(reply.text), True
        self._cost = cost_micro_usd(reply.usage, self._price, has_sound=self._has_sound, has_text=has_text)
        return self._cost

    def doubt(self) -> None:
        """Take note that no answer was counted, and that the provider may bill one all the same."""
        self._is_doubtful = not self._is_counted

    def amount(self, most: int) -> int:
        """Return what to write in the books: the cost, or the most that it can be where that is not known."""
        return most if self._is_doubtful or self._cost is None else self._cost


class Purse:
    """The money of one run; safe to use from several threads at once."""

    def __init__(self, *, run: str, ledger: Ledger | None, budget: Budget, price: Price | None) -> None:
        """Without a ledger or a price nothing is written, and the budget must not be set."""
        self._run, self._ledger, self._budget, self._price = run, ledger, budget, price
        self._turn = threading.Condition()
        self._n_out = 0

    @contextlib.contextmanager
    def opened(self, request: Request, clock: Clock) -> Iterator[Bill]:
        """Set the call's upper bound aside, and settle its bill at the end.

        Raises:
            BudgetSpent: if it does not fit, even once every other call of this purse is settled.
        """
        bill = Bill(request, self._price)
        if self._ledger is None or self._price is None:
            yield bill
            return
        most = upper_bound_micro_usd(request, self._price)
        reservation = self._reserve(self._ledger, most, clock)
        try:
            yield bill
        except CastboardError:
            raise
        except BaseException:  # nobody knows how far the call had come: a key that interrupts, a fault of ours
            bill.doubt()
            raise
        finally:
            amount = bill.amount(most)
            if amount > most:
                log.warning("judge.cost_above_bound", extra={"run": self._run, "bound": most, "cost": amount})
            with self._turn:
                self._ledger.settle(reservation, amount)
                self._n_out -= 1
                self._turn.notify_all()

    def _reserve(self, ledger: Ledger, most: int, clock: Clock) -> Reservation:
        """Wait while calls under way, which mostly cost less than was set aside for them, may still free enough."""
        with self._turn:
            while True:
                try:
                    made = ledger.reserve(run=self._run, micro_usd=most, budget=self._budget, now=clock.now())
                except BudgetSpent:
                    if self._n_out == 0:
                        raise
                    self._turn.wait()
                else:
                    self._n_out += 1
                    return made
