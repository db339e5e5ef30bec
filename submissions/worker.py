"""The worker: claims the next submission, evaluates it, publishes its row, and goes on for ever.

Killed at any instant it loses at most the shards that were being read: whoever claims the submission
next goes on from the finished ones, and what gets published is the same to the byte. While the store is away it waits,
and keeps what it holds.
"""

import logging
import secrets
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta

from evaluation.errors import CastboardError, MissingDependency, WeightsMismatch
from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable
from evaluation.judge.spend import PriceUnknown
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.judge_stage import AnchorMissing
from evaluation.run import InstrumentRefused
from evaluation.stages import NoJudge
from submissions import holds, queue
from submissions.attempt import Attempt, Stopped
from submissions.contour_work import contour_work
from submissions.duel_worker import work_on_one
from submissions.fitness import Fitness
from submissions.holds import NotReady
from submissions.lease_keeper import LeaseKeeper
from submissions.liveness import this_process
from submissions.patience import Patience
from submissions.problems import SubmissionError
from submissions.queue import Claim, LeaseLost
from submissions.records import Rejected, SubmissionId
from submissions.settling import settle, settle_all
from submissions.station import ProtocolUnknown, Station
from submissions.store.base import StoreUnavailable, WorkStore
from submissions.vote_publishing import publish_votes
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)

_STOPPED_BY: Mapping[type[CastboardError], str] = {
    MissingDependency: "instrument_missing",
    WeightsMismatch: "instrument_missing",
    InstrumentRefused: "instrument_missing",
    JudgeMisconfigured: "judge_misconfigured",
    PriceUnknown: "judge_misconfigured",
    NoJudge: "judge_misconfigured",
}
"""What stops a worker whose own protocol it befalls, since every later submission would end alike, and the reason with
which its claim is given back. What befalls another protocol holds the submissions that wait for that one."""
_NOT_HERE = (ProtocolUnknown, NotReady)
_SETTLE_EVERY = timedelta(minutes=10)
"""So often a worker that has work or none looks whether all that was decided is carried out."""
MOST_SKEW_S = 120.0
"""Leases of several machines are compared by their clocks; one that is further off works on nothing."""
_HELD_BY = (JudgeUnavailable, BudgetSpent, AnchorMissing, *_NOT_HERE)


