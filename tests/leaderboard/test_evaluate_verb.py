"""`evaluate` with real voices and the real instruments, as a researcher calls it: figures, place, files, exit codes."""

import dataclasses
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.corpus import locate_benchmark_v1, pin_of
from evaluation.protocol import encode, load_shipped
from leaderboard.cli import main
from submissions import layout
from submissions.store.folder import PublishedFolder

pytestmark = pytest.mark.models
CARD = {"version": "1", "organisation": "O", "contact": "c@example.org", "licence": "MIT"}


def flite(voice: str, script: str, folder: Path) -> bytes:
    """Return a script in one of flite's voices."""
    subprocess.run(["flite", "-voice", voice, "-t", script, "-o", str(folder / "o.wav")], check=True)
    return (folder / "o.wav").read_bytes()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a working folder with two zips, of which a worker published both, and settings that point at its home."""
    folder = tmp_path_factory.mktemp("place")
    records = [json.loads(line) for line in locate_benchmark_v1().read_text().splitlines()]
    chosen = [record for record in records if record["traits"]["loudness"] == "normal"][:2] + records[3:4]
    chosen = list({record["id"]: record for record in chosen}.values())
    (folder / "corpus.jsonl").write_text("".join(json.dumps(record) + "\n" for record in chosen))
    pin = pin_of(folder / "corpus.jsonl", "small_v1")
    (folder / "lite.json").write_bytes(encode(dataclasses.replace(load_shipped("lite"), corpus=pin)))
    for voice in ("slt", "kal"):
        with zipfile.ZipFile(folder / f"{voice}.zip", "w") as archive:
            for record in chosen:
                archive.writestr(f"{record['id']}.wav", flite(voice, record["text"], folder))
            archive.writestr("system.json", json.dumps({**CARD, "system": voice}))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CASTBOARD_HOME", str(folder / "home"))
        patch.setenv("CASTBOARD_PROTOCOL", str(folder / "lite.json"))
        patch.setenv("CASTBOARD_CORPUS", str(folder / "corpus.jsonl"))
        for voice in ("slt", "kal"):
            assert main(["submit", f"{voice}.zip"]) == 0
        assert main(["worker", "--once"]) == 0
        yield folder


def test_bytes_place_and_decisions_are_the_boards(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is that of the publication, the decision against each neighbour is the board's own."""
    capsys.readouterr()
    assert main(["evaluate", "slt.zip", "--against", "kal", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    files = PublishedFolder(place / "home" / "published")
    protocol_id = told["result"]["protocol"]
    ids = {result.card["system"]: result.submission for result in layout.read_results(files, protocol_id)}
    published = files.read(layout.samples_path(protocol_id, ids["slt"]))
    assert (place / "slt.castboard" / "per_sample.parquet").read_bytes() == published
    (decision,) = layout.read_decisions(files, protocol_id).to_pylist()
    (found,) = [one for one in told["place"]["decisions"] if ids["kal"] in (one["challenger"], one["incumbent"])]
    for name in ("challenger_score", "incumbent_score", "lcb", "margin", "is_win", "n_items"):
        assert found[name] == told["against"]["decision"][name] == decision[name]
    assert sorted(path.name for path in (place / "home" / "work").iterdir()) == sorted(ids.values())


def test_output_in_a_pipe_is_plain_and_names_what_matters(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No control code on either stream; S, gate, dimensions, place, neighbours and files are told."""
    capsys.readouterr()
    assert main(["evaluate", "slt.zip"]) == 0
    shown = capsys.readouterr()
    assert not any(ord(sign) < 32 and sign != "\n" for sign in shown.out + shown.err)
    for word in (
        "S = ",
        "gate",
        "naturalness",
        "Rank ",
        "tie",
        "lower bound",
        "Not measured",
        "slt.castboard",
        "already, as slt 1",
    ):
        assert word in shown.out


def test_partial_folder_has_no_place_and_refused_ones_say_why(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An incomplete folder is refused with its list; with --partial it is evaluated and marked on every output."""
    folder = place / "some"
    folder.mkdir()
    with zipfile.ZipFile(place / "kal.zip") as archive:
        name = next(one for one in archive.namelist() if one.endswith(".wav"))
        (folder / name).write_bytes(archive.read(name))
    capsys.readouterr()
    assert main(["evaluate", "some"]) == 1
    refused = capsys.readouterr().out
    assert "no clip" in refused and "--partial" in refused
    assert main(["evaluate", "some", "--partial", "--against", "slt"]) == 0
    told = capsys.readouterr().out
    assert "PARTIAL: 1 of" in told and "Rank" not in told and "OVER SOME ITEMS, NOT A RANKING" in told


def test_unreadable_things_are_2(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An absent file and one that is no zip, each with a sentence."""
    (place / "broken.zip").write_bytes(b"not a zip")
    assert main(["evaluate", "absent.zip"]) == 2
    assert main(["evaluate", "broken.zip"]) == 2
    shown = capsys.readouterr()
    assert "absent.zip" in shown.err and "not a zip" in shown.out


def test_compare_takes_all_kinds_and_marks_what_ifs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A zip against a system is the board's decision; with weights it is an analysis, on paper and in JSON."""
    capsys.readouterr()
    assert main(["compare", "slt.zip", "kal", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["label"] == "decision"
    assert main(["compare", "slt", "kal 1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"]["lcb"] == plain["decision"]["lcb"]
    assert main(["compare", "slt", "kal", "--weights", "naturalness=2", "--margin-floor", "0.5", "--json"]) == 0
    what_if = json.loads(capsys.readouterr().out)
    assert (what_if["label"], what_if["decision"]["margin"]) == ("analysis, not a ranking", 0.5)
    assert main(["compare", "slt", "kal", "--weights", "naturalness=2"]) == 0
    assert "ANALYSIS, NOT A RANKING" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "slt", "nobody"], "no system"),
        (["compare", "slt", "slt"], "itself"),
        (["compare", "slt", "kal", "--weights", "tone"], "tone=2"),
        (["compare", "slt", "kal", "--weights", "tone=2"], "scored dimensions"),
        (["compare", "slt", "absent.zip"], "no file"),
        (["evaluate", "slt.zip", "--board", "some/where"], "no published board"),
        (["evaluate", "slt.zip", "--protocol", "none"], "no protocol"),
    ],
)
def test_mistakes_are_sentences(place: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each says what is wrong, without a traceback."""
    capsys.readouterr()
    assert main(words) == 1
    assert said in capsys.readouterr().err
