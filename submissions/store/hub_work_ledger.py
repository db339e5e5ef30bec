"""What one folder of numbered files on the hub holds, and how many of them are kept in one file.

A ledger is the history of a submission, or a log. Beside its files it names the folder's tree as the hub does: as long
as the hub shows the same tree, nothing below the folder is different.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.codec import canonical
from evaluation.errors import SchemaError

SCHEMA_VERSION = 1

UNKNOWN = ""
"""Tree of a folder that was changed since it was last listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The numbered files of one folder."""

    tree: str
    """The hub's name of the folder's content, or UNKNOWN."""
    entries: tuple[tuple[str, bytes], ...]
    """Name and content of each file, in the order of their numbers."""

    def plus(self, added: tuple[tuple[str, bytes], ...]) -> "Ledger":
        """Return it with files more."""
        return Ledger(tree=UNKNOWN, entries=(*self.entries, *added))


NOTHING = Ledger(tree=UNKNOWN, entries=())


def number_of(name: str) -> int:
    """Return the number that a file's name begins with; 0 if it begins with none."""
    digits = name.partition(".")[0].partition("-")[0]
    return int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= 9 else 0


def encode_ledgers(ledgers: Mapping[str, Ledger]) -> bytes:
    """Return ledgers, by the path of their folder, as canonical JSON."""
    shown = {
        key: {"tree": ledger.tree, "entries": [[name, data.decode()] for name, data in ledger.entries]}
        for key, ledger in ledgers.items()
    }
    return canonical({"schema_version": SCHEMA_VERSION, "ledgers": shown})


def decode_ledgers(data: bytes) -> dict[str, Ledger]:
    """Read ledgers back.

    Raises:
        SchemaError: if they are of another version or damaged.
    """
    try:
        fields = json.loads(data)
        if fields["schema_version"] != SCHEMA_VERSION:
            raise SchemaError(
                f"ledgers must have schema_version {SCHEMA_VERSION}, got {fields['schema_version']!r:.20}"
            )
        return {str(key): _ledger(shown) for key, shown in fields["ledgers"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"ledgers are damaged: {type(error).__name__}") from error


def _ledger(shown: Mapping[str, object]) -> Ledger:
    tree, entries = shown["tree"], shown["entries"]
    if not isinstance(tree, str) or not isinstance(entries, list):
        raise TypeError
    found = tuple((str(name), str(text).encode()) for name, text in entries)
    if [number_of(name) for name, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError
    return Ledger(tree=tree, entries=found)
