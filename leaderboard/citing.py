"""How a page of the board is cited: BibTeX and a plain line, with protocol, revision and day. Pure."""

import re
import unicodedata

from leaderboard import words
from leaderboard.stamps import Stamp

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: "\\" + sign for sign in "$&#_%"},
}
"""BibTeX counts a brace even behind a backslash, so braces become words."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOST_KEY = 40


def titled(heading: str, stamp: Stamp) -> str:
    """Return what a page is cited as; the board's own heading is a question, which names nothing."""
    if heading in ("", words.TAGLINE):
        return f"{words.SITE} leaderboard, protocol {stamp.protocol_name}"
    return f"{heading} on {words.SITE}, protocol {stamp.protocol_name}"


def bibtex(heading: str, url: str, stamp: Stamp) -> str:
    """Return an entry that any BibTeX reads, whatever a system is called.

    Args:
        heading: of the page; may hold a stranger's text.
        url: address of the page, percent-encoded.
        stamp: the state of the board.
    """
    fields = {
        "title": "{" + latex(titled(heading, stamp)) + "}",
        "author": "{" + words.SITE + "}",
        **_when(stamp.day),
        "url": url,
        "note": latex(_note(stamp)),
    }
    lines = (f"  {name} = {value if name == 'month' else '{' + value + '}'}" for name, value in fields.items())
    return f"@misc{{{_key(heading, stamp)},\n" + ",\n".join(lines) + "\n}"


def plain(heading: str, url: str, stamp: Stamp) -> str:
    """Return one line in the manner of the APA; arguments as of `bibtex`."""
    day = f" ({stamp.day})" if stamp.day else " (n.d.)"
    return f"{words.SITE}{day}. {_clear(titled(heading, stamp))} [Data set]. {_note(stamp)}. {url}"


def latex(text: str) -> str:
    """Return a text whose every sign stands for itself in LaTeX and whose braces are balanced."""
    return "".join(_LATEX.get(sign, sign) for sign in _clear(text))


def _note(stamp: Stamp) -> str:
    revision = f", revision {stamp.revision}" if stamp.revision else ""
    place = f" of dataset {stamp.repo}" if stamp.repo else ""
    return f"Protocol {stamp.protocol_name}, id {stamp.protocol_id}{revision}{place}; program {stamp.code}"


def _when(day: str) -> dict[str, str]:
    if not day:
        return {}
    return {"year": day[:4], "month": _MONTHS[int(day[5:7]) - 1]}


def _key(heading: str, stamp: Stamp) -> str:
    known = "" if heading == words.TAGLINE else heading
    folded = unicodedata.normalize("NFKD", known).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:_MOST_KEY].strip("-")
    return "-".join(part for part in ("castboard", name, stamp.protocol_id, stamp.short) if part)


def _clear(text: str) -> str:
    """Return a text in one line, without control signs."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
