"""A hostile published folder can neither hang a check, nor lead it elsewhere, nor fill the memory."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation.errors import SchemaError
from submissions import parquet, unfit
from submissions.store.folder import PublishedFolder
from submissions.verify import render, verify
from tests.submissions import published_example as example


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A published folder with one row."""
    root = tmp_path / "published"
    name = example.SUBMISSIONS[0]
    example.send(PublishedFolder(root), example.submission(tmp_path / name, name), example.protocol())
    assert verify(root).is_identical
    return root


def _file_link(root: Path) -> str:
    (victim,) = root.glob("systems/*.json")
    victim.unlink()
    victim.symlink_to("/dev/zero")
    return victim.relative_to(root).as_posix()


def _pipe(root: Path) -> str:
    (victim,) = root.glob("systems/*.json")
    victim.unlink()
    os.mkfifo(victim)
    return victim.relative_to(root).as_posix()


def _folder_link(root: Path) -> str:
    shutil.move(root / "results", root.parent / "elsewhere")
    (root / "results").symlink_to(root.parent / "elsewhere")
    return "results"


def _huge(root: Path) -> str:
    (victim,) = root.glob("results/*/*.json")
    os.truncate(victim, unfit.MAX_BYTES + 1)
    return victim.relative_to(root).as_posix()


@pytest.mark.parametrize("spoil", [_file_link, _pipe, _folder_link, _huge])
def test_what_is_no_plain_file_is_named_and_never_read(root: Path, spoil: Callable[[Path], str]) -> None:
    """A link, a pipe, a linked folder and a file of half a GiB are differences at once."""
    path = spoil(root)
    report = verify(root)
    assert not report.is_identical
    assert [one.path for one in report.differences] == [path]
    assert report.counts.n_files == 0


def test_links_beside_the_layout_do_not_matter(root: Path) -> None:
    """A reader may keep other things there."""
    (root / "mine").symlink_to("/")
    assert verify(root).is_identical


def test_a_file_name_cannot_forge_the_verdict(root: Path) -> None:
    """A line break in a name is written as an escape."""
    (root / "x\nidentical: 9 rows").write_text("x")
    (root / "results" / "s0.json").write_text("{")
    lines = render(verify(root)).splitlines()
    assert sum(line.startswith("identical") for line in lines) <= 1
    assert any("x\\nidentical" in line for line in lines)


def test_a_table_that_unpacks_to_too_much_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size that a table announces is looked at before it is unpacked."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": ["x" * 1000] * 1000}), sink, use_dictionary=False, compression="zstd")
    monkeypatch.setattr(parquet, "MAX_TABLE_BYTES", 500_000)
    with pytest.raises(SchemaError, match="unpacks to"):
        parquet.decode_table(sink.getvalue().to_pybytes(), "board/x/leaderboard.parquet")
