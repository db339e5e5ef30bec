"""A whole check: every problem at once, the same result every time, nothing left behind."""

import hashlib
import json
import multiprocessing
import os
import stat
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.audio import canonicalise
from evaluation.decoding import Decoder
from submissions.archive import Archive, ArchiveLimits
from submissions.check_report import as_json, as_text
from submissions.clip_bench import Bench
from submissions.findings import RULES, Finding, to_problems
from submissions.intake import CheckResult, check
from submissions.listing import list_members, read_declined
from submissions.problems import SubmissionError, cut_list, shown
from tests.audio_factory import (
    RawEntry,
    clip_bytes,
    corpus_of,
    encoded,
    noise,
    raw_zip,
    tone,
    with_data_length,
    write_zip,
    zip_bytes,
)
from tests.evaluation import decoder_tasks


def checked(folder: Path, data: bytes, n_items: int = 3) -> CheckResult:
    """Check `data` as a submission; the work folder must be empty afterwards and nothing may lie beside it."""
    (folder / "submission.zip").write_bytes(data)
    work_dir = folder / "work"
    work_dir.mkdir(exist_ok=True)
    result = check(folder / "submission.zip", corpus_of(n_items), work_dir, decoder_processes=1)
    assert list(work_dir.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["submission.zip", "work"]
    return result


def clips(n_items: int = 3) -> dict[str, bytes]:
    """Return the files of a clean submission."""
    return {f"vb-{number:05}.wav": clip_bytes(number) for number in range(n_items)}


def told(result: CheckResult) -> dict[str, str]:
    """Return the place of each problem and warning by code."""
    return {problem.code: problem.where for problem in result.problems + result.warnings}


def test_a_clean_zip_is_clean(tmp_path):
    """A clean zip gives its hash, its clips in the corpus's order, and no word."""
    data = zip_bytes(dict(reversed(clips().items())))
    result = checked(tmp_path, data)
    assert result.is_clean
    assert result.warnings == ()
    assert result.zip_sha256 == hashlib.sha256(data).hexdigest()
    assert [clip.item_id for clip in result.clips] == ["vb-00000", "vb-00001", "vb-00002"]
    assert (result.n_items, result.n_clips, result.declined, result.card_fields) == (3, 3, (), {})
    assert "ready" in as_text(result)


def test_a_folder_and_leavings_of_a_mac_are_no_matter(tmp_path):
    """One folder, ./, upper-case endings and ignored files change nothing."""
    files = {f"./my clips/{name[:-4]}.WAV": data for name, data in clips().items()}
    files |= {f"__MACOSX/my clips/._{name}": b"\x00\x05" for name in clips()}
    files |= {"my clips/": b"", ".DS_Store": b"x", "my clips/Thumbs.db": b"x", "my clips/desktop.ini": b"x"}
    result = checked(tmp_path, zip_bytes(files))
    assert (result.is_clean, result.warnings) == (True, ())


def test_every_problem_comes_at_once(tmp_path):
    """One zip with a dozen faults names them all, each with its place."""
    short = encoded(tone(duration_s=0.1))
    nan = encoded(np.full(8000, np.nan), coding="FLOAT")
    files = [
        ("vb-00000.wav", clip_bytes(0)),
        ("vb-00000.flac", encoded(tone(), container="FLAC")),
        ("vb-00001.wav", b"This is text.\n" * 99),
        ("vb-00002.wav", short),
        ("vb-00003.wav", nan),
        ("other/vb-00004.wav", clip_bytes(4)),
        ("vb-00005.m4a", clip_bytes(5)),
        ("VB-00006.wav", clip_bytes(6)),
        ("vb-00007.wav", clip_bytes(7)),
        ("inner.zip", zip_bytes(clips())),
        ("readme.txt", b"hello"),
        ("../escape.wav", b"x"),
        ("declined.json", json.dumps(["vb-00007", "vb-77777", "vb-00008", "vb-00008"]).encode()),
        ("system.json", json.dumps({"system": "Bari\u202etone", "link": "ftp://x", "colour": "red"}).encode()),
    ]
    result = checked(tmp_path, zip_bytes(files), n_items=10)
    assert told(result) == {
        "unsafe_name": "../escape.wav",
        "missing_items": "vb-00005, vb-00006, vb-00009",
        "duplicate_item": "vb-00000",
        "unknown_name": "VB-00006.wav, readme.txt, ../escape.wav",
        "wrong_extension": "vb-00005.m4a",
        "nested_zip": "inner.zip",
        "several_folders": "other/vb-00004.wav",
        "declined_unknown": "vb-77777",
        "declined_twice": "vb-00008",
        "declined_with_clip": "vb-00007",
        "not_audio": "vb-00001",
        "too_short": "vb-00002",
        "nonfinite": "vb-00003",
        "card_field": "card field link",
        "unknown_card_field": "colour",
    }
    assert sum(problem.code == "card_field" for problem in result.problems) == 2
    assert [clip.item_id for clip in result.clips] == ["vb-00000", "vb-00004", "vb-00007"]
    assert result.declined == ("vb-00007", "vb-00008")
    text = as_text(result)
    assert all(f"{problem.what}." in text for problem in result.problems[:5])
    assert "mend the problems" in text
    assert json.loads(json.dumps(as_json(result)))["is_clean"] is False


def test_warnings_do_not_block(tmp_path):
    """Clips that are odd but readable are warned of one by one, and the zip is clean."""
    two = np.stack([tone(), tone(frequency_hz=300)], axis=1)
    files = {
        "vb-00000.wav": encoded(tone(), container="MP3", coding="MPEG_LAYER_III"),
        "vb-00001.wav": encoded(two),
        "vb-00002.wav": encoded(np.stack([tone(), 0 * tone()], axis=1)),
        "vb-00003.wav": encoded(tone(rate_hz=8000), rate_hz=8000),
        "vb-00004.wav": encoded(np.zeros(8000)),
        "vb-00005.wav": encoded(np.clip(tone(level=9), -1, 1)),
        "vb-00006.wav": encoded(tone(level=2), coding="FLOAT"),
        "vb-00007.wav": with_data_length(encoded(noise()), 0),
        "vb-00008.wav": with_data_length(encoded(noise(seed=1)), 10**6),
        "vb-00009.wav": encoded(np.full(8000, 0.5)),
        "vb-00010.wav": clip_bytes(0),
        "vb-00011.wav": clip_bytes(0),
    }
    result = checked(tmp_path, zip_bytes(files), n_items=12)
    assert result.is_clean
    assert len(result.clips) == 12
    assert told(result) == {
        "other_format": "vb-00000",
        "stereo": "vb-00001",
        "dead_channel": "vb-00002",
        "low_rate": "vb-00003",
        "silent": "vb-00004",
        "constant": "vb-00009",
        "over_full_scale": "vb-00006",
        "clipping": "vb-00005",
        "streamed_header": "vb-00007",
        "cut_short": "vb-00008",
        "same_audio": "vb-00011",
    }
    assert "nothing here blocks" in as_text(result)


def test_items_may_be_declined(tmp_path):
    """Declined items need no clip, as a list or with reasons."""
    files = clips(2)
    listed = checked(tmp_path, zip_bytes({**files, "declined.json": b'["vb-00002"]'}))
    reasoned = checked(tmp_path, zip_bytes({**files, "declined.json": b'{"vb-00002": "unsafe"}'}))
    assert listed.is_clean
    assert reasoned.is_clean
    assert listed.declined == reasoned.declined == ("vb-00002",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"3",
        b"[1]",
        b'{"vb-00000": 1}',
        b'{"vb-00000": "a", "vb-00000": "b"}',
        b"[NaN]",
        b"\xff\xfe[]",
        b"[" * 100_000,
        b"9" * 10_000,
        b'"' + b"x" * (300 << 10) + b'"',
    ],
)
def test_a_bad_list_of_refusals_is_one_problem(tmp_path, data):
    """declined.json that is no list of ids is named; the clips are checked all the same."""
    result = checked(tmp_path, zip_bytes({**clips(), "declined.json": data}))
    assert told(result) == {"declined_unreadable": "declined.json"}
    assert len(result.clips) == 3


