"""What was spent on judges, for each day and each run, and the budgets that a call must fit in before it is made.

A call reserves its upper bound first and settles its true cost after. Both are lines at the end of two files,
one of the UTC day and one of the run, on the disk before the call is made. What a killed process had reserved
stays spent, since its calls may have been billed. A lock file makes processes take turns.
"""

import json
import logging
import os
import re
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock

from evaluation import codec
from evaluation.errors import CastboardError

log = logging.getLogger(__name__)

_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much may be spent; nothing is ever asked for beyond it."""

    per_run_micro_usd: int | None
    """Most for one run, over all its days, millionths of a US dollar; None for no limit."""
    per_day_micro_usd: int | None
    """Most for all runs of one UTC day, millionths of a US dollar; None for no limit."""

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return self.per_run_micro_usd is not None or self.per_day_micro_usd is not None


class BudgetSpent(CastboardError):
    """The next call might cost more than is left; the run pauses.

    Attributes:
        until: when there is a new budget (next UTC midnight); None for a run's, which only its operator can raise.
    """

    def __init__(self, message: str, *, until: datetime | None) -> None:
        """Say what was spent and what is allowed."""
        super().__init__(message)
        self.until = until


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Money set aside for one call."""

    id: str
    """Its own name."""
    run: str
    """Run that it is for."""
    day: date
    """UTC day on which it was made, and which it counts for."""
    micro_usd: int
    """How much, millionths of a US dollar."""


class Ledger:
    """The books in one folder; safe to use from several threads and processes at once."""

    def __init__(self, folder: Path) -> None:
        """Keep the books in `folder`, which is made when first needed."""
        self._folder = folder
        self._lock = threading.Lock()
        self._books: dict[Path, _Book] = {}

    def reserve(self, *, run: str, micro_usd: int, budget: Budget, now: datetime) -> Reservation:
        """Set money aside for one call of `run`.

        Args:
            run: name of the run: letters, digits, ".", "_" and "-".
            micro_usd: the most that the call can cost, >= 0.
            budget: what may be spent.
            now: time of day, aware.

        Raises:
            BudgetSpent: if it does not fit.
            ValueError: for a name or number out of range.
        """
        if not _RUN.fullmatch(run) or micro_usd < 0:
            raise ValueError(f"cannot reserve {micro_usd} for the run {run!r:.80}")
        raise NotImplementedError

    def settle(self, reservation: Reservation, micro_usd: int) -> None:
        """Put the true cost in the reservation's place, millionths of a US dollar, >= 0; 0 gives it back."""
        raise NotImplementedError

    def spent_on(self, day: date) -> int:
        """Return what was spent or is set aside on a UTC day, millionths of a US dollar."""
        raise NotImplementedError

    def spent_by(self, run: str) -> int:
        """Return what a run has spent or set aside, millionths of a US dollar."""
        raise NotImplementedError


class _Book:
    """One file of lines."""
