"""The judge's texts: wording and rubrics, as versioned files that a protocol pins by their hashes."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.pins import JudgeRecipe

VERSION = "v1"
"""Version of the texts that new protocols pin."""


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
    raise NotImplementedError


def hashes(version: str = VERSION) -> Mapping[str, str]:
    """Return the sha256 (hex) of every file of a version by its path below the assets, as `JudgeRecipe.texts` holds it.

    Raises:
        ProtocolError: if there is no such version.
    """
    raise NotImplementedError


def of_recipe(recipe: JudgeRecipe) -> Texts:
    """Return the texts that `recipe` pins.

    Raises:
        ProtocolError: if they are not the texts of this installation; the message names the files that differ.
    """
    raise NotImplementedError