def test_the_card_of_the_zip_is_read(tmp_path):
    """Good fields of system.json fill the form; another kind of JSON is a problem."""
    result = checked(tmp_path, zip_bytes({**clips(), "system.json": b'{"system": " Baritone ", "open_weights": true}'}))
    assert result.is_clean
    assert result.card_fields == {"system": "Baritone", "open_weights": True}
    assert told(checked(tmp_path, zip_bytes({**clips(), "system.json": b"[]"}))) == {"system_unreadable": "system.json"}


@pytest.mark.parametrize("data", [b"", b"no zip", zip_bytes(clips())[:-40], b"PK\x05\x06" + bytes(17)])
def test_what_is_no_zip_is_unreadable(tmp_path, data):
    """A file that is no whole zip gives one problem and a way on."""
    result = checked(tmp_path, data)
    assert result.is_unreadable
    assert not result.is_clean
    assert len(result.problems) == 1
    assert "cannot be opened" in as_text(result)


def test_zips_in_a_zip_are_named(tmp_path):
    """A zip that holds one zip a folder has no clips, and says what to do."""
    files = {f"part{n}/clips.zip": zip_bytes({f"vb-{n:05}.wav": clip_bytes(n)}) for n in range(3)}
    result = checked(tmp_path, zip_bytes(files))
    assert set(told(result)) == {"nested_zip", "missing_items", "no_clips"}
    assert "3 files are an archive inside the zip." in as_text(result)


