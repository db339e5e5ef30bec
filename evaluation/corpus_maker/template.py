"""A corpus without a writer: instructions and scripts put together from parts. Pure; the same deal, the same corpus.

It is as balanced as a written one and passes the same invariants, but its texts are stiff: it is for tests, for
trying a pipeline without a key, and for a first look at a system; not for a published ranking.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from evaluation.corpus_maker.records import Assignment, CorpusMakerError, Draft
from evaluation.corpus_maker.tables import FOLDER, Tables

_FILE = "template.json"
_STRIDES = (7, 11, 13, 17, 19, 23, 29, 31)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What template corpora are put together from."""

    instructions: tuple[str, ...]
    """Sentences with a place such as {pace} for each trait; a trait without one gets a sentence of its own."""
    scripts: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]]
    """By tier name and category: the choices for each part of a script, in order."""


def load_template(folder: Path = FOLDER) -> Template:
    """Read the parts.

    Raises:
        CorpusMakerError: if the file has another shape than the shipped one.
    """
    path = folder / _FILE
    try:
        record = json.loads(path.read_bytes())
        return Template(
            instructions=tuple(record["instructions"]),
            scripts={
                (entry["tier"], entry["category"]): tuple(tuple(choices) for choices in entry["parts"])
                for entry in record["scripts"]
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusMakerError(f"{path}: must have the shape of the shipped file: {error}") from error


def write_from_template(
    assignments: Sequence[Assignment], *, prefix: str, tables: Tables, template: Template
) -> tuple[Draft, ...]:
    """Return one item for each assignment; no two scripts are the same.

    Args:
        assignments: what the items must be.
        prefix: beginning of the ids.
        tables: names of the tiers.
        template: the parts.

    Raises:
        CorpusMakerError: if a category runs out of scripts.
    """
    used: Counter[tuple[str, str]] = Counter()
    drafts = []
    for assignment in assignments:
        cell = (tables.tiers[assignment.tier].name, assignment.category)
        script = _script(template, cell, used[cell])
        used[cell] += 1
        drafts.append(
            Draft(
                id=item_id(prefix, assignment.index),
                instruction=_instruction(template, assignment),
                script=script,
                requested=assignment.requested,
                tier=assignment.tier,
                category=assignment.category,
                is_held_out=assignment.is_held_out,
            )
        )
    return tuple(drafts)


def item_id(prefix: str, index: int) -> str:
    """Return the id of an item."""
    return f"{prefix}-{index:05d}"


def _script(template: Template, cell: tuple[str, str], at: int) -> str:
    parts = template.scripts.get(cell, ())
    n_scripts = math.prod(len(choices) for choices in parts) if parts else 0
    if at >= n_scripts:
        raise CorpusMakerError(
            f"the template has {n_scripts} scripts for {' '.join(cell)}, and more are needed: make a smaller corpus, "
            "or use a writer"
        )
    stride = next(step for step in _STRIDES if math.gcd(step, n_scripts) == 1)
    rest = at * stride % n_scripts  # neighbours differ in more than their last part
    said = []
    for choices in parts:
        rest, choice = divmod(rest, len(choices))
        said.append(choices[choice])
    text = " ".join(said)
    return text if text.endswith((".", "?")) else f"{text}."


def _instruction(template: Template, assignment: Assignment) -> str:
    frame = template.instructions[assignment.index % len(template.instructions)]
    named = {name for _, name, _, _ in Formatter().parse(frame) if name}
    sentences = [frame.format_map(assignment.requested)]
    sentences += [f"The {name} is {value}." for name, value in assignment.requested.items() if name not in named]
    return " ".join(sentences)
