"""Reads a corpus file of anybody's for checking; every line is hostile until it is a draft."""

import json
from pathlib import Path
from typing import Any

from evaluation.corpus_maker.records import CorpusMakerError, Draft, Violation

_DEFAULT_CATEGORY = "general"


def read_drafts(path: Path) -> tuple[list[Draft], list[Violation]]:
    """Return the items of a corpus file, and what is wrong with lines that hold none.

    Raises:
        CorpusMakerError: if the file cannot be read as text.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusMakerError(f"{path} cannot be read as a UTF-8 text file: {error}") from error
    drafts, broken = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            drafts.append(_draft(json.loads(line)))
        except (ValueError, RecursionError) as error:
            broken.append(Violation(item_id=f"line {number}", check="record", reason=f"no item: {error}"))
    return drafts, broken


def _draft(record: Any) -> Draft:
    """Return an item.

    Raises:
        ValueError: says what is wrong with the record.
    """
    if not isinstance(record, dict):
        raise ValueError(f"a line must be a JSON object, got {type(record).__name__}")
    wrong = [name for name in ("id", "text", "instruction") if not isinstance(record.get(name), str)]
    traits, tier = record.get("traits"), record.get("difficulty")
    category = record.get("category", _DEFAULT_CATEGORY)
    if not isinstance(traits, dict) or not all(isinstance(value, str) for value in traits.values()):
        wrong.append("traits (names to texts)")
    if not isinstance(tier, int) or isinstance(tier, bool):
        wrong.append("difficulty (a whole number)")
    if not isinstance(category, str):
        wrong.append("category")
    if wrong or not isinstance(traits, dict) or not isinstance(tier, int):
        raise ValueError(f"missing or of another type: {', '.join(wrong)}")
    return Draft(
        id=record["id"],
        instruction=record["instruction"],
        script=record["text"],
        requested=traits,
        tier=tier,
        category=str(category),
    )
