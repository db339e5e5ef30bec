"""The verbs `gate` and `freeze-forms`."""

import json
from pathlib import Path

import pytest

from evaluation.errors import CastboardError
from evaluation.gate import frozen
from leaderboard.cli import main
from leaderboard.proposals import read_proposals


def test_a_line_for_each_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, path and units of each pair, in order, and exit 0."""
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": "a", "script": "Pay £3 now.", "transcript": "pay three pounds now"},
        {"id": "b", "script": "Pay £3 now.", "transcript": "pay four pounds", "kind": "currency"},
    ]
    pairs.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")
    assert main(["gate", str(pairs)]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    unit = {"class": "currency", "text": "£3", "start": 4, "end": 6, "right": True}
    assert first == {
        "id": "a",
        "wer": 0.0,
        "substitutions": 0,
        "deletions": 0,
        "insertions": 0,
        "path": ["pay", "three", "pounds", "now"],
        "units": [unit],
    }
    assert (second["wer"], second["substitutions"], second["deletions"]) == (0.5, 1, 1)
    assert second["units"] == [unit | {"right": False}]


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each malformed line is an error with its number; good lines are still answered; exit 1."""
    pairs = tmp_path / "pairs.jsonl"
    good = json.dumps({"id": "a", "script": "Go.", "transcript": "go"})
    deep = "[" * 100_000
    pairs.write_bytes(f'nope\n{good}\n[1]\n{{"id": "b", "script": 3}}\n'.encode() + b"\xff\n" + good.encode())
    with pairs.open("a") as file:
        file.write(f"\n{deep}\n")
    assert main(["gate", str(pairs)]) == 1
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    errors = captured.err.splitlines()
    assert [error.split(", line ")[1].split(":")[0] for error in errors] == ["1", "3", "4", "5", "7"]
    assert "script, transcript must be text, got 3, None" in errors[2]


def test_a_missing_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The path is named and the exit code is 1."""
    assert main(["gate", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl cannot be opened" in capsys.readouterr().err


def test_forms_are_frozen_from_proposals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proposal beyond the rules is written to the file, whose hash is shown."""
    proposals, out = tmp_path / "proposals.json", tmp_path / "forms.json"
    proposals.write_text(json.dumps({"vb-00499": {"one": ["a different sentence"]}}))
    assert main(["freeze-forms", str(proposals), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert frozen.sha256_of(out.read_bytes()) in said
    assert list(frozen.load(out, frozen.sha256_of(out.read_bytes()))) == ["vb-00499"]
    assert main(["freeze-forms", str(tmp_path / "none.json")]) == 1


@pytest.mark.parametrize(
    "hostile", [b"", b"[]", b'{"a": 1}', b'{"a": {"one": "text"}}', b'{"a": {"one": [1]}}', b"[" * 100_000]
)
def test_proposals_that_are_none_are_refused(tmp_path: Path, hostile: bytes) -> None:
    """Of whatever shape, or none: a sentence that says what the file must hold."""
    path = tmp_path / "proposals.json"
    path.write_bytes(hostile)
    with pytest.raises(CastboardError, match=r"proposals\.json must be JSON, item id to"):
        read_proposals(path)
