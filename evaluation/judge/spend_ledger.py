"""What was spent on judges, for each day and each run, and the budgets that a call must fit in before it is made.

A call reserves its upper bound first and settles its true cost after. Both are lines at the end of two files,
one of the UTC day and one of the run; the reservation is on the disk before the call is made. What a killed process
had reserved stays spent, since its calls may have been billed. A settlement that a power cut loses leaves the
reservation standing, so it is not waited for. A lock file makes processes take turns.
"""

import contextlib
import json
import logging
import os
import re
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from filelock import FileLock

from evaluation import codec
from evaluation.errors import CastboardError

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
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
        day = now.astimezone(UTC).date()
        made = Reservation(id=uuid.uuid4().hex, run=run, day=day, micro_usd=micro_usd)
        with self._turn():
            self._refuse_if_spent(made, budget)
            self._write(made, micro_usd, now, is_awaited=True)
        return made

    def settle(self, reservation: Reservation, micro_usd: int) -> None:
        """Put the true cost in the reservation's place, millionths of a US dollar, >= 0; 0 gives it back."""
        with self._turn():
            self._write(reservation, micro_usd, datetime.now(UTC), is_awaited=micro_usd > reservation.micro_usd)

    def spent_on(self, day: date) -> int:
        """Return what was spent or is set aside on a UTC day, millionths of a US dollar."""
        with self._turn():
            return self._book("days", day.isoformat()).total()

    def spent_by(self, run: str) -> int:
        """Return what a run has spent or set aside, millionths of a US dollar."""
        with self._turn():
            return self._book("runs", run).total()

    def _refuse_if_spent(self, wanted: Reservation, budget: Budget) -> None:
        run_spent = self._book("runs", wanted.run).total()
        if budget.per_run_micro_usd is not None and run_spent + wanted.micro_usd > budget.per_run_micro_usd:
            allowed = budget.per_run_micro_usd
            raise BudgetSpent(_sentence("this run", run_spent, wanted.micro_usd, allowed), until=None)
        day_spent = self._book("days", wanted.day.isoformat()).total()
        if budget.per_day_micro_usd is not None and day_spent + wanted.micro_usd > budget.per_day_micro_usd:
            until = datetime.combine(wanted.day + timedelta(days=1), datetime.min.time(), tzinfo=UTC)
            allowed = budget.per_day_micro_usd
            what = f"{wanted.day.isoformat()} (UTC)"
            raise BudgetSpent(_sentence(what, day_spent, wanted.micro_usd, allowed), until=until)

    def _write(self, reservation: Reservation, micro_usd: int, now: datetime, *, is_awaited: bool) -> None:
        """Write one line in both books; between the two, a reservation blocks money and a settlement frees none."""
        line = {
            "schema_version": SCHEMA_VERSION,
            "id": reservation.id,
            "run": reservation.run,
            "micro_usd": micro_usd,
            "at": now.astimezone(UTC).isoformat(timespec="seconds"),
        }
        for kind, name in (("days", reservation.day.isoformat()), ("runs", reservation.run)):
            self._book(kind, name).append(line, is_awaited=is_awaited)

    def _book(self, kind: str, name: str) -> "_Book":
        path = self._folder / kind / f"{name}.jsonl"
        return self._books.setdefault(path, _Book(path))

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Keep other threads and processes out."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._lock, FileLock(self._folder / "lock"):
            yield


class _Book:
    """One file of lines; the last line of a call holds. What was read is remembered, only new lines are read again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._n_read = 0
        self._amounts: dict[str, int] = {}

    def total(self) -> int:
        """Return the sum of the amounts, of which each call has one."""
        self._read_on()
        return sum(self._amounts.values())

    def append(self, line: Mapping[str, Any], *, is_awaited: bool) -> None:
        """Write one line at the end, and wait for the disk if it is awaited."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+") as file:
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a writer was killed in the middle of its line
                    file.write(b"\n")
            file.write(codec.canonical(line) + b"\n")
            file.flush()
            if is_awaited:
                os.fsync(file.fileno())

    def _read_on(self) -> None:
        if not self._path.exists():
            self._n_read, self._amounts = 0, {}
            return
        with self._path.open("rb") as file:
            file.seek(self._n_read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._n_read += len(whole)
        for raw in whole.splitlines():
            self._take(raw)

    def _take(self, raw: bytes) -> None:
        try:
            line = json.loads(raw)
            call, amount = line["id"], line["micro_usd"]
            is_good = isinstance(call, str) and type(amount) is int and amount >= 0
        except (ValueError, KeyError, TypeError):
            is_good = False
        if is_good:
            self._amounts[call] = amount
        else:
            log.warning("ledger.line_damaged", extra={"book": self._path.name})


def _sentence(what: str, spent: int, wanted: int, allowed: int) -> str:
    return (
        f"the judge's budget for {what} is spent: {_usd(spent)} of {_usd(allowed)} used or set aside, "
        f"and the next call may cost {_usd(wanted)}"
    )


def _usd(micro_usd: int) -> str:
    return f"{Decimal(micro_usd) / 1_000_000:.6f} USD"
