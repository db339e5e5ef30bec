"""Accepted forms that other text normalisers propose and our rules do not know, frozen as data. Pure but for `load`.

The file holds item ids, spans and words, never a script. A form counts only where the script is the one that it
was found for; any other corpus is read by the rules alone.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from evaluation.errors import SchemaError
from evaluation.gate.distance import Step, align
from evaluation.gate.lattice import Lattice, heard_lattice, script_lattice
from evaluation.gate.reading import PLAIN
from evaluation.records import ExtraForm, Item, ItemId

FORMS_FILE = Path(__file__).resolve().parents[2] / "assets" / "spoken_forms" / "benchmark_v1.json"
"""The shipped forms."""
FORMS_SHA256 = "169ae8ef4d590c19a7e232b7b904f2ebbec42eed0665c8d4a7531992b4d53a54"
"""sha256 (hex) of the shipped file."""

_SCHEMA_VERSION = 1
_N_HASH = 16

Frozen = Mapping[ItemId, tuple[str, tuple[ExtraForm, ...]]]
"""Item id to the beginning of its script's sha256, and its extra forms."""


def shipped_forms(script: str) -> tuple[ExtraForm, ...]:
    """Return the shipped extra forms of a script; none if no item of the shipped corpus reads it.

    Raises:
        SchemaError: if the shipped file is not the pinned one.
    """
    return _shipped().get(script_hash(script), ())


@cache
def _shipped() -> Mapping[str, tuple[ExtraForm, ...]]:
    return dict(load(FORMS_FILE, FORMS_SHA256).values())


def load(path: Path, sha256: str) -> Frozen:
    """Return the forms of a file.

    Raises:
        SchemaError: if the file is not the one that `sha256` names, or of another version.
    """
    raw = path.read_bytes()
    got = sha256_of(raw)
    if got != sha256:
        raise SchemaError(f"{path}: the frozen spoken forms must have sha256 {sha256}, got {got}: restore the file")
    record = json.loads(raw)
    if record.get("schema_version") != _SCHEMA_VERSION:
        raise SchemaError(f"{path}: schema_version must be {_SCHEMA_VERSION}, got {record.get('schema_version')}")
    return {
        ItemId(item_id): (
            entry["script"],
            tuple(ExtraForm(start=form["start"], end=form["end"], words=form["words"]) for form in entry["forms"]),
        )
        for item_id, entry in record["items"].items()
    }


def as_bytes(frozen: Frozen) -> bytes:
    """Return the file that `load` reads: sorted, one form a line, so that a review sees each change."""
    items = {
        item_id: {
            "script": name,
            "forms": [{"start": form.start, "end": form.end, "words": form.words} for form in forms],
        }
        for item_id, (name, forms) in sorted(frozen.items())
    }
    record = {"schema_version": _SCHEMA_VERSION, "is": "SpokenForms", "items": items}
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()


def freeze(items: Iterable[Item], proposals: Mapping[str, Iterable[str]]) -> Frozen:
    """Return what the proposed sentences need beyond our rules.

    Args:
        items: the corpus.
        proposals: item id to whole sentences in spoken form.
    """
    frozen: dict[ItemId, tuple[str, tuple[ExtraForm, ...]]] = {}
    for item in items:
        forms: tuple[ExtraForm, ...] = ()
        for sentence in sorted(set(proposals.get(item.id, ()))):
            forms += tuple(form for form in missing_forms(item.script, sentence, extra=forms) if form not in forms)
        if forms:
            ordered = tuple(sorted(forms, key=lambda form: (form.start, form.end, form.words)))
            frozen[item.id] = (script_hash(item.script), ordered)
    return frozen


def sha256_of(raw: bytes) -> str:
    """Return the sha256 (hex) of a file's bytes."""
    return hashlib.sha256(raw).hexdigest()


def script_hash(script: str) -> str:
    """Return the beginning of a script's sha256 (hex)."""
    return hashlib.sha256(script.encode()).hexdigest()[:_N_HASH]


def missing_forms(script: str, sentence: str, *, extra: tuple[ExtraForm, ...] = ()) -> tuple[ExtraForm, ...]:
    """Return the spans of a script that are read otherwise in `sentence` than our rules accept, with those words.

    Args:
        script: the text.
        sentence: the whole text in spoken form, as another normaliser writes it.
        extra: forms that are accepted already.

    Returns:
        Forms after which `sentence` has no error; none if it has none already.
    """
    lattice = script_lattice(script, extra)
    steps = align(lattice, heard_lattice(sentence))
    if all(step.is_equal for step in steps):
        return ()
    homes = _homes(steps, lattice)
    wrong = {home for home, step in zip(homes, steps, strict=True) if not step.is_equal}
    for reach in range(len(lattice.fragments) + 1):
        found = _forms(steps, homes, _runs(wrong, reach, len(lattice.fragments)), lattice)
        if all(step.is_equal for step in align(script_lattice(script, extra + found), heard_lattice(sentence))):
            return found
    return (ExtraForm(start=0, end=len(script), words=" ".join(_heard(steps))),)


def _homes(steps: list[Step], lattice: Lattice) -> list[int]:
    """Return the fragment that each step belongs to; added words belong to the unit beside them."""
    homes: list[int] = []
    for at, step in enumerate(steps):
        if step.script:
            homes.append(step.script[3])
        elif lattice.inner[step.at] >= 0:
            homes.append(lattice.inner[step.at])
        else:
            before = homes[-1] if homes else -1
            after = next((later.script[3] for later in steps[at:] if later.script), before)
            is_unit = before >= 0 and lattice.fragments[before].kind != PLAIN
            homes.append(before if is_unit else after)
    return homes


def _runs(wrong: set[int], reach: int, n: int) -> list[tuple[int, int]]:
    """Return runs of neighbouring wrong fragments, each widened by `reach` on both sides."""
    runs: list[tuple[int, int]] = []
    for index in sorted(wrong):
        first, last = max(0, index - reach), min(n - 1, index + reach)
        if runs and first <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(last, runs[-1][1]))
        else:
            runs.append((first, last))
    return runs


def _forms(steps: list[Step], homes: list[int], runs: list[tuple[int, int]], lattice: Lattice) -> tuple[ExtraForm, ...]:
    return tuple(
        ExtraForm(
            start=lattice.fragments[first].start,
            end=lattice.fragments[last].end,
            words=" ".join(_heard([step for home, step in zip(homes, steps, strict=True) if first <= home <= last])),
        )
        for first, last in runs
    )


def _heard(steps: list[Step]) -> list[str]:
    return [step.heard[2] for step in steps if step.heard]
