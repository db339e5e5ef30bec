"""Pairs of submissions with the same audio: which are flagged, on which one, once, and what is left alone."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import soundfile

from evaluation.audio import canonicalise
from evaluation.records import Clip, ItemId
from submissions import queue
from submissions.duplicates import KIND, MOST_FLAGS, flag, note_duplicates
from submissions.prints import FILE, decode
from submissions.records import Event, Person, Queued, SubmissionId, submission_id, timestamp
from submissions.store.folder import FolderStore
from tests.submissions.copies import COPIES, Sound, spoken
from tests.submissions.work_examples import later, put, received


@pytest.fixture(scope="module")
def plain() -> list[Sound]:
    """Return the scripts in espeak-ng's own voice."""
    return spoken()


def put_owned(store: FolderStore, name: str, at: datetime, *, account: str, system: str) -> SubmissionId:
    """Queue a submission of a signed-in person."""
    submission = submission_id(name)
    person = Person(account=account, name=account, organisations=())
    first = received()
    first = replace(first, person=person, card=replace(first.card, system=system))
    store.create_event(submission, Event(n=1, at=timestamp(at), payload=first))
    store.create_event(submission, Event(n=2, at=timestamp(at), payload=Queued()))
    return submission


def note(store: FolderStore, submission: SubmissionId, sounds: list[Sound], folder: Path) -> None:
    """Do for a submission what a worker does with its clips."""
    folder.mkdir()
    clips = []
    for number, (samples, rate_hz) in enumerate(sounds):
        item_id = ItemId(f"vb-{number:05}")
        soundfile.write(folder / "source.wav", samples, rate_hz)
        facts = canonicalise(folder / "source.wav", folder / f"{item_id}.flac")
        clips.append(
            Clip(
                item_id=item_id,
                sha256=facts.sha256,
                duration_s=facts.duration_s,
                rate_hz=rate_hz,
                bit_depth=16,
                source_format="WAV/PCM_16",
                source_channels=1,
            )
        )
    note_duplicates(store, submission, clips, folder, later(100))


def flags(store: FolderStore, submission: SubmissionId) -> list[str]:
    """Return the other submission of each flag of the kind."""
    return [one.other for one in queue.load(store, submission).flags if one.kind == KIND]


def test_an_exact_copy_is_flagged_on_the_newer_one_with_figures(tmp_path: Path, plain: list[Sound]) -> None:
    """The pair is named on the newer submission alone, with its counts, whichever was looked at last; it still runs."""
    store = FolderStore(tmp_path / "home")
    old, new = put(store, "old-one"), put(store, "new-one", later(5))
    note(store, new, plain, tmp_path / "new")
    assert flags(store, new) == []
    note(store, old, plain, tmp_path / "old")
    assert (flags(store, old), flags(store, new)) == ([], [old])
    state = queue.load(store, new)
    assert state.state == "queued"
    assert "Of 8 clips that both have, 8 are equal to those of Parrot 2" in state.flags[0].message


def test_the_same_flag_is_told_once(tmp_path: Path, plain: list[Sound]) -> None:
    """Looking again, as a resumed worker does, adds no event."""
    store = FolderStore(tmp_path / "home")
    old, new = put(store, "old-one"), put(store, "new-one", later(5))
    note(store, old, plain, tmp_path / "old")
    note(store, new, plain, tmp_path / "new")
    n_events = queue.load(store, new).n_events
    assert flag(store, new, later(200)) == 0
    note(store, old, plain, tmp_path / "again")
    assert queue.load(store, new).n_events == n_events


def test_a_re_encoded_copy_is_flagged_and_another_voice_is_not(tmp_path: Path, plain: list[Sound]) -> None:
    """A copy behind silence, noise and MP3 is told; another voice and a faster reading by the same engine are not."""
    store = FolderStore(tmp_path / "home")
    copy = [COPIES["later, quieter, noise, MP3"](sound) for sound in plain]
    sets = {"first": plain, "voice": spoken(voice="en-us+f2"), "faster": spoken(rate_wpm=200), "copier": copy}
    for number, (name, sounds) in enumerate(sets.items()):
        note(store, put(store, f"{name}-one", later(number)), sounds, tmp_path / name)
    found = {state.submission: flags(store, state.submission) for state in queue.load_all(store)}
    assert found == {"first-one": [], "voice-one": [], "faster-one": [], "copier-one": ["first-one"]}


