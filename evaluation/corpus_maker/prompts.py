"""What a writer is asked, from versioned files. Pure but for `load_prompts`."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from evaluation.corpus_maker.records import Assignment, CorpusMakerError
from evaluation.corpus_maker.tables import FOLDER, Tables
from evaluation.traits import Kind, Trait

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"instruction": {"type": "string"}, "script": {"type": "string"}},
    "required": ["instruction", "script"],
    "additionalProperties": False,
}
"""JSON schema of a writer's reply."""

_MAX_ANSWER = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The texts of one version."""

    system: str
    """What the writer is told to be and to heed."""
    item: Template
    """The request for one item."""
    again: Template
    """What is added after an answer that was refused."""
    situations: tuple[str, ...]
    """What scripts may be about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that was refused."""

    answer: str
    """What the writer wrote."""
    reasons: tuple[str, ...]
    """Why it cannot be used, at least one."""


def load_prompts(folder: Path = FOLDER) -> Prompts:
    """Read the texts.

    Raises:
        CorpusMakerError: if there is no situation.
    """
    situations = tuple(line.strip() for line in (folder / "situations.txt").read_text("utf-8").splitlines())
    if not any(situations):
        raise CorpusMakerError(f"{folder / 'situations.txt'}: must name a situation on each line, got none")
    return Prompts(
        system=(folder / "system.md").read_text("utf-8"),
        item=Template((folder / "item.md").read_text("utf-8")),
        again=Template((folder / "again.md").read_text("utf-8")),
        situations=tuple(situation for situation in situations if situation),
    )


def deal_situations(n: int, seed: int, prompts: Prompts) -> tuple[str, ...]:
    """Return a situation for each of `n` items; all are used equally often."""
    rng = random.Random(seed)  # noqa: S311 - a deal, no secret
    cards = [prompts.situations[at % len(prompts.situations)] for at in range(n)]
    rng.shuffle(cards)
    return tuple(cards)


def parts_of(
    assignment: Assignment,
    situation: str,
    refusal: Refusal | None,
    *,
    traits: Sequence[Trait],
    tables: Tables,
    prompts: Prompts,
) -> tuple[str, ...]:
    """Return the texts of one request.

    Args:
        assignment: what the item must be.
        situation: what its script may be about.
        refusal: the last answer to it, if there was one.
        traits: the registry.
        tables: tiers and categories.
        prompts: the texts.

    Raises:
        CorpusMakerError: if the assignment's tier has no such category.
    """
    tier = tables.tiers[assignment.tier]
    cell = tables.cell(assignment.tier, assignment.category)
    if cell is None:
        raise CorpusMakerError(f"tier {tier.name} has no category {assignment.category!r:.60}")
    asked = prompts.item.substitute(
        number=assignment.index + 1,
        requested="\n".join(f"- {trait.name}: {_value(trait, assignment)}" for trait in traits),
        unspoken="\n".join(
            f"- {trait.name}: {', '.join(trait.values)}" for trait in traits if trait.kind is not Kind.NUMERIC
        ),
        tier=tier.name,
        tier_ask=tier.ask,
        category=cell.category,
        category_ask=cell.ask,
        min_words=tier.min_words,
        max_words=tier.max_words,
        situation=situation,
    )
    if refusal is None:
        return (asked,)
    reasons = "\n".join(f"- {reason}" for reason in refusal.reasons)
    return (asked, prompts.again.substitute(answer=refusal.answer[:_MAX_ANSWER], reasons=reasons))


def _value(trait: Trait, assignment: Assignment) -> str:
    return f"{assignment.requested[trait.name]} {trait.unit}".strip()
