"""Duels that an operator has ordered: one file for each pair, and a lock that a worker holds while it works on it.

    duels/<protocol>/<a>--<b>/order.json    what was ordered and how far it is; replaced whole at every step
    duels/<protocol>/<a>--<b>/claim/        locked by whoever carries it out; the kernel drops the lock with its process

So an order outlives every worker, two workers never carry out the same one, and a killed one leaves nothing behind.
Only the holder of the lock writes; an order is placed under it too.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from evaluation.codec import canonical, from_json, to_json
from evaluation.errors import SchemaError
from submissions import layout
from submissions.records import Timestamp, moment, timestamp
from submissions.store import atomic

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
OrderStage = Literal["ordered", "running", "waiting", "done", "failed"]
_ENDED = ("done", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One ordered duel and how far it is."""

    protocol: str
    """Id of the protocol beside whose board it will stand."""
    a: str
    """Submission whose id sorts first."""
    b: str
    """The other one."""
    ordered_at: Timestamp
    """When it was ordered."""
    stage: OrderStage
    """ "waiting" is for a judge or for money; "ordered" for a worker."""
    items_done: int
    """Items with all their calls answered."""
    n_items: int
    """Items that are put to the judge; 0 while unknown."""
    message: str
    """What it waits for, or why it failed; else empty."""
    not_before: Timestamp | None
    """When a waiting one is tried again; None for at once."""
    since: Timestamp | None
    """Since when it waits; None while it does not."""
    updated_at: Timestamp
    """When this was written."""

    @property
    def is_ended(self) -> bool:
        """Whether nobody will work on it any more."""
        return self.stage in _ENDED

    def is_due(self, now: datetime) -> bool:
        """Return whether a worker may take it up."""
        return not self.is_ended and (self.not_before is None or moment(self.not_before) <= now)


class DuelOrders:
    """The orders below one folder."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which need not exist."""
        self._folder = folder

    def place(self, protocol_id: str, one: str, other: str, now: datetime) -> Order:
        """Order a duel, or return the order of the pair that is under way; one that ended is ordered anew.

        Raises:
            ValueError: for names that no duel can have.
        """
        a, b = sorted((one, other))
        fresh = Order(
            protocol=protocol_id,
            a=a,
            b=b,
            ordered_at=timestamp(now),
            stage="ordered",
            items_done=0,
            n_items=0,
            message="",
            not_before=None,
            since=None,
            updated_at=timestamp(now),
        )
        with self.claimed(protocol_id, a, b) as is_ours:
            found = self.read(protocol_id, a, b)
            if found is not None and (not is_ours or not found.is_ended):
                return found
            if is_ours:
                self.write(fresh)
        return fresh

    def read(self, protocol_id: str, one: str, other: str) -> Order | None:
        """Return the order of a pair, or None if there is none that can be read."""
        try:
            return _decoded((self._place(protocol_id, one, other) / "order.json").read_bytes())
        except FileNotFoundError:
            return None
        except SchemaError:
            log.warning("duel.order_unreadable", exc_info=True)
            return None

    def write(self, order: Order) -> None:
        """Replace what is known of an order; hold its claim."""
        data = canonical({"schema_version": SCHEMA_VERSION, **to_json(order)})
        atomic.replace(self._place(order.protocol, order.a, order.b) / "order.json", data)

    def due(self, now: datetime) -> tuple[Order, ...]:
        """Return the orders that a worker may take up, first ordered first."""
        found = (self.read(*key) for key in self._keys())
        return tuple(
            sorted((one for one in found if one is not None and one.is_due(now)), key=lambda one: one.ordered_at)
        )

    @contextmanager
    def claimed(self, protocol_id: str, one: str, other: str) -> Iterator[bool]:
        """Hold a pair for the length of the block; gives False, and holds nothing, if somebody else does."""
        folder = self._place(protocol_id, one, other) / "claim"
        atomic.make_folder(folder)
        try:
            lock = atomic.locked(folder, exclusive=True, wait=False)
            lock.__enter__()
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            lock.__exit__(None, None, None)

    def _keys(self) -> Iterator[tuple[str, str, str]]:
        for path in sorted(self._folder.glob("*/*/order.json")):
            a, between, b = path.parent.name.partition("--")
            if between:
                yield path.parent.parent.name, a, b

    def _place(self, protocol_id: str, one: str, other: str) -> Path:
        path = Path(layout.duel_path(protocol_id, one, other))  # refuses what cannot name a file
        return self._folder / path.parent.name / path.stem


def moved(order: Order, now: datetime, stage: OrderStage, message: str = "") -> Order:
    """Return an order in another stage, no longer waiting for anything."""
    return replace(order, stage=stage, message=message, not_before=None, since=None, updated_at=timestamp(now))


def _decoded(data: bytes) -> Order:
    try:
        fields = json.loads(data)
    except ValueError as error:
        raise SchemaError(f"an order of a duel is no JSON: {error}") from error
    if not isinstance(fields, dict) or fields.pop("schema_version", None) != SCHEMA_VERSION:
        raise SchemaError(f"an order of a duel must have schema_version {SCHEMA_VERSION}")
    return from_json(Order, fields)
