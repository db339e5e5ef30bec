"""The corpus maker's tables: tiers, categories, phrasings and contradictions, as versioned files."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.corpus_maker.records import CorpusMakerError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "corpus_maker" / "v1"
"""The shipped tables and prompts; a change that is to keep its name is a new folder."""

_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One level of difficulty."""

    name: str
    """For readers: "easy", "normal", "hard"; its number is its place in `Tables.tiers`."""
    share: float
    """Part of the corpus, 0..1; the shares of all tiers add up to 1."""
    min_words: int
    """Fewest written words of a script."""
    max_words: int
    """Most written words of a script."""
    may_hold_digits: bool
    """Scripts may hold digits."""
    ask: str
    """What a writer is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One naturalness category within one tier."""

    tier: int
    """Number of the tier."""
    category: str
    """Name of the category."""
    share: float
    """Part of the tier, 0..1; the shares of a tier's cells add up to 1."""
    mark: str
    """Regular expression of what a script of this cell must hold; "" for nothing."""
    min_marks: int
    """Least number of different matches of `mark`."""
    min_units: int
    """Least number of units that the gate reads in more than one way: amounts, dates, addresses, codes ..."""
    ask: str
    """What a writer is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Values of different traits that one voice cannot have at once."""

    requested: Mapping[str, str]
    """Trait name to value; two of them."""
    why: str
    """The reason, for readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A phrase that names a range of a numeric trait."""

    phrase: str
    """For example "in her seventies" without what stands before: "seventies"."""
    least: float
    """Lowest value that it may mean, in the trait's unit."""
    most: float
    """Highest value that it may mean."""
    is_enough: bool
    """Narrow enough to ask for any value within it; otherwise it only contradicts the values outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """How instructions speak of one value."""

    says: tuple[str, ...]
    """Phrases that ask for the value; a space also matches hyphens, a final * any ending."""
    clear: tuple[str, ...]
    """Those that can mean nothing else, so that they contradict every other value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitPhrasings:
    """How instructions speak of one trait."""

    words: tuple[str, ...] = ()
    """Phrases for the trait itself, beside its name; no script may hold them."""
    values: Mapping[str, Phrasing]
    """By value; a value that is absent is said by its own name."""
    spans: tuple[Span, ...] = ()
    """Ranges of a numeric trait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All tables of one version."""

    tiers: tuple[Tier, ...]
    """From easy to hard."""
    cells: tuple[Cell, ...]
    """Every category of every tier."""
    contradictions: tuple[Contradiction, ...]
    """Pairs that are dealt to no item."""
    phrasings: Mapping[str, TraitPhrasings]
    """By trait name; a trait that is absent is spoken of by its own words."""

    def cell(self, tier: int, category: str) -> Cell | None:
        """Return the cell of a tier and category; None if the tier has no such category."""
        return next((cell for cell in self.cells if (cell.tier, cell.category) == (tier, category)), None)


def load_tables(folder: Path = FOLDER) -> Tables:
    """Read the tables of `folder`.

    Raises:
        CorpusMakerError: if a file has an unknown version or shape.
    """
    tiers = _read(folder / "tiers.json")
    try:
        names = [str(tier["name"]) for tier in tiers["tiers"]]
        return Tables(
            tiers=tuple(Tier(**tier) for tier in tiers["tiers"]),
            cells=tuple(Cell(**{**cell, "tier": names.index(cell["tier"])}) for cell in tiers["cells"]),
            contradictions=tuple(_contradiction(pair) for pair in _read(folder / "contradictions.json")["pairs"]),
            phrasings={name: _trait(entry) for name, entry in _read(folder / "phrasings.json")["traits"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorpusMakerError(f"{folder}: a table has not the shape of the shipped ones: {error}") from error


def hashes(folder: Path = FOLDER) -> dict[str, str]:
    """Return the sha256 (hex) of every file of `folder`, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def _read(path: Path) -> Any:
    record = json.loads(path.read_bytes())
    version = record.get("schema_version") if isinstance(record, dict) else None
    if version != _SCHEMA_VERSION:
        raise CorpusMakerError(f"{path}: schema_version must be {_SCHEMA_VERSION}, got {version!r:.40}")
    return record


def _contradiction(pair: Mapping[str, str]) -> Contradiction:
    return Contradiction(requested={name: value for name, value in pair.items() if name != "why"}, why=pair["why"])


def _trait(entry: Mapping[str, Any]) -> TraitPhrasings:
    return TraitPhrasings(
        words=tuple(entry.get("words", ())),
        values={
            value: Phrasing(says=tuple(said["says"]), clear=tuple(said["clear"]))
            for value, said in entry.get("values", {}).items()
        },
        spans=tuple(
            Span(phrase=span["phrase"], least=span["min"], most=span["max"], is_enough=span["says"])
            for span in entry.get("spans", ())
        ),
    )