def test_broken_members_are_named_beside_good_ones(tmp_path):
    """Link, encrypted, wrong checksum and shared bytes: each item is named once, and is not missing."""
    good = clip_bytes(0)
    entries = [
        RawEntry(name=b"vb-00000.wav", data=good),
        RawEntry(name=b"vb-00001.wav", data=b"/etc/passwd", unix_mode=stat.S_IFLNK | 0o777),
        RawEntry(name=b"vb-00002.wav", data=good, flags=1),
        RawEntry(name=b"vb-00003.wav", data=good, crc=7),
        RawEntry(name=b"vb-00004.wav", data=clip_bytes(4)),
        RawEntry(name=b"vb-00004.wav", data=clip_bytes(4), header_at=5 * (len(good) + 42)),
    ]
    result = checked(tmp_path, raw_zip(entries), n_items=5)
    assert told(result) == {
        "not_a_file": "vb-00001.wav",
        "encrypted": "vb-00002.wav",
        "zip_lies": "vb-00004.wav",
        "same_name": "vb-00004.wav",
        "duplicate_item": "vb-00004",
        "bad_crc": "vb-00003.wav",
    }


def test_limits_of_the_zip_stop_the_decoding(tmp_path):
    """With too many files nothing is decoded, and the limit is told."""
    path = write_zip(tmp_path / "a.zip", 3)
    result = check(path, corpus_of(3), tmp_path, archive_limits=ArchiveLimits(max_members=2))
    assert [(problem.code, problem.allowed, problem.got) for problem in result.problems] == [
        ("too_many_members", "2 at most", "3 files")
    ]
    assert result.clips == ()


def test_hundreds_of_alike_problems_are_one(tmp_path):
    """212 missing items are one problem whose list is whole in JSON and cut in text."""
    path = write_zip(tmp_path / "a.zip", 1)
    result = check(path, corpus_of(213), tmp_path)
    (problem,) = result.problems
    assert problem.what == "212 items have no clip"
    assert len(problem.where.split(", ")) == 212
    assert "and 200 more" in problem.sentence()
    assert len(as_text(result)) < 1000


def test_clips_are_kept_and_leftovers_replaced(tmp_path):
    """Kept clips are the canonical ones; what an earlier, half-done check left changes nothing."""
    keep = tmp_path / "keep"
    keep.mkdir()
    path = write_zip(tmp_path / "a.zip", 3)
    (keep / "vb-00001.flac").write_bytes(b"half a clip")
    (keep / ".vb-00002.flac.part").write_bytes(b"half a clip")
    (keep / "other.txt").write_bytes(b"not ours")
    progress = []
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    (work_dir / "member-00000").write_bytes(b"half a member")
    result = check(path, corpus_of(3), work_dir, keep_clips=keep, on_progress=lambda *step: progress.append(step))
    assert progress == [(1, 3), (2, 3), (3, 3)]
    assert sorted(file.name for file in keep.iterdir()) == ["other.txt", *(f"vb-0000{n}.flac" for n in range(3))]
    for clip in result.clips:
        assert hashlib.sha256((keep / f"{clip.item_id}.flac").read_bytes()).hexdigest() == clip.sha256
    assert result == check(path, corpus_of(3), work_dir, decoder_processes=1)
    (tmp_path / "source").write_bytes(clip_bytes(1))
    assert canonicalise(tmp_path / "source", tmp_path / "direct").sha256 == result.clips[1].sha256


def _check_and_tell(path: Path, work_dir: Path, keep: Path, kill_after: int) -> None:
    """Check in a process of its own, which kills itself after some clips."""

    def on_progress(n_done: int, _: int) -> None:
        if n_done == kill_after:
            os.kill(os.getpid(), 9)

    check(path, corpus_of(12), work_dir, keep_clips=keep, on_progress=on_progress)


