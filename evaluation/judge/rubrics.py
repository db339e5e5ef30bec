"""The judge's texts: wording and rubrics, as versioned files that a protocol pins by their hashes."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evaluation.codec import sha256_of
from evaluation.errors import ProtocolError
from evaluation.pins import JudgeRecipe
from evaluation.records import Item
from evaluation.traits import NATURALNESS, TRAITS, Trait

VERSION = "v1"
"""Version of the texts that new protocols pin."""

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
_FOLDER = "rubrics"
_WORDING = "prompt"
_HEADING = re.compile(r"^## (\w+)\n", re.MULTILINE)
_SECTIONS = {
    *("system", "request", "question_one", "question_many", "dimension", "clip_a", "clip_b"),
    *("method", "reply_one", "reply_many", "vote", "again"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All texts of one version."""

    version: str
    """For example "v1"."""
    sections: Mapping[str, str]
    """The sections of the wording, by name."""
    rubrics: Mapping[str, str]
    """The rubrics, by file name without its ending."""


def load(version: str = VERSION) -> Texts:
    """Return the texts of a version.

    Raises:
        ProtocolError: if there is no such version, or a section of the wording is missing.
    """
    return _texts(version, tuple(sorted(_files(version).items())))


def hashes(version: str = VERSION) -> dict[str, str]:
    """Return the sha256 (hex) of every file of a version by its path below the assets, as `JudgeRecipe.texts` holds it.

    Raises:
        ProtocolError: if there is no such version.
    """
    return {path: sha256_of(data) for path, data in sorted(_files(version).items())}


def of_recipe(recipe: JudgeRecipe) -> Texts:
    """Return the texts that `recipe` pins.

    Raises:
        ProtocolError: if they are not the texts of this installation (the message names the files that differ), or a
            dimension of the recipe has no rubric.
    """
    here = hashes(recipe.prompt)
    differing = sorted(path for path in here.keys() | recipe.texts.keys() if here.get(path) != recipe.texts.get(path))
    if differing:
        raise ProtocolError(
            f"the judge's texts {recipe.prompt!r} are not those that the protocol pins; these files differ, are "
            f"missing or are new: {', '.join(differing)}. "
            "Install the version of Castboard that the protocol was frozen with."
        )
    texts = load(recipe.prompt)
    for dimension in recipe.dimensions:
        if dimension != NATURALNESS:
            trait_called(dimension)
    return texts


def rubric_name(dimension: str, category: str, texts: Texts) -> str:
    """Return which rubric a dimension is judged by: its own if there is one, else the one of its trait's kind.

    Args:
        dimension: a trait's name or "naturalness".
        category: the item's category; it matters for naturalness alone.
        texts: the texts to choose from.

    Raises:
        ProtocolError: if there is none.
    """
    if dimension == NATURALNESS:
        name = f"{NATURALNESS}_{category}"
    elif dimension in texts.rubrics:
        name = dimension
    else:
        name = f"trait_{trait_called(dimension).kind.value}"
    if name not in texts.rubrics:
        raise ProtocolError(f"the judge's texts {texts.version!r} hold no rubric {name!r:.80}")
    return name


def trait_called(dimension: str) -> Trait:
    """Return the trait of a judged dimension.

    Raises:
        ProtocolError: if no trait has this name.
    """
    for trait in TRAITS:
        if trait.name == dimension:
            return trait
    names = ", ".join(trait.name for trait in TRAITS)
    raise ProtocolError(f"nothing called {dimension!r:.80} can be judged; there are: {names}, {NATURALNESS}")


def categories(texts: Texts) -> tuple[str, ...]:
    """Return the categories of items whose naturalness can be judged."""
    prefix = f"{NATURALNESS}_"
    return tuple(sorted(name.removeprefix(prefix) for name in texts.rubrics if name.startswith(prefix)))


def check_categories(texts: Texts, items: Sequence[Item]) -> None:
    """Return if every item's category has a rubric.

    Raises:
        ProtocolError: naming the categories that have none.
    """
    known = categories(texts)
    unknown = sorted({item.category for item in items} - set(known))
    if unknown:
        raise ProtocolError(f"no rubric for the categories {unknown}; there are: {', '.join(known)}")


def _files(version: str) -> dict[str, bytes]:
    folder = _ASSETS / _FOLDER / version
    if not re.fullmatch(r"v\d{1,4}", version) or not folder.is_dir():
        versions = sorted(path.name for path in (_ASSETS / _FOLDER).glob("v*"))
        raise ProtocolError(f"there are no judge's texts {version!r:.40}; there are: {', '.join(versions)}")
    return {f"{_FOLDER}/{version}/{path.name}": path.read_bytes() for path in folder.glob("*.md")}


@functools.lru_cache(maxsize=8)
def _texts(version: str, files: tuple[tuple[str, bytes], ...]) -> Texts:
    by_name = {Path(path).stem: data.decode("utf-8") for path, data in files}
    pieces = _HEADING.split(by_name.pop(_WORDING, ""))
    sections = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    if sections.keys() != _SECTIONS:
        differing = sorted(sections.keys() ^ _SECTIONS)
        raise ProtocolError(f"the judge's wording {version!r} lacks, or has too many, sections: {', '.join(differing)}")
    return Texts(
        version=version,
        sections=MappingProxyType(sections),
        rubrics=MappingProxyType({name: text.strip() for name, text in by_name.items()}),
    )
