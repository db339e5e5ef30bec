"""Answers what follows from a board if it is worked out, and has it worked out if it is not.

Pages never compute: they ask, and get the answer or None, "not yet". One thread of the process works, on what was asked
for first, and ends when nothing is left. What it made is kept in memory by the revision of the board, and on disk by
the sha256 of each row's result, so that one new system costs its own table and its own pairs. A small board is answered
at once, in the thread of whoever asks.
"""

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evaluation.errors import CastboardError
from leaderboard.derive.making import Maker
from leaderboard.derive.records import ALL, ScoreTable, Slice, prepared
from leaderboard.derive.view import SliceView
from leaderboard.views import Board
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)

FOLDER = "derived"
"""Folder of the site's home that holds what can be worked out again at any time."""
N_AT_ONCE = 40
"""A board of so many systems is answered at once."""
N_BOARDS = 6
"""Boards that are kept in memory; a full one of 500 systems has some 20 MB and 1.3 MB a slice."""
N_VIEWS = 160
"""Slices that are kept in memory, of all boards together: all that can be asked of one board, and those made ahead of
another, so that nobody who asks for one after the other has them made without end."""
N_WANTED = 24
"""Slices of a board that wait because somebody asked; who asks for one more is told "not yet" and asks again."""
RETRY_S = 20.0
"""So long a failure is let rest, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the deriving of a board is."""

    n_ready: int
    """Slices that are answered now, of those that are worked out ahead."""
    n_all: int
    """Slices that are worked out ahead."""
    is_failing: bool
    """The last attempt failed, for example because the store is away; it is tried again by itself."""

    @property
    def is_ready(self) -> bool:
        """Whether all of it is there."""
        return self.n_ready == self.n_all


@dataclass(slots=True, kw_only=True)
class _Desk:
    """One revision of one board, being worked on."""

    board: Board
    is_small: bool
    table: ScoreTable | None = None
    ready: set[Slice] = field(default_factory=set)  # in memory now
    done: set[Slice] = field(default_factory=set)  # made once; one that had to go from memory is made when asked for
    wanted: list[Slice] = field(default_factory=list)
    is_ahead_due: bool = False  # the last one made was asked for: one that is made ahead comes next
    failed_s: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_resting(self) -> bool:
        """Whether the last attempt failed, and it is too early for another one."""
        return self.failed_s is not None and time.monotonic() - self.failed_s < RETRY_S

    def state(self) -> tuple[str, ...]:
        """Return what changes whenever an answer may: also when a failure has rested, so that somebody asks again."""
        failure = "" if self.failed_s is None else f"{self.failed_s} {self.is_resting()}"
        ready = () if self.is_small else (str(self.table is not None), *sorted(one.key for one in self.ready))
        return (self.board.protocol_id, self.board.revision, failure, *ready)


