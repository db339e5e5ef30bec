"""A folder of clips is checked by the rules of a zip: the same findings, and nothing in it can lead elsewhere."""

import os
import zipfile
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from submissions.archive import ArchiveError, ArchiveLimits
from submissions.clip_folder import ClipFolder
from submissions.folder_check import check_folder
from submissions.intake import CheckResult, check
from tests.submissions.small_evaluation import make_corpus, tones


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), 3)


def folder_of(root: Path, files: dict[str, bytes]) -> Path:
    """Write files below a new folder."""
    for name, data in files.items():
        path = root / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root / "clips"


def looked_at(folder: Path, corpus: Corpus, tmp_path: Path, *, may_be_partial: bool = False) -> CheckResult:
    """Check a folder with one decoder."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    return check_folder(folder, corpus, work, decoder_processes=1, may_be_partial=may_be_partial)


def codes(checked: CheckResult) -> set[str]:
    """Return the codes of the problems."""
    return {problem.code for problem in checked.problems}


def test_folder_and_zip_of_the_same_files_are_one(tmp_path: Path, corpus: Corpus) -> None:
    """Clips and warnings are equal; only the hash of the source is another."""
    clips = {f"{item}.wav": audio for item, audio in tones(corpus).items()}
    folder = folder_of(tmp_path, {f"inner/{name}": data for name, data in clips.items()})
    with zipfile.ZipFile(tmp_path / "clips.zip", "w") as archive:
        for name, data in clips.items():
            archive.writestr(name, data)
    from_folder = looked_at(folder, corpus, tmp_path)
    from_zip = check(tmp_path / "clips.zip", corpus, tmp_path / "work", decoder_processes=1)
    assert from_folder.is_clean
    assert from_folder.clips == from_zip.clips
    assert from_folder.warnings == from_zip.warnings
    assert from_folder.zip_sha256 == looked_at(folder, corpus, tmp_path).zip_sha256 != from_zip.zip_sha256


def test_everything_wrong_is_told_at_once_and_as_of_a_folder(tmp_path: Path, corpus: Corpus) -> None:
    """A link, a pipe, junk, a strange name and a missing item; the words speak of a folder."""
    audio = tones(corpus)
    secret = tmp_path / "secret.wav"
    secret.write_bytes(audio["it-01"])
    folder = folder_of(tmp_path, {"it-00.wav": audio["it-00"], "notes\x1b[31m.txt": b"x", ".DS_Store": b"junk"})
    (folder / "it-01.wav").symlink_to(secret)
    (folder / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(folder / "it-02.wav")
    checked = looked_at(folder, corpus, tmp_path)
    assert codes(checked) == {"not_a_file", "unsafe_name", "unknown_name"}
    assert [clip.item_id for clip in checked.clips] == ["it-00"]
    told = " ".join(problem.sentence() for problem in checked.problems)
    assert "it-01.wav" in told and "it-02.wav" in told and "elsewhere" in told
    assert "\x1b" not in told and "DS_Store" not in told


def test_an_incomplete_folder_is_refused_with_its_list_unless_that_is_asked_for(tmp_path: Path, corpus: Corpus) -> None:
    """What is missing is listed like that of a zip."""
    folder = folder_of(tmp_path, {"it-01.wav": tones(corpus)["it-01"]})
    checked = looked_at(folder, corpus, tmp_path)
    assert [(problem.code, problem.where) for problem in checked.problems] == [("missing_items", "it-00, it-02")]
    assert looked_at(folder, corpus, tmp_path, may_be_partial=True).is_clean


def test_an_empty_folder_says_so_in_words_of_a_folder(tmp_path: Path, corpus: Corpus) -> None:
    """No sentence speaks of a zip."""
    (tmp_path / "clips").mkdir()
    checked = looked_at(tmp_path / "clips", corpus, tmp_path, may_be_partial=True)
    assert codes(checked) == {"empty_zip", "no_clips"}
    assert all("zip" not in problem.sentence() for problem in checked.problems)


def test_limits_are_those_of_a_zip(tmp_path: Path) -> None:
    """Too many files, too big ones, too many entries to look at."""
    folder = folder_of(tmp_path, {"a.wav": b"12345", "b.wav": b"1", "c.wav": b"1"})
    with ClipFolder.open(folder, ArchiveLimits(max_members=2, member_bytes=4, total_bytes=6)) as opened:
        assert {finding.code for finding in opened.findings} == {"too_many_members", "member_size", "total_size"}
        assert [member.is_readable for member in opened.members] == [False, True, True]
    with pytest.raises(ArchiveError, match="too_many_entries"):
        ClipFolder.open(folder, ArchiveLimits(max_entries=2))


def test_a_file_that_becomes_a_link_or_grows_is_not_read(tmp_path: Path) -> None:
    """What was listed is what is read, or nothing is."""
    folder = folder_of(tmp_path, {"a.wav": b"12345", "b.wav": b"12345"})
    opened = ClipFolder.open(folder)
    (folder / "a.wav").unlink()
    (folder / "a.wav").symlink_to("/etc/hostname")
    (folder / "b.wav").write_bytes(b"123456")
    for member in opened.members:
        with pytest.raises(ArchiveError, match="damaged"):
            opened.copy_to(member, tmp_path / "out")
        assert not (tmp_path / "out").exists()
