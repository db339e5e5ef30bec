"""A duel: two systems of one board judged directly, and what the judge's replies come to. Pure.

A is the submission whose id sorts first, so a pair has one duel whichever way round it is named. A duel ranks nobody:
it stands beside the decision that the composites make.

The rule: of every item a system gets 1 if the judge prefers its clip in both orders, 0 if the other's, and one half
for a tie; a verdict on which the two orders disagree is a tie. The share of a system is the mean over the items. It is
ahead if the bootstrap interval of that mean lies wholly on its side of one half and at least LEAST_DECIDED items were
no tie; else nobody is.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from evaluation.bootstrap import MICRO, mean_interval, mean_micro, round_half_even
from evaluation.codec import canonical, from_json, sha256_of, to_json
from evaluation.errors import SchemaError
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.protocol import Constants
from evaluation.records import ItemId, Unread, Verdict
from submissions.parquet import SCHEMA_VERSION, check_version
from submissions.replies import JudgeUsage

Side = Literal["a", "b", "neither"]
Verdicts = Mapping[ItemId, Mapping[str, Verdict | Unread]]

LEAST_DECIDED = 6
"""Fewest items without a tie by which anybody is ahead: five that all fall to one side come by chance 1 time in 16."""
OVERALL = "overall"
"""Name of the tally over all judged dimensions; no dimension is called so."""

_NOBODY = Anchor(name="", submission="", clips={})
_WON: Mapping[str, int] = {"clip": MICRO, "anchor": 0, "tie": MICRO // 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelTally:
    """What the verdicts of one dimension, or of all together, come to."""

    n_wins: int
    """Verdicts for A."""
    n_losses: int
    """Verdicts for B."""
    n_ties: int
    """Verdicts for neither, those included on which the two orders disagree."""
    n_inconsistent: int
    """Those of the ties on which the two orders disagree."""
    n_not_judged: int
    """Verdicts that no usable reply gave."""
    n_items: int
    """Items with a verdict."""
    share: float | None
    """Share of A, ties half, 0..1, 6 decimals; None without a verdict."""
    share_low: float | None
    """Lower end of its interval; None for fewer than two items."""
    share_high: float | None
    """Upper end of its interval; None for fewer than two items."""
    mean_a: float | None
    """Mean score of A, 0..3, 6 decimals; None without a verdict."""
    mean_b: float | None
    """Mean score of B."""
    ahead: Side
    """Who is ahead by the rule above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """One direct comparison, as it is published."""

    protocol: str
    """Id of the protocol beside whose board it stands."""
    a: str
    """Submission whose id sorts first."""
    b: str
    """The other submission."""
    recipe: JudgeRecipe
    """What the judge was asked; its anchor is nobody."""
    recipe_sha256: str
    """sha256 (hex) of the recipe's canonical JSON: two duels with the same one were judged alike."""
    files: Mapping[str, str]
    """sha256 (hex) of what it was made of, by path: both per-sample tables and the replies."""
    left_out: Mapping[str, int]
    """Items that were not put to the judge, by the reason: "declined", "gated", "silent" ..."""
    overall: DuelTally
    """All judged dimensions: an item counts with the mean over its verdicts."""
    dimensions: Mapping[str, DuelTally]
    """The same of each judged dimension."""
    usage: JudgeUsage
    """What the judging took."""


def without_anchor(recipe: JudgeRecipe) -> JudgeRecipe:
    """Return what identifies the judge of a duel: a recipe whose anchor is nobody."""
    return replace(recipe, anchor=_NOBODY)


def recipe_hash(recipe: JudgeRecipe) -> str:
    """Return the sha256 (hex) of a recipe without its anchor."""
    return sha256_of(canonical(to_json(without_anchor(recipe))))


def tally(verdicts: Verdicts, dimensions: Sequence[str], constants: Constants) -> DuelTally:
    """Return what some dimensions' verdicts come to.

    Args:
        verdicts: by item and dimension; "clip" is A, "anchor" is B.
        dimensions: which of them count.
        constants: resamples, seed and the share left outside the interval.
    """
    given = [[row[name] for name in dimensions if name in row] for row in verdicts.values()]
    judged = [[one for one in row if isinstance(one, Verdict)] for row in given]
    said = [one for row in judged for one in row]
    values = np.array([_item_micro(row) for row in judged if row], dtype=np.int64)
    interval = mean_interval(values, n_resamples=constants.n_resamples, seed=constants.seed, alpha=constants.alpha)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return DuelTally(
        n_wins=sum(one.winner == "clip" for one in said),
        n_losses=sum(one.winner == "anchor" for one in said),
        n_ties=sum(one.winner == "tie" for one in said),
        n_inconsistent=sum(not one.is_consistent for one in said),
        n_not_judged=sum(map(len, given)) - len(said),
        n_items=len(values),
        share=mean_micro(values) / MICRO if len(values) else None,
        share_low=low,
        share_high=high,
        mean_a=_mean([one.score for one in said]),
        mean_b=_mean([one.anchor_score for one in said]),
        ahead=_ahead(low, high, int((values != MICRO // 2).sum())),
    )


def flipped(found: DuelTally) -> DuelTally:
    """Return the same tally with the two systems changed."""
    sides: dict[Side, Side] = {"a": "b", "b": "a", "neither": "neither"}
    return replace(
        found,
        n_wins=found.n_losses,
        n_losses=found.n_wins,
        share=_other(found.share),
        share_low=_other(found.share_high),
        share_high=_other(found.share_low),
        mean_a=found.mean_b,
        mean_b=found.mean_a,
        ahead=sides[found.ahead],
    )


def encode_duel(duel: Duel) -> bytes:
    """Return the canonical JSON of a duel."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(duel)})


def decode_duel(data: bytes, where: str) -> Duel:
    """Return the duel of a published file.

    Raises:
        SchemaError: naming `where`, if it is damaged, of an unknown version, or its recipe is not the one it names.
    """
    try:
        fields: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{where}: not readable JSON: {error}") from error
    if not isinstance(fields, dict):
        raise SchemaError(f"{where}: a duel must be an object, got {type(fields).__name__}")
    check_version(fields.pop("schema_version", None), where)
    try:
        return from_json(Duel, fields)
    except (SchemaError, RecursionError) as error:
        raise SchemaError(f"{where}: {error}") from error


def _item_micro(verdicts: Sequence[Verdict]) -> int:
    """Return the share of A of one item, millionths."""
    total = np.array([sum(_WON[one.winner] for one in verdicts)], dtype=np.int64)
    return int(round_half_even(total, len(verdicts))[0])


def _mean(scores: Sequence[float]) -> float | None:
    return round(math.fsum(scores) / len(scores), 6) if scores else None


def _other(share: float | None) -> float | None:
    return None if share is None else round(1 - share, 6)


def _ahead(low: float | None, high: float | None, n_decided: int) -> Side:
    if low is None or high is None or n_decided < LEAST_DECIDED:
        return "neither"
    return "a" if low > 0.5 else "b" if high < 0.5 else "neither"
