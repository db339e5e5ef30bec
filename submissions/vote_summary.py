"""What votes say: of a pair, of a system, of a whole board. Pure; nothing here touches a score.

A rater who failed most of several catch trials is left out everywhere, and it is told how many votes that took away.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from evaluation.bootstrap import wilson_interval
from evaluation.records import Decision
from submissions.votes import Vote

ENOUGH = 20
"""Votes from which on a share is told with more than its count."""
LEAST_CATCHES = 2
"""Catch trials after which a rater is judged by them."""
PASSING = 0.5
"""Least share of catch trials that a rater must have right."""
ALPHA = 0.05
_CHANCE = 0.5
_NORMAL = NormalDist()
_MOST_D = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of votes with its 95 % interval."""

    n: int
    """Votes that are counted."""
    n_hits: int
    """Those of them that the share is of."""
    low: float | None
    """Lower end of the Wilson interval; None without a vote."""
    high: float | None
    """Upper end."""

    @property
    def value(self) -> float | None:
        """The share, 0..1; None without a vote."""
        return self.n_hits / self.n if self.n else None

    @property
    def is_enough(self) -> bool:
        """Whether there are votes enough to say more than how many there are."""
        return self.n >= ENOUGH


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEvidence:
    """What people heard of one pair of systems."""

    a: str
    """The smaller id of the two."""
    b: str
    """The other."""
    n_for_a: int
    """Preference votes for a."""
    n_for_b: int
    """Preference votes for b."""
    n_none: int
    """Preference votes for neither."""
    prefers_a: Share
    """Of the votes that chose one, those for a."""
    told_apart: Share
    """Of the abx answers, those that were right; half are by chance."""
    d_prime: float | None
    """Sensitivity that such a share means, 0..6; None without enough answers."""
    n_raters: int
    """Raters of these votes."""

    @property
    def n_preferences(self) -> int:
        """All preference votes."""
        return self.n_for_a + self.n_for_b + self.n_none

    def preferred(self) -> str | None:
        """Return which of the two people prefer, if the interval leaves no doubt; else None."""
        share = self.prefers_a
        if not share.is_enough or share.low is None or share.high is None:
            return None
        if share.low > _CHANCE:
            return self.a
        return self.b if share.high < _CHANCE else None

    def agrees(self, decision: Decision | None) -> bool | None:
        """Return whether people and a decision name the same winner; None if either names none."""
        preferred = self.preferred()
        if preferred is None or decision is None or not decision.is_win:
            return None
        return preferred == decision.challenger


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEvidence:
    """What people heard of all systems of a board."""

    n_votes: int
    """All votes, catch trials included."""
    n_left_out: int
    """Those of raters who failed their catch trials."""
    n_raters: int
    """Raters."""
    catches: Share
    """Of the catch trials, those that were right."""
    pairs: tuple[PairEvidence, ...]
    """Every pair with a counted vote, most votes first."""
    systems: Mapping[str, Share]
    """Of the preference votes that chose one of a system and another, those for it; by submission."""
    with_scores: Share
    """Of the preference votes that chose one, those for the clip that the board scores higher; equal ones left out."""


def evidence(votes: Iterable[Vote], scores: Mapping[tuple[str, str], float] | None = None) -> BoardEvidence:
    """Return what the votes on one board say.

    Args:
        votes: all of them, in any order.
        scores: what the board gives to a clip, by submission and item; None or without an entry: not compared.
    """
    everything = sorted(votes, key=lambda vote: vote.id)
    out = failing(everything)
    counted = [vote for vote in everything if vote.rater not in out]
    real = [vote for vote in counted if not vote.catch]
    by_pair: dict[tuple[str, str], list[Vote]] = defaultdict(list)
    for vote in real:
        by_pair[vote.a, vote.b].append(vote)
    pairs = [_pair(a, b, found) for (a, b), found in by_pair.items()]
    pairs.sort(key=lambda one: (-one.n_preferences - one.told_apart.n, one.a, one.b))
    return BoardEvidence(
        n_votes=len(everything),
        n_left_out=len(everything) - len(counted),
        n_raters=len({vote.rater for vote in everything}),
        catches=_share([_is_right(vote) for vote in everything if vote.catch]),
        pairs=tuple(pairs),
        systems=_systems(real),
        with_scores=_with_scores(real, scores or {}),
    )


def pair_evidence(votes: Iterable[Vote], a: str, b: str) -> PairEvidence:
    """Return what the votes on one board say of a pair, whichever way round it is named."""
    first, second = sorted((a, b))
    everything = list(votes)
    out = failing(everything)
    found = [vote for vote in everything if (vote.a, vote.b) == (first, second)]
    return _pair(first, second, [vote for vote in found if not vote.catch and vote.rater not in out])


def failing(votes: Iterable[Vote]) -> frozenset[str]:
    """Return the raters who had too many of their catch trials wrong to be counted."""
    caught: dict[str, list[bool]] = defaultdict(list)
    for vote in votes:
        if vote.catch:
            caught[vote.rater].append(_is_right(vote))
    return frozenset(
        rater for rater, right in caught.items() if len(right) >= LEAST_CATCHES and sum(right) < PASSING * len(right)
    )


def d_prime(share: float) -> float:
    """Return the sensitivity of a listener with such a share of right abx answers who compares each clip on its own.

    Args:
        share: 0..1; a half and less is 0.

    Source: Macmillan and Creelman, Detection Theory, 2nd ed., the independent-observation model of abx.
    """
    low, high = 0.0, _MOST_D
    if share <= _CHANCE:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _abx_share(middle) < share else (low, middle)
    return round(low, 3)


def _abx_share(d: float) -> float:
    wide, half = _NORMAL.cdf(d / 2**0.5), _NORMAL.cdf(d / 2)
    return wide * half + (1 - wide) * (1 - half)


def _is_right(vote: Vote) -> bool:
    return vote.answer == vote.expected


def _pair(a: str, b: str, votes: Sequence[Vote]) -> PairEvidence:
    chosen = [vote.answer for vote in votes if vote.kind == "preference"]
    apart = _share([_is_right(vote) for vote in votes if vote.kind == "abx"])
    return PairEvidence(
        a=a,
        b=b,
        n_for_a=chosen.count("a"),
        n_for_b=chosen.count("b"),
        n_none=chosen.count("none"),
        prefers_a=_share([answer == "a" for answer in chosen if answer != "none"]),
        told_apart=apart,
        d_prime=d_prime(apart.n_hits / apart.n) if apart.is_enough else None,
        n_raters=len({vote.rater for vote in votes}),
    )


def _systems(votes: Iterable[Vote]) -> dict[str, Share]:
    heard: dict[str, list[bool]] = defaultdict(list)
    for vote in votes:
        if vote.kind == "preference" and vote.answer != "none":
            heard[vote.a].append(vote.answer == "a")
            heard[vote.b].append(vote.answer == "b")
    return {submission: _share(heard[submission]) for submission in sorted(heard)}


def _with_scores(votes: Iterable[Vote], scores: Mapping[tuple[str, str], float]) -> Share:
    agreed: list[bool] = []
    for vote in votes:
        one, other = scores.get((vote.a, vote.item)), scores.get((vote.b, vote.item))
        if vote.kind != "preference" or vote.answer == "none" or one is None or other is None:
            continue
        if one != other:
            agreed.append((one > other) == (vote.answer == "a"))
    return _share(agreed)


def _share(hits: Sequence[bool]) -> Share:
    interval = wilson_interval(sum(hits), len(hits), alpha=ALPHA) if hits else None
    return Share(
        n=len(hits),
        n_hits=sum(hits),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )
