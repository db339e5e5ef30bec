"""The operator's verbs as a person calls them: what is said, what is on the board after them."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.protocol import encode
from leaderboard.cli import main
from submissions import layout, queue
from submissions.records import Event, Person, Queued, SubmissionId, timestamp
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions.published_example import SUBMISSIONS, protocol, send, submission
from tests.submissions.work_examples import NOON, put, received

ONE, OTHER = SUBMISSIONS[:2]
WHY = ("--reason", "Asked for by the voice's owner.")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home with two rows."""
    under = protocol()
    (tmp_path / "own.json").write_bytes(encode(under))
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASTBOARD_PROTOCOL", str(tmp_path / "own.json"))
    for name in (ONE, OTHER):
        put(FolderStore(tmp_path / "home"), name)
        send(PublishedFolder(tmp_path / "home" / "published"), submission(tmp_path / name, name), under)
    return tmp_path / "home"


def test_hide_and_unhide_say_what_they_did(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each says so, says it too if there was nothing to do, and the row goes and comes."""
    files = PublishedFolder(home / "published")
    for verb, told, left in (
        ("hide", "hidden", (OTHER,)),
        ("hide", "was hidden already", (OTHER,)),
        ("unhide", "shown again", (ONE, OTHER)),
        ("unhide", "was not hidden", (ONE, OTHER)),
    ):
        assert main([verb, ONE, *WHY]) == 0
        assert capsys.readouterr().out.strip() == f"{ONE}: {told}"
        assert layout.committed(files, protocol().id) == left
    assert main(["verify", str(home / "published")]) == 0


def test_fail_requeue_and_rename(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What waits is ended; it cannot run again without its zip; its names change."""
    assert main(["fail", ONE, *WHY]) == 0 and "ended" in capsys.readouterr().out
    assert main(["requeue", ONE, *WHY]) == 1 and "no longer kept" in capsys.readouterr().err
    assert main(["rename", OTHER, "--system", "Macaw", "--organisation", "Aviary", *WHY]) == 0
    assert queue.load(FolderStore(home), SubmissionId(OTHER)).renamed is not None


@pytest.mark.parametrize("name", ["../../etc", "s-unknown", "X", "<b>bold</b>"])
def test_what_no_submission_is_called_is_1_and_says_where_to_look(
    home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """No traceback, and nothing is made."""
    before = sorted(home.rglob("*"))
    assert main(["hide", name, *WHY]) == 1
    assert "Queue page" in capsys.readouterr().err
    assert sorted(home.rglob("*")) == before


def test_a_reason_is_needed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty one is refused; none at all is a usage error."""
    assert main(["hide", ONE, "--reason", "  "]) == 1 and "reason" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["hide", ONE])
    assert queue.load(FolderStore(home), SubmissionId(ONE)).hidden is None


def test_ban_by_a_submission_of_the_person(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The account of its sender is banned and let in again."""
    first = dataclasses.replace(received(), person=Person(account="5f1e", name="polly", organisations=()))
    store, sent = FolderStore(home), SubmissionId("s-by-polly")
    store.create_event(sent, Event(n=1, at=timestamp(NOON), payload=first))
    store.create_event(sent, Event(n=2, at=timestamp(NOON), payload=Queued()))
    for verb, told in (("ban", "banned"), ("ban", "was banned already"), ("unban", "may send again")):
        assert main([verb, sent, *WHY]) == 0
        assert capsys.readouterr().out.strip() == f"5f1e (polly): {told}"
    assert main(["ban", ONE, *WHY]) == 1 and "nobody was signed in" in capsys.readouterr().err
