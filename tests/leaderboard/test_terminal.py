"""A log line carries every field of its event, on one line."""

import json
import logging
import sys

import pytest

from leaderboard import border
from leaderboard.terminal import FieldFormatter, say


def _line(**fields: object) -> str:
    record = logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": "clip.read", **fields})
    return FieldFormatter().format(record)


def test_fields_stand_behind_the_event() -> None:
    """An id that a page shows can be found in the log."""
    assert _line(submission="s0123", n_clips=3).endswith("INFO x clip.read submission=s0123 n_clips=3")


def test_hostile_field_stays_on_its_line() -> None:
    """A name with a line break or an escape code cannot forge a log line."""
    line = _line(name_given="a\n2026 INFO x forged \x1b[31m")
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


def test_reference_on_a_failed_page_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The page names a reference, and the formatted log has it beside the traceback."""

    def broken() -> str:
        raise RuntimeError("kaput")

    page = border.guarded(broken, here="/queue")
    (record,) = caplog.records
    told = FieldFormatter().format(record)
    assert record.reference in page
    assert f"reference={record.reference}" in told
    assert "RuntimeError: kaput" in told


def test_what_is_said_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Codes that colour, move or answer are written as escapes that JSON takes too; lines and tabs stay."""
    say('{"a": "\x1b[31m\x9b1m\x7f",\n\t"b": 1}')
    told = capsys.readouterr().out
    assert json.loads(told) == {"a": "\x1b[31m\x9b1m\x7f", "b": 1}
    assert not {"\x1b", "\x9b", "\x7f"} & set(told)


def test_half_a_sign_is_told_as_an_escape(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON may hold half of a sign, which no stream can write; whoever is told of it gets a line all the same."""
    say("id \ud800x")
    assert capsys.readouterr().out == "id \\ud800x\n"


def test_no_text_passes_for_a_line_of_the_log() -> None:
    """Neither a field nor an error that holds a stranger's text begins a line of its own, or steers a terminal."""
    forged = "x\n2026-01-01 00:00:00,000 ERROR castboard forged\x1b[2J"
    try:
        raise ValueError(forged)
    except ValueError:
        record = logging.LogRecord("castboard", logging.ERROR, "", 0, "request.bug", None, sys.exc_info())
    record.path = forged
    lines = FieldFormatter().format(record).split("\n")
    assert [at for at, line in enumerate(lines) if not line.startswith("  ")] == [0]
    assert "forged" in lines[-1] and not any("\x1b" in line for line in lines)
