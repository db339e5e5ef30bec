"""Text that a stranger typed, made regular or refused. Nothing is escaped for HTML here: the display does that."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

_MAX_MARKS_IN_A_ROW = 4
_INVISIBLE_JOINERS = "\u200c\u200d"  # some scripts and emoji need them in running text
_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BadText:
    """Why a text is refused."""

    allowed: str
    """What would be accepted."""
    got: str
    """What came, fit to be shown."""


def regular(text: str, *, is_prose: bool, max_chars: int) -> str | BadText:
    """Return `text` in its regular form: NFC, outer white space and invisible spaces gone.

    Args:
        text: anything.
        is_prose: line breaks and joiners are kept; otherwise white space becomes single spaces on one line.
        max_chars: longest result, in code points.

    Returns:
        The text; BadText for control, direction-changing, private or unassigned characters, for heaps of combining
        marks, and for text that is too long.
    """
    if len(text) > 20 * max_chars + 1000:  # so that what follows is cheap whatever comes
        return BadText(allowed=f"{max_chars:,} characters", got=f"{len(text):,} characters")
    clean = unicodedata.normalize("NFC", text.translate(_DROPPED))
    if is_prose:
        lines = clean.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        clean = "\n".join(line.rstrip() for line in lines).strip()
    else:
        clean = " ".join(clean.split())
    for at, character in enumerate(clean):
        if not _is_allowed(character, is_prose=is_prose):
            return BadText(
                allowed="ordinary characters, none that control or turn the text",
                got=f"U+{ord(character):04X} at character {at + 1}",
            )
    if _longest_run_of_marks(clean) > _MAX_MARKS_IN_A_ROW:
        return BadText(allowed=f"{_MAX_MARKS_IN_A_ROW} combining marks in a row", got="more")
    if len(clean) > max_chars:
        return BadText(allowed=f"{max_chars:,} characters", got=f"{len(clean):,} characters")
    return clean


def web_link(text: str) -> str | BadText:
    """Return `text` if it is a plain http or https address, else BadText. Every character is visible ASCII."""
    allowed = "an address that starts with https:// or http://"
    if not all("!" <= c <= "~" and c not in "\"'<>\\`{}|^" for c in text):
        return BadText(allowed="visible ASCII; other characters percent-encoded", got="other characters")
    try:
        parts = urlsplit(text)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or "://" not in text:
        return BadText(allowed=allowed, got=text[:80])
    if "@" in parts.netloc:
        return BadText(allowed=allowed + ", without a user name", got=text[:80])
    return text


def _is_allowed(character: str, *, is_prose: bool) -> bool:
    if is_prose and character in "\n\t" + _INVISIBLE_JOINERS:
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _longest_run_of_marks(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        longest = max(longest, run)
    return longest
