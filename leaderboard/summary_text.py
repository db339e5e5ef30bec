"""An evaluation's figures on a terminal: S, the gate and every dimension with intervals and by tier, and what was 0."""

from typing import TYPE_CHECKING

from evaluation.bootstrap import Interval
from evaluation.protocol import Protocol
from evaluation.summary import Mean, Rate, Summary
from leaderboard.display import DASH, count, percent, score
from leaderboard.tables import Justify, show_line, show_table
from submissions.local_result import Evaluation
from submissions.problems import shown
from submissions.replies import JudgeUsage

if TYPE_CHECKING:
    from rich.console import Console

_TIERS = {"0": "easy", "1": "normal", "2": "hard"}
_MICRO = 1_000_000


def show_summary(evaluation: Evaluation, *, to: "Console") -> None:
    """Write all tables of a finished evaluation."""
    result, protocol = evaluation.result, evaluation.protocol
    summary = result.summary
    overall = summary.overall
    show_line(
        f"\n{result.name} under {protocol.name} {protocol.id}: S = {score(overall.score.mean)} "
        f"(95 % {_interval(overall.score.interval)}), gate passed {_rate(overall.gate)}",
        to=to,
        is_strong=True,
    )
    show_line(_coverage(evaluation), to=to)
    if result.is_partial:
        show_line(
            f"PARTIAL: {summary.n_items} of {result.n_corpus_items} items. This S is no S of any board, and has no "
            "place on one.",
            to=to,
            is_strong=True,
        )
    _show_dimensions(protocol, summary, to)
    if summary.reasons:
        show_table(
            (("Why something scored 0", "left"), ("Clips", "right")),
            [(reason, f"{n:,}") for reason, n in sorted(summary.reasons.items(), key=lambda pair: (-pair[1], pair[0]))],
            to=to,
            title=" ",
        )
    if protocol.judge is not None and summary.judged:
        _show_judged(summary, to)
        show_line(f"The anchor is {shown(protocol.judge.anchor.name, 200)}.", to=to)
    if result.judge_usage is not None:
        show_line(f"\n{usage_sentence(result.judge_usage)}", to=to)


def usage_sentence(usage: JudgeUsage) -> str:
    """Return what the judging took, whether it was paid now or before."""
    money = (
        "at a price that is not known" if usage.cost_micro_usd is None else f"{usage.cost_micro_usd / _MICRO:,.4f} USD"
    )
    return (
        f"Judged with {usage.n_calls:,} replies of {', '.join(usage.models) or DASH}, "
        f"{usage.n_malformed} of them malformed: {usage.input_tokens:,} tokens in ({usage.audio_tokens:,} audio), "
        f"{usage.output_tokens:,} out, {money} when they were asked for."
    )


def _coverage(evaluation: Evaluation) -> str:
    summary = evaluation.result.summary
    parts = [count(summary.n_items, "item"), f"{summary.n_declined} declined"]
    if summary.loudness_reference_dbfs is not None:
        parts.append(f"its normal level is {summary.loudness_reference_dbfs:.1f} dBFS")
    return ", ".join(parts)


def _show_dimensions(protocol: Protocol, summary: Summary, to: "Console") -> None:
    tiers = summary.tiers
    heads: list[tuple[str, Justify]] = [("", "left"), ("Mean", "right"), ("95 % interval", "right")]
    heads += [(_TIERS.get(tier, tier), "right") for tier in tiers]
    heads += [("Clips", "right"), ("Unread", "right")]
    rows = [
        _row("S", summary.overall.score, [one.score for one in tiers.values()], is_items=True),
        _gate_row(summary.overall.gate, [one.gate for one in tiers.values()]),
        *(
            _row(name, summary.overall.dimensions[name], [one.dimensions[name] for one in tiers.values()])
            for name in protocol.dimensions
        ),
    ]
    show_table(heads, rows, to=to, title=" ")
    missing = ", ".join(protocol.not_measured)
    if missing:
        show_line(f"Not measured under {protocol.name}: {missing}.", to=to)


def _row(name: str, mean: Mean, by_tier: list[Mean], *, is_items: bool = False) -> list[str]:
    return [
        name,
        score(mean.mean),
        _interval(mean.interval),
        *(score(one.mean) for one in by_tier),
        f"{mean.n_scored:,}",
        DASH if is_items else f"{mean.n_unread:,}",
    ]


def _gate_row(gate: Rate, by_tier: list[Rate]) -> list[str]:
    return [
        "gate",
        score(gate.rate),
        _interval(gate.interval),
        *(score(one.rate) for one in by_tier),
        f"{gate.n:,}",
        DASH,
    ]


def _show_judged(summary: Summary, to: "Console") -> None:
    heads: tuple[tuple[str, Justify], ...] = (
        ("Judge against the anchor", "left"),
        ("Judged", "right"),
        ("Wins", "right"),
        ("Ties", "right"),
        ("Losses", "right"),
        ("Both orders agree", "right"),
    )
    rows = [
        (name, f"{one.n_judged}", f"{one.n_wins}", f"{one.n_ties}", f"{one.n_losses}", percent(one.consistent.rate))
        for name, one in summary.judged.items()
    ]
    show_table(heads, rows, to=to, title=" ")


def _interval(interval: Interval | None) -> str:
    return DASH if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def _rate(rate: Rate) -> str:
    return f"{percent(rate.rate)} ({rate.n_hits} of {rate.n})"
