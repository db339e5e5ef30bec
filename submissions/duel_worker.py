"""Ordered duels, carried out by a worker between submissions; what goes wrong ends up in the order."""

import logging
import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from evaluation.errors import CastboardError
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.breaker import JudgeDown
from evaluation.judge.calls import Caller
from evaluation.judge.judging import JudgingProgress
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.pins import JudgeRecipe
from submissions.duel_contest import committed_duel, contest
from submissions.duel_desk import DuelDesk
from submissions.duel_orders import Order, moved
from submissions.duel_work import hold_duel
from submissions.holds import not_before
from submissions.judge_watch import watched
from submissions.records import moment, timestamp
from submissions.store.base import PublishedFiles, StoreUnavailable, WorkStore
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)

_PAUSE = timedelta(seconds=1)


class DuelStopped(CastboardError):
    """The worker was asked to stop; the order goes on later."""


def work_on_one(
    desk: DuelDesk,
    *,
    files: PublishedFiles,
    store: WorkStore,
    reporter: Reporter,
    clock: Callable[[], datetime],
    stop: threading.Event,
) -> bool:
    """Carry out the first ordered duel that nobody else works on, as far as it goes now.

    Returns:
        Whether there was one.
    """
    for order in desk.orders.due(clock()):
        with desk.orders.claimed(order.protocol, order.a, order.b) as is_ours:
            fresh = desk.orders.read(order.protocol, order.a, order.b) if is_ours else None
            if fresh is None or not fresh.is_due(clock()):
                continue
            _Errand(desk=desk, files=files, store=store, reporter=reporter, clock=clock, stop=stop).run(fresh)
            return True
    return False


@dataclass(slots=True, kw_only=True)
class _Errand:
    """One order that this worker holds."""

    desk: DuelDesk
    """What it works with."""
    files: PublishedFiles
    """The published layout."""
    store: WorkStore
    """Keeps other publishers out."""
    reporter: Reporter
    """Is told how far it is."""
    clock: Callable[[], datetime]
    """The time, aware."""
    stop: threading.Event
    """Asks for an early end."""
    written_at: datetime | None = None
    """When the order was last written."""

    def run(self, order: Order) -> None:
        orders = self.desk.orders
        self.reporter.enter("judging", message=f"a duel of {order.a} and {order.b}")
        try:
            self._hold(order)
        except DuelStopped:
            orders.write(moved(self._now_of(order), self.clock(), "ordered"))
        except (JudgeUnavailable, BudgetSpent, StoreUnavailable) as error:
            if self.stop.is_set():  # its waits end too when the worker is asked to stop
                orders.write(moved(self._now_of(order), self.clock(), "ordered"))
            else:
                orders.write(_waiting(self._now_of(order), self.clock(), error))
        except CastboardError as error:
            log.warning("duel.failed", exc_info=True, extra={"a": order.a, "b": order.b})
            orders.write(moved(self._now_of(order), self.clock(), "failed", str(error)))
        except Exception:  # anything else is a bug of ours, and must not stop the queue
            trace_id = secrets.token_hex(4)
            log.exception("duel.bug", extra={"a": order.a, "b": order.b, "trace_id": trace_id})
            message = f"An error of ours stopped the duel; its traceback has the id {trace_id}."
            orders.write(moved(self._now_of(order), self.clock(), "failed", message))
        else:
            orders.write(moved(self._now_of(order), self.clock(), "done"))

    def _hold(self, order: Order) -> None:
        desk = self.desk
        if committed_duel(self.files, order.protocol, order.a, order.b) is not None:
            return  # the last worker died between the duel and this word of it
        protocol = desk.find_protocol(order.protocol)
        match = contest(self.files, protocol, desk.recipe_of(protocol), order.a, order.b)

        def open_watched(recipe: JudgeRecipe, run: str) -> AbstractContextManager[Caller]:
            return watched(desk.open_judge(recipe, run), self.reporter, self.stop.is_set)

        def on_progress(progress: JudgingProgress) -> None:
            if self.stop.is_set():
                raise DuelStopped(f"the worker was asked to stop; {order.a}--{order.b} goes on later")
            self.reporter.count(progress.items_done, progress.n_items)
            self._tell(order, progress)

        hold_duel(
            match,
            files=self.files,
            store=self.store,
            open_judge=open_watched,
            n_parallel=desk.n_parallel,
            on_progress=on_progress,
        )

    def _tell(self, order: Order, progress: JudgingProgress) -> None:
        """Write how far the order is, at most once a second but for the first and the last word."""
        now = self.clock()
        is_between = 0 < progress.items_done < progress.n_items
        if is_between and self.written_at is not None and now - self.written_at < _PAUSE:
            return
        counted = replace(moved(order, now, "running"), items_done=progress.items_done, n_items=progress.n_items)
        has_answered = progress.n_calls > progress.n_cached  # until then an outage goes on
        self.desk.orders.write(counted if has_answered else replace(counted, since=order.since))
        self.written_at = now

    def _now_of(self, order: Order) -> Order:
        return self.desk.orders.read(order.protocol, order.a, order.b) or order


def _waiting(order: Order, now: datetime, error: JudgeUnavailable | BudgetSpent | StoreUnavailable) -> Order:
    """Return an order that waits; the first moment of an outage is kept over all tries."""
    since = moment(order.since) if order.since else error.since if isinstance(error, JudgeDown) else now
    is_judge = isinstance(error, JudgeUnavailable)
    return replace(
        order,
        stage="waiting",
        message=f"waiting: judge unavailable since {since:%Y-%m-%d %H:%M} UTC" if is_judge else str(error),
        not_before=timestamp(not_before(error, now, since)),
        since=timestamp(since),
        updated_at=timestamp(now),
    )