def test_silence_and_a_few_clips_in_common_are_no_pair(tmp_path: Path, plain: list[Sound]) -> None:
    """Clips without sound never count, and four shared recordings are below the bound."""
    store = FolderStore(tmp_path / "home")
    silent = [(np.zeros(16_000, np.float32), 16_000)] * 8
    others = spoken(voice="en-us+f2")
    for number, sounds in enumerate((silent, silent, plain, plain[:4] + others[4:])):
        note(store, put(store, f"system-{number}", later(number)), sounds, tmp_path / str(number))
    assert all(not flags(store, state.submission) for state in queue.load_all(store))


def test_versions_of_one_owners_system_are_no_pair(tmp_path: Path, plain: list[Sound]) -> None:
    """An owner may send the same audio again as a new version, not under another name, and nobody else may."""
    store = FolderStore(tmp_path / "home")
    sent = [("one", "ann", "Parrot"), ("two", "ann", "parrot"), ("three", "ann", "Lark"), ("four", "bob", "Parrot")]
    for number, (name, account, system) in enumerate(sent):
        submission = put_owned(store, f"system-{name}", later(number), account=account, system=system)
        note(store, submission, plain, tmp_path / name)
    found = {state.submission: flags(store, state.submission) for state in queue.load_all(store)}
    assert found["system-one"] == found["system-two"] == []
    assert sorted(found["system-three"]) == ["system-one", "system-two"]
    assert sorted(found["system-four"]) == ["system-one", "system-three", "system-two"]


def test_a_withdrawn_submission_is_still_known(tmp_path: Path, plain: list[Sound]) -> None:
    """Taking a submission back does not free its audio for somebody else."""
    store = FolderStore(tmp_path / "home")
    old, new = put(store, "old-one"), put(store, "new-one", later(5))
    note(store, old, plain, tmp_path / "old")
    queue.withdraw(store, old, later(3), "changed my mind")
    note(store, new, plain, tmp_path / "new")
    assert flags(store, new) == [old]


def test_a_crowd_of_copies_costs_an_evaluation_few_events(tmp_path: Path, plain: list[Sound]) -> None:
    """Five pairs are flagged, those that share most; a search finds the rest, and a stop ends the looking."""
    store = FolderStore(tmp_path / "home")
    crowd = [put(store, f"old-one{n}", later(n)) for n in range(7)]
    for number, one in enumerate(crowd[1:]):
        note(store, one, plain, tmp_path / f"{number}")
    note(store, crowd[0], plain[:6], tmp_path / "less")
    new = put(store, "new-one", later(50))
    n_events = sum(queue.load(store, one).n_events for one in store.submissions())
    note(store, new, plain, tmp_path / "new")
    assert sum(queue.load(store, one).n_events for one in store.submissions()) == n_events + MOST_FLAGS
    assert len(flags(store, new)) == MOST_FLAGS
    assert crowd[0] not in flags(store, new)
    assert flag(store, new, later(200), is_over=lambda: True) == 0
    assert flag(store, new, later(200)) == 2
    assert sorted(flags(store, new)) == sorted(crowd)


def test_a_fault_is_logged_and_goes_no_further(
    tmp_path: Path, plain: list[Sound], caplog: pytest.LogCaptureFixture
) -> None:
    """Damaged prints of another submission stop no run; the log says so, and one's own prints are kept."""
    store = FolderStore(tmp_path / "home")
    old, new = put(store, "old-one"), put(store, "new-one", later(5))
    store.keep_file(old, FILE, b"damaged")
    note(store, new, plain, tmp_path / "new")
    assert [record.message for record in caplog.records] == ["duplicates.failed"]
    kept = store.kept_file(new, FILE)
    assert kept is not None
    assert len(decode(kept)) == len(plain)
