"""The corpus is refused unless it is the pinned one, and makers see no more of it than they may."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import vocencebench as oracle

from evaluation import corpus
from evaluation.errors import CorpusMismatch


def test_shipped_corpus_is_the_pinned_one() -> None:
    """Both pinned hashes hold, ids are unique, and the items are those that the oracle package reads."""
    loaded = corpus.load_benchmark_v1()
    theirs = oracle.load_benchmark("benchmark_v1")
    assert [item.id for item in loaded.items] == [sample.id for sample in theirs]
    assert [item.script for item in loaded.items] == [sample.text for sample in theirs]
    assert len(loaded.by_id()) == 496


def test_every_fifth_item_is_held_out() -> None:
    """The split is by position, from the first."""
    items = corpus.load_benchmark_v1().items
    assert [index for index, item in enumerate(items) if item.split == "held_out"] == list(range(0, 496, 5))


@pytest.mark.parametrize("change", [b"\n", b"x"])
def test_changed_file_is_refused_with_what_came(tmp_path: Path, change: bytes) -> None:
    """One byte more is another corpus; the message gives the expected and the found hash."""
    path = tmp_path / "benchmark_v1.jsonl"
    path.write_bytes(corpus.locate_benchmark_v1().read_bytes() + change)
    with pytest.raises(CorpusMismatch, match=f"expected {corpus.BENCHMARK_V1.file_sha256}, got [0-9a-f]{{64}}"):
        corpus.load(path, corpus.BENCHMARK_V1)


def test_corpus_with_its_own_pin_loads(tmp_path: Path) -> None:
    """A corpus of somebody's own is fine once it is pinned."""
    lines = corpus.locate_benchmark_v1().read_text().splitlines(keepends=True)[:7]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(lines))
    assert len(corpus.load(path, corpus.pin_of(path, "mine")).items) == 7


def _mine(tmp_path: Path, *changes: Mapping[str, object]) -> corpus.Corpus:
    """Load a pinned corpus of the first shipped record, once for each set of changes."""
    first = json.loads(corpus.locate_benchmark_v1().read_text().splitlines()[0])
    records = [{**first, "id": f"it-{number}", **change} for number, change in enumerate(changes)]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return corpus.load(path, corpus.pin_of(path, "mine"))


TRAITS = corpus.load_benchmark_v1().items[0].requested
FEWER = {name: value for name, value in TRAITS.items() if name != "tone"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (({}, {"traits": FEWER}), r"record 1 \(it-1\).*must fix.*tone"),
        (({"traits": FEWER}, {}), "record 1.*must fix"),
        (({"traits": {}},), "must fix traits"),
        (({"traits": {**TRAITS, "mood": "grey"}},), "must be among.*got .'mood'"),
        (({"traits": {**TRAITS, "pace": "brisk"}},), "slow.*got .*brisk"),
        (({"traits": {**TRAITS, "age": "-3"}},), "got .*-3"),
        (({"difficulty": 3},), "tier 0..2"),
        (({"difficulty": True},), "tier 0..2"),
        (({"category": "jokes"},), "category must be one of"),
        (({"text": None},), "no text"),
        (({"id": "../../it"},), r"id must be 1 to 64.*got .\.\./\.\./it"),
        (({"id": "x" * 65},), "id must be"),
        (({"id": "a b"},), "id must be"),
    ],
)
def test_a_damaged_record_is_refused_by_place(tmp_path: Path, changes: list[dict[str, object]], message: str) -> None:
    """A pinned file whose records lack a trait that others fix, or hold what none may, is still no corpus."""
    with pytest.raises(CorpusMismatch, match=message):
        _mine(tmp_path, *changes)


def test_a_corpus_decides_its_traits(tmp_path: Path) -> None:
    """Items of a corpus of seven traits fix seven, whatever else the registry knows."""
    assert [set(item.requested) for item in _mine(tmp_path, {"traits": FEWER}, {"traits": FEWER}).items] == 2 * [
        set(FEWER)
    ]


def test_categories_are_kept(tmp_path: Path) -> None:
    """An item says what its script is hard for; without a word it is general."""
    assert [item.category for item in _mine(tmp_path, {}, {"category": "syntax"}).items] == ["general", "syntax"]


def test_lines_end_where_json_lines_end(tmp_path: Path) -> None:
    """Signs that end a line for Unicode, and may stand unescaped in JSON, are part of a script."""
    record = {**json.loads(corpus.locate_benchmark_v1().read_text("utf-8").split("\n")[0]), "text": "One\u2028two\x85."}
    path = tmp_path / "mine.jsonl"
    path.write_bytes(json.dumps(record, ensure_ascii=False).encode() + b"\r\n")
    assert corpus.load(path, corpus.pin_of(path, "mine")).items[0].script == "One\u2028two\x85."


def test_makers_get_three_columns_and_no_hint_of_the_split() -> None:
    """Prompts hold id, instruction and script in both formats, and nothing else."""
    loaded = corpus.load_benchmark_v1()
    lines = [json.loads(line) for line in corpus.prompts_jsonl(loaded).splitlines()]
    rows = list(csv.DictReader(io.StringIO(corpus.prompts_csv(loaded), newline="")))
    assert lines == rows
    assert {tuple(row) for row in rows} == {("id", "instruction", "script")}
    assert len(rows) == 496
