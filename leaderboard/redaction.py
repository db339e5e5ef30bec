"""Takes out of a text what nobody but its owner may read: keys and tokens, and where on this machine things lie.

One for a process: `install` makes it the one that log lines, standard error and what visitors hear of errors go
through.
"""

import base64
import getpass
import io
import json
import re
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote, quote_plus

from leaderboard.secret import Secret

GONE = "[redacted]"
_PROGRAM = Path(__file__).resolve().parent.parent
_LEAST = 6
"""A secret shorter than this is a word of the language, and is not looked for."""
_URL_SAFE = str.maketrans("+/", "-_")
_LEAST_NAME = 3
_NAMELESS = frozenset({"root", "user", "app", "nobody", "ubuntu", "runner", "admin", "daemon", "local"})
_KEEP = r"\g<keep>" + GONE
_HEAD = r"b?['\"]?\b(?:{names})\b(?:['\"]\s*,\s*b?['\"]|['\"]?\s*[:=]\s*b?['\"]?)"
"""A name before its value, as headers, JSON, Python and queries write the two."""
_NAMES = (
    "authorization|proxy-authorization|x-goog-api-key|x-api-key|api[-_]?key|access_token|refresh_token|id_token|"
    "client_secret|code_verifier|password|passwd"
)
# Every repetition has an end: a stranger's text of one line, however long, is looked through in time linear in it.
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:hf|api_org|hf_oauth|hf_jwt)_[A-Za-z0-9_.-]{8,}"), GONE),
    (re.compile(r"\b(?:(?:sk|pk|rk)-|gh[pousr]_)(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"), GONE),
    (re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"), GONE),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"), GONE),  # a JSON web token
    # A word of the language stands behind these too; a key has a digit, a sign, or is longer than words are.
    (
        re.compile(
            r"(?P<keep>\b(?:Bearer|Basic|Token)\s{1,9})(?=[A-Za-z._~-]{0,19}[0-9+/=]|[A-Za-z._~-]{20})"
            r"[A-Za-z0-9._~+/=-]{6,}",
            re.IGNORECASE,
        ),
        _KEEP,
    ),
    (
        re.compile(rf"(?P<keep>{_HEAD.format(names='(?:set-)?cookie')})(?!\[redacted\])[^'\"\n]{{4,}}", re.IGNORECASE),
        _KEEP,
    ),
    (
        re.compile(
            rf"(?P<keep>{_HEAD.format(names=_NAMES)}(?:(?:Bearer|Basic|Token)\s{{1,9}})?+)"
            r"(?!\[redacted\])[^\s'\",}&]{4,}",
            re.IGNORECASE,
        ),
        _KEEP,
    ),
    # The query of a signed address is its key.
    (
        re.compile(
            r"(?P<keep>https?://[^\s?#'\"<>]{1,400}\?)"
            r"(?=[^\s'\"<>]{0,200}?(?:sig|token|key|credential|expires|policy|code|state)[^\s'\"<>=&]{0,40}=)[^\s'\"<>]+",
            re.IGNORECASE,
        ),
        _KEEP,
    ),
    (re.compile(r"(?P<keep>[?&](?:code|state|token|sig|signature)=)(?!\[redacted\])[^\s&'\"<>]{4,}"), _KEEP),
    (re.compile(r"(?P<keep>https?://)[^\s/@:'\"<>]{1,200}:[^\s/@'\"<>]{1,200}(?=@)"), _KEEP),
)


class Redactor:
    """Cleans texts. Safe to use from several threads."""

    def __init__(
        self, secrets: Iterable[str] = (), places: Mapping[Path, str] | None = None, *, user: str = ""
    ) -> None:
        """Take out these beside everything that looks like a key.

        Args:
            secrets: texts that may never be shown.
            places: folders, with what stands for each; what lies below one keeps its path from there.
            user: name of the account that the process runs under; empty for one that says nothing.
        """
        known = {variant for secret in secrets if len(secret) >= _LEAST for variant in _written(secret)}
        self._secrets = tuple(sorted(known, key=len, reverse=True))
        there = [(str(path), name) for path, name in (places or {}).items() if len(path.parts) > 1]
        named = {text: name for path, name in there for text in (path, quote(path, safe=""))}
        self._places = tuple(sorted(named.items(), key=lambda pair: len(pair[0]), reverse=True))
        self._user = re.compile(rf"\b{re.escape(user)}\b") if user else None

    def clean(self, text: str) -> str:
        """Return the text without what is to be hidden."""
        for secret in self._secrets:
            text = text.replace(secret, GONE)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        for place, name in self._places:
            text = text.replace(place, name)
        return self._user.sub("<user>", text) if self._user else text


