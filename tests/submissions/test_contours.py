"""Contours follow from published clips, whoever is killed when; they go with the clips, and anyone can check them."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import CastboardError, SchemaError
from evaluation.probes.contour import Contour, Draw, bin_length_s, n_bins
from submissions import layout, parquet
from submissions.belongings import belongings, take_away
from submissions.contour_work import ContourWork, lacking, make
from submissions.contours import CLIPS_PER_GROUP, DrawnClip, contour_rows, encode_contours, places, read_contours
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from tests.submissions import published_example as example

FIRST, SECOND, THIRD = example.SUBMISSIONS


class FlatReader:
    """Draws by length alone, so that no model is needed; counts what it was given."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.n_read = 0

    def __call__(self, samples: np.ndarray, rate_hz: int) -> Contour:
        """Return a flat line."""
        self.n_read += 1
        return flat(samples.size / rate_hz)


def flat(duration_s: float) -> Contour:
    """Return the contour of nothing much."""
    bin_s = bin_length_s(duration_s)
    n = n_bins(duration_s, bin_s)
    return Contour(
        duration_s=round(duration_s, 6),
        bin_s=bin_s,
        low=(-3,) * n,
        high=(4,) * n,
        level_dbfs=(None, *(-20.5,) * (n - 1)),
        f0_hz=(180.2,) * n,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two published rows."""
    files = PublishedFolder(tmp_path / "published")
    for name in (FIRST, SECOND):
        example.send(files, example.submission(tmp_path / name, name), example.protocol())
    return tmp_path


def parts(home: Path) -> tuple[FolderStore, PublishedFolder]:
    """Return store and published files of a home."""
    return FolderStore(home), PublishedFolder(home / "published")


def work_of(home: Path, reader: Draw, ticks: Iterator[float] | None = None) -> ContourWork:
    """Return idle work whose clock ticks once at every look."""
    store, files = parts(home)
    clock = ticks or iter(np.arange(0.0, 1e6, 1.0))
    return ContourWork(store=store, files=files, open_reader=lambda: reader, seconds=lambda: float(next(clock)))


def test_idle_work_makes_all_that_lack_a_little_at_a_time(home: Path) -> None:
    """Each look works for about its budget; in the end every row has its contours, each clip was read once."""
    reader = FlatReader()
    work = work_of(home, reader)
    assert work.work_for(3.0)
    assert 1 <= reader.n_read <= 4
    assert lacking(work.files) == (FIRST, SECOND)
    while work.work_for(3.0):
        pass
    assert lacking(work.files) == ()
    assert reader.n_read == 2 * (example.N_ITEMS - 1)
    assert not work.work_for(3.0)


def test_contours_name_the_clips_that_they_were_read_from(home: Path) -> None:
    """Items come in the order of the clips, each with its clip's hash, and the whole folder still verifies."""
    store, files = parts(home)
    for _ in make(store, files, FIRST, FlatReader()):
        pass
    clips = list(layout.clip_rows(files.read(layout.clips_path(FIRST)), "clips"))
    rows = list(read_contours(files, FIRST))
    assert [(row.item_id, row.clip_sha256) for row in rows] == [(one["item_id"], one["sha256"]) for one in clips]
    report = verify(home / "published")
    assert report.is_identical
    assert report.notes == ()


def test_work_that_is_cut_off_begins_again_and_ends_alike(home: Path) -> None:
    """Killed in the middle nothing is there; done by another it has the bytes of one that was never cut off."""
    store, files = parts(home)
    cut = make(store, files, FIRST, FlatReader())
    next(cut)
    cut.close()
    assert FIRST in lacking(files)
    for _ in range(2):
        for _ in make(store, files, FIRST, FlatReader()):
            pass
        data = files.read(layout.contours_path(FIRST))
    for _ in make(store, files, FIRST, FlatReader()):
        pass
    assert files.read(layout.contours_path(FIRST)) == data


def test_a_row_that_goes_meanwhile_gets_none(home: Path) -> None:
    """What was taken away while it was drawn leaves nothing behind."""
    store, files = parts(home)
    drawing = make(store, files, FIRST, FlatReader())
    next(drawing)
    take_away(files, belongings(files, FIRST))
    for _ in drawing:
        pass
    assert files.paths("contours/") == ()


def test_contours_go_with_the_clips(home: Path) -> None:
    """They belong to a submission as its clips do."""
    store, files = parts(home)
    for _ in make(store, files, FIRST, FlatReader()):
        pass
    assert layout.contours_path(FIRST) in belongings(files, FIRST)
    take_away(files, belongings(files, FIRST))
    assert files.paths("contours/") == ()
    assert verify(home / "published").is_identical


def test_a_damaged_clip_is_refused_once_and_hinders_no_other(home: Path) -> None:
    """The row without contours is left alone, the next one gets its own, and there is an end."""
    _, files = parts(home)
    data = bytearray(files.read(layout.clips_path(FIRST)))
    place = data.index(b"fLaC") + 60
    data[place] ^= 255
    files.write(layout.clips_path(FIRST), bytes(data))
    work = work_of(home, FlatReader())
    while work.work_for(5.0):
        pass
    assert lacking(files) == (FIRST,)
    assert not work.work_for(5.0)


def test_the_dataset_card_knows_them_once_there_are_some(home: Path) -> None:
    """The configuration appears with the first table."""
    store, files = parts(home)
    assert b"path: contours/*.parquet" not in files.read(layout.DATASET_CARD)
    for _ in make(store, files, SECOND, FlatReader()):
        pass
    card = files.read(layout.DATASET_CARD)
    assert b"path: contours/*.parquet" in card
    assert b"`clip_sha256`" in card


def forged(rows: list[DrawnClip], how: str) -> list[DrawnClip]:
    """Return contours of other clips, of other items, or of too few."""
    if how == "lost":
        return rows[1:]
    if how == "stranger":
        return [*rows, dataclasses.replace(rows[0], item_id="it-999")]
    return [dataclasses.replace(rows[0], clip_sha256="0" * 64), *rows[1:]]


@pytest.mark.parametrize("how", ["lost", "stranger", "other"])
def test_verify_names_contours_of_other_clips(home: Path, how: str) -> None:
    """Contours that lack an item, have one too many, or name another clip are a difference of their own file."""
    store, files = parts(home)
    for _ in make(store, files, FIRST, FlatReader()):
        pass
    path = layout.contours_path(FIRST)
    files.write(path, encode_contours(forged(list(read_contours(files, FIRST)), how)))
    report = verify(home / "published")
    assert {one.path for one in report.differences} == {path}


def test_verify_names_damage_and_tells_strays(home: Path) -> None:
    """A file that is no table is a difference; contours of no row are told, not checked."""
    _, files = parts(home)
    files.write(layout.contours_path(FIRST), b"PAR1 but not really")
    files.write(layout.contours_path(THIRD), b"whatever")
    report = verify(home / "published")
    assert {one.path for one in report.differences} == {layout.contours_path(FIRST)}
    assert any(layout.contours_path(THIRD) in note for note in report.notes)


def drawn_clip(contour: Contour, number: int = 0) -> DrawnClip:
    """Return a row of a table."""
    return DrawnClip(item_id=f"it-{number:03d}", clip_sha256="ab" * 32, contour=contour)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(min_value=0.001, max_value=130.0), min_size=0, max_size=80))
