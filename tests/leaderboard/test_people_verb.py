"""The verb `people`: what the judge was asked goes out blind, and what people say comes back as a report."""

import argparse
import csv
import io
import shutil
import wave
from pathlib import Path

import pytest

from evaluation.errors import CastboardError
from evaluation.people.comparisons import decode_key
from evaluation.people.labels import LabelsRefused
from evaluation.people.report import decode
from leaderboard import cli, settings
from leaderboard.verbs import people
from submissions import layout
from submissions.instrument_cards import read_report
from submissions.store.folder import PublishedFolder
from submissions.verify import verify
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example


def run(home: Path, *arguments: str) -> int:
    """Run the verb as the front door does."""
    parser = argparse.ArgumentParser()
    people.add(parser.add_subparsers(), cli._add)
    options = parser.parse_args(["people", *arguments])
    return options.run(options, settings.from_env({"CASTBOARD_HOME": str(home)}))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with three judged systems, the anchor among them, and their protocol's id; never changed."""
    home = tmp_path_factory.mktemp("judged")
    under = judged.protocol(anchor=judged.anchor_clips(home / "anchor"))
    for name in example.SUBMISSIONS:
        example.send(PublishedFolder(home / "published"), judged.submission(home / name, name, under), under)
    return home, under.id


def export(board: tuple[Path, str], folder: Path, *more: str) -> list[dict[str, str]]:
    """Export into `folder` and return the sheet's lines."""
    home, protocol = board
    assert run(home, "export", str(folder), "--protocol", protocol, *more) == 0
    text = (folder / "for-raters" / "sheet.csv").read_text("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def filled(folder: Path, rows: list[dict[str, str]], rater: str, winner: str) -> Path:
    """Write a sheet on which one rater always gives the same answer, and a full mark to a."""
    path = folder / f"{rater}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows({**row, "rater": rater, "winner": winner, "score_a": "3", "score_b": "1"} for row in rows)
    return path


def test_an_export_is_blind_and_complete(board, tmp_path, capsys):
    """Two prepared clips a line; nothing for raters names a system; the key does."""
    rows = export(board, tmp_path / "out", "--n", "6", "--seed", "5")
    assert len(rows) == 6
    assert "6 comparisons" in capsys.readouterr().out
    for row in rows:
        for side in ("clip a", "clip b"):
            with wave.open(str(tmp_path / "out" / "for-raters" / row[side])) as clip:
                assert (clip.getframerate(), clip.getnchannels()) == (24_000, 1)
    for path in (tmp_path / "out" / "for-raters").rglob("*"):
        told = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        assert not any(name.encode() in told for name in example.SUBMISSIONS)
    key = decode_key((tmp_path / "out" / "key.json").read_bytes(), "key.json")
    assert key.protocol_id == board[1]
    assert {one.judged.submission for one in key.comparisons} <= set(example.SUBMISSIONS[:2])


def test_the_same_seed_gives_the_same_files(board, tmp_path):
    """An export can be made again, byte for byte; a folder that holds one is left alone."""
    for name in ("one", "two"):
        export(board, tmp_path / name, "--n", "4")
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 4 * 2 + 3
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with pytest.raises(CastboardError, match="holds an export already"):
        export(board, tmp_path / "one")


def test_labels_come_back_as_a_report_that_touches_no_score(board, tmp_path, capsys):
    """The report is printed, written and published; every other file stays as it was, and the board verifies."""
    home = shutil.copytree(board[0], tmp_path / "home")
    files = PublishedFolder(home / "published")
    before = {path: files.read(path) for path in files.paths()}
    rows = export((home, board[1]), tmp_path / "out", "--n", "8")
    sheets = [str(filled(tmp_path, rows, rater, winner)) for rater, winner in (("Ann", "a"), ("Bob", "tie"))]
    out = tmp_path / "report.json"
    assert run(home, "import", str(tmp_path / "out"), *sheets, "--out", str(out), "--publish") == 0
    told = capsys.readouterr().out
    report = decode(out.read_bytes(), "report.json")
    assert read_report(files, board[1]) == report
    assert (report.overall.n_comparisons, report.overall.n_labels, report.overall.n_raters) == (8, 16, 2)
    assert report.overall.n_no_majority == 8
    assert report.judge == "invented-audio-1"
    assert "People among themselves" in told
    assert b"Ann" not in out.read_bytes()
    assert {path: files.read(path) for path in files.paths() if path in before} == before
    assert set(files.paths()) - set(before) == {layout.people_path(board[1])}
    assert verify(home / "published", deep=0, seed=0, open_reader=None).is_identical


def test_a_clip_that_is_gone_or_another_one_is_said(board, tmp_path):
    """Without the anchor's own clips people would judge something else than the judge did."""
    home = shutil.copytree(board[0], tmp_path / "home")
    clips = home / "published" / "clips"
    shutil.copyfile(clips / f"{example.SUBMISSIONS[0]}.parquet", clips / f"{judged.ANCHOR}.parquet")
    with pytest.raises(CastboardError, match="not the anchor's clip that the protocol names"):
        export((home, board[1]), tmp_path / "other")
    (clips / f"{judged.ANCHOR}.parquet").unlink()
    with pytest.raises(CastboardError, match="no published clip of"):
        export((home, board[1]), tmp_path / "gone")


def test_bad_labels_change_nothing(board, tmp_path):
    """Every problem is told; no report is written."""
    rows = export(board, tmp_path / "out", "--n", "2")
    sheet = filled(tmp_path, rows, "Ann", "both")
    with pytest.raises(LabelsRefused, match="2 things are wrong"):
        run(board[0], "import", str(tmp_path / "out"), str(sheet), "--out", str(tmp_path / "report.json"))
    assert not (tmp_path / "report.json").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("export", "{tmp}/x", "--protocol", "lite"), "has no judge"),
        (("export", "{tmp}/x", "--n", "0"), "--n must be at least 1"),
        (("import", "{tmp}/nowhere", "{tmp}/labels.csv"), "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(board, tmp_path, arguments, says):
    """A protocol without a judge, an empty draw, a folder that is not there."""
    with pytest.raises(CastboardError, match=says):
        run(board[0], *(argument.format(tmp=tmp_path) for argument in arguments))