def _written(secret: str) -> Iterator[str]:
    """Give the ways in which a secret may stand in a text: as it is, escaped, in an address, inside of base64."""
    yield from (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1])
    for quoted in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield from (quoted, re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quoted))
    data = secret.encode()
    for n_before in range(3):  # what stands before it shifts its bits by a third
        first, last = -(-n_before * 8 // 6), (n_before + len(data)) * 8 // 6
        middle = base64.b64encode(bytes(n_before) + data).decode()[first:last]
        if len(middle) >= _LEAST:
            yield from (middle, middle.translate(_URL_SAFE))


class RedactedStream(io.TextIOBase):
    """A text stream that cleans what is written to it, line by line, and passes it on."""

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        """Write to `stream` what `redactor` leaves."""
        self.inner = stream
        self._redactor = redactor
        self._begun = ""
        self._lock = threading.RLock()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the stream behind."""
        return self.inner.encoding

    def write(self, text: str) -> int:
        """Take a text; a line is written when it is whole, so that nothing hides across two calls."""
        with self._lock:
            whole, end, rest = (self._begun + text).rpartition("\n")
            self._begun = rest
            if end:
                self.inner.write(self._redactor.clean(whole) + end)
        return len(text)

    def flush(self) -> None:
        """Write what was begun."""
        with self._lock:
            if self._begun:
                self.inner.write(self._redactor.clean(self._begun))
                self._begun = ""
            self.inner.flush()

    def fileno(self) -> int:
        """Return the number of the file behind, for what writes around this."""
        return self.inner.fileno()

    def isatty(self) -> bool:
        """Tell whether a person reads along."""
        return self.inner.isatty()

    def writable(self) -> bool:
        """Return True."""
        return True


_installed = Redactor()


def install(redactor: Redactor, *, takes_stderr: bool = False) -> None:
    """Make `redactor` the process's own.

    Args:
        redactor: cleans what is logged and told from here on.
        takes_stderr: whether what libraries write to standard error by themselves goes through it too, tracebacks
            among it; for processes that write into a log and not to a person.
    """
    global _installed  # noqa: PLW0603 - one for a process, as the root logger is
    _installed = redactor
    if takes_stderr:
        inner = sys.stderr.inner if isinstance(sys.stderr, RedactedStream) else sys.stderr
        sys.stderr = RedactedStream(inner, redactor)


def clean(text: str) -> str:
    """Return a text cleaned by the process's own redactor."""
    return _installed.clean(text)


def redactor_of(settings: Any) -> Redactor:
    """Return the redactor of a process: every secret of its settings, its folders, and the person it runs for.

    Args:
        settings: a record; every Secret in it, at any depth, is known from here on.
    """
    places = places_of_machine() | {settings.home: "<home>", settings.home.resolve(): "<home>"}
    return Redactor([secret.reveal() for secret in _secrets_in(settings)], places, user=_user())


def places_of_machine() -> dict[Path, str]:
    """Return where the program, its interpreter, temporary files and its person's own files lie, and their names."""
    places = {Path.home(): "~", Path(tempfile.gettempdir()): "<temp>", Path(sys.prefix): "<python>"}
    for path in (sys.base_prefix, sysconfig.get_path("stdlib")):
        places.setdefault(Path(path), "<python>")
    return places | {_PROGRAM: "<program>"}


def _secrets_in(record: object) -> Iterable[Secret]:
    if isinstance(record, Secret):
        yield record
    elif is_dataclass(record):
        for one in fields(record):
            yield from _secrets_in(getattr(record, one.name))
    elif isinstance(record, tuple | list):
        for value in record:
            yield from _secrets_in(value)


def _user() -> str:
    """Return the name of the person that the process runs for, unless it is one that says nothing."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in a container
        return ""
    return "" if name in _NAMELESS or len(name) < _LEAST_NAME else name
