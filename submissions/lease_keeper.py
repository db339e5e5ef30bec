"""Renews a lease and beats the worker's heart from a thread while the work goes on.

It goes on while the store is away: the lease may end meanwhile, and is renewed at the first answer if nobody took it.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from evaluation.errors import CastboardError
from submissions import queue
from submissions.queue import Claim, LeaseLost
from submissions.store.base import StoreUnavailable, WorkStore
from submissions.worker_status import Reporter

log = logging.getLogger(__name__)

_RENEWALS_PER_LEASE = 3
_LONGEST_BEAT_S = 10.0


class LeaseKeeper:
    """Holds a claim for the length of a `with` block."""

    def __init__(
        self, store: WorkStore, claim: Claim, reporter: Reporter, clock: Callable[[], datetime], lease_s: float
    ) -> None:
        """Prepare to renew `claim` by `lease_s` three times a lease."""
        self._store = store
        self._claim = claim
        self._reporter = reporter
        self._clock = clock
        self._lease_s = lease_s
        self._ended = threading.Event()
        self._is_lost = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)

    def __enter__(self) -> "LeaseKeeper":
        """Start to renew."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop to renew; returns once the thread writes no more."""
        self._ended.set()
        self._thread.join()

    @property
    def is_lost(self) -> bool:
        """Whether the last renewal found that the lease is not ours any more."""
        return self._is_lost.is_set()

    def check(self) -> None:
        """Return if the lease was ours at the last renewal.

        Raises:
            LeaseLost: if it was not.
        """
        if self._is_lost.is_set():
            raise LeaseLost(f"{self._claim.submission} was taken over or withdrawn")

    def _keep(self) -> None:
        renewal_s = self._lease_s / _RENEWALS_PER_LEASE
        renewed_s = time.monotonic()
        while not self._ended.wait(min(renewal_s, _LONGEST_BEAT_S)):
            try:
                self._reporter.beat()
                self._store.refresh()
                if time.monotonic() - renewed_s >= renewal_s:
                    queue.renew(self._store, self._claim, self._clock(), self._lease_s)
                    renewed_s = time.monotonic()
                elif not queue.holds(self._store, self._claim):
                    self._is_lost.set()
                    return
            except LeaseLost:
                self._is_lost.set()
                return
            except StoreUnavailable as error:
                log.info("lease.waits", extra={"submission": self._claim.submission, "why": str(error)})
            except (OSError, CastboardError):  # a full disk may have room at the next beat; a lease lasts several
                log.warning("lease.unrenewed", exc_info=True, extra={"submission": self._claim.submission})
