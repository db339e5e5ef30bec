"""Labels and verdicts become figures of agreement: people with each other first, then the judge with people. Pure.

People's answer to a comparison is the one with more votes than each other answer; without such a majority it is a tie.
The judge's answer is its verdict's winner, a tie if its two orders disagree. A tie is an answer like any other: it is
right if people tie too. All intervals resample comparisons, with everything that was said of each, 1000 times, seeded.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evaluation.bootstrap import Interval
from evaluation.codec import sha256_of
from evaluation.people.comparisons import AnswerKey, Comparison, encode_key
from evaluation.people.labels import Label
from evaluation.people.report import Agreement, AgreementReport, Figure
from evaluation.records import Winner

ANSWERS: tuple[Winner, ...] = ("clip", "anchor", "tie")
N_RESAMPLES = 1000
SEED = 3151662
TAILS = (0.025, 0.975)
LEAST_DEFINED = 0.9
"""Share of resamples in which a figure must exist before they give an interval."""

Indices = NDArray[np.int64]
Statistic = Callable[[Indices], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One comparison with its labels."""

    comparison: Comparison
    labels: tuple[Label, ...]

    @property
    def votes(self) -> tuple[int, ...]:
        counts = Counter(self.comparison.winner_of(label.winner) for label in self.labels)
        return tuple(counts[answer] for answer in ANSWERS)

    @property
    def majority(self) -> Winner | None:
        most = max(self.votes)
        return ANSWERS[self.votes.index(most)] if self.votes.count(most) == 1 else None

    def scores(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Return the mean score of people and the judge's: of the system's clip, then of the anchor's."""
        given = [(one.score_a, one.score_b) for one in self.labels if None not in (one.score_a, one.score_b)]
        if not given:
            return None
        a, b = (fmean(score or 0.0 for score in scores) for scores in zip(*given, strict=True))
        clip, anchor = (a, b) if self.comparison.clip_letter == "a" else (b, a)
        verdict = self.comparison.judged.verdict
        return (clip, verdict.score), (anchor, verdict.anchor_score)


def agreement_report(
    key: AnswerKey,
    labels: Sequence[Label],
    *,
    labels_sha256: Sequence[str],
    date: str,
    n_resamples: int = N_RESAMPLES,
) -> AgreementReport:
    """Return how far the judge of `key` agrees with the people who gave `labels`.

    Args:
        key: what was asked about, with the judge's verdicts.
        labels: at least one, each of a comparison of the key.
        labels_sha256: sha256 (hex) of each table of labels.
        date: day on which they were taken in, YYYY-MM-DD.
        n_resamples: resamples of every interval.

    Raises:
        ValueError: without a label, or for one of another comparison.
    """
    by_comparison: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: (one.comparison, one.rater)):
        by_comparison[label.comparison].append(label)
    strangers = sorted(set(by_comparison) - {one.id for one in key.comparisons})
    if strangers or not labels:
        raise ValueError(f"labels must be of the key's comparisons, at least one; strange are {strangers[:10]}")
    heard = [
        _Heard(comparison=one, labels=tuple(by_comparison[one.id]))
        for one in key.comparisons
        if one.id in by_comparison
    ]
    groups: dict[str, list[_Heard]] = defaultdict(list)
    for one in heard:
        groups[one.comparison.judged.dimension].append(one)
    return AgreementReport(
        protocol_id=key.protocol_id,
        judge=key.judge,
        date=date,
        key_sha256=sha256_of(encode_key(key)),
        labels_sha256=tuple(sorted(labels_sha256)),
        n_asked=len(key.comparisons),
        overall=_agreement(heard, n_resamples),
        dimensions={name: _agreement(groups[name], n_resamples) for name in sorted(groups)},
    )


