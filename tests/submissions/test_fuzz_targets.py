"""What `make fuzz` runs, without its fuzzer: every seed keeps every invariant, and a broken one is seen."""

from pathlib import Path

import pytest

from submissions import intake
from submissions.problems import Problem
from tests.audio_factory import zip_bytes
from tests.fuzz import fuzz_audio, fuzz_card, fuzz_folder, fuzz_zip
from tests.fuzz.invariants import hold_for_fields, hold_for_problems


@pytest.mark.parametrize("target", [fuzz_zip, fuzz_card, fuzz_audio, fuzz_folder])
def test_every_seed_keeps_the_invariants(target: object, tmp_path: Path) -> None:
    """Seeds end in an answer of ours, and leave nothing behind; they reach more than one outcome."""
    outcomes = {repr(target.run_one(seed, tmp_path)) for seed in target.seeds()}
    assert len(outcomes) > 3
    assert not list(tmp_path.iterdir())


def test_a_text_that_would_turn_a_terminal_is_seen() -> None:
    """The invariants can fail: a control character in a problem, a card value that is not regular."""
    problem = Problem(kind="problem", code="unknown_name", what="A", where="\x1b[31m", allowed="", got="")
    with pytest.raises(AssertionError, match="does not print"):
        hold_for_problems([problem])
    with pytest.raises(AssertionError):
        hold_for_fields({"system": "e\u0301"})


def test_a_clip_that_python_sees_otherwise_is_seen(tmp_path: Path) -> None:
    """A clean verdict on a zip in which Python's reader finds another file breaks the zip target."""
    good = fuzz_zip.seeds()[0][1:]
    path = tmp_path / "good.zip"
    path.write_bytes(good)
    found = intake.check(path, fuzz_zip.CORPUS, tmp_path, limits=fuzz_zip.LIMITS)
    assert found.is_clean
    fuzz_zip.hold_against_zipfile(good, found, tmp_path)
    with pytest.raises(AssertionError, match="clean, with"):
        fuzz_zip.hold_against_zipfile(zip_bytes({"other.wav": b""}), found, tmp_path)
