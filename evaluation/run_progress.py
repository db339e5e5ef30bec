"""How far a run is and how long it still takes, over all its passes."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol as TypingProtocol

from evaluation.passes import SHARED
from evaluation.records import Clip


class Countable(TypingProtocol):
    """A shard, as far as counting goes."""

    @property
    def index(self) -> int:
        """Its place in the plan."""
        ...

    @property
    def pass_name(self) -> str:
        """Pass that reads it."""
        ...

    @property
    def clips(self) -> tuple[Clip, ...]:
        """Its clips."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    shards_done: int
    """Finished shards of all passes."""
    n_shards: int
    """All shards of all passes."""
    clips_done: int
    """Clips that the present pass has finished."""
    n_clips: int
    """Clips that it reads."""
    seconds_per_clip: float | None
    """Wall seconds a clip in the present pass since this run began it; None before its first shard."""
    eta_s: float | None
    """Expected seconds to the end of all passes; passes that have not begun are expected to go at the mean pace of
    those that have. None before the first shard of this run."""
    pass_name: str = SHARED
    """The present pass."""
    n_passes: int = 1
    """All passes."""
    passes_done: int = 0
    """Passes that are finished."""


class Meter:
    """Counts the shards of one run. What was kept from an earlier run counts as done, and not for the pace."""

    def __init__(
        self, shards: Sequence[Countable], kept: Collection[int], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Count `shards`, of which those with an index in `kept` are done; `clock` gives seconds that only grow."""
        self._clock = clock
        self._shards = shards
        self._names = tuple(dict.fromkeys(shard.pass_name for shard in shards))
        self._done = set(kept)
        self._n_fresh = dict.fromkeys(self._names, 0)
        self._spent_s = dict.fromkeys(self._names, 0.0)
        self._present = self._names[-1] if self._names else ""
        self._began_s = clock()

    def enter(self, pass_name: str) -> Progress:
        """Begin a pass."""
        self._present = pass_name
        self._began_s = self._clock()
        return self._progress()

    def finish(self, shard: Countable) -> Progress:
        """Count a shard of the present pass."""
        self._done.add(shard.index)
        self._n_fresh[self._present] += len(shard.clips)
        self._spent_s[self._present] = self._clock() - self._began_s
        return self._progress()

    def _progress(self) -> Progress:
        n_left = {name: self._count(name, is_done=False) for name in self._names}
        n_present = n_left.get(self._present, 0)
        n_done = self._count(self._present, is_done=True)
        each = self._pace((self._present,))
        overall = self._pace(self._names)
        rest = sum(n_left.values()) - n_present
        eta = None if overall is None else (overall if each is None else each) * n_present + overall * rest
        return Progress(
            shards_done=len(self._done),
            n_shards=len(self._shards),
            clips_done=n_done,
            n_clips=n_done + n_present,
            seconds_per_clip=each,
            eta_s=eta,
            pass_name=self._present,
            n_passes=len(self._names),
            passes_done=sum(n == 0 for n in n_left.values()),
        )

    def _count(self, name: str, *, is_done: bool) -> int:
        counted = (s for s in self._shards if s.pass_name == name and (s.index in self._done) is is_done)
        return sum(len(shard.clips) for shard in counted)

    def _pace(self, names: Collection[str]) -> float | None:
        n_fresh = sum(self._n_fresh.get(name, 0) for name in names)
        return sum(self._spent_s[name] for name in names) / n_fresh if n_fresh else None
