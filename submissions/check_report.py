"""A check as text for a terminal and as JSON. Pure."""

import textwrap
from dataclasses import asdict

from submissions.intake import CheckResult
from submissions.problems import VALUE_SEPARATOR, Problem, cut_list

_WIDTH = 100


def found_text(result: CheckResult) -> str:
    """Return what is wrong and what to know, numbered, for a person; empty if there is neither."""
    parts = []
    if result.problems:
        parts.append(_section(_count(len(result.problems), "problem") + " to fix", result.problems))
    if result.warnings:
        parts.append(_section(_count(len(result.warnings), "warning") + "; nothing here blocks", result.warnings))
    return "\n\n".join(parts)


def as_text(result: CheckResult) -> str:
    """Return the report for a person: what was found, what blocks, what to know, what to do next."""
    parts = [_summary(result), found_text(result), _next_step(result)]
    return "\n\n".join(filter(None, parts)) + "\n"


def as_json(result: CheckResult) -> dict[str, object]:
    """Return the whole result as plain JSON values, lists uncut."""
    return {
        "schema_version": 1,
        "is_clean": result.is_clean,
        "is_unreadable": result.is_unreadable,
        "zip_sha256": result.zip_sha256 or None,
        "n_items": result.n_items,
        "n_clips": result.n_clips,
        "n_readable_clips": len(result.clips),
        "declined": list(result.declined),
        "card_fields": dict(result.card_fields),
        "problems": [asdict(problem) for problem in result.problems],
        "warnings": [asdict(problem) for problem in result.warnings],
        "clips": [asdict(clip) for clip in result.clips],
    }


def _summary(result: CheckResult) -> str:
    if result.is_unreadable:
        return "This file cannot be opened as a submission."
    lines = [f"{len(result.clips):,} of {result.n_items:,} items have a clip that can be read."]
    if result.declined:
        lines.append(f"{_count(len(result.declined), 'item')} declined by the system.")
    if result.clips:
        total_s = sum(clip.duration_s for clip in result.clips)
        lines.append(f"{total_s / 60:.1f} minutes of audio.")
    return " ".join(lines) + f"\nZip sha256 {result.zip_sha256}"


def _section(title: str, problems: tuple[Problem, ...]) -> str:
    return "\n".join([f"{title}:", *(_entry(number, problem) for number, problem in enumerate(problems, 1))])


def _entry(number: int, problem: Problem) -> str:
    lines = [_wrapped(f"{problem.what}.", f"{number:3}. ")]
    for label, text in (
        ("where", cut_list(problem.where)),
        ("allowed", problem.allowed),
        ("got", cut_list(problem.got, VALUE_SEPARATOR)),
    ):
        if text:
            lines.append(_wrapped(text, f"     {label + ':':9}"))
    return "\n".join(lines)


def _wrapped(text: str, lead: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False)


def _next_step(result: CheckResult) -> str:
    if result.is_unreadable:
        return "Next: pack the clips into one zip again and check that file. A check costs no quota."
    if result.problems:
        return "Next: mend the problems, pack the zip again, and run this check once more. A check costs no quota."
    return "Next: this zip is ready. Submit it as it is."


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
