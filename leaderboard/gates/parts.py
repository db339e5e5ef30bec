"""Looks at an upload's body as it passes: one file, named as the form names it, and nothing beside it.

Gradio reads up to a thousand files of one request, and keeps a field that is no file in memory whatever its size.
"""

import logging
from collections.abc import Callable

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from leaderboard.gates.bodies import Refused

_FIELD = b"files"
_NO_FORM = Refused(status=400, sentence="An upload must come as multipart/form-data with a boundary.")
_MALFORMED = Refused(status=400, sentence="The upload is not well-formed multipart/form-data.")
_NO_FILE = Refused(
    status=400, sentence="An upload holds files alone, in the field “files”; this one holds something else."
)
_LONG_HEAD = Refused(status=400, sentence="The lines before a file of this upload are too long.")


class Parts:
    """Counts the parts of one body, and refuses what a form of this site never sends."""

    def __init__(self, content_type: str, *, n_files: int, header_bytes: int, file_bytes: int, too_large: str) -> None:
        """Look at a body.

        Args:
            content_type: of the request.
            n_files: most files in it.
            header_bytes: most bytes of lines before a file.
            file_bytes: largest file.
            too_large: what to say of a larger one.
        """
        self._n_files = n_files
        self._header_bytes = header_bytes
        self._file_bytes = file_bytes
        self._too_large = Refused(status=413, sentence=too_large)
        self._n_file = 0
        self._n_begun = 0
        self._n_header = 0
        self._name = self._text = self._disposition = b""
        self._refused: Refused | None = None
        self._parser = self._made(content_type)

    def _made(self, content_type: str) -> MultipartParser | None:
        try:
            kind, options = parse_options_header(content_type)
            boundary = options.get(b"boundary")
            if kind != b"multipart/form-data" or not boundary:
                self._refused = _NO_FORM
                return None
            parser = MultipartParser(boundary, self._callbacks())  # type: ignore[arg-type]
        except (FormParserError, ValueError, TypeError):
            self._refused = _NO_FORM
            return None
        parser.logger = logging.getLogger(__name__)
        return parser

    def look(self, piece: bytes) -> Refused | None:
        """Return why the body is to be refused, now that this piece of it is known, else None."""
        if self._refused is None and self._parser is not None:
            try:
                self._parser.write(piece)
            except (FormParserError, ValueError):
                self._refused = self._refused or _MALFORMED
        return self._refused

    def _callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            "on_part_begin": self._begin,
            "on_header_begin": self._line,
            "on_header_field": self._field,
            "on_header_value": self._value,
            "on_header_end": self._line_end,
            "on_headers_finished": self._headers,
            "on_part_data": self._data,
        }

    def _begin(self) -> None:
        self._n_begun += 1
        self._n_header, self._n_file, self._disposition = 0, 0, b""
        if self._n_begun > self._n_files:
            files = "one file" if self._n_files == 1 else f"{self._n_files} files"
            self._refused = Refused(status=413, sentence=f"An upload holds {files}; this one holds more.")

    def _line(self) -> None:
        self._name, self._text = b"", b""

    def _field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._count(end - start)

    def _value(self, data: bytes, start: int, end: int) -> None:
        self._text += data[start:end]
        self._count(end - start)

    def _line_end(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._text

    def _count(self, n_bytes: int) -> None:
        self._n_header += n_bytes
        if self._n_header > self._header_bytes:
            self._refused = self._refused or _LONG_HEAD

    def _headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        if options.get(b"name") != _FIELD or not options.get(b"filename"):
            self._refused = self._refused or _NO_FILE

    def _data(self, _: bytes, start: int, end: int) -> None:
        self._n_file += end - start
        if self._n_file > self._file_bytes:
            self._refused = self._refused or self._too_large
