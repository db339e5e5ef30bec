"""Plain numbers in a sentence: whole, decimal, percent, fraction, ordinal, and numbers with a unit. Pure."""

import re

from evaluation.gate.forms.form import Form, any_of
from evaluation.gate.forms.numbers import amount, cardinal, decimal, digit_row, fraction, whole

_NUMBER = r"(\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
PERCENT = re.compile(rf"{_NUMBER}\s?(%|‰)")
PERCENT_RANGE = re.compile(r"(\d+(?:\.\d+)?)\s?%?\s?[-–—]\s?(\d+(?:\.\d+)?)\s?%")
"""10%-15%"""
ORDINAL = re.compile(r"(\d[\d,]*)(?:st|nd|rd|th)\b", re.I)
TIMES = re.compile(rf"{_NUMBER}\s?[x×]\b(?!\w)|{_NUMBER}×", re.I)
"""1.5x"""
BY = re.compile(r"(\d+(?:\.\d+)?)\s?[x×]\s?(?=\d)", re.I)
"""3x4"""
FRACTION = re.compile(r"(?:(\d+)(?:\s|-))?(\d{1,3})/(\d{1,3})(?![\d/.])(?:th|rd|nd|st)?s?")
GLYPH = re.compile(r"(\d+)?\s?([½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚])")
_GLYPHS = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8),
    "⅞": (7, 8), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6),
}  # fmt: skip
FEET_INCHES = re.compile(r"(\d{1,2})\s?ft\.?\s(\d{1,2})\s?in\b\.?", re.I)
"""6 ft 2 in"""
FEET = re.compile(r"(\d{1,2})['′]\s?-?(?:(\d{1,2})(?:[\"″]|''|(?=[\s,.;)]|$)))?(?!\w)")
"""5'11", 6'"""
INCHES = re.compile(r"(\d+(?:\.\d+)?)[\"″](?![A-Za-z])")
BARE = re.compile(_NUMBER)
SCALED = re.compile(r"(\d+\.\d+(?=\s?B)|\d+(?:\.\d+)?(?!\s?B))\s?(K|M|B|bn|k)\b(?![/²-])")
"""2.5M, 10k"""
_SCALED = {"K": "thousand", "k": "thousand", "M": "million", "B": "billion", "bn": "billion"}
SIGNED = re.compile(r"[-−+±](?=\.?\d)")
_SIGNS: dict[str, Form] = {
    "-": any_of("minus", "negative"), "−": any_of("minus", "negative"), "+": "plus",
    "±": any_of("plus or minus", "plus minus"),
}  # fmt: skip
PER_CENT = any_of("percent", "per cent")


def number(text: str, *, is_heard: bool = False) -> Form:
    """Return a number as it stands, with or without decimals."""
    return decimal(text, is_heard=is_heard) if "." in text else whole(text, is_heard=is_heard)


def percent(match: re.Match[str], is_heard: bool) -> Form | None:
    """Return 5%."""
    return (number(match[1], is_heard=is_heard), PER_CENT if match[2] == "%" else any_of("per mille", "per mil"))


def percent_range(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 10%-15%, the first "percent" said or not."""
    link = any_of("to", "through", "dash", "hyphen")
    return (number(match[1]), any_of("", PER_CENT), link, number(match[2]), PER_CENT)


def ordinal(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 21st."""
    digits = match[1].replace(",", "")
    if len(digits) > 15:
        return None
    return cardinal(int(digits), is_ordinal=True)


def times(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 1.5x."""
    said: Form = (number(match[1] or match[2]), any_of("times", "x"))
    return any_of(said, "twice") if (match[1] or match[2]) == "2" else said


def by(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return the "3x" of 3x4."""
    return (number(match[1]), any_of("by", "times", "x"))


def parts(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 1/2, 2 1/2, 24/7."""
    count, top, bottom = match.groups()
    if int(bottom) == 0 or int(top) == 0:
        return (whole(count), whole(top), "slash", whole(bottom)) if count else (whole(top), "slash", whole(bottom))
    return _mixed(count, fraction(int(top), int(bottom)), int(top))


def glyph(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return ½ and 2½."""
    top, bottom = _GLYPHS[match[2]]
    return _mixed(match[1], fraction(top, bottom), top)


def _mixed(count: str | None, part: Form, top: int) -> Form:
    if count is None:
        return (part, any_of("", "of a", "of an"))
    return (whole(count), any_of("and", "") if top > 1 else "and", part)


def feet(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 5'11"."""
    foot = (cardinal(int(match[1])), any_of("foot", "feet"))
    if match[2] is None:
        return foot
    inches = cardinal(int(match[2]))
    return any_of((foot, inches, any_of("", "inches", "inch")), (cardinal(int(match[1])), inches))


def inches(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 12"."""
    return (number(match[1]), any_of("inches", "inch"))


def scaled(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 10k, 2.5M."""
    return (number(match[1]), any_of(_SCALED[match[2]], match[2]))


def bare(match: re.Match[str], is_heard: bool) -> Form | None:
    """Return a number that nothing else explains."""
    return number(match[1], is_heard=is_heard)


def signed(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return the sign before a number."""
    return _SIGNS[match[0]]


def quantity(text: str, *, is_heard: bool) -> Form:
    """Return a number before a unit; a transcriber's may have been read digit by digit."""
    if "." in text:
        return decimal(text, is_heard=is_heard)
    form = any_of(whole(text), amount(text))
    return any_of(form, digit_row(text.replace(",", ""))) if is_heard else form