@pytest.mark.restart
def test_a_killed_check_can_be_run_again(tmp_path):
    """After kill -9 in the middle, a second run in the same folders gives the undisturbed result and clips."""
    path = write_zip(tmp_path / "a.zip", 12)
    folders = [tmp_path / name for name in ("work", "keep", "calm")]
    for folder in folders:
        folder.mkdir()
    work_dir, keep, calm = folders
    for kill_after in (1, 5, 11):
        child = multiprocessing.get_context("spawn").Process(
            target=_check_and_tell, args=(path, work_dir, keep, kill_after)
        )
        child.start()
        child.join()
        assert child.exitcode == -9
    again = check(path, corpus_of(12), work_dir, keep_clips=keep)
    assert again == check(path, corpus_of(12), work_dir, keep_clips=calm)
    assert {file.name: file.read_bytes() for file in keep.iterdir()} == {
        file.name: file.read_bytes() for file in calm.iterdir()
    }
    assert list(work_dir.iterdir()) == []


def test_clips_that_are_too_big_together_stop_the_work(tmp_path):
    """Beyond the limit of all canonical clips no more are decoded, and nothing is left behind."""
    path = write_zip(tmp_path / "a.zip", 12)
    keep = tmp_path / "keep"
    work_dir = tmp_path / "work"
    keep.mkdir()
    work_dir.mkdir()
    limits = ArchiveLimits(canonical_bytes=1)
    result = check(path, corpus_of(12), work_dir, keep_clips=keep, archive_limits=limits)
    assert [(problem.code, problem.got) for problem in result.problems] == [("all_too_big", "more after 1 clips")]
    assert [file.name for file in keep.iterdir()] == ["vb-00000.flac"]
    assert list(work_dir.iterdir()) == []


def test_a_zip_of_crashes_is_given_up(tmp_path):
    """After some clips that kill their decoder the rest is not tried."""
    (tmp_path / "a.zip").write_bytes(zip_bytes({f"vb-{n:05}.wav": b"crash" for n in range(9)}))
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    with Archive.open(tmp_path / "a.zip", ArchiveLimits(max_decoder_failures=2)) as archive:
        bench = Bench(
            archive,
            work_dir,
            None,
            make_decoder=lambda: Decoder(1, task=decoder_tasks.crash_on_bad),
            n_in_flight=3,
        )
        listing = list_members(archive.members, [item.id for item in corpus_of(9).items])
        done = bench.decode_all(list(listing.clips.items()), None)
    assert [finding.code for _, found in done for finding in found] == ["decoder_died", "decoder_died", "gave_up"]
    assert list(work_dir.iterdir()) == []


@given(data=st.binary(max_size=300))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_unreadable(tmp_path, data):
    """Random bytes in place of a zip give a result, and the result can be told."""
    result = checked(tmp_path, data)
    assert result.is_unreadable
    assert "cannot be opened" in as_text(result)


@given(names=st.lists(st.binary(min_size=1, max_size=12), min_size=1, max_size=5), flags=st.sampled_from([0, 0x800]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_name_is_told_harmlessly(tmp_path, names, flags):
    """Whatever the names, the report has no character that a terminal obeys, and nothing is written by name."""
    result = checked(tmp_path, raw_zip(RawEntry(name=name, flags=flags) for name in names))
    assert as_text(result).replace("\n", "").isprintable()


def test_every_rule_can_be_told():
    """Each rule makes a sentence for one and for many findings; no placeholder is forgotten."""
    names = [name for rule in RULES.values() for _, name, _, _ in string.Formatter().parse(rule.allowed) if name]
    words = dict.fromkeys(names, "...")
    for code in RULES:
        for n in (1, 3):
            findings = [Finding(code=code, where=f"place {i}", got=f"value {i}") for i in range(n)]
            (problem,) = to_problems(findings, words)
            assert "{" not in problem.sentence()
            assert problem.where.count("place") == n


def test_an_error_says_all_its_problems():
    """SubmissionError reads as the sentences of its problems."""
    problems = to_problems([Finding(code="empty_zip"), Finding(code="no_clips")], {"example": "a.wav"})
    error = SubmissionError(problems)
    assert error.problems == problems
    assert str(error) == " ".join(problem.sentence() for problem in problems)


def test_shown_and_cut():
    """Escapes are written out, long names and lists are cut."""
    assert shown("a\x1b\u202eb\ud800") == "a\\x1b\\u202eb\\ud800"
    assert len(shown("x" * 1000)) == 80
    assert cut_list(", ".join("abcdefghijklmno")) == "a, b, c, d, e, f, g, h, i, j, k, l and 3 more"


@given(st.recursive(st.none() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)))
def test_any_json_is_a_list_of_refusals_or_not(value):
    """No value of declined.json raises."""
    declined, findings = read_declined(value, ())
    assert declined == ()
    assert findings or not value
