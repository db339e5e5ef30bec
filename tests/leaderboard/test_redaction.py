"""Keys, tokens and places are taken out of whatever the program writes, and the rest stays readable."""

import base64
import io
import json
import logging
import sys
import tempfile
import traceback
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as some

from leaderboard import redaction, settings
from leaderboard.redaction import GONE, RedactedStream, Redactor, redactor_of
from leaderboard.terminal import FieldFormatter

HOME = Path("/srv/board/data")
KEY = "canary-0f9c1b22d4"
CLEANER = Redactor([KEY], {HOME: "<home>", Path("/srv/board"): "<program>"}, user="marlene")


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "hf_" + "AbCdEfGhIjKlMnOpQrSt",
        "Authorization: Bearer abcdef123456",
        "authorization='Bearer abcdef123456'",
        '"x-goog-api-key": "AIzaSyA-1234567890abcdefghijklmnopqrstu"',
        "sk-proj-abcdefghijklmnop1234",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "https://bucket.example/a.zip?X-Amz-Signature=0123456789abcdef&X-Amz-Expires=60",
        "https://user:hunter22@hub.example/x",
        "Cookie: session=abcdefghijkl",
        "client_secret=abcdefghijkl",
        "https://hub.example/login/callback?code=abcdefgh&state=ijklmnop",
    ],
)
def test_nothing_secret_is_left(secret: str) -> None:
    """Alone, in a sentence and in a traceback."""
    for text in (secret, f"before ({secret}) after", f'File "x.py"\n    raise E({secret!r})'):
        left = CLEANER.clean(text)
        assert GONE in left
        for part in ("canary", "AbCdEf", "abcdef", "AIzaSy", "c2lnbm", "0123456", "hunter22", "ijklmnop"):
            assert part not in left


def test_places_keep_what_lies_below_them() -> None:
    """The operator still finds the file; where the home lies is nobody's business."""
    assert CLEANER.clean(f"{HOME}/work/s1/events/0001.json is broken") == "<home>/work/s1/events/0001.json is broken"
    assert CLEANER.clean('File "/srv/board/app.py", line 3') == 'File "<program>/app.py", line 3'
    assert CLEANER.clean("/ho" + "me/marlene/x, marlene's, marlenes") == "/ho" + "me/<user>/x, <user>'s, marlenes"


@given(some.text(alphabet="abcdefghij klmnopqrstuvwxyzABC.,!?'\n", max_size=200))
def test_plain_words_stay(text: str) -> None:
    """What holds nothing of it is not touched, and cleaning twice is cleaning once."""
    assert Redactor([KEY]).clean(text) == text
    once = CLEANER.clean(f"{text} {KEY} Bearer abcdefgh {text}")
    assert CLEANER.clean(once) == once


def test_a_log_line_and_its_traceback_are_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Message, fields, arguments and exception."""
    monkeypatch.setattr(redaction, "_installed", CLEANER)
    try:
        raise ValueError(f"cannot read {HOME}/x with {KEY}")
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "x.py", 1, "at %s", (KEY,), sys.exc_info())
    record.where = f"{HOME}/y"
    line = FieldFormatter().format(record)
    assert KEY not in line and str(HOME) not in line
    assert "where=<home>/y" in line and "ValueError: cannot read <home>/x with [redacted]" in line


def test_standard_error_is_cleaned_however_it_is_cut() -> None:
    """A secret that comes in two pieces is still one; a traceback that a library prints goes through."""
    inner = io.StringIO()
    stream = RedactedStream(inner, CLEANER)
    for sign in f"one {KEY}\ntwo {KEY}":
        stream.write(sign)
    stream.flush()
    assert inner.getvalue() == f"one {GONE}\ntwo {GONE}"
    try:
        raise RuntimeError(KEY)
    except RuntimeError:
        traceback.print_exc(file=stream)
    stream.flush()
    assert "RuntimeError: [redacted]" in inner.getvalue()


def test_every_secret_of_the_settings_is_known() -> None:
    """Whatever secret is added to the settings, at any depth, is taken out without a word here."""
    secrets = {
        "CASTBOARD_JUDGE_KEY": "judge-key-canary",
        "CASTBOARD_OPERATOR_KEY": "operator-key-canary",
        "CASTBOARD_HUB_TOKEN": "hub-token-canary",
        "CASTBOARD_HUB_BOARD": "org/board",
        "CASTBOARD_HUB_WORK": "org/work",
    }
    redactor = redactor_of(settings.from_env(secrets | {"CASTBOARD_HOME": "/srv/elsewhere"}))
    left = redactor.clean(f"{' '.join(secrets.values())} /srv/elsewhere/a {tempfile.gettempdir()}/b {sys.prefix}/c")
    assert "canary" not in left and "<home>/a" in left and "<temp>/b" in left and "/c" in left
    assert sys.prefix not in left


def test_a_secret_is_known_however_it_is_written() -> None:
    """Escaped, in an address, inside of base64 behind whatever stands before it."""
    secret = "judge+key/with=odd&chars?12é"
    redactor = Redactor([secret])
    quoted = quote(secret, safe="")
    forms = [secret, repr(secret), json.dumps(secret), quoted, quoted.lower(), quote_plus(secret)]
    forms += [base64.b64encode(f"{'u' * n}:{secret}".encode()).decode() for n in range(4)]
    for form in forms:
        cleaned = redactor.clean(f"sent {form} there")
        assert GONE in cleaned and form not in cleaned and not any(form[at : at + 16] in cleaned for at in range(8, 12))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("[(b'authorization', b'Bearer abcdefghijkl')]", "abcdefghijkl"),
        ("Headers({'authorization': 'Basic abcdefghijkl'})", "abcdefghijkl"),
        ("Cookie: a=first; castboard=second.part", "second"),
        ("[(b'set-cookie', b'castboard=second; path=/')]", "second"),
        ("GET /login/callback?code=first&state=second HTTP/1.1", "second"),
        ("https://cdn.example/x?X-Amz-Credential=first&X-Amz-Signature=second", "second"),
        ("password=second", "second"),
    ],
)
def test_a_key_is_known_by_what_stands_before_it(text: str, secret: str) -> None:
    """Headers as a library writes them, a second cookie, the address of a sign-in."""
    assert secret not in Redactor().clean(text) and GONE in Redactor().clean(text)


@pytest.mark.parametrize(
    "text",
    ["the token bucket is empty", "Token expired for the judge", "Basic authentication required", "basic settings"],
)
def test_a_log_stays_readable(text: str) -> None:
    """A word that often stands before a key is no key by itself."""
    assert Redactor().clean(text) == text
