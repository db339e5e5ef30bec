"""Web and mail addresses, file names, handles and hashtags, in which signs are words. Pure."""

import re

from evaluation.gate.forms.abbreviations import TITLES
from evaluation.gate.forms.codes import letters
from evaluation.gate.forms.form import Form, any_of
from evaluation.gate.forms.numbers import whole

_ENDINGS = (
    "com org net edu gov mil int info biz io ai co me tv app dev us uk ca au in de fr es it nl eu nz ie za jp cn"
    " pdf csv txt html htm php js py json xml exe zip doc docx xls xlsx png jpg jpeg mp3 wav"
)
_ENDING = "|".join(sorted(_ENDINGS.split(), key=len, reverse=True))
URL = re.compile(
    r"(?:[a-z][a-z0-9+]{1,9}://|www\.)[^\s<>—–\"“”]+"
    rf"|[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)*\.(?:{_ENDING})\b(?!\.?[\w@])(?::\d+)?(?:/[^\s<>—–\"“”]*)?",
    re.I,
)
"""With a scheme, with www, or with a known ending."""
EMAIL = re.compile(r"[\w.+%-]+@[a-z0-9][\w-]*(?:\.[\w-]+)+", re.I)
HASHTAG = re.compile(r"#([^\W\d_]\w*)")
HANDLE = re.compile(r"@([A-Za-z]\w*)")

_TRAILING = ".,;:!?'\")]}*"
_PIECE = re.compile(r"://|www(?=\.)|[^\W\d_]+|\d+|.", re.I)
_SIGNS: dict[str, Form] = {
    "://": any_of("colon slash slash", "colon double slash", "colon forward slash forward slash"),
    "www": any_of("w w w", "double u double u double u", "triple w"),
    ".": any_of("dot", "point"),
    "/": any_of("slash", "forward slash"),
    "-": any_of("dash", "hyphen", "minus", ""),
    "_": any_of("underscore", "under score"),
    "@": "at",
    ":": "colon",
    "~": "tilde",
    "?": "question mark",
    "=": any_of("equals", "equal"),
    "&": any_of("and", "ampersand"),
    "+": "plus",
    "%": "percent",
    "#": any_of("hash", "pound", "hashtag"),
}


def trimmed(text: str) -> str:
    """Return an address without the punctuation of the sentence behind it."""
    return text.rstrip(_TRAILING)


def address(text: str) -> Form:
    """Return an address read from left to right; its hyphens may stay silent, its other signs may not."""
    pieces = _PIECE.findall(text)
    return tuple(_said(piece, is_last=at == len(pieces) - 1) for at, piece in enumerate(pieces))


def _said(piece: str, *, is_last: bool) -> Form:
    sign = _SIGNS.get(piece.lower())
    if sign is not None:
        return any_of(sign, "") if piece == "/" and is_last else sign
    if piece.isdecimal():
        return whole(piece, is_code=True)
    if not piece.isalpha():
        return ""
    return any_of(letters(piece), TITLES[piece.lower()]) if piece.lower() in TITLES else letters(piece)


def hashtag(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return #winning."""
    return (any_of("hashtag", "hash", "pound"), _tag(match[1]))


def handle(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return @name."""
    return ("at", _tag(match[1]))


def _tag(text: str) -> Form:
    # Spaces are free, so that the words in #SpringSale need not be found.
    return tuple(_said(piece, is_last=False) for piece in _PIECE.findall(text))
