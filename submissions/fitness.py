"""Which submissions a worker can run now, and why not the others.

On a machine of its own a worker says so by stopping, or by holding what it cannot run. Where workers of several
machines share a queue it leaves such a submission unclaimed: another one may have what is missing here.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from submissions import holds
from submissions.holds import NotReady
from submissions.records import SubmissionId
from submissions.state import SubmissionState
from submissions.station import Station
from submissions.store.base import StoreUnavailable

log = logging.getLogger(__name__)

_MOST_TOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """What stands in the way of one protocol."""

    until: datetime
    """Until when it is taken as known."""
    pause: timedelta
    """How long that is."""
    error: NotReady
    """What to say of it."""


class Fitness:
    """What one worker knows of the protocols that it was to evaluate under."""

    def __init__(self, station: Station) -> None:
        """Know nothing yet."""
        self._station = station
        self._ready: set[str] = set()
        self._faults: dict[str, _Fault] = {}
        self._left: dict[SubmissionId, str] = {}

    def check_own(self) -> None:
        """Return if the worker's own protocol can be run; raises what the preflight does."""
        self._station.preflight(self._station.protocol)
        self._ready.add(self._station.protocol.id)

    def protocol_for(self, state: SubmissionState) -> Protocol:
        """Return the protocol that a submission is to be evaluated under, which can be run here.

        Raises:
            ProtocolUnknown: if it is not known here.
            NotReady: if something that it names is missing here.
        """
        protocol = self._station.protocol_for(state)
        fault = self._faults.get(protocol.id)
        if fault is not None and self._station.clock() < fault.until:
            raise fault.error
        if protocol.id not in self._ready:
            self._check(protocol)
        return protocol

    def broke(self, protocol: Protocol, error: CastboardError) -> NotReady:
        """Take it as known for a while that a protocol cannot be run, longer each time, and return what to raise."""
        before = self._faults.get(protocol.id)
        shortest, longest = timedelta(seconds=holds.SHORTEST_S), timedelta(seconds=holds.LONGEST_S)
        is_again = before is not None and self._station.is_shared
        pause = min(2 * before.pause, longest) if is_again and before is not None else shortest
        fault = _not_ready(protocol, error)
        self._ready.discard(protocol.id)
        self._faults[protocol.id] = _Fault(until=self._station.clock() + pause, pause=pause, error=fault)
        log.warning("protocol.broken", extra={"protocol": protocol.id, "why": str(error)})
        return fault

    def works(self, protocol: Protocol) -> None:
        """Forget what stood in the way of a protocol: a run under it ended well."""
        self._faults.pop(protocol.id, None)

    def begin_look(self) -> None:
        """Forget what was left: the queue is looked through anew."""
        self._left.clear()

    def can_run(self, state: SubmissionState) -> bool:
        """Return whether a submission can be run here; one that cannot is noted as left."""
        try:
            self.protocol_for(state)
        except StoreUnavailable:
            raise
        except CastboardError as error:
            self._left[state.submission] = str(error)
            return False
        return True

    def told(self) -> str:
        """Return which submissions were left to other workers, and why, for the operator; empty for none."""
        reasons: dict[str, list[str]] = {}
        for submission, why in self._left.items():
            reasons.setdefault(why, []).append(submission)
        return " ".join(f"Leaves {_listed(some)} to other workers: {why}" for why, some in reasons.items())

    def _check(self, protocol: Protocol) -> None:
        try:
            self._station.preflight(protocol)
        except CastboardError as error:
            if self._station.is_shared:  # the queue is looked through again and again, and this may be slow
                raise self.broke(protocol, error) from error
            raise _not_ready(protocol, error) from error
        self._ready.add(protocol.id)


def _not_ready(protocol: Protocol, error: CastboardError) -> NotReady:
    return NotReady(f"protocol {protocol.name} ({protocol.id}) cannot be run here now: {error}")


def _listed(some: list[str]) -> str:
    more = len(some) - _MOST_TOLD
    return ", ".join(some[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
