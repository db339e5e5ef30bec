"""The corpus is refused unless it is the pinned one, and makers see no more of it than they may."""

import csv
import io
import json
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


def test_record_without_all_traits_is_refused(tmp_path: Path) -> None:
    """A pinned file whose record lacks a trait is still no corpus."""
    record = json.loads(corpus.locate_benchmark_v1().read_text().splitlines()[0])
    del record["traits"]["tone"]
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(record) + "\n")
    with pytest.raises(CorpusMismatch, match="must fix"):
        corpus.load(path, corpus.pin_of(path, "mine"))


def test_makers_get_three_columns_and_no_hint_of_the_split() -> None:
    """Prompts hold id, instruction and script in both formats, and nothing else."""
    loaded = corpus.load_benchmark_v1()
    lines = [json.loads(line) for line in corpus.prompts_jsonl(loaded).splitlines()]
    rows = list(csv.DictReader(io.StringIO(corpus.prompts_csv(loaded), newline="")))
    assert lines == rows
    assert {tuple(row) for row in rows} == {("id", "instruction", "script")}
    assert len(rows) == 496
