"""A finished corpus becomes files: public and private part, their pins, accepted spoken forms, provenance.

    OUT/public/<name>.jsonl            the corpus, one JSON object a line
    OUT/public/<name>.pin.json         its hashes and the number of items
    OUT/public/<name>.forms.json       spoken forms beyond the rules, for the gate; stays beside the corpus
    OUT/public/<name>.readings.json    what the gate accepts for each script, for people
    OUT/public/<name>.provenance.json  how it was made; it names the private part by its hashes only
    OUT/private/<name>_held_out.*      all five again, of the held-out items; readable by their owner only

With a hold-out only the private provenance tells the seed: it decides what was asked of the held-out items.

All bytes are made first. Then either every file is new or the same as what is there, or nothing is written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import codec
from evaluation.corpus import CorpusPin, canonical_sha256
from evaluation.corpus_maker import readings
from evaluation.corpus_maker.invariants import check_corpus
from evaluation.corpus_maker.records import CorpusMakerError, Draft
from evaluation.corpus_maker.tables import Tables
from evaluation.gate import frozen
from evaluation.records import Item, ItemId
from evaluation.traits import Trait

_SCHEMA_VERSION = 1
_LANGUAGE = "en"
_SEED = "seed"
_PUBLIC_MODE = 0o666  # less what the operator's umask takes away
_PRIVATE_MODE = 0o600
_PRIVATE_FOLDER_MODE = 0o700
_N_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The public or the private part of a frozen corpus."""

    corpus: Path
    """Its file."""
    pin: CorpusPin
    """What that file is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenCorpus:
    """What was written."""

    public: Part
    """What everybody may have."""
    private: Part | None
    """What nobody but the operator may have; None without a hold-out."""
    files: tuple[Path, ...]
    """All files."""


def freeze(
    drafts: Sequence[Draft],
    out: Path,
    *,
    name: str,
    provenance: Mapping[str, Any],
    traits: Sequence[Trait],
    tables: Tables,
    proposals: Mapping[str, Sequence[str]] | None = None,
) -> FrozenCorpus:
    """Write a corpus and everything that belongs to it into `out`.

    Args:
        drafts: all items, in order.
        out: folder; made if absent.
        name: name of the corpus: lower-case letters, digits and "_".
        provenance: how it was made, JSON-ready; nothing of it may be secret.
        traits: the registry.
        tables: what the items are checked against once more.
        proposals: whole scripts in spoken form by other normalisers, by item id.

    Raises:
        CorpusMakerError: if an item breaks an invariant, there is no public item, or another content is in the way.
    """
    broken = check_corpus(drafts, traits=traits, tables=tables)
    if broken:
        shown = "\n".join(f"  {fault.item_id} {fault.check}: {fault.reason}" for fault in broken[:_N_SHOWN])
        raise CorpusMakerError(f"the corpus is not frozen: {len(broken)} violations, among them\n{shown}")
    shown_drafts = [draft for draft in drafts if not draft.is_held_out]
    if not shown_drafts:
        raise CorpusMakerError("the corpus is not frozen: no item is public; make it larger or hold out less")
    held_out = [draft for draft in drafts if draft.is_held_out]
    files: dict[Path, bytes] = {}
    public = _part(files, out / "public", name, shown_drafts, proposals or {})
    private = _part(files, out / "private", f"{name}_held_out", held_out, proposals or {}) if held_out else None
    made = {
        **provenance,
        "schema_version": _SCHEMA_VERSION,
        "is": "CorpusProvenance",
        "public": codec.to_json(public.pin),
        "private": codec.to_json(private.pin) if private else None,
    }
    if private:
        files[private.corpus.with_suffix(".provenance.json")] = _json(made)
        made = {key: value for key, value in made.items() if key != _SEED}
    files[public.corpus.with_suffix(".provenance.json")] = _json(made)
    _write(files, out / "private")
    return FrozenCorpus(public=public, private=private, files=tuple(files))


def record_of(draft: Draft) -> dict[str, Any]:
    """Return the record of an item, as corpus files hold it."""
    return {
        "id": draft.id,
        "text": draft.script,
        "instruction": draft.instruction,
        "traits": dict(draft.requested),
        "category": draft.category,
        "difficulty": draft.tier,
        "language": _LANGUAGE,
    }


def _part(
    files: dict[Path, bytes], folder: Path, name: str, drafts: Sequence[Draft], proposals: Mapping[str, Sequence[str]]
) -> Part:
    records: list[Mapping[str, object]] = [record_of(draft) for draft in drafts]
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode("utf-8")
    items = [_item(draft) for draft in drafts]
    extra = readings.extra_forms(items, proposals)
    pin = CorpusPin(
        name=name,
        file_sha256=codec.sha256_of(lines),
        canonical_sha256=canonical_sha256(records),
        n_items=len(records),
        forms_sha256=frozen.sha256_of(frozen.as_bytes(extra)) if extra else None,
    )
    files[folder / f"{name}.jsonl"] = lines
    files[folder / f"{name}.pin.json"] = _json({"schema_version": _SCHEMA_VERSION, **codec.to_json(pin)})
    files[folder / f"{name}.forms.json"] = frozen.as_bytes(extra)
    files[folder / f"{name}.readings.json"] = readings.readings(items, extra)
    return Part(corpus=folder / f"{name}.jsonl", pin=pin)


def _item(draft: Draft) -> Item:
    return Item(
        id=ItemId(draft.id),
        instruction=draft.instruction,
        script=draft.script,
        requested=draft.requested,
        tier=draft.tier,
        split="held_out" if draft.is_held_out else "public",
        category=draft.category,
    )


def _json(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _write(files: Mapping[Path, bytes], private: Path) -> None:
    changed = [path for path, content in files.items() if path.exists() and path.read_bytes() != content]
    if changed:
        raise CorpusMakerError(
            f"a frozen corpus is never changed, and other content is there: {', '.join(map(str, changed))}. "
            "Choose another folder or another name"
        )
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent == private:
            path.parent.chmod(_PRIVATE_FOLDER_MODE)
        if not path.exists():
            beside = path.with_name(f".{path.name}.part")
            beside.touch(mode=_PRIVATE_MODE if path.parent == private else _PUBLIC_MODE)
            beside.write_bytes(content)
            beside.replace(path)
