"""How far a judge agrees with people: the record that is published and shown. It is never read by scoring."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.bootstrap import Interval
from evaluation.codec import canonical, read_record, to_json

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure with what it rests on."""

    value: float | None
    """Rounded to 6 decimals; None with a reason."""
    interval: Interval | None
    """Two-sided 95 % bootstrap interval over comparisons; None if it cannot be had."""
    n: int
    """Comparisons that it rests on."""
    reason: str | None
    """Why there is no value; else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """People among themselves and the judge with people, over some comparisons."""

    n_comparisons: int
    """Comparisons with at least one label."""
    n_labels: int
    """Labels of them."""
    n_raters: int
    """People who gave them."""
    n_no_majority: int
    """Comparisons on which no answer has more votes than each other one; people's answer then counts as a tie."""
    n_inconsistent: int
    """Comparisons on which the judge's two orders disagree; its answer is then a tie."""
    human_alpha: Figure
    """Krippendorff's alpha (nominal) of the raters' answers: what a judge can be asked for at most. 1 is agreement, 0
    is chance."""
    judge_accuracy: Figure
    """Share of comparisons on which the judge answers as the majority of people does, ties included, 0..1."""
    judge_kappa: Figure
    """Cohen's kappa of the same two answers: 1 is agreement, 0 is chance."""
    score_correlation: Figure
    """Spearman's rank correlation, ties ranked at their mean, of the people's mean score and the judge's, both clips of
    each comparison that somebody scored; -1..1."""
    answers: Mapping[str, Mapping[str, int]]
    """Comparisons by people's answer ("clip", "anchor", "tie"), then by the judge's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """One protocol's judge, held against people."""

    protocol_id: str
    """Whose judge."""
    judge: str
    """Its model id."""
    date: str
    """Day on which the labels were taken in, YYYY-MM-DD."""
    key_sha256: str
    """sha256 (hex) of the answer key."""
    labels_sha256: tuple[str, ...]
    """sha256 (hex) of each table of labels, sorted."""
    n_asked: int
    """Comparisons that were drawn."""
    overall: Agreement
    """All dimensions together."""
    dimensions: Mapping[str, Agreement]
    """By dimension, sorted by name; those with a label."""


def encode(report: AgreementReport) -> bytes:
    """Return the canonical JSON bytes of a report, schema version included."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(report)})


def decode(data: bytes, where: str) -> AgreementReport:
    """Read a report.

    Raises:
        SchemaError: if it is damaged or of an unknown version.
    """
    return read_record(AgreementReport, data, where, version=SCHEMA_VERSION)
