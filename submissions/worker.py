"""The worker: claims the next submission, evaluates it, publishes its row, and goes on for ever.

Killed at any instant it loses at most the shards that were being read: whoever claims the submission
next goes on from the finished ones, and what gets published is the same to the byte.
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
from evaluation.protocol import Protocol
from evaluation.run import InstrumentRefused
from evaluation.stages import NoJudge
from submissions import holds, queue
from submissions.attempt import Attempt, Stopped
from submissions.duel_worker import work_on_one
from submissions.holds import NotReady
from submissions.lease_keeper import LeaseKeeper
from submissions.liveness import this_process
from submissions.problems import SubmissionError
from submissions.queue import Claim, LeaseLost
from submissions.records import Rejected, SubmissionId
from submissions.station import ProtocolUnknown, Station
from submissions.withdrawal import settle, settle_all
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
_BROKEN_FOR = timedelta(seconds=holds.SHORTEST_S)
"""How long another protocol's fault is taken as known: nobody's clips are read for it meanwhile."""
_HELD_BY = (JudgeUnavailable, BudgetSpent, AnchorMissing, ProtocolUnknown, NotReady)


class Worker:
    """One worker; call it from one thread."""

    def __init__(self, station: Station) -> None:
        """Set up a worker that has claimed nothing."""
        self._station = station
        self._identity = queue.Worker(name=station.name, process=this_process())
        self._reporter = Reporter(station.store, station.name, self._identity.process, station.clock)
        self._stop = threading.Event()
        self._is_ready = False
        self._ready_for: set[str] = set()
        self._broken: dict[str, tuple[datetime, NotReady]] = {}

    def run_forever(self, stop: threading.Event, poll_s: float) -> None:
        """Work until `stop` is set, looking for work every `poll_s` seconds; a run under way is given back.

        Raises:
            CastboardError: for what `run_once` raises.
        """
        self._stop = stop
        while not stop.is_set():
            submission, has_dueled = self.run_once(), self.run_duel()
            if submission is None and not has_dueled:
                stop.wait(poll_s)
        self._reporter.enter("stopped")

    def run_once(self) -> SubmissionId | None:
        """Work on the next submission to its end.

        Returns:
            The submission, or None if nothing waits.

        Raises:
            CastboardError: if the worker's own protocol cannot be run, before anything is claimed; or if one of its
                instruments cannot be loaded or its judge refuses to be asked. Submissions stay queued, no try is lost.
        """
        station = self._station
        self._get_ready()
        claim = queue.claim_next(
            station.store,
            self._identity,
            station.clock(),
            corpus=station.corpus.pin.name,
            is_dead=station.is_dead,
            lease_s=station.lease_s,
        )
        if claim is not None:
            log.info("submission.claimed", extra={"submission": claim.submission, "claim": claim.number})
            self._run(claim)
        self._reporter.enter("idle")
        return claim.submission if claim else None

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
            return
        self._reporter.enter("starting")
        try:
            self._station.preflight(self._station.protocol)
        except CastboardError as error:
            self._reporter.enter("stopped", message=str(error))
            raise
        self._station.store.sweep()
        self._station.published.sweep()
        settle_all(self._station.store, self._station.published)
        self._is_ready = True
        self._ready_for.add(self._station.protocol.id)

    def _run(self, claim: Claim) -> None:
        station = self._station
        try:
            with LeaseKeeper(station.store, claim, self._reporter, station.clock, station.lease_s) as keeper:
                self._attempt(claim, keeper)
        except LeaseLost as error:
            log.info("lease.lost", extra={"submission": claim.submission, "why": str(error)})
            settle(station.store, station.published, claim.submission)

    def _protocol_of(self, claim: Claim) -> Protocol:
        protocol = self._station.protocol_for(claim.state)
        since, fault = self._broken.get(protocol.id, (None, None))
        if since is not None and fault is not None and self._station.clock() - since < _BROKEN_FOR:
            raise fault
        if protocol.id not in self._ready_for:
            try:
                self._station.preflight(protocol)
            except CastboardError as error:
                raise _not_ready(protocol, error) from error
            self._ready_for.add(protocol.id)
        return protocol

    def _evaluate(self, claim: Claim, keeper: LeaseKeeper) -> None:
        protocol = self._protocol_of(claim)
        try:
            Attempt(self._station, protocol, claim, keeper=keeper, reporter=self._reporter, stop=self._stop).run()
        except tuple(_STOPPED_BY) as error:
            if protocol.id == self._station.protocol.id:
                raise
            fault = _not_ready(protocol, error)
            self._ready_for.discard(protocol.id)
            self._broken[protocol.id] = self._station.clock(), fault
            log.warning("protocol.broken", extra={"protocol": protocol.id, "why": str(error)})
            raise fault from error

    def _attempt(self, claim: Claim, keeper: LeaseKeeper) -> None:
        store, now = self._station.store, self._station.clock
        try:
            self._evaluate(claim, keeper)
        except LeaseLost:
            raise
        except Stopped:
            queue.release(store, claim, now(), "worker_stopped")
        except tuple(_STOPPED_BY) as error:
            code = next(reason for kind, reason in _STOPPED_BY.items() if isinstance(error, kind))
            queue.release(store, claim, now(), code)
            self._reporter.enter("stopped", message=str(error))
            raise
        except _HELD_BY as error:
            log.info("submission.held", extra={"submission": claim.submission, "why": str(error)})
            holds.hold(store, claim, now(), error)
        except SubmissionError as error:
            queue.reject(store, claim, now(), Rejected(claim=claim.number, problems=error.problems))
        except CastboardError as error:
            log.warning("submission.unfinished", exc_info=True, extra={"submission": claim.submission})
            reason = type(error).__name__
            queue.give_back(store, claim, now(), reason=reason, message=str(error), trace_id=None)
        except Exception:  # anything else is a bug of ours, and must not stop the queue
            trace_id = secrets.token_hex(4)
            log.exception("submission.bug", extra={"submission": claim.submission, "trace_id": trace_id})
            message = f"An error of ours stopped the evaluation; its traceback has the id {trace_id}."
            queue.give_back(store, claim, now(), reason="bug", message=message, trace_id=trace_id)


def _not_ready(protocol: Protocol, error: CastboardError) -> NotReady:
    return NotReady(f"protocol {protocol.name} ({protocol.id}) cannot be run here now: {error}")
