"""The verbs as a person or a program calls them: exit codes, what is said, what is left behind."""

import dataclasses
import json
import os
import socket
from pathlib import Path

import pytest

from evaluation.protocol import encode, load_shipped
from leaderboard.cli import main
from submissions.store.folder import FolderStore, PublishedFolder
from tests.leaderboard import nine
from tests.submissions.published_example import protocol as example_protocol
from tests.submissions.published_example import send, submission
from tests.submissions.small_evaluation import acoustic_protocol, make_corpus, tones, write_corpus, write_zip

CARD = {"system": "A", "version": "1", "organisation": "O", "contact": "c@example.org", "licence": "MIT"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a small corpus, and an environment that points at it."""
    pin = write_corpus(tmp_path / "corpus.jsonl", 3)
    protocol = dataclasses.replace(acoustic_protocol(pin), name="small")
    (tmp_path / "small.json").write_bytes(encode(protocol))
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASTBOARD_PROTOCOL", str(tmp_path / "small.json"))
    monkeypatch.setenv("CASTBOARD_CORPUS", str(tmp_path / "corpus.jsonl"))
    return tmp_path


def _good_zip(site: Path) -> Path:
    return write_zip(site / "good.zip", tones(make_corpus(site, 3)), system=CARD)


def test_check_of_a_clean_zip_is_0(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clean zip is said to be clean, and nothing is queued or kept."""
    assert main(["check", str(_good_zip(site))]) == 0
    assert "3 of 3 items" in capsys.readouterr().out
    assert not (site / "home" / "work").exists()


def test_check_of_a_zip_with_problems_is_1_and_names_all(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON for programs holds every problem with what, where, allowed and got."""
    bad = write_zip(site / "bad.zip", {"it-00": b"no audio", "it-09": b"unknown"})
    assert main(["check", str(bad), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["is_clean"] is False
    assert len(told["problems"]) >= 3
    assert {"what", "where", "allowed", "got"} <= set(told["problems"][0])


@pytest.mark.parametrize("content", [b"", b"not a zip"])
def test_check_of_an_unreadable_file_is_2(site: Path, content: bytes) -> None:
    """A file that is no zip at all has its own exit code."""
    path = site / "broken.zip"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2


def test_check_of_an_absent_file_is_2(site: Path) -> None:
    """A path that leads nowhere is unreadable, not a traceback."""
    assert main(["check", str(site / "absent.zip")]) == 2


def test_submit_gives_a_receipt_and_twice_the_same(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A zip is queued once however often it is sent."""
    path = str(_good_zip(site))
    assert main(["submit", path]) == 0
    first = capsys.readouterr().out
    assert main(["submit", path]) == 0
    assert capsys.readouterr().out == first
    assert "place 1 in the queue" in first
    assert len(FolderStore(site / "home").submissions()) == 1


@pytest.mark.models
def test_worker_and_verify_finish_the_job(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is queued is evaluated with the real instruments and published; it verifies until a byte is changed."""
    pin = make_corpus(site, 3).pin
    (site / "lite.json").write_bytes(encode(dataclasses.replace(load_shipped("lite"), corpus=pin)))
    monkeypatch.setenv("CASTBOARD_PROTOCOL", str(site / "lite.json"))
    main(["submit", str(_good_zip(site))])
    assert main(["worker", "--once"]) == 0
    capsys.readouterr()
    assert main(["verify", "--deep", "2"]) == 0
    assert "identical: 1 rows" in capsys.readouterr().out
    (result,) = (site / "home" / "published" / "results").glob("*/*.json")
    result.write_bytes(result.read_bytes().replace(b"MIT", b"MIX"))
    assert main(["verify"]) == 1
    assert f"results/{result.parent.name}/{result.name}" in capsys.readouterr().out


def test_verify_without_a_board_says_what_to_name(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing folder is a sentence and exit code 1."""
    assert main(["verify", str(site / "nowhere")]) == 1
    assert "name one: app.py verify DIR" in capsys.readouterr().err


def test_wrong_setting_is_a_sentence(site: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """A malformed variable stops every verb with what is allowed."""
    monkeypatch.setenv("CASTBOARD_PORT", "web")
    assert main(["verify"]) == 1
    assert "CASTBOARD_PORT must be a whole number" in capsys.readouterr().err


def test_withdraw_takes_a_submission_out_of_the_queue(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A withdrawn submission is not evaluated; an unknown one is a sentence."""
    main(["submit", str(_good_zip(site))])
    (submission,) = FolderStore(site / "home").submissions()
    assert main(["withdraw", submission, "--reason", "sent by mistake"]) == 0
    capsys.readouterr()
    assert main(["withdraw", "s-unknown-1", "--reason", "x"]) == 1
    assert "s-unknown-1 cannot be withdrawn" in capsys.readouterr().err


def test_withdrawing_an_anchor_says_what_it_ends(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The protocol is named, in a warning that hinders nothing; so is a protocol file that cannot be read."""
    main(["submit", str(_good_zip(site))])
    (submission,) = FolderStore(site / "home").submissions()
    judged = nine.make_protocol(make_corpus(site, 3), {})
    assert judged.judge is not None
    anchor = dataclasses.replace(judged.judge.anchor, submission=submission)
    judged = dataclasses.replace(judged, judge=dataclasses.replace(judged.judge, anchor=anchor))
    kept = site / "home" / "protocols"
    kept.mkdir()
    (kept / f"{judged.id}.json").write_bytes(encode(judged))
    assert main(["withdraw", submission, "--reason", "gone"]) == 0
    told = capsys.readouterr()
    assert f"withdrawn: {submission}" in told.out
    assert f"warning: {submission} is the anchor of protocol full {judged.id}, which has 0 rows here" in told.err
    main(["submit", str(_good_zip(site))])
    (kept / "other.json").write_text("{")
    capsys.readouterr()
    assert main(["withdraw", submission, "--reason", "gone"]) == 0
    assert "whether it is the anchor of a judge is not known" in capsys.readouterr().err


def test_protocol_without_its_corpus_is_refused(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A protocol that pins another corpus never runs on the packaged one."""
    path = str(_good_zip(site))
    monkeypatch.delenv("CASTBOARD_CORPUS")
    assert main(["check", path]) == 1
    assert "sha256 of the file differs" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["serve", "submit", "worker", "demo"])
def test_a_home_that_cannot_be_written_is_a_sentence(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """Verbs that keep something stop before they start."""
    monkeypatch.setenv("CASTBOARD_HOME", "/dev/null/home")
    assert main([verb, *([str(_good_zip(site))] if verb == "submit" else [])]) == 1
    assert "CASTBOARD_HOME must be a folder that can be written" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["file", "file/below", "x" * 300])
def test_an_output_that_cannot_be_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    """A path that is taken, or that no disk can have, is the caller's to mend; nobody needs a traceback for it."""
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    (tmp_path / "file").write_text("mine")
    assert main(["corpus", "build", "--n", "10", "--out", str(tmp_path / out)]) == 1
    told = capsys.readouterr().err
    assert out in told
    assert "Name another path, or mend this one" in told
    assert (tmp_path / "file").read_text() == "mine"


def test_an_absent_corpus_is_a_sentence(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The setting is named, with why its file cannot be read."""
    monkeypatch.setenv("CASTBOARD_CORPUS", str(site / "gone.jsonl"))
    assert main(["check", str(site / "any.zip")]) == 1
    assert "CASTBOARD_CORPUS must name a file that can be read" in capsys.readouterr().err


def test_check_of_a_pipe_is_2_and_does_not_wait(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no plain file is refused unread."""
    os.mkfifo(site / "pipe.zip")
    assert main(["check", str(site / "pipe.zip")]) == 2
    assert "a pipe or a device" in capsys.readouterr().err


def test_a_name_cannot_steer_the_terminal(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escape codes and line breaks of a file's name are written as escapes."""
    monkeypatch.chdir(site)
    assert main(["check", "a\x1b[31m\nb.zip"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "a\\x1b[31m\\nb.zip" in line


def test_a_second_server_on_one_port_is_a_sentence(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The port is named, what to do is said, and no worker was started in the home."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("CASTBOARD_PORT", str(port))
        monkeypatch.setenv("CASTBOARD_DEMO", "0")
        monkeypatch.setenv("GRADIO_TEMP_DIR", "")
        assert main([]) == 1
    assert f"port {port}: " in capsys.readouterr().err
    assert not (site / "home" / "logs").exists()


def test_rescore_of_a_board_that_is_not_there(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown board is said to be none, with exit code 1."""
    assert main(["rescore", "0123456789ab"]) == 1
    assert "'0123456789ab'" in capsys.readouterr().err


def test_rescore_publishes_a_season_of_its_own(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A board of the first normaliser gets rows under the newest one, and the whole folder verifies."""
    old = dataclasses.replace(example_protocol(), normaliser="lite-1")
    send(PublishedFolder(site / "home" / "published"), submission(site / "clips", "one-system"), old)
    assert main(["rescore", old.id]) == 0
    assert "1 rows published under lite" in capsys.readouterr().out
    assert main(["verify"]) == 0
    assert "2 rows of 2 protocols" in capsys.readouterr().out