class SliceKeeper:
    """What follows from the boards of a site; safe to ask from several threads."""

    def __init__(self, files: PublishedFiles, home: Path, *, n_at_once: int = N_AT_ONCE) -> None:
        """Read `files` when asked, and keep what was made in a folder of `home`; boards up to `n_at_once` at once."""
        self._maker = Maker(files, home / FOLDER)
        self._n_at_once = n_at_once
        self._lock = threading.RLock()
        self._desks: OrderedDict[str, _Desk] = OrderedDict()
        self._views: OrderedDict[tuple[str, str, Slice], SliceView] = OrderedDict()
        self._thread: threading.Thread | None = None

    def table(self, board: Board) -> ScoreTable | None:
        """Return everything scored on a board; None: not yet, it is being worked out now."""
        desk = self._desk(board)
        if desk.table is None and desk.is_small:
            self._attempt(desk, lambda: self._make_table(desk))
        self._go_on(desk)
        return desk.table

    def view(self, board: Board, part: Slice = ALL) -> SliceView | None:
        """Return a slice of a board; None: not yet, it is being worked out now, before others.

        Raises:
            KeyError: for a dimension that the board does not score.
        """
        if part.trait is not None and part.trait not in board.protocol.dimensions:
            raise KeyError(f"this board scores no {part.trait}")
        desk = self._desk(board)
        found = self._found(desk, part)
        if found is None and desk.is_small:
            self._attempt(desk, lambda: self._make_view(desk, part))
            found = self._found(desk, part)
        if found is None:
            with self._lock:
                if part not in desk.wanted and len(desk.wanted) < N_WANTED:
                    desk.wanted.append(part)
        self._go_on(desk)
        return found

    def progress(self, board: Board) -> Progress:
        """Return how far the deriving of a board is, and begin it if nothing was asked of it so far."""
        desk = self._desk(board)
        self._go_on(desk)
        ahead = prepared(board.protocol)
        with self._lock:
            n_ready = len(ahead) if desk.is_small and desk.failed_s is None else sum(one in desk.done for one in ahead)
            return Progress(n_ready=n_ready, n_all=len(ahead), is_failing=desk.failed_s is not None)

    def stamp(self) -> str:
        """Return what changes whenever an answer would: a part of the revision of every page that asks."""
        with self._lock:
            words = ["\n".join(desk.state()) for _, desk in sorted(self._desks.items())]
        return hashlib.sha256("\n\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def settle(self, board: Board, *, timeout_s: float = 600.0) -> bool:
        """Wait until everything of a board that is worked out ahead is there; for tests, verbs and benches, not pages.

        Returns:
            Whether it is; false after the time, or if it fails.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            self.progress(board)
            with self._lock:
                thread = self._thread
            if thread is None:
                return self.progress(board).is_ready
            thread.join(max(0.0, deadline_s - time.monotonic()))
            if thread.is_alive():
                return False

    def _desk(self, board: Board) -> _Desk:
        with self._lock:
            desk = self._desks.get(board.protocol_id)
            if desk is None or desk.board.revision != board.revision:
                desk = _Desk(board=board, is_small=len(board.rows) <= self._n_at_once)
                self._desks[board.protocol_id] = desk
            self._desks.move_to_end(board.protocol_id)
            while len(self._desks) > N_BOARDS:
                self._desks.popitem(last=False)
            return desk

    def _found(self, desk: _Desk, part: Slice) -> SliceView | None:
        key = (desk.board.protocol_id, desk.board.revision, part)
        with self._lock:
            found = self._views.get(key)
            if found is not None:
                self._views.move_to_end(key)
            return found

    def _make_table(self, desk: _Desk) -> ScoreTable:
        with desk.lock:
            if desk.table is None:
                desk.table = self._maker.table(desk.board)
            return desk.table

    def _make_view(self, desk: _Desk, part: Slice) -> None:
        table = self._make_table(desk)
        with desk.lock:
            if self._found(desk, part) is not None:
                desk.ready.add(part)  # made for an earlier desk of the same revision
                desk.done.add(part)
                return
            is_kept = not desk.is_small and part in prepared(desk.board.protocol)
            view = self._maker.view(table, part, is_kept=is_kept)
        with self._lock:
            self._views[desk.board.protocol_id, desk.board.revision, part] = view
            desk.ready.add(part)
            desk.done.add(part)
            while len(self._views) > N_VIEWS:
                (protocol_id, revision, old), _ = self._views.popitem(last=False)
                other = self._desks.get(protocol_id)
                if other is not None and other.board.revision == revision:
                    other.ready.discard(old)

    def _attempt(self, desk: _Desk, make: Callable[[], object]) -> bool:
        """Return whether it could be made; a store that is away is tried again later."""
        if desk.is_resting():
            return False
        try:
            make()
        except (CastboardError, OSError) as error:
            log.warning("derived.failed", extra={"protocol": desk.board.protocol_id, "why": str(error)})
            desk.failed_s = time.monotonic()
            return False
        desk.failed_s = None
        return True

    def _go_on(self, desk: _Desk) -> None:
        """See that somebody works if there is something to do."""
        with self._lock:
            if self._thread is None and self._next(desk) is not None:
                self._thread = threading.Thread(target=self._work, name="derive", daemon=True)
                self._thread.start()

    def _next(self, desk: _Desk) -> Slice | None:
        """Return the slice of a board that is to be made next; None if nothing is to be done now."""
        if desk.is_small or desk.is_resting():
            return None
        desk.wanted = [part for part in desk.wanted if part not in desk.ready]
        ahead = [part for part in prepared(desk.board.protocol) if part not in desk.done]
        return next(iter([*(ahead[:1] if desk.is_ahead_due else ()), *desk.wanted, *ahead]), None)

    def _work(self) -> None:
        try:
            while True:
                with self._lock:
                    found = self._job()
                    if found is None:
                        self._thread = None
                        return
                desk, part = found
                desk.is_ahead_due = part in desk.wanted
                if self._attempt(desk, partial(self._make_view, desk, part)):
                    self._tidy(desk)
        finally:  # a bug is told by the thread's own hook; the next who asks tries again
            with self._lock:
                if self._thread is threading.current_thread():
                    self._thread = None

    def _job(self) -> tuple[_Desk, Slice] | None:
        """Return what is to be made next: what was asked for first, then the board that was asked for last."""
        desks = list(self._desks.values())[::-1]
        desks.sort(key=lambda desk: not desk.wanted)
        found = ((desk, self._next(desk)) for desk in desks)
        return next(((desk, part) for desk, part in found if part is not None), None)

    def _tidy(self, desk: _Desk) -> None:
        """Clear the disk once all of a board is there."""
        with self._lock:
            is_done = self._next(desk) is None and self._desks.get(desk.board.protocol_id) is desk
        if is_done and desk.table is not None:
            self._maker.tidy(desk.table)
            log.info("derived.ready", extra={"protocol": desk.board.protocol_id, "n_systems": len(desk.board.rows)})
