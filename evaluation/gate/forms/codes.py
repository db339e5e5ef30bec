"""Codes, telephone numbers, versions, addresses of machines, and everything else of digits and letters. Pure."""

import re

from evaluation.gate.forms.form import Form, any_of, word_set
from evaluation.gate.forms.numbers import ZERO, cardinal, decimal, digit_row, whole

PHONE = re.compile(
    r"\+\d[\d\s().-]{5,18}\d\b|\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}\b|\d(?:-\d{2,4}){2,4}\b|\d{3}-\d{4}\b|0\d{3,4}\s\d{3}\s?\d{3,4}\b"
)
"""Groups of digits with spaces, hyphens, points or brackets."""
DOTTED = re.compile(r"\d+(?:\.\d+){2,}\b")
"""A machine's address, or a version: numbers with dots between."""
VERSION = re.compile(r"v(?:er(?:sion)?)?\.?\s?(\d+(?:\.\d+)*)\b(?![-/])", re.I)
"""v2.3.1"""
CODE = re.compile(r"(?=[A-Za-z0-9/:-]*\d)(?=[A-Za-z0-9/:-]*[A-Za-z])[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*(?![\w])")
"""Letters and digits, perhaps with hyphens and slashes."""
SPELLED = re.compile(r"(?=[\w-]*[A-Za-z])[A-Za-z0-9](?:-[A-Za-z0-9])+(?:-[A-Za-z0-9]+)*(?!\w)")
"""C-H-O-L: single letters with hyphens."""
DIGIT_GROUPS = re.compile(r"\d+(?:-\d+)+\b")
"""Numbers with hyphens: a range, a score, or a code."""
RATIO = re.compile(r"(\d{1,3}):(\d{1,3})\b(?!:)")
"""3:1"""
RANGE = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?[–—]\s?(?=[$£€]?\d)")
PAREN = re.compile(r"\((\w{1,5})\)")
SECTION = re.compile(r"(\d+(?:\.\d+)*)?((?:\(\w{1,5}\))+)")
"""12.4(c), 8(A)(iv), and the brackets alone."""
EXTENSION = re.compile(r"(?:ext(?:ension|n)?\.?|x)\s?(\d{1,6})\b(?!-)", re.I)
"""ext. 402"""
NUMBER_SIGN = re.compile(r"#(?=\s?\d|[A-Z]+-?\d)")
NUMERO = re.compile(r"(?:no|nr|nos)\.?\s?(?=\d)|№\s?", re.I)

_LETTERS = {"w": any_of("w", "double u", "double you"), "z": any_of("z", "zee", "zed")}
_LETTERS |= {"h": any_of("h", "aitch")}
LINKS: dict[str, Form] = {
    "-": any_of("", "dash", "hyphen", "minus"),
    "/": any_of("slash", "forward slash", "stroke", ""),
    ":": any_of("colon", ""),
    ".": any_of("dot", "point"),
}
_RUN = re.compile(r"[A-Za-z]+|\d+|[-/:.]")
_ROMAN = re.compile(r"^(?=.)(x{0,3})(ix|iv|v?i{0,3})$", re.I)


def letters(text: str) -> Form:
    """Return a run of letters as a word; that it may be spelled needs no form, for spaces are free."""
    if len(text) <= 6 and any(letter in _LETTERS for letter in text.lower()):
        return any_of(text, tuple(_LETTERS.get(letter, letter) for letter in text.lower()))
    return text


def code(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 849-B, 314B, A-X-7, 0x7A9F-Delta: letters, digits in every grouping, signs said or not."""
    return mixed(match[0])


def mixed(text: str) -> Form:
    """Return letters, digits and signs, one after the other."""
    return tuple(_piece(piece) for piece in _RUN.findall(text))


def _piece(piece: str) -> Form:
    if piece.isdecimal():
        return whole(piece, is_code=True)
    return LINKS[piece] if piece in LINKS else letters(piece)


def phone(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return a telephone number: digits singly or in pairs, "plus", hyphens said or not."""
    said: list[Form] = []
    for piece in re.findall(r"\+|\d+|[-.]", match[0]):
        if piece == "+":
            said.append("plus")
        elif piece.isdecimal():
            said.append(_group(piece))
        else:
            said.append(any_of("", "dash" if piece == "-" else "dot"))
    return tuple(said)


def _group(digits: str) -> Form:
    if len(digits) < 4:
        return whole(digits, is_code=True)
    single = any_of(digit_row(digits), whole(digits))
    if digits.startswith("0") and digits.endswith("00") and digits[1] != "0" and len(digits) == 4:
        return any_of(single, (ZERO, cardinal(int(digits[1:]))))
    return single


def extension(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return ext. 402."""
    names = any_of("x", "extension") if match[0][0] in "xX" else any_of("extension", "ext")
    return (names, whole(match[1], is_code=True))


def dotted(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 192.168.0.4."""
    said: list[Form] = []
    for part in match[0].split("."):
        said += [any_of("dot", "point"), whole(part, is_code=True)]
    return tuple(said[1:])


def version(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return v2.3.1."""
    said: list[Form] = []
    for part in match[1].split("."):
        said += [any_of("point", "dot"), whole(part, is_code=True)]
    return (any_of("version", "v") if match[0][0] in "vV" else "version", *said[1:])


def spelled(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return C-H-O-L letter by letter."""
    return mixed(match[0])


def digit_groups(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 10-15, 3-2, 0000-5829: with "to", with the hyphen said, or one after the other."""
    groups = match[0].split("-")
    said: list[Form] = [whole(groups[0], is_code=True)]
    link = any_of("to", "through", "", "dash", "hyphen", "minus") if len(groups) == 2 else LINKS["-"]
    for group in groups[1:]:
        said += [link, whole(group, is_code=True)]
    return tuple(said)


def ratio(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 3:1."""
    return (whole(match[1]), any_of("to", "colon", ""), whole(match[2]))


def section(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 12.4(c) or 8(A)(iv)."""
    said: list[Form] = []
    if match[1]:
        said.append(decimal(match[1], point=any_of("point", "dot")) if match[1].count(".") == 1 else mixed(match[1]))
    elif not all(len(inner) == 1 or _ROMAN.match(inner) for inner in PAREN.findall(match[2])):
        return None
    for inner in PAREN.findall(match[2]):
        number = roman(inner)
        if inner.isdecimal():
            said.append(whole(inner))
        else:
            said.append(any_of(inner, cardinal(number), ("roman", cardinal(number))) if number else letters(inner))
    return tuple(said)


def roman(text: str) -> int:
    """Return the value of a roman number below 40; 0 if it is none."""
    match = _ROMAN.match(text)
    if not match or not text:
        return 0
    ones = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
    return 10 * len(match[1]) + ones[match[2].lower()]


def number_sign(before: str) -> Form:
    """Return "#" before a number; after a noun such as "invoice" it may stay silent."""
    names: tuple[Form, ...] = ("number", "hash", "pound", "hashtag")
    return any_of(*names, "") if before in NUMBERED else any_of(*names)


NUMBERED = word_set(
    "invoice order room ticket case suite apartment account gate flight unit item page bus route locker box lot"
    " protocol form file code table platform track lane exit section"
)
"""Nouns that take a number."""
