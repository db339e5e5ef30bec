"""How a corpus was made, as far as everybody may know it. Pure but for the hashes of the shipped files.

There is no time and nothing of the machine in it, so the same build gives the same bytes, resumed or not.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.corpus_maker.records import Draft
from evaluation.corpus_maker.tables import FOLDER, Tables, hashes
from evaluation.corpus_maker.writer import WriterOptions, Written
from evaluation.traits import Trait

TEMPLATE = "template"
"""Name of the writer that is none."""


def provenance(
    drafts: Sequence[Draft],
    *,
    seed: int,
    hold_out: float,
    traits: Sequence[Trait],
    tables: Tables,
    folder: Path = FOLDER,
) -> dict[str, Any]:
    """Return what is true of a corpus whoever wrote it.

    Args:
        drafts: all items.
        seed: decided the deal.
        hold_out: share that was asked for the private part.
        traits: the registry.
        tables: names of the tiers.
        folder: prompts and tables that were used.
    """
    return {
        "writer": TEMPLATE,
        "seed": seed,
        "hold_out": hold_out,
        "n_items": len(drafts),
        "n_held_out": sum(draft.is_held_out for draft in drafts),
        "by_tier": {tier.name: sum(draft.tier == at for draft in drafts) for at, tier in enumerate(tables.tiers)},
        "by_category": dict(Counter(draft.category for draft in drafts)),
        "by_value": {trait.name: dict(Counter(draft.requested[trait.name] for draft in drafts)) for trait in traits},
        "files": hashes(folder),
    }


def of_writer(backend: str, model: str, options: WriterOptions, written: Written) -> dict[str, Any]:
    """Return what is to be added for a corpus that a model wrote.

    Args:
        backend: name of the backend.
        model: model id that was asked for.
        options: how it was asked.
        written: what it gave.
    """
    return {
        "writer": backend,
        "model": model,
        "models_by_their_own_word": list(written.models),
        "temperature": options.temperature,
        "n_tries": options.n_tries,
        "n_answers": written.n_answers,
        "input_tokens": written.input_tokens,
        "output_tokens": written.output_tokens,
        "cost_micro_usd": written.micro_usd,
    }
