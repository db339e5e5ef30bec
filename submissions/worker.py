"""The worker: claims the next submission, evaluates it, publishes its row, and goes on for ever.

Killed at any instant it loses at most the shards that were being read: whoever claims the submission
next goes on from the finished ones, and what gets published is the same to the byte.
"""

import logging
import secrets
import threading

from evaluation.errors import CastboardError, MissingDependency, WeightsMismatch
from submissions import queue
from submissions.attempt import Attempt, Station, Stopped
from submissions.lease_keeper import LeaseKeeper
from submissions.liveness import this_process
from submissions.problems import SubmissionError
from submissions.queue import Claim, LeaseLost
from submissions.records import Rejected, SubmissionId
from submissions.withdrawal import settle, settle_all
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)


class Worker:
    """One worker; call it from one thread."""

    def __init__(self, station: Station) -> None:
        """Set up a worker that has claimed nothing."""
        self._station = station
        self._identity = queue.Worker(name=station.name, process=this_process())
        self._reporter = Reporter(station.store, station.name, self._identity.process, station.clock)
        self._stop = threading.Event()
        self._is_ready = False

    def run_forever(self, stop: threading.Event, poll_s: float) -> None:
        """Work until `stop` is set, looking for work every `poll_s` seconds; a run under way is given back.

        Raises:
            MissingDependency, WeightsMismatch: before anything is claimed; submissions stay queued.
        """
        self._stop = stop
        while not stop.is_set():
            if self.run_once() is None:
                stop.wait(poll_s)
        self._reporter.enter("stopped")

    def run_once(self) -> SubmissionId | None:
        """Work on the next submission to its end.

        Returns:
            The submission, or None if nothing waits.

        Raises:
            MissingDependency, WeightsMismatch: before anything is claimed; submissions stay queued.
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

    def _get_ready(self) -> None:
        if self._is_ready:
            return
        self._reporter.enter("starting")
        try:
            self._station.preflight()
        except CastboardError as error:
            self._reporter.enter("stopped", message=str(error))
            raise
        self._station.store.sweep()
        self._station.published.sweep()
        settle_all(self._station.store, self._station.published)
        self._is_ready = True

    def _run(self, claim: Claim) -> None:
        station = self._station
        try:
            with LeaseKeeper(station.store, claim, self._reporter, station.clock, station.lease_s) as keeper:
                self._attempt(claim, keeper)
        except LeaseLost as error:
            log.info("lease.lost", extra={"submission": claim.submission, "why": str(error)})
            settle(station.store, station.published, claim.submission)

    def _attempt(self, claim: Claim, keeper: LeaseKeeper) -> None:
        store, now = self._station.store, self._station.clock
        try:
            Attempt(self._station, claim, keeper, self._reporter, self._stop).run()
        except LeaseLost:
            raise
        except Stopped:
            queue.release(store, claim, now(), "worker_stopped")
        except (MissingDependency, WeightsMismatch) as error:
            queue.release(store, claim, now(), "instrument_missing")
            self._reporter.enter("stopped", message=str(error))
            raise
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