def _agreement(heard: Sequence[_Heard], n_resamples: int) -> Agreement:
    people = np.array([ANSWERS.index(one.majority or "tie") for one in heard])
    judge = np.array([ANSWERS.index(one.comparison.judged.verdict.winner) for one in heard])
    return Agreement(
        n_comparisons=len(heard),
        n_labels=sum(len(one.labels) for one in heard),
        n_raters=len({label.rater for one in heard for label in one.labels}),
        n_no_majority=sum(one.majority is None for one in heard),
        n_inconsistent=sum(not one.comparison.judged.verdict.is_consistent for one in heard),
        human_alpha=_human_alpha(heard, n_resamples),
        judge_accuracy=_figure(
            lambda at: float(np.mean(people[at] == judge[at])), len(heard), n_resamples, "nothing was labelled"
        ),
        judge_kappa=_figure(
            _kappa(people, judge),
            len(heard),
            n_resamples,
            "people and the judge gave one and the same answer throughout",
        ),
        score_correlation=_correlation(heard, n_resamples),
        answers=_table(people, judge),
    )


def _table(people: Indices, judge: Indices) -> Mapping[str, Mapping[str, int]]:
    return {
        said: {judged: int(np.sum((people == row) & (judge == column))) for column, judged in enumerate(ANSWERS)}
        for row, said in enumerate(ANSWERS)
    }


def _human_alpha(heard: Sequence[_Heard], n_resamples: int) -> Figure:
    import krippendorff

    votes = np.array([one.votes for one in heard if len(one.labels) > 1], dtype=np.int64).reshape(-1, len(ANSWERS))
    if not votes.size:
        return _without("no comparison was labelled by two people")

    def alpha(at: Indices) -> float | None:
        counts = votes[at]
        if np.count_nonzero(counts.sum(axis=0)) < 2:
            return None  # without a difference there is nothing that chance could have made
        return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))

    return _figure(alpha, len(votes), n_resamples, "all answers are the same one")


def _kappa(people: Indices, judge: Indices) -> Statistic:
    from sklearn.metrics import cohen_kappa_score

    labels = list(range(len(ANSWERS)))

    def kappa(at: Indices) -> float | None:
        if len({*people[at].tolist(), *judge[at].tolist()}) < 2:
            return None
        return float(cohen_kappa_score(people[at], judge[at], labels=labels))

    return kappa


def _correlation(heard: Sequence[_Heard], n_resamples: int) -> Figure:
    from scipy.stats import spearmanr

    scored = [found for found in (one.scores() for one in heard) if found is not None]
    if not scored:
        return _without("nobody gave scores")
    pairs = np.array(scored, dtype=np.float64)  # comparison, clip or anchor, people or judge

    def correlation(at: Indices) -> float | None:
        people, judge = pairs[at, :, 0].ravel(), pairs[at, :, 1].ravel()
        if np.ptp(people) == 0 or np.ptp(judge) == 0:
            return None
        return float(spearmanr(people, judge).statistic)

    return _figure(correlation, len(pairs), n_resamples, "all scores of people, or of the judge, are the same")


def _figure(statistic: Statistic, n: int, n_resamples: int, why_not: str) -> Figure:
    value = statistic(np.arange(n))
    if value is None or not math.isfinite(value):
        return Figure(value=None, interval=None, n=n, reason=why_not)
    return Figure(value=round(value, 6), interval=_interval(statistic, n, n_resamples), n=n, reason=None)


def _interval(statistic: Statistic, n: int, n_resamples: int) -> Interval | None:
    if n < 2:
        return None
    drawn = np.random.default_rng(SEED).integers(0, n, size=(n_resamples, n))
    values = [value for value in (statistic(at) for at in drawn) if value is not None and math.isfinite(value)]
    if len(values) < LEAST_DEFINED * n_resamples:
        return None
    low, high = (round(float(end), 6) for end in np.quantile(values, TAILS))
    return Interval(low=low, high=high)


def _without(reason: str) -> Figure:
    return Figure(value=None, interval=None, n=0, reason=reason)