def test_a_table_comes_back_as_it_was(durations_s: list[float]) -> None:
    """Whatever was drawn is read again, group by group, and each item is found where it lies."""
    rows = [drawn_clip(flat(seconds), number) for number, seconds in enumerate(durations_s)]
    with parquet.open_file(pa.BufferReader(encode_contours(rows)), "here") as file:
        assert list(contour_rows(file, "here")) == rows
        found = places(file, "here")
    assert found == {row.item_id: number // CLIPS_PER_GROUP for number, row in enumerate(rows)}


@pytest.mark.parametrize(
    "change",
    [
        {"duration_s": float("nan")},
        {"duration_s": -1.0},
        {"duration_s": 1e9},
        {"bin_s": 0.04},
        {"bin_s": float("inf")},
        {"low": (0,)},
        {"low": (5,) * 50},
        {"high": (-128,) * 50},
        {"level_dbfs": (3.0,) * 50},
        {"level_dbfs": (float("nan"),) * 50},
        {"f0_hz": (float("inf"),) * 50},
        {"f0_hz": (-1.0,) * 50},
        {"f0_hz": (None,) * 51},
    ],
)
def test_what_no_clip_can_look_like_is_refused(change: dict[str, object]) -> None:
    """Numbers that nobody could draw never reach a page."""
    data = encode_contours([drawn_clip(dataclasses.replace(flat(1.0), **change))])  # type: ignore[arg-type]
    with parquet.open_file(pa.BufferReader(data), "here") as file, pytest.raises(SchemaError, match="here"):
        list(contour_rows(file, "here"))


def test_other_columns_and_too_many_rows_are_refused() -> None:
    """A table of another kind, or one that is not cut as it should be, is read by nobody."""
    plain = parquet.encode_table(pa.table({"item_id": ["a"], "low": [[1]]}))
    rows = [drawn_clip(flat(0.02), number) for number in range(CLIPS_PER_GROUP + 1)]
    with parquet.open_file(pa.BufferReader(encode_contours(rows)), "here") as file:
        whole = pa.Table.from_batches(file.iter_batches())
    uncut = parquet.encode_table(whole)
    for data in (plain, uncut):
        with parquet.open_file(pa.BufferReader(data), "here") as file, pytest.raises(SchemaError):
            list(contour_rows(file, "here"))


def test_an_instrument_that_lacks_is_told(home: Path) -> None:
    """Work without an instrument ends with its reason, and what lacks still lacks."""
    store, files = parts(home)

    def refuse() -> Draw:
        raise CastboardError("no tracker")

    work = ContourWork(store=store, files=files, open_reader=refuse)
    while work.work_for(1.0):
        pass
    assert lacking(files) == (FIRST, SECOND)


@pytest.mark.models
def test_the_verb_makes_what_lacks(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`contours` tells each table that it made, and nothing is left to do after it."""
    from leaderboard.cli import main

    monkeypatch.setenv("CASTBOARD_HOME", str(home))
    assert main(["contours"]) == 0
    assert layout.contours_path(FIRST) in capsys.readouterr().out
    assert verify(home / "published").is_identical
    assert main(["contours"]) == 0
    assert "Every published row" in capsys.readouterr().out
    assert main(["contours", "nobody"]) == 1


def test_a_stranger_is_no_published_file() -> None:
    """The layout knows the table of a submission and nothing else below that folder."""
    assert layout.is_published("contours/a-b_1.parquet")
    assert not any(map(layout.is_published, ("contours/../x.parquet", "contours/a.json", "contours/a/b.parquet")))
