"""`app.py duplicates`: flagged pairs are listed, and with --again those that came before there were prints."""

import dataclasses
from pathlib import Path

import pytest
import soundfile

from evaluation.codec import sha256_of_file
from leaderboard.cli import main
from submissions.duplicate_search import flagged_pairs, search
from submissions.prints import FILE
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions import published_example as example
from tests.submissions.copies import spoken
from tests.submissions.test_duplicates import note
from tests.submissions.work_examples import later, put


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home that the command line uses."""
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_pairs_are_listed_and_searched_again(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a pair it says so; a pair whose flag was never written is found by --again, told once and listed."""
    assert main(["duplicates"]) == 0
    assert "No two submissions share audio" in capsys.readouterr().out
    store = FolderStore(home)
    old, new = put(store, "old-one"), put(store, "new-one", later(5))
    note(store, old, spoken(), tmp_path / "clips")
    kept = store.kept_file(old, FILE)
    assert kept is not None
    store.keep_file(new, FILE, kept)
    assert main(["duplicates", "--again"]) == 0
    told = capsys.readouterr().out
    assert "1 new pair\n" in told
    assert f"Parrot 2 of Aviary ({new}, queued) after Parrot 2 of Aviary ({old}, queued). Of 8 clips" in told
    assert main(["duplicates", "--again"]) == 0
    assert "0 new pairs" in capsys.readouterr().out
    assert [(pair.newer.submission, pair.flag.other) for pair in flagged_pairs(store)] == [(new, old)]


def test_submissions_of_before_get_prints_from_their_published_clips(tmp_path: Path) -> None:
    """A search makes up for prints that were never kept, and leaves alone what has no clips anywhere."""
    store, files = FolderStore(tmp_path / "home"), PublishedFolder(tmp_path / "published")
    under, sounds = example.protocol(), spoken()
    for name in ("s00001", "s00002"):
        one = example.submission(tmp_path / name, name)
        clips = []
        for number, clip in enumerate(one.clips):
            path = tmp_path / name / f"{clip.item_id}.flac"
            soundfile.write(path, *sounds[number % len(sounds)], subtype="PCM_16")
            clips.append(dataclasses.replace(clip, sha256=sha256_of_file(path), rate_hz=sounds[0][1]))
        readings = {
            clip.item_id: dataclasses.replace(one.readings[clip.item_id], clip_sha256=clip.sha256) for clip in clips
        }
        example.send(files, dataclasses.replace(one, clips=tuple(clips), readings=readings), under)
    old, new = put(store, "s00001"), put(store, "s00002", later(5))
    put(store, "s00003", later(6))
    seen = []
    assert search(store, files, later(9), lambda *progress: seen.append(progress)) == 1
    assert [(pair.newer.submission, pair.flag.other) for pair in flagged_pairs(store)] == [(new, old)]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert store.kept_file(old, FILE) == store.kept_file(new, FILE)
