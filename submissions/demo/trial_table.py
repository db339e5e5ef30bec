"""A trial's clips, counted: who passes under which way to compare words. Pure but for the loading of a normaliser."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import jiwer
import numpy as np

from evaluation.gate.normalisers import normaliser
from evaluation.gate.trial import WAYS, Cell, Trial, rate_of, vetoes
from evaluation.records import Item, ItemId
from submissions.demo.trial import Heard

N_CHECKED = 40
"""Vetoes that a person checks."""
_DRAW_SEED = 20
_TIERS = ("easy", "normal", "hard")
_LABELS = {"strip": "lower and strip", "whisper": "Whisper normaliser", "gate": "this gate"}


def stripped(text: str) -> str:
    """Return a text in lower case without anything but letters a to z, digits and single spaces."""
    bare = "".join(sign if sign.isascii() and sign.isalnum() else "" if sign != " " else " " for sign in text.lower())
    return " ".join(bare.split())


def rates(item: Item, heard: Heard, version: str) -> dict[str, float]:
    """Return the word-error rate of a clip under each way; of several hearings the best, as the gate counts.

    Args:
        item: what should be said.
        heard: what was heard.
        version: the gate's normaliser.
    """
    compare = normaliser(version).compare
    return {
        "strip": min(_plain(item.script, text, stripped) for text in heard.texts),
        "whisper": min(_plain(item.script, text, _whisper()) for text in heard.texts),
        "gate": min(compare(item, text).errors.wer for text in heard.texts),
    }


def cells(items: Mapping[ItemId, Item], heard: Iterable[Heard], *, version: str, limit: float) -> tuple[Cell, ...]:
    """Return the counts of every voice, tier and transcriber, in the order they are heard."""
    groups: dict[tuple[str, int, str], list[tuple[bool, ...]]] = {}
    for one in heard:
        item = items[one.item_id]
        found = rates(item, one, version)
        passed = tuple(found[way] <= limit for way in WAYS)
        groups.setdefault((one.engine, item.tier, one.transcriber), []).append(passed)
    return tuple(
        Cell(
            engine=engine,
            tier=tier,
            transcriber=transcriber,
            n=len(rows),
            passed=tuple(sum(column) for column in zip(*rows, strict=True)),
        )
        for (engine, tier, transcriber), rows in groups.items()
    )


def to_check(items: Mapping[ItemId, Item], heard: Sequence[Heard], *, version: str, limit: float) -> tuple[Heard, ...]:
    """Return the vetoed clips that a person should check: a draw of N_CHECKED that is always the same."""
    vetoed = [one for one in heard if rates(items[one.item_id], one, version)["gate"] > limit]
    order = np.random.default_rng(_DRAW_SEED).permutation(len(vetoed))[:N_CHECKED]
    return tuple(vetoed[int(at)] for at in sorted(order))


def render(trial: Trial) -> str:
    """Return a trial as text: the table, then the gate's rates."""
    lines = [f"{'voice':<16}{'tier':<8}{'heard by':<10}{'clips':>6}" + "".join(f"{_LABELS[way]:>20}" for way in WAYS)]
    for cell in trial.cells:
        shares = "".join(f"{passed / cell.n:>20.1%}" for passed in cell.passed)
        lines.append(f"{cell.engine:<16}{_TIERS[cell.tier]:<8}{cell.transcriber:<10}{cell.n:>6}{shares}")
    n_vetoes, n = vetoes(trial)
    lines.append(f"\nThe gate vetoes {n_vetoes} of {n} clips heard by {trial.transcriber}.")
    by_cause = (
        ("the gate refused a right reading", ("gate",)),
        ("the transcriber misheard", ("transcriber",)),
        ("both: false vetoes", ("gate", "transcriber")),
        ("the voice said other words", ("voice",)),
    )
    for label, causes in by_cause:
        rate = rate_of(trial, *causes)
        if rate is not None:
            span = f"{rate.interval.low:.1%} to {rate.interval.high:.1%}"
            lines.append(f"{label}: {rate.share:.1%} of all clips, 95 % {span} ({len(trial.verdicts)} vetoes checked)")
    return "\n".join(lines)


def _plain(script: str, text: str, settle: Callable[[str], str]) -> float:
    reference, heard = settle(script), settle(text)
    return float(jiwer.wer(reference, heard)) if reference else float(bool(heard))


@cache
def _whisper() -> Callable[[str], str]:
    from whisper_normalizer.english import EnglishTextNormalizer

    normalise: Any = EnglishTextNormalizer()
    return lambda text: str(normalise(text))
