"""What the terminal and the logs get: lines for people, and log lines that carry all their fields."""

import logging
import sys
from textwrap import indent
from typing import Any, TextIO

from leaderboard.redaction import clean

_PLAIN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)  # they reorder what is read
_HALVES = range(0xD800, 0xE000)  # half signs, which no terminal's encoding can hold
_STEERING = {
    code: f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *_TURNING, *_HALVES)
    if chr(code) not in "\n\t"
}


class FieldFormatter(logging.Formatter):
    """Writes an event and every field that came with it, so that an id on a page is found in the log; cleaned."""

    def __init__(self) -> None:
        """Write time, level, logger and event before the fields."""
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return what is written of a record, its traceback too, without what is to be hidden."""
        return inert(clean(super().format(record)))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the base class's name
        """Return a traceback, further in than any line of a record: no text in it passes for one."""
        return indent(super().formatException(ei), "  ", lambda _: True)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class's name
        """Return the line of a record, fields as name=value behind the event."""
        fields = {name: value for name, value in record.__dict__.items() if name not in _PLAIN}
        shown = "".join(f" {name}={_one_line(value)}" for name, value in fields.items())
        return super().formatMessage(record) + shown


def set_up_logging(level: int) -> None:
    """Send log lines of `level` and above to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FieldFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for client in ("httpx", "httpx2"):  # they tell of every request, and a worker on a hub makes some a minute
        logging.getLogger(client).setLevel(logging.WARNING)


def say(text: str, stream: TextIO | None = None) -> None:
    """Tell the person at the terminal something at once, with escapes for what would steer it or cannot be written."""
    out = stream or sys.stdout
    out.write(inert(text.rstrip("\n")) + "\n")
    out.flush()


def inert(text: str) -> str:
    """Return text in which everything that would steer a terminal, or that it cannot write, is an escape."""
    return text.translate(_STEERING)


def _one_line(value: object) -> str:
    text = str(value)
    return text if text.isprintable() and " " not in text and text else repr(text)
