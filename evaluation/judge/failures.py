"""What a provider's refusals mean to us, and how to speak of them without ever naming a key."""

import email.utils
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from evaluation.judge.backend import JudgeMisconfigured, JudgeUnavailable

_HIDDEN = "[key]"
_MOST_SAID = 300
_LONGEST_WORD = 40
_LEAST_HIDDEN = 12
"""Characters of the shortest key that is cut out of replies; out of errors every key is."""
_MOST_COUNTED = 10**9
"""Most tokens that one call is believed to take."""
_PLEASE_WAIT = frozenset({408, 409, 425, 429})
_MAYBE_HEARD = frozenset({408, 504})
"""Somebody between gave up waiting; who was asked may have answered, and may bill."""
_ADVICE = {
    400: "the provider does not accept the request",
    401: "the API key is missing or wrong; check the key of the judge in the settings",
    402: "the account has no credit; pay or choose another judge",
    403: "the API key may not use this model; check the key's rights and the account",
    404: "the provider has no such model, or the address is wrong; check the judge's model and URL",
    413: "the request is too large for the provider; use shorter clips or one dimension a call",
}


class NoAnswer(JudgeUnavailable):
    """The request may have been heard and billed, but no whole answer came, from the model or from a gateway."""


def safe(text: str, secret: str | None) -> str:
    """Return `text` without `secret`, and without halves of surrogate pairs, which no file can hold."""
    written = writable(text)
    return written.replace(secret, _HIDDEN) if secret else written


def safe_reply(text: str, secret: str | None) -> str:
    """Return what a model wrote without `secret`, unless it is so short that ordinary words may hold it.

    A reply is kept and read as it came: cutting "k" out of it would spoil it, and no key that guards anything is short.
    """
    return safe(text, secret if secret is not None and len(secret) >= _LEAST_HIDDEN else None)


def word(said: object, secret: str | None) -> str:
    """Return a provider's word for something, such as why a reply ended: short, lower case, without `secret`.

    Args:
        said: a text, a member of an enumeration, or None, which is "unknown".
        secret: key that must not appear.
    """
    return safe_reply(str(getattr(said, "value", said) or "unknown"), secret).lower()[:_LONGEST_WORD]


def writable(text: str) -> str:
    """Return `text` without halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def refusal(
    *, backend: str, model: str, status: int, said: str, wait_s: float | None, secret: str | None
) -> JudgeUnavailable | JudgeMisconfigured:
    """Return the error for an HTTP status that is no success.

    Args:
        backend: name of the backend.
        model: model that was asked.
        status: the status.
        said: the provider's own words; hostile, shortened here.
        wait_s: what it asked us to wait, s; None if it said nothing.
        secret: key that must not appear.
    """
    words = " ".join(re.sub(r"[^\x20-\x7e\xa0-\uffff]", " ", safe(said, secret)).split())[:_MOST_SAID]
    where = f"judge {backend} ({model}) answered HTTP {status}"
    if status in _MAYBE_HEARD:
        return NoAnswer(f"{where}: {words}", retry_after_s=wait_s)
    if status >= 500 or status in _PLEASE_WAIT:
        return JudgeUnavailable(f"{where}: {words}", retry_after_s=wait_s)
    advice = _ADVICE.get(status, "the provider refuses such requests; check the judge's model and URL")
    return JudgeMisconfigured(f"{where}: {advice}. It said: {words}")


def too_slow(backend: str, model: str, most_s: float) -> JudgeUnavailable:
    """Return the error for a call that was ended after `most_s` seconds, since its answer still was not whole."""
    return NoAnswer(f"judge {backend} ({model}) took longer than {most_s:g} s, so the call was ended")


def wait_asked_s(header: str | None, now: datetime) -> float | None:
    """Return the wait that a Retry-After header asks for, s, >= 0; None if there is none that can be read.

    Args:
        header: seconds or an HTTP date.
        now: time of day, aware.
    """
    if header is None:
        return None
    try:
        wait_s = float(header)
    except ValueError:
        return _until_s(header, now)
    return wait_s if math.isfinite(wait_s) and wait_s >= 0 else None


def retry_info_s(details: object) -> float | None:
    """Return the wait in a `google.rpc.RetryInfo` of an error's JSON, s; None if there is none that can be read."""
    error = details.get("error") if isinstance(details, Mapping) else None
    lines = error.get("details") if isinstance(error, Mapping) else None
    for line in lines if isinstance(lines, Iterable) and not isinstance(lines, str) else ():
        if isinstance(line, Mapping) and str(line.get("@type", "")).endswith("google.rpc.RetryInfo"):
            found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s", str(line.get("retryDelay", "")))
            return float(found[1]) if found else None
    return None


def check_url(url: str | None) -> None:
    """Refuse an address that no judge can have, or that holds a name and a password.

    Raises:
        JudgeMisconfigured: if it is not http or https, has no host, or holds credentials.
    """
    if url is None:
        return
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        has_credentials = parts.username is not None or parts.password is not None
    except ValueError:
        is_whole, has_credentials = False, False
    if has_credentials:
        raise JudgeMisconfigured("the judge's URL holds a name or a password; give the key in its own setting")
    if not is_whole:
        raise JudgeMisconfigured("the judge's URL must be like https://host/v1, with http or https and a host")


def count(value: Any) -> int:
    """Return a provider's count, or 0 where it names none that makes sense or that a table could hold."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_COUNTED else 0


def _until_s(date: str, now: datetime) -> float | None:
    try:
        then = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return max(0.0, (then - now).total_seconds())
