"""Anyone's check finds every change of a published file, names that file, and never falls over."""

import dataclasses
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol, encode
from evaluation.records import Acoustics, Clip, ClipReadings, ItemId
from submissions import layout
from submissions.board import rebuild_board
from submissions.evidence import read_readings
from submissions.remeasure import Reader
from submissions.result import decode_result, decode_system, encode_result, encode_system
from submissions.store.folder import PublishedFolder
from submissions.verify import VerifyReport, render, verify
from tests.submissions import published_example as example
from tests.submissions import tampering

FIRST, SECOND, _ = example.SUBMISSIONS
PROTOCOLS = (example.protocol(), example.protocol(name="other"))
ID = PROTOCOLS[0].id
RESULT = layout.result_path(ID, FIRST)
SAMPLES = layout.samples_path(ID, FIRST)


def published(base: Path, rows: Iterable[tuple[str, Protocol]]) -> Path:
    """Publish some rows below a folder and return the published root."""
    for name, under in rows:
        example.send(PublishedFolder(base / "published"), example.submission(base / name, name), under)
    return base / "published"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder of two systems under one protocol and the first one under another, never changed."""
    rows = ((FIRST, PROTOCOLS[0]), (SECOND, PROTOCOLS[0]), (FIRST, PROTOCOLS[1]))
    return published(tmp_path_factory.mktemp("pristine"), rows)


@pytest.fixture(scope="module")
def pristine_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder of two systems under one protocol, never changed."""
    return published(tmp_path_factory.mktemp("board"), ((FIRST, PROTOCOLS[0]), (SECOND, PROTOCOLS[0])))


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the published folder that a test may change."""
    yield shutil.copytree(pristine, tmp_path / "published")


def blamed(report: VerifyReport) -> set[str]:
    """Return the files that a report names."""
    return {one.path for one in report.differences}


def files_of(root: Path) -> list[str]:
    """Return the paths of all published files."""
    return list(PublishedFolder(root).paths())


def sources_of(root: Path) -> list[str]:
    """Return the same without the dataset card, of which no number is made."""
    return [path for path in files_of(root) if path != layout.DATASET_CARD]


def test_an_untouched_folder_is_identical(root: Path) -> None:
    """Everything that publish wrote comes out again, and the counts say how much that was."""
    report = verify(root)
    assert report.is_identical
    assert report.notes == ()
    assert (report.counts.n_protocols, report.counts.n_rows, report.counts.n_decisions) == (2, 3, 1)
    assert report.counts.n_items == 3 * example.N_ITEMS
    assert report.counts.n_files == len(files_of(root))
    assert render(report).startswith("identical: 3 rows of 2 protocols")


@pytest.mark.parametrize("kind", [".json", ".parquet"])
def test_any_changed_byte_is_found_and_its_file_named(root: Path, pristine: Path, kind: str) -> None:
    """One changed byte anywhere in any file makes the check fail and name that file and no other."""
    rng = np.random.default_rng(1)
    for path in (path for path in files_of(root) if path.endswith(kind)):
        for _ in range(3):
            what = tampering.flip_byte(root / path, rng)
            assert blamed(verify(root)) == {path}, what
            shutil.copyfile(pristine / path, root / path)


def test_any_changed_digit_of_a_json_file_is_found_and_its_file_named(root: Path, pristine: Path) -> None:
    """One changed digit in a recipe, card, hash or figure makes the check fail and name that file and no other."""
    rng = np.random.default_rng(2)
    for path in (path for path in files_of(root) if path.endswith(".json")):
        for _ in range(5):
            what = tampering.flip_digit(root / path, rng)
            assert blamed(verify(root)) == {path}, what
            shutil.copyfile(pristine / path, root / path)


@pytest.mark.parametrize(
    "path",
    [SAMPLES, layout.clips_path(FIRST), layout.leaderboard_path(ID), layout.decisions_path(ID)],
    ids=["per_sample", "clips", "leaderboard", "decisions"],
)
def test_any_changed_cell_of_a_table_is_found_and_its_file_named(
    tmp_path: Path, pristine_board: Path, path: str
) -> None:
    """One changed cell of any column, written again by another tool, makes the check fail and name that file."""
    rng = np.random.default_rng(3)
    root = shutil.copytree(pristine_board, tmp_path / "published")
    for column in pq.read_schema(root / path).names:
        what = tampering.edit_cell(root / path, column, rng)
        assert blamed(verify(root)) == {path}, what
        shutil.copyfile(pristine_board / path, root / path)


def test_a_changed_score_is_named_with_its_cell(root: Path) -> None:
    """The first difference of a raised composite tells row, column and both numbers."""
    table = pq.read_table(root / SAMPLES)
    micro = [1_000_000, *table["composite_micro"].to_pylist()[1:]]
    index = table.column_names.index("composite_micro")
    pq.write_table(table.set_column(index, table.schema.field(index), [micro]), root / SAMPLES)
    text = render(verify(root), n_shown=None)
    assert "row 0 (it-007), column composite_micro: published 1000000, recomputed" in text
    assert "NOT identical" in text


def test_a_figure_forged_all_the_way_up_is_found(root: Path) -> None:
    """A result with a better score and a board rebuilt from it still does not come out of the readings."""
    files = PublishedFolder(root)
    old = decode_result(files.read(RESULT), RESULT)
    forged = dataclasses.replace(old, summary=dataclasses.replace(old.summary, coverage=1.0))
    files.write(RESULT, encode_result(forged))
    rebuild_board(files, ID)
    report = verify(root)
    assert blamed(report) == {RESULT}
    assert report.differences[0].where == "summary.coverage"


def test_a_card_that_was_not_committed_is_named(root: Path) -> None:
    """A system file with another card is blamed, not the results that hold the old one."""
    files, path = PublishedFolder(root), layout.system_path(FIRST)
    old = decode_system(files.read(path), path)
    files.write(path, encode_system(dataclasses.replace(old, card={**old.card, "licence": "GPL-3.0"})))
    assert blamed(verify(root)) == {path}


def test_every_missing_file_is_named(root: Path, pristine: Path) -> None:
    """A committed file that is gone is a difference, and the first one names it."""
    for path in sources_of(root):
        (root / path).unlink()
        report = verify(root)
        assert report.differences[0].path == path
        assert report.differences[0].published == "missing"
        shutil.copyfile(pristine / path, root / path)


def test_every_damaged_file_is_named(root: Path, pristine: Path) -> None:
    """A file cut to half, or filled with rubbish is a difference, never an error."""
    for path in sources_of(root):
        whole = (root / path).read_bytes()
        for damaged in (whole[: len(whole) // 2], b"[" * 100_000):
            (root / path).write_bytes(damaged)
            assert blamed(verify(root)) == {path}
        shutil.copyfile(pristine / path, root / path)


def test_an_unknown_schema_version_is_a_difference(root: Path) -> None:
    """A file of a later version is refused by name."""
    path = layout.system_path(FIRST)
    (root / path).write_bytes((root / path).read_bytes().replace(b'"schema_version":1', b'"schema_version":2'))
    assert "schema_version" in render(verify(root))


def test_files_without_a_result_are_noted_and_no_difference(root: Path) -> None:
    """A row that was never committed, and a file that is no part of the layout, are only mentioned."""
    shutil.copyfile(root / SAMPLES, root / layout.samples_path(ID, "never-committed"))
    (root / "notes.txt").write_text("hello")
    (root / ".gitattributes").write_text("hello")
    report = verify(root)
    assert report.is_identical
    assert len(report.notes) == 2
    assert "never-committed" in render(report)


def test_a_row_that_the_board_does_not_show_yet_is_a_difference_of_the_board(root: Path, tmp_path: Path) -> None:
    """A publisher killed before it rebuilt the board leaves a stale board, which is named until it is rebuilt."""
    files = PublishedFolder(root)
    board = {path: files.read(path) for path in files.paths(f"board/{ID}/")}
    third = example.submission(tmp_path / "third", example.SUBMISSIONS[2])
    example.send(files, third, PROTOCOLS[0])
    for path, data in board.items():
        files.write(path, data)
    assert blamed(verify(root)) == set(board)
    rebuild_board(files, ID)
    assert verify(root).is_identical


def test_a_folder_without_published_files_is_not_identical(tmp_path: Path) -> None:
    """An empty or a wrong folder must not pass as verified."""
    assert not verify(tmp_path).is_identical
    assert not verify(tmp_path / "nowhere").is_identical


def test_long_and_hostile_values_are_cut_to_a_line(root: Path) -> None:
    """What is shown of a file stays on one line, without control signs."""
    path = layout.system_path(FIRST)
    (root / path).write_bytes((root / path).read_bytes().replace(b"1.2", b"\\u001b[31m" + b"x" * 500))
    for line in render(verify(root), n_shown=None).splitlines():
        assert line.isprintable()
        assert len(line) < 600


def replay(root: Path, change: float = 0.0) -> Reader:
    """Instruments that hear every clip as published, with the level changed by a factor."""

    def read(under: Protocol, clips_dir: Path, clips: Sequence[Clip]) -> Mapping[ItemId, ClipReadings]:
        found = {}
        for clip in clips:
            assert sha256_of((clips_dir / f"{clip.item_id}.flac").read_bytes()) == clip.sha256
            found[clip.item_id] = known[clip.sha256]
        return {item: _changed(reading) for item, reading in found.items()}

    def _changed(reading: ClipReadings) -> ClipReadings:
        if not change or not isinstance(reading.acoustics, Acoustics):
            return reading
        level = reading.acoustics.level_dbfs * (1 + change)
        return dataclasses.replace(reading, acoustics=dataclasses.replace(reading.acoustics, level_dbfs=level))

    tables = (layout.read_samples(PublishedFolder(root), ID, name) for name in (FIRST, SECOND))
    known = {reading.clip_sha256: reading for table in tables for reading in read_readings(table).values()}
    return read


def test_the_deep_check_measures_the_published_audio(root: Path) -> None:
    """Each drawn clip is read from the published file, and equal readings are identical."""
    report = verify(root, deep=9, seed=4, open_reader=lambda: replay(root))
    assert report.is_identical
    assert report.counts.n_remeasured == 9
    assert "9 clips measured again" in render(report)


def test_the_deep_check_asks_for_no_more_clips_than_there_are(root: Path) -> None:
    """A number above that of the clips measures each clip once."""
    report = verify(root, deep=10_000, open_reader=lambda: replay(root))
    assert report.counts.n_remeasured == 3 * (example.N_ITEMS - 1)


def test_the_deep_check_tells_a_tolerable_deviation_from_a_difference(root: Path) -> None:
    """A level off by a millionth is a note of another processor; off by a tenth it is a difference with its file."""
    near = verify(root, deep=100, open_reader=lambda: replay(root, 1e-6))
    assert near.is_identical
    assert "level_dbfs measured again" in near.notes[0]
    far = verify(root, deep=100, open_reader=lambda: replay(root, 0.1))
    assert SAMPLES in blamed(far)
    assert "acoustics.level_dbfs" in far.differences[0].where


def test_the_deep_check_needs_instruments(root: Path) -> None:
    """Asking for it without a way to load the instruments is refused."""
    with pytest.raises(ValueError, match="open_reader"):
        verify(root, deep=1)


def test_a_board_without_rows_is_identical(root: Path) -> None:
    """When the last row is withdrawn the rebuilt board is empty, and that is what comes out again."""
    files = PublishedFolder(root)
    for name in (FIRST, SECOND):
        files.remove(layout.result_path(ID, name))
    rebuild_board(files, ID)
    assert layout.read_leaderboard(files, ID).num_rows == layout.read_decisions(files, ID).num_rows == 0
    assert verify(root).is_identical


def test_rows_scored_on_different_items_are_a_difference(root: Path, tmp_path: Path) -> None:
    """Two rows of one protocol must answer the same items, however whole each of them is."""
    third = example.submission(tmp_path / "third", example.SUBMISSIONS[2])
    easier = [dataclasses.replace(item, script="Yes") for item in example.items()]
    elsewhere = PublishedFolder(tmp_path / "elsewhere")
    example.send(elsewhere, third, PROTOCOLS[0], easier)
    for path in (*layout.source_paths(ID, third.id), layout.result_path(ID, third.id)):
        PublishedFolder(root).write(path, elsewhere.read(path))
    report = verify(root)
    assert blamed(report) == {layout.result_path(ID, third.id)}
    assert report.differences[0].where == "items_sha256"
    with pytest.raises(SchemaError, match="must be scored on the same items"):
        rebuild_board(PublishedFolder(root), ID)


def test_a_recipe_with_other_constants_is_a_difference(root: Path) -> None:
    """A board that somebody made under other margins does not pass for a ranking, however whole it is."""
    constants = dataclasses.replace(PROTOCOLS[0].constants, margin_floor=0.0, wer_limit=0.5)
    kinder = dataclasses.replace(PROTOCOLS[0], constants=constants)
    path = layout.protocol_path(kinder.id)
    (root / path).write_bytes(encode(kinder))
    report = verify(root)
    assert blamed(report) == {path}
    assert [one.where for one in report.differences] == ["constants.wer_limit", "constants.margin_floor"]
    assert "published 0.5, recomputed 0.15, frozen for every board" in render(report)
