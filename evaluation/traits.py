"""The one registry of traits: kinds, values, tolerances.

Probes, scoring, tables, summaries and pages read them here. A trait that a classifier, a regressor or a judge reads
needs its line here and nothing else; one that the acoustic pass measures also needs its measure in
`evaluation.findings`. A corpus says which of them its items fix, so corpora outlive the registry.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a measured value is compared with the requested one."""

    ORDINAL = "ordinal"
    """Ordered buckets: 1 exact, 0.5 adjacent, 0 else."""
    CATEGORICAL = "categorical"
    """Unordered classes: 1 or 0."""
    NUMERIC = "numeric"
    """A number with a tolerance, then a linear fall to 0."""
    JUDGED = "judged"
    """A judge's score in 0..3, divided by 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """One attribute of a voice that an item asks for."""

    name: str
    """Key in corpora, tables and columns."""
    kind: Kind
    """How measured and requested are compared."""
    values: tuple[str, ...]
    """Values that an item may request; ordered from low to high for an ordinal trait."""
    tolerance: float = 0.0
    """Half-width of the full-mark band of a numeric trait, in the trait's unit; 0 for others."""
    unit: str = ""
    """Unit of a numeric trait."""
    question: str = ""
    """What the trait asks, in one plain sentence for readers."""


TRAITS: tuple[Trait, ...] = (
    Trait(
        name="gender",
        kind=Kind.CATEGORICAL,
        values=("female", "male"),
        question="Is the voice heard as the gender that the instruction asks for?",
    ),
    Trait(
        name="age",
        kind=Kind.NUMERIC,
        values=("8", "13", "20", "25", "30", "38", "45", "55", "60", "70", "78"),
        tolerance=8.0,
        unit="years",
        question="Is the voice about as old as the instruction asks for?",
    ),
    Trait(
        name="pace",
        kind=Kind.ORDINAL,
        values=("slow", "moderate", "fast"),
        question="Is the script spoken at the requested pace?",
    ),
    Trait(
        name="pitch",
        kind=Kind.ORDINAL,
        values=("low", "medium", "high"),
        question="Is the voice pitched as requested, for a speaker of the requested gender and age?",
    ),
    Trait(
        name="loudness",
        kind=Kind.ORDINAL,
        values=("quiet", "normal", "loud"),
        question="Is the voice quieter or louder than the same system's normal voice, as requested?",
    ),
    Trait(
        name="emotion",
        kind=Kind.CATEGORICAL,
        values=("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"),
        question="Does the voice carry the requested emotion?",
    ),
    Trait(
        name="accent",
        kind=Kind.CATEGORICAL,
        values=("American", "British", "Australian", "Indian", "Canadian"),
        question="Does the voice speak with the requested accent?",
    ),
    Trait(
        name="tone",
        kind=Kind.JUDGED,
        values=(
            "warm",
            "authoritative",
            "playful",
            "serious",
            "soothing",
            "cheerful",
            "sarcastic",
            "formal",
        ),
        question="Does the delivery have the requested tone?",
    ),
)

NATURALNESS = "naturalness"
"""Name of the dimension that is no trait: scored on every clip, requested by none."""


def trait(name: str) -> Trait:
    """Return the trait called `name`.

    Raises:
        KeyError: for a name that is not in the registry.
    """
    for one in TRAITS:
        if one.name == name:
            return one
    raise KeyError(name)


def named(names: Iterable[str]) -> tuple[Trait, ...]:
    """Return the traits among `names`, in the order of the registry; other names are passed over."""
    wanted = set(names)
    return tuple(one for one in TRAITS if one.name in wanted)


def may_request(one: Trait, value: str) -> bool:
    """Return whether an item may request `value` of a trait: any whole number if it is numeric."""
    if one.kind is Kind.NUMERIC:
        return value.isascii() and value.isdigit()
    return value in one.values
