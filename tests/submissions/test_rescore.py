"""A board scored anew from its own readings: a season of its own, beside the old one."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.protocol import Protocol
from submissions import layout
from submissions.publish import PublishError
from submissions.rescore import RescoreError, newest, rescore
from submissions.store.folder import PublishedFolder
from submissions.verify import verify
from tests.submissions.published_example import SUBMISSIONS, protocol, send, submission

OLD = dataclasses.replace(protocol(), normaliser="lite-1")


@pytest.fixture
def files(tmp_path: Path) -> PublishedFolder:
    """Three systems on the board of a protocol with the first normaliser."""
    folder = PublishedFolder(tmp_path / "published")
    for name in SUBMISSIONS:
        send(folder, submission(tmp_path / name, name), OLD)
    return folder


def _bytes(files: PublishedFolder) -> dict[str, bytes]:
    return {path: files.read(path) for path in files.paths()}


def test_new_rows_stand_beside_the_old_and_everything_verifies(files: PublishedFolder, tmp_path: Path) -> None:
    """Every system has a row under the new protocol, no old file but the card changed, and everything is identical."""
    before = _bytes(files)
    changes = rescore(files, OLD.id, newest(OLD))
    after = _bytes(files)
    assert [change.submission for change in changes] == sorted(SUBMISSIONS)
    assert layout.committed(files, newest(OLD).id) == tuple(sorted(SUBMISSIONS))
    changed = {path for path in before if after[path] != before[path]}
    assert changed == {layout.DATASET_CARD}
    assert not [path for path in set(after) - set(before) if path.startswith("clips/")]
    report = verify(tmp_path / "published")
    assert report.is_identical
    assert (report.counts.n_protocols, report.counts.n_rows) == (2, 2 * len(SUBMISSIONS))


def test_twice_is_once(files: PublishedFolder) -> None:
    """The second time writes the very same bytes and reports the same changes."""
    first = rescore(files, OLD.id, newest(OLD))
    before = _bytes(files)
    assert rescore(files, OLD.id, newest(OLD)) == first
    assert _bytes(files) == before


def test_an_interrupted_run_is_taken_up_again(files: PublishedFolder) -> None:
    """With one row and the board missing, the next run gives what an uninterrupted one gave."""
    rescore(files, OLD.id, newest(OLD))
    before = _bytes(files)
    for path in (layout.result_path(newest(OLD).id, SUBMISSIONS[1]), layout.leaderboard_path(newest(OLD).id)):
        files.local_path(path).unlink()
    rescore(files, OLD.id, newest(OLD))
    assert _bytes(files) == before


def test_fewer_dimensions_need_no_audio(files: PublishedFolder, tmp_path: Path) -> None:
    """Some traits less follow from the same readings."""
    left_out = dict.fromkeys(("pitch", "loudness", "naturalness"), "Not asked for.")
    target = dataclasses.replace(
        OLD, name="brief", dimensions=("gender", "pace"), not_measured={**OLD.not_measured, **left_out}
    )
    changes = rescore(files, OLD.id, target)
    assert all(change.new_score != change.old_score for change in changes)
    assert verify(tmp_path / "published").is_identical


def _without(role: str) -> Protocol:
    return dataclasses.replace(OLD, instruments={key: one for key, one in OLD.instruments.items() if key != role})


def _otherwise(role: str) -> Protocol:
    other = dataclasses.replace(OLD.instruments[role], version="0.0.1")
    return dataclasses.replace(OLD, instruments={**OLD.instruments, role: other})


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (dataclasses.replace(OLD, dimensions=(*OLD.dimensions, "age")), r"readings are missing on our side.*age"),
        (_otherwise("gender"), r"readings of its gender \(.*\) are missing"),
        (_without("naturalness"), "it has no naturalness"),
        (OLD, "nothing would change"),
        (
            dataclasses.replace(OLD, constants=dataclasses.replace(OLD.constants, wer_limit=10.0)),
            r"wer_limit is 10\.0, a board has 0\.15.*analysis",
        ),
    ],
)
def test_what_is_missing_is_named(files: PublishedFolder, target: Protocol, message: str) -> None:
    """A protocol that needs other readings is refused, and nothing is published under it."""
    before = _bytes(files)
    with pytest.raises(RescoreError, match=message):
        rescore(files, OLD.id, target)
    assert _bytes(files) == before


def test_readings_that_the_board_has_not_are_named(tmp_path: Path) -> None:
    """A board without a second hearing cannot become one with it."""
    files = PublishedFolder(tmp_path / "published")
    old = _without("transcriber_again")
    send(files, submission(tmp_path / "one", SUBMISSIONS[0]), old)
    with pytest.raises(RescoreError, match=r"readings of its transcriber_again \(Whisper tiny.en.*\) are missing"):
        rescore(files, old.id, OLD)


def test_another_corpus_and_an_unknown_board_are_refused(files: PublishedFolder) -> None:
    """The message says which boards there are."""
    with pytest.raises(RescoreError, match="corpus"):
        rescore(files, OLD.id, dataclasses.replace(OLD, corpus=dataclasses.replace(OLD.corpus, name="other")))
    with pytest.raises(RescoreError, match=OLD.id):
        rescore(files, "f" * 12, newest(OLD))
    with pytest.raises(RescoreError, match="no board"):
        rescore(files, "../etc", newest(OLD))


def test_a_changed_row_is_never_overwritten(files: PublishedFolder) -> None:
    """If the new season has another row under a submission's id, rescoring stops there."""
    rescore(files, OLD.id, newest(OLD))
    path = layout.result_path(newest(OLD).id, SUBMISSIONS[0])
    files.write(path, files.read(path).replace(b"2026-03-01", b"2025-03-01"))
    with pytest.raises(PublishError, match="never changes"):
        rescore(files, OLD.id, newest(OLD))