class Worker:
    """One worker; call it from one thread."""

    def __init__(self, station: Station) -> None:
        """Set up a worker that has claimed nothing."""
        self._station = station
        self._identity = queue.Worker(name=station.name, process=this_process())
        self._reporter = Reporter(station.store, station.name, self._identity.process, station.clock)
        self._stop = threading.Event()
        self._fitness = Fitness(station)
        self._is_ready = self._is_unsure = False
        self._unsure_as_of: datetime | None = None
        self._settled_at = station.clock()
        self._contours = contour_work(station)

    def run_forever(self, stop: threading.Event, poll_s: float) -> None:
        """Work until `stop` is set, looking for work every `poll_s` seconds; a run under way is given back.

        Raises:
            CastboardError: for what `run_once` raises.
        """
        self._stop = stop
        away_s = shortest_s = self._station.away_pauses_s[0]
        while not stop.is_set():
            try:
                has_worked = any([self.run_once() is not None, self.run_duel()])
            except StoreUnavailable as error:
                log.info("store.away", extra={"why": str(error), "again_in_s": away_s})
                self._reporter.enter("idle", message=f"waiting: {error}")
                stop.wait(away_s)
                away_s = min(2 * away_s, self._station.away_pauses_s[1])
                continue
            away_s = shortest_s
            if not has_worked:
                self._idle(stop, poll_s)
        self._reporter.enter("stopped")

    def _idle(self, stop: threading.Event, poll_s: float) -> None:
        """Draw contours that lack for as long as the worker would wait for work, or wait."""
        try:
            if self._contours is not None and self._contours.work_for(poll_s):
                return
        except StoreUnavailable as error:
            log.info("contours.wait", extra={"why": str(error)})
        except Exception:  # pictures are no reason for a worker to end
            log.exception("contours.off")
            self._contours = None
        stop.wait(poll_s)

    def run_once(self) -> SubmissionId | None:
        """Work on the next submission to its end.

        Returns:
            The submission, or None if nothing waits.

        Raises:
            CastboardError: if the worker's own protocol cannot be run, before anything is claimed; or if one of its
                instruments cannot be loaded or its judge refuses to be asked. Submissions stay queued, no try is lost.
                Where the queue is shared neither ends the worker: it leaves such submissions to others.
            StoreUnavailable: if the store is away, and nothing is claimed.
        """
        station = self._station
        self._get_ready()
        station.store.refresh()
        _see_clock(station.store)
        self._fitness.begin_look()
        claim = self._next()
        if claim is not None:
            log.info("submission.claimed", extra={"submission": claim.submission, "claim": claim.number})
            self._run(claim)
        health = station.store.health()
        away = "" if health.is_reachable else f"waiting: {health.message}"
        self._reporter.enter("idle", message=away or self._fitness.told())
        return claim.submission if claim else None

    def _next(self) -> Claim | None:
        station = self._station
        corpus = station.corpus.pin.name
        if self._is_unsure:
            known = queue.left_over(station.store, self._identity, corpus)
            if known is not None:
                return known
            self._is_unsure = station.store.health().as_of == self._unsure_as_of
        try:
            return queue.claim_next(
                station.store,
                self._identity,
                station.clock(),
                corpus=corpus,
                is_dead=station.is_dead,
                lease_s=station.lease_s,
                can_run=self._fitness.can_run if station.is_shared else lambda _: True,
                began=station.began,
            )
        except StoreUnavailable:  # it may be ours all the same; that shows once the store is known anew
            self._is_unsure, self._unsure_as_of = True, station.store.health().as_of
            raise

    def run_duel(self) -> bool:
        """Carry out the first duel that an operator ordered, as far as it goes now; say whether there was one.

        Raises:
            CastboardError: as `run_once`, if the worker's own protocol cannot be run.
        """
        station = self._station
        if station.duels is None:
            return False
        self._get_ready()
        has_worked = work_on_one(
            station.duels,
            files=station.published,
            store=station.store,
            reporter=self._reporter,
            clock=station.clock,
            stop=self._stop,
        )
        if has_worked:
            self._reporter.enter("idle")
        return has_worked

    def _get_ready(self) -> None:
        if self._is_ready:
            if self._station.clock() - self._settled_at >= _SETTLE_EVERY:
                self._settle_all()
            return
        self._reporter.enter("starting")
        if not self._station.is_shared:
            try:
                self._fitness.check_own()
            except CastboardError as error:
                self._reporter.enter("stopped", message=str(error))
                raise
        self._station.store.sweep()
        self._station.published.sweep()
        self._settle_all()
        self._is_ready = True

    def _settle_all(self) -> None:
        """Finish what an operator or a maker decided, and what then was cut off; publish what listeners voted."""
        station = self._station
        settle_all(station.store, station.published)
        if station.votes is not None:
            publish_votes(station.store, station.published, station.votes)
        self._settled_at = self._station.clock()

    def _run(self, claim: Claim) -> None:
        station = self._station
        try:
            with LeaseKeeper(station.store, claim, self._reporter, station.clock, station.lease_s) as keeper:
                self._attempt(claim, keeper)
        except LeaseLost as error:
            log.info("lease.lost", extra={"submission": claim.submission, "why": str(error)})
        except Stopped:  # it was to stop while the store was away; the lease ends by itself
            log.info("lease.left", extra={"submission": claim.submission})
            return
        self._is_ready = False  # until it is settled: if the store is away now, all is settled before the next run
        settle(station.store, station.published, claim.submission)
        self._is_ready = True

    def _evaluate(self, claim: Claim, keeper: LeaseKeeper, patience: Patience) -> None:
        protocol = patience.until_done(lambda: self._fitness.protocol_for(claim.state))
        attempt = Attempt(
            self._station,
            protocol,
            claim,
            keeper=keeper,
            reporter=self._reporter,
            stop=self._stop,
            patience=patience,
        )
        try:
            attempt.run()
        except tuple(_STOPPED_BY) as error:
            if protocol.id == self._station.protocol.id and not self._station.is_shared:
                raise
            raise self._fitness.broke(protocol, error) from error
        self._fitness.works(protocol)

    def _attempt(self, claim: Claim, keeper: LeaseKeeper) -> None:
        store, now = self._station.store, self._station.clock
        patience = self._patience(claim, keeper)
        try:
            self._evaluate(claim, keeper, patience)
        except LeaseLost:
            raise
        except Stopped:
            self._let_go(claim, "worker_stopped")
        except tuple(_STOPPED_BY) as error:
            self._let_go(claim, next(reason for kind, reason in _STOPPED_BY.items() if isinstance(error, kind)))
            self._reporter.enter("stopped", message=str(error))
            raise
        except _HELD_BY as error:
            self._wait_or_leave(claim, error, patience)
        except SubmissionError as error:
            rejected = Rejected(claim=claim.number, problems=error.problems)
            patience.until_done(lambda: queue.reject(store, claim, now(), rejected))
        except CastboardError as error:
            log.warning("submission.unfinished", exc_info=True, extra={"submission": claim.submission})
            self._give_back(claim, patience, type(error).__name__, str(error), None)
        except Exception:  # anything else is a bug of ours, and must not stop the queue
            trace_id = secrets.token_hex(4)
            log.exception("submission.bug", extra={"submission": claim.submission, "trace_id": trace_id})
            message = f"An error of ours stopped the evaluation; its traceback has the id {trace_id}."
            self._give_back(claim, patience, "bug", message, trace_id)

    def _patience(self, claim: Claim, keeper: LeaseKeeper) -> Patience:
        def check() -> None:
            keeper.check()
            if self._stop.is_set():
                raise Stopped(f"the worker was asked to stop; {claim.submission} goes on later")

        return Patience(self._stop, self._station.away_pauses_s, check=check, tell=self._reporter.remark)

    def _wait_or_leave(self, claim: Claim, error: CastboardError, patience: Patience) -> None:
        log.info("submission.held", extra={"submission": claim.submission, "why": str(error)})
        store, now = self._station.store, self._station.clock
        if self._station.is_shared and isinstance(error, _NOT_HERE):
            patience.until_done(lambda: queue.release(store, claim, now(), "left_to_others"))
        else:
            patience.until_done(lambda: holds.hold(store, claim, now(), error))

    def _give_back(self, claim: Claim, patience: Patience, reason: str, message: str, trace_id: str | None) -> None:
        store, now = self._station.store, self._station.clock
        patience.until_done(
            lambda: queue.give_back(store, claim, now(), reason=reason, message=message, trace_id=trace_id)
        )

    def _let_go(self, claim: Claim, reason: str) -> None:
        """Give the submission back at once; if the store is away its lease ends by itself."""
        try:
            queue.release(self._station.store, claim, self._station.clock(), reason)
        except StoreUnavailable as error:
            log.info("lease.left", extra={"submission": claim.submission, "why": str(error)})


def _see_clock(store: WorkStore) -> None:
    ahead_s = store.health().clock_ahead_s
    if abs(ahead_s) > MOST_SKEW_S:
        side = "ahead" if ahead_s > 0 else "behind"
        raise StoreUnavailable(
            f"this machine's clock is {abs(ahead_s):.0f} s {side} of the hub's, allowed are {MOST_SKEW_S:.0f} s: "
            "leases would not hold. Set the clock; work goes on by itself then"
        )
