"""Which two clips a listener is given: those whose comparison would tell most. Pure, but for the draws it is handed.

Pairs that the board leaves tied, and of which little was heard, come first; items of which little was heard come next.
Nobody can ask for a pair, so nobody can vote for a system of their own choice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from evaluation.records import Item
from leaderboard.views import Board, Sample
from submissions.votes import Catch, Kind, Question, Side, Vote

N_DRAWN_PAIRS = 48
"""Pairs that are looked at for one trial; a large board has too many to look at all."""
N_DRAWN_ITEMS = 24
CATCH_SHARE = 0.1
"""Share of trials whose answer is known."""
ABX_SHARE = 0.3
"""Share of trials that ask only whether clips can be told apart."""
TIE_WEIGHT = 4.0
"""So many times as soon as a decided pair is a tied one heard."""

Samples = Mapping[str, Mapping[str, Sample]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one listener is asked."""

    protocol: str
    """Id of the protocol."""
    kind: Kind
    """What sort of test."""
    question: Question
    """What is asked."""
    catch: Catch
    """How the right answer is known; empty where there is none."""
    item: str
    """Item that the clips read."""
    a: str
    """Submission of one clip, the smaller id."""
    b: str
    """Submission of the other."""
    first: Side
    """Whose clip stands first."""
    expected: str
    """The right answer: a, b or none; empty where there is none."""

    def submissions(self) -> tuple[str, ...]:
        """Return whose clips are heard, in the order of the page; the third one of an abx test is the one to name."""
        sides = {"a": self.a, "b": self.b}
        ordered = (sides[self.first], sides["b" if self.first == "a" else "a"])
        return (*ordered, sides[self.expected]) if self.kind == "abx" else ordered


def choose_pair(board: Board, votes: Iterable[Vote], rng: Random) -> tuple[str, str] | None:
    """Return the submissions of the pair to be heard next, the smaller id first; None without two systems."""
    names = [row.submission for row in board.rows]
    if len(names) < 2:
        return None
    heard = Counter((vote.a, vote.b) for vote in votes)
    drawn: set[tuple[str, str]] = set()
    for _ in range(N_DRAWN_PAIRS):
        one = rng.randrange(len(names))
        # Near neighbours are where a board is least sure; far pairs are heard now and then.
        reach = rng.choice((1, 1, 2, 3, len(names)))
        other = min(max(one + rng.choice((-1, 1)) * rng.randint(1, reach), 0), len(names) - 1)
        if one != other:
            drawn.add(ordered(names[one], names[other]))
    if not drawn:
        return None
    weighed = [(weight(board, pair, heard[pair]), rng.random(), pair) for pair in sorted(drawn)]
    return max(weighed)[2]


def weight(board: Board, pair: tuple[str, str], n_heard: int) -> float:
    """Return how much hearing a pair would tell: more of a tie, less the more was heard already."""
    a, b = pair
    decision = board.decisions.get((a, b)) or board.decisions.get((b, a))
    is_tied = decision is None or not decision.is_win
    return (TIE_WEIGHT if is_tied else 1.0) / (1 + n_heard)


def choose_trial(
    board: Board,
    items: Sequence[Item],
    samples: Samples,
    pair: tuple[str, str],
    *,
    votes: Iterable[Vote],
    rng: Random,
    kind: Kind | None = None,
) -> Trial | None:
    """Return a trial of a pair, or None if the two have no item that both read well enough to be compared.

    Args:
        board: the board.
        items: of its corpus; held-out ones are never played.
        samples: those of both systems.
        pair: their submissions, the smaller id first.
        votes: what was heard before.
        rng: draws.
        kind: only this sort; None: either.
    """
    a, b = pair
    if rng.random() < CATCH_SHARE:
        caught = _catch(board, items, samples, pair, rng)
        if caught is not None and kind in (None, caught.kind):
            return caught
    both = [item.id for item in _public(items) if _passed(samples, a, item.id) and _passed(samples, b, item.id)]
    if not both:
        return None
    heard = Counter(vote.item for vote in votes if (vote.a, vote.b) == pair)
    drawn = rng.sample(both, min(N_DRAWN_ITEMS, len(both)))
    item = min(drawn, key=lambda one: (heard[one], rng.random()))
    kind = kind or ("abx" if rng.random() < ABX_SHARE else "preference")
    question: Question = "apart" if kind == "abx" else rng.choice(("instruction", "naturalness"))
    return Trial(
        protocol=board.protocol_id,
        kind=kind,
        question=question,
        catch="",
        item=item,
        a=a,
        b=b,
        first=rng.choice(("a", "b")),
        expected=rng.choice(("a", "b")) if kind == "abx" else "",
    )


def ordered(one: str, other: str) -> tuple[str, str]:
    """Return two ids, the smaller first."""
    return (one, other) if one <= other else (other, one)


def _catch(board: Board, items: Sequence[Item], samples: Samples, pair: tuple[str, str], rng: Random) -> Trial | None:
    """Return a preference trial with a known answer: one clip against itself, or against one that the gate vetoed."""
    a, b = pair
    found: list[tuple[Catch, str, str, str, str]] = []
    for item in _public(items):
        good = {name: _passed(samples, name, item.id) for name in pair}
        if good[a]:
            found.append(("identical", item.id, a, a, "none"))
        for name, other, expected in ((a, b, "a"), (b, a, "b")):
            if good[name] and _vetoed(samples, other, item.id):
                found.append(("vetoed", item.id, a, b, expected))
    if not found:
        return None
    sort = rng.choice(("identical", "vetoed"))
    wanted = [one for one in found if one[0] == sort] or found
    catch, item_id, one_name, other_name, expected = rng.choice(wanted)
    return Trial(
        protocol=board.protocol_id,
        kind="preference",
        question="instruction",
        catch=catch,
        item=item_id,
        a=one_name,
        b=other_name,
        first=rng.choice(("a", "b")),
        expected=expected,
    )


def _public(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item.split == "public"]


def _passed(samples: Samples, submission: str, item: str) -> bool:
    sample = samples.get(submission, {}).get(item)
    return sample is not None and sample.clip_sha256 is not None and sample.passed_gate


def _vetoed(samples: Samples, submission: str, item: str) -> bool:
    sample = samples.get(submission, {}).get(item)
    return sample is not None and sample.clip_sha256 is not None and not sample.passed_gate
